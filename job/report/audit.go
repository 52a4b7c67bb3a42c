package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"ajlo/job/plan"
	"ajlo/job/unit"
)

// Audit is what an auditor asks first: what was changed, what the workload did night by night,
// and what was never changed. Each is a view of the state.
type Audit struct {
	Changes   Listing `json:"changes"`
	Runs      Listing `json:"runs"`
	Drift     Listing `json:"drift"`
	Untouched Listing `json:"untouched"`
}

// Write renders the audit for people.
func (a Audit) Write(w io.Writer) error {
	p := &page{}
	p.line("changed")
	for _, row := range a.Changes.Rows {
		a.change(p, row)
	}
	p.none(a.Changes)
	p.line("")
	p.line("nights")
	p.none(a.Runs)
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return err
	}
	if err := a.nights().Write(w); err != nil {
		return err
	}
	p = &page{}
	p.line("")
	p.line("never changed")
	for _, row := range a.Untouched.Rows {
		p.line("  %s: %s", a.Untouched.text(row, "table_name"), a.Untouched.text(row, "why"))
		if step := a.Untouched.text(row, "last_step"); step != "" {
			p.line("    last step: %s", step)
		}
	}
	p.none(a.Untouched)
	_, err := io.WriteString(w, p.text.String())
	return err
}

func (p *page) none(l Listing) {
	if len(l.Rows) == 0 {
		p.line("  nothing")
	}
}

// change tells one change: when, by which run, why, what was promised, what it did, what it
// cost and who approved it.
func (a Audit) change(p *page, row []any) {
	text := func(column string) string { return oneLine(a.Changes.text(row, column)) }
	p.line("  %s  %s became %s (%s)", text("changed_at"), text("table_name"), text("layout"), text("kind"))
	p.line("    by        run %s, step %d, of night %s; plan %s", text("run"), a.Changes.integer(row, "step")+1, text("night"), text("plan_sha256"))
	p.line("    why       %s; %s", text("why"), text("occasion"))
	p.line("    promised  %s", a.promised(row))
	for i, effect := range strings.Split(cmp.Or(text("effects"), "was not measured"), "; ") {
		p.line("    %-9s %s", first(i, "did"), effect)
	}
	if verdict := text("verdict"); verdict != "" {
		p.line("    later     %s", verdict)
	}
	p.line("    cost      %s", a.cost(row))
	p.line("    approved  %s", cmp.Or(text("approved_by"), "nobody was asked"))
	p.line("    undo      %s", text("undo"))
}

func (a Audit) size(row []any, column string) unit.Bytes {
	return unit.Bytes(a.Changes.integer(row, column))
}

func (a Audit) promised(row []any) string {
	if a.Changes.text(row, "way") != "" {
		return fmt.Sprintf("the layout of before, for %s rewritten", a.size(row, "promised_rewrite_bytes"))
	}
	return fmt.Sprintf("%s read less a window, for %s rewritten", a.size(row, "promised_saved_bytes_per_window"), a.size(row, "promised_rewrite_bytes"))
}

// cost is what a change wrote: nothing where files of before were put back.
func (a Audit) cost(row []any) string {
	told := func(column string) string { return cmp.Or(a.Changes.text(row, column), "?") }
	rows := fmt.Sprintf("%s rows, %s s", told("row_count"), told("seconds"))
	if a.Changes.text(row, "way") == string(plan.PutBack) {
		return fmt.Sprintf("nothing is written anew: %s files of before, %s, in the place of %s; %s", told("files_added"), a.size(row, "put_back_bytes"), told("files_removed"), rows)
	}
	return fmt.Sprintf("%s rewritten into %s, %s files into %s, %s", a.size(row, "rewritten_bytes"), a.size(row, "written_bytes"),
		told("files_removed"), told("files_added"), rows)
}

// first is the word of the first line of several.
func first(i int, word string) string {
	if i > 0 {
		return ""
	}
	return word
}

// nights puts beside each run the edge that moved most.
func (a Audit) nights() Listing {
	l := Listing{Columns: []string{"night", "run", "outcome", "drift_last", "drift_plan", "moved_most", "its_jis", "rewritten_bytes", "approved_by"}}
	for _, run := range a.Runs.Rows {
		edge, jis := a.movedMost(a.Runs.text(run, "run"))
		row := []any{}
		for _, column := range l.Columns {
			row = append(row, a.Runs.Get(run, column))
		}
		row[5], row[6] = edge, jis
		l.Rows = append(l.Rows, row)
	}
	return l
}

// movedMost is the edge of a run that was furthest from the last window, with its JIS in both;
// the view has it first.
func (a Audit) movedMost(run string) (edge, jis any) {
	for _, row := range a.Drift.Rows {
		d := a.Drift
		if d.text(row, "run") == run && d.text(row, "reference") == "last" && d.Get(row, "edge") != nil {
			return d.Get(row, "edge"), d.text(row, "jis_before") + " to " + d.text(row, "jis_after")
		}
	}
	return nil, nil
}
