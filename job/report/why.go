package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Why is a plan's account of one table, or of one class of queries.
type Why struct {
	Window string     `json:"window"`
	Name   string     `json:"name"`
	Table  *WhyTable  `json:"table,omitempty"`
	Class  []WhyClass `json:"class,omitempty"`
	// Unseen says what the plan as a whole was made without.
	Unseen plan.Coverage `json:"coverage"`
}

// WhyTable is the decision on a table, with the classes that gain and lose by it, greatest
// first.
type WhyTable struct {
	plan.Table
	Gainers []plan.Class `json:"gainers"`
	Losers  []plan.Class `json:"losers"`
}

// WhyClass is one table that a class reads, and what holds the class back there.
type WhyClass struct {
	Table      table.Name `json:"table"`
	Executions int64      `json:"executions"`
	Query      string     `json:"query,omitempty"`
	Protected  bool       `json:"protected"`
	Now        unit.Bytes `json:"scanned_bytes_now"`
	Then       unit.Bytes `json:"scanned_bytes_then"`
	Best       unit.Bytes `json:"scanned_bytes_best"`
	BestLayout string     `json:"best_layout"`
	Chosen     string     `json:"chosen"`
	// Reason says why the layout that is best for the class alone was not chosen.
	Reason string `json:"reason"`
}

// WhyOf accounts for a table by its name or place, or for a class by its fingerprint; ok is
// false where the plan knows neither.
func WhyOf(p plan.Plan, name string) (w Why, ok bool) {
	w = Why{Window: p.Window.Start.Format(stamp) + " to " + p.Window.End.Format(stamp), Name: name, Unseen: p.Coverage}
	for _, t := range p.Tables {
		if string(t.Table) == name || string(t.Location) == name {
			w.Table = whyTable(t)
			return w, true
		}
	}
	for _, t := range p.Tables {
		for _, c := range t.Queries {
			if c.Fingerprint == name {
				w.Class = append(w.Class, whyClass(t, c))
			}
		}
	}
	slices.SortStableFunc(w.Class, func(a, b WhyClass) int { return cmp.Compare(b.Then, a.Then) })
	return w, len(w.Class) > 0
}

func whyTable(t plan.Table) *WhyTable {
	w := &WhyTable{Table: t, Gainers: []plan.Class{}, Losers: plan.Losers(t.Queries)}
	for _, c := range t.Queries {
		if c.Then < c.Now {
			w.Gainers = append(w.Gainers, c)
		}
	}
	slices.SortStableFunc(w.Gainers, func(a, b plan.Class) int { return cmp.Compare(b.Now-b.Then, a.Now-a.Then) })
	return w
}

func whyClass(t plan.Table, c plan.Class) WhyClass {
	w := WhyClass{Table: t.Table, Query: c.Query, Executions: c.Executions, Protected: c.Protected, Now: c.Now, Then: c.Then, Best: c.Best, Chosen: t.Chosen.String()}
	best := t.Candidates[c.BestCandidate]
	w.BestLayout, w.Reason = best.Layout.String(), best.Reason
	switch {
	case c.BestCandidate == 0 && c.Then > c.Best:
		w.Reason = "it reads least as the table is: " + t.Reason
	case c.Then <= c.Best && c.Then == c.Now:
		w.Reason = "no layout that was weighed lets it read less"
	case c.Then <= c.Best:
		w.Reason = "the chosen layout is the best for it"
	}
	return w
}

// Write renders the account for people.
func (w Why) Write(out io.Writer) error {
	p := &page{}
	p.line("window    %s", w.Window)
	p.unseen(w.Unseen)
	p.line("")
	if w.Table != nil {
		p.whyTable(*w.Table)
	} else {
		p.whyClass(w.Name, w.Class)
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

func (p *page) whyTable(t WhyTable) {
	p.line("%s, version %d, %s in %s, keys set by: %s", t.Table.Table, t.Version, t.Bytes, t.Current, t.Owner)
	p.line("decision  %s", t.Reason)
	if t.Money != nil {
		p.line("money     %s", t.Money)
	}
	if t.Correction != 0 {
		p.line("corrected foretold bytes are multiplied by %.2f, learnt from earlier steps", t.Correction)
	}
	p.decay(t.Decay)
	p.line("")
	p.line("layouts that were weighed, and why each was chosen or not")
	for _, c := range t.Candidates {
		p.line("    %s: %s", c.Layout, c.Reason)
		if len(c.Losers) > 0 {
			p.line("        gains %s, losses %s by %s", c.Gains, c.Losses, losersText(c.Losers, t.Queries))
		}
	}
	p.runTime(t.RunTime)
	p.classes("gain by the decision", t.Gainers)
	p.classes("lose by the decision", t.Losers)
	p.line("")
	p.line("missing")
	if len(t.Missing) == 0 {
		p.line("    nothing that is known of")
	}
	for _, m := range t.Missing {
		p.line("    %s", m)
	}
}

// namedLosers is how many classes stand in a line; --json lists them all.
const namedLosers = 3

// losersText names few classes, and counts more.
func losersText(fingerprints []string, classes []plan.Class) string {
	if len(fingerprints) > namedLosers {
		return fmt.Sprintf("%d query classes, which --json lists", len(fingerprints))
	}
	var names []string
	for _, f := range fingerprints {
		class := plan.Class{Fingerprint: f}
		if i := slices.IndexFunc(classes, func(c plan.Class) bool { return c.Fingerprint == f }); i >= 0 {
			class = classes[i]
		}
		names = append(names, class.String())
	}
	return strings.Join(names, ", ")
}

// runTime says which joins leave part of the table unread at run time, and what counts.
func (p *page) runTime(joins []plan.RunTime) {
	if len(joins) == 0 {
		return
	}
	p.line("")
	p.line("joins with filtered tables, which may leave part of it unread at run time")
	for _, j := range joins {
		p.line("    %s = %s, %s: %s", j.Column, j.From, unit.Counted(j.Scans, "scan", "scans"), j.Reason)
	}
}

func (p *page) classes(title string, list []plan.Class) {
	p.line("")
	p.line("query classes that %s: %d", title, len(list))
	for _, c := range list {
		p.line("    %s%s, run %s: %s a window instead of %s", c, protection(c.Protected), times(c.Executions), c.Then, c.Now)
	}
}

func protection(protected bool) string {
	if protected {
		return " (protected)"
	}
	return ""
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (p *page) whyClass(name string, tables []WhyClass) {
	class := plan.Class{Fingerprint: name, Query: tables[0].Query}
	p.line("query class %s%s reads %s; most of what it still reads comes first", class, protection(tables[0].Protected), unit.Counted(len(tables), "table", "tables"))
	for _, t := range tables {
		p.line("%s, read by it %s: %s a window now, %s by %s", t.Table, times(t.Executions), t.Now, t.Then, t.Chosen)
		p.line("    %s", heldText(t))
	}
}

func heldText(t WhyClass) string {
	if t.Then <= t.Best {
		return t.Reason
	}
	return fmt.Sprintf("held back by %s: %s would let it read %s; %s", t.Then-t.Best, t.BestLayout, t.Best, t.Reason)
}
