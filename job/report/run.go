package report

import (
	"fmt"
	"io"

	"ajlo/job/plan"
	"ajlo/job/unit"
	"ajlo/job/verify"
)

// Run is what became of one night, for people.
type Run struct {
	ID, Night, Outcome string
	Earlier            string // the run that had already ended the night; empty otherwise
	Plan               plan.Plan
	Steps              []Step
	Effects            []verify.Effect
	Verdicts           []verify.Judgement // on steps of earlier nights
	PlanFile           string
	ScriptFile         string
	// Awaits is the SHA-256 of the plan where a person has to approve it; empty otherwise.
	Awaits string
}

// Step is one step as it went.
type Step struct {
	Table, Status, Err string
	Changed            bool // false where the table was as the step wants it
	FilesRemoved       int
	FilesAdded         int
	Rows               int64
	Version            int64
}

// Write renders the run: the plan, each step with the engine's answer, what was measured.
func (r Run) Write(w io.Writer) error {
	if r.Earlier != "" {
		_, err := fmt.Fprintf(w, "night %s is done: run %s ended with %s; nothing was changed\n", r.Night, r.Earlier, r.Outcome)
		return err
	}
	p := &page{}
	if !r.Plan.Window.End.IsZero() { // a run that failed before it decided has none
		if err := Plan(w, r.Plan); err != nil {
			return err
		}
		p.line("")
	}
	for i, s := range r.Steps {
		p.line("step %d    %s %s%s", i+1, s.Table, s.Status, s.answer())
	}
	for _, j := range r.Verdicts {
		p.line("verdict   %s", j)
	}
	for _, e := range r.Effects {
		p.line("measured  %s", effectText(e))
	}
	if r.PlanFile != "" {
		p.line("plan      %s", r.PlanFile)
		p.line("script    %s", r.ScriptFile)
	}
	if r.Awaits != "" {
		p.line("awaits    a person's leave: ajlo apply PLAN --approved-plan %s --approved-by NAME --approved-until TIME", r.Awaits)
	}
	p.line("run       %s of night %s: %s", r.ID, r.Night, r.Outcome)
	_, err := io.WriteString(w, p.text.String())
	return err
}

func (s Step) answer() string {
	switch {
	case s.Err != "":
		return ": " + s.Err
	case s.Status == "applied" && !s.Changed:
		return ": it already lies so"
	case s.Status == "applied":
		return fmt.Sprintf(": version %d, %s became %d, %s proved equal", s.Version, unit.Counted(s.FilesRemoved, "file", "files"), s.FilesAdded, unit.Counted(s.Rows, "row", "rows"))
	}
	return ""
}

func effectText(e verify.Effect) string {
	name := string(e.Table)
	if e.Measure == verify.ScannedBytes {
		return fmt.Sprintf("%s: the window's queries read %s instead of %s; foretold %s",
			name, inBytes(e.After), inBytes(e.Before), inBytes(e.Foretold))
	}
	if e.Measure == verify.OverlapDepth {
		return fmt.Sprintf("%s: a value of %s falls in %s files instead of %s", name, e.Subject, number(e.After), number(e.Before))
	}
	return fmt.Sprintf("%s: a look-up by %s reads %s of the files instead of %s", name, e.Subject, share(e.After), share(e.Before))
}

func inBytes(f *float64) string {
	if f == nil {
		return "?"
	}
	return unit.Bytes(*f).String()
}

func number(f *float64) string {
	if f == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f", *f)
}

func share(f *float64) string {
	if f == nil {
		return "?"
	}
	return fmt.Sprintf("%.1f %%", *f*100)
}
