package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"ajlo/job/drift"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// Plan renders a plan as the person who approves it reads it: what was not seen first, then
// why tonight, then each table with its decision and reason, then the steps.
func Plan(w io.Writer, p plan.Plan) error {
	page := &page{}
	page.unseen(p.Coverage)
	page.line("window    %s to %s", p.Window.Start.Format(stamp), p.Window.End.Format(stamp))
	for _, s := range p.Drift {
		page.line("drift     %s", driftText(s, p.Threshold))
	}
	page.line("trigger   %s", p.Trigger)
	page.line("budget    %s of %s rewritten", p.Rewrite, p.Budget)
	if p.UpkeepBudget > 0 {
		page.line("upkeep    %s of %s rewritten, NPV %s", p.Upkeep, p.UpkeepBudget, p.UpkeepNPV)
	}
	page.line("saves     %s a window, NPV %s (at most %s, gap %.1f %%)", p.SavedBytesPerWindow, p.NPV, p.UpperBound, p.Gap*100)
	if p.Money != nil {
		page.line("money     %s", p.Money)
	}
	page.means(p)
	page.line("")
	page.tables(p.Tables)
	page.reasons(p.Tables)
	page.steps(p)
	_, err := io.WriteString(w, page.text.String())
	return err
}

// stamp is how times stand in reports: UTC.
const stamp = "2006-01-02 15:04:05Z"

type page struct{ text strings.Builder }

// line adds one line; whatever names it holds, it stays one.
func (p *page) line(format string, args ...any) {
	p.text.WriteString(printable(fmt.Sprintf(format, args...)) + "\n")
}

// row adds one line of a table.
func row(w io.Writer, cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = printable(fmt.Sprint(cell))
	}
	// Tables are written to builders, which cannot fail.
	_, _ = io.WriteString(w, strings.Join(texts, "\t")+"\n")
}

// unseen says on top what the plan could not see (rule 6).
func (p *page) unseen(c plan.Coverage) {
	p.line("seen      %s, %s (%d failed, %d unfinished), %s of %s", unit.Counted(c.Applications, "application", "applications"),
		unit.Counted(c.Queries, "query", "queries"), c.Failed, c.Unfinished, unit.Counted(c.Scans, "scan", "scans"), c.ScannedBytes)
	p.line("not seen  %d predicates and %d joins cut off in the logs, %d scans without metrics, %s from tables not found",
		c.LostPredicates, c.LostJoins, c.UnmeasuredScans, c.UnresolvedBytes)
	for _, name := range c.UnresolvedTables {
		p.line("          not found: %s", name)
	}
	for _, file := range c.Unreadable {
		p.line("          unreadable: %s", file)
	}
}

func driftText(s drift.Score, threshold float64) string {
	if s.Incomparable != "" {
		return fmt.Sprintf("from %s: not compared: %s", s.Reference, s.Incomparable)
	}
	if s.Score == nil {
		return fmt.Sprintf("from %s: none yet", s.Reference)
	}
	return fmt.Sprintf("from %s: %.3f against %.2f (by the paper's bare formula %.3f; speed factor %.2f)",
		s.Reference, *s.Score, threshold, *s.ScorePaper, s.SpeedFactor)
}

// means says by what a plan was made, where it is not by the what-if and exactly.
func (p *page) means(of plan.Plan) {
	if of.Estimator == plan.ByConstant {
		p.line("estimator constant: 30 %% of a join's scans once both tables lie by its keys, whatever the data are")
	}
	if of.Choice == plan.Greedy {
		p.line("choice    greedy: the gap is to what an exact choice might reach")
	}
}

func (p *page) tables(tables []plan.Table) {
	w := tabwriter.NewWriter(&p.text, 0, 0, 2, ' ', 0)
	row(w, "table", "size", "now", "chosen", "scanned now", "scanned then", "rewrite")
	for _, t := range tables {
		row(w, t.Table, t.Bytes, t.Current, t.Chosen, t.ScannedBytesNow, t.ScannedBytesThen, t.Rewrite)
	}
	// Writing to a strings.Builder cannot fail.
	_ = w.Flush()
	p.line("")
}

// shownCandidates is how many of a table's candidates a page shows; JSON has them all.
const shownCandidates = 4

func (p *page) reasons(tables []plan.Table) {
	for _, t := range tables {
		p.line("%s: %s", t.Table, t.Reason)
		p.decay(t.Decay)
		others := slices.DeleteFunc(slices.Clone(t.Candidates), func(c plan.Candidate) bool {
			return c.Layout.String() == t.Chosen.String() || c.Layout.String() == t.Current.String()
		})
		for i, c := range others {
			if i == shownCandidates {
				p.line("    … %d more candidates, each with its reason, in --json", len(others)-shownCandidates)
				break
			}
			p.line("    not %s: %s", c.Layout, c.Reason)
		}
	}
	p.line("")
}

// decay says what came in since a table was laid and what becomes of it.
func (p *page) decay(d *plan.Decay) {
	if d == nil {
		return
	}
	p.line("    %s", d.Reason)
	for _, k := range d.Keys {
		if k.Decayed() > 0 {
			p.line("    a value of %s falls in %.1f files instead of %.1f: more at %d of %d places along the key",
				k.Column, mean(k.Now), mean(k.Ordered), k.Decayed(), len(k.Now))
		}
	}
}

func mean(counts []int) float64 {
	total := 0
	for _, c := range counts {
		total += c
	}
	return float64(total) / float64(max(1, len(counts)))
}

func (p *page) steps(of plan.Plan) {
	switch {
	case len(of.Steps) == 0 && len(of.Deferred) > 0:
		p.line("no step: the budget of %s (storage %s) holds none of %d tables that are worth a rewrite", of.Budget, of.StorageBudget, len(of.Deferred))
	case len(of.Steps) == 0:
		p.line("no step")
	}
	for i, s := range of.Steps {
		p.line("step %d    %s %s to %s: rewrites %s into about %s", i+1, s.Kind, s.Table,
			s.Layout, s.Expected.Rewrite, unit.Counted(s.Expected.Files, "file", "files"))
	}
	for _, text := range of.Advice {
		p.line("advice    %s", text)
	}
}

// Printable is printable for texts of several lines, such as errors.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return visible(r)
	}, text)
}

// printable keeps names from logs from steering the reader's terminal.
func printable(text string) string { return strings.Map(visible, text) }

func visible(r rune) rune {
	if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == '\u2028' || r == '\u2029' {
		return '\uFFFD'
	}
	return r
}
