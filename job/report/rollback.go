package report

import (
	"io"
	"strings"
	"time"

	"ajlo/job/plan"
)

// Rollback is what a run that takes another back is going to do, or has done, for people.
type Rollback struct {
	ID, Of, Night, Outcome string // no ID: a dry run
	PlanHash               string
	Returns                []plan.Return
	Steps                  []Step // of the returns that have one, in their order
}

// Write renders, for each step that is taken back, how, why so, until when, and what became of it.
func (r Rollback) Write(w io.Writer) error {
	p := &page{}
	p.line("rollback of run %s of night %s", r.Of, r.Night)
	if len(r.Returns) == 0 {
		p.line("nothing to take back: it changed no table")
	}
	next := 0
	for _, back := range r.Returns {
		p.line("step %d    %s %s: %s", back.Of+1, back.Table, wayText[back.Way], back.Reason)
		if back.Step == nil {
			continue
		}
		how(p, *back.Step)
		if next < len(r.Steps) {
			p.line("          %s%s", r.Steps[next].Status, r.Steps[next].answer())
		}
		next++
	}
	p.line("plan      sha256 %s", r.PlanHash)
	if r.ID != "" {
		p.line("run       %s: %s", r.ID, r.Outcome)
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

var wayText = map[plan.Way]string{
	plan.PutBack: "files put back", plan.ByKeys: "by its keys of before", plan.NoWay: "not taken back", plan.BackDone: "done",
}

func how(p *page, s plan.Step) {
	if s.Back != nil {
		p.line("          open until %s, when the table's own clean-up may take the files of before", s.Back.Until.UTC().Format(time.RFC3339))
		p.line("          by a commit of ajlo's own; a Spark would say, and lose what came in since:")
	} else {
		p.line("          open at any time; a rewrite of %s", s.Expected.Rewrite)
	}
	for line := range strings.Lines(s.Statement) {
		p.line("          %s", strings.TrimRight(line, "\n"))
	}
}
