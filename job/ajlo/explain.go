package main

import (
	"context"
	"fmt"
	"strings"

	"ajlo/job"
	"ajlo/job/plan"
	"ajlo/job/report"
)

type explainCommand struct {
	evidenceOptions
	Name string `arg:"" help:"A table, by name or place, or a class of queries, by its fingerprint."`
	Plan place  `placeholder:"FILE" help:"A plan that plan --json or a run wrote, instead of planning anew."`
	JSON bool   `help:"Print as JSON."`
}

// Run says why a table is laid as it is or would be, or which tables hold a query class back.
// Nothing is changed.
func (c explainCommand) Run(ctx context.Context, w world) error {
	p, err := c.plan(ctx, w)
	if err != nil {
		return err
	}
	why, ok := report.WhyOf(p, c.Name)
	if !ok {
		return &job.UsageError{Text: fmt.Sprintf("%s is neither a table nor a query class of the plan, which has the tables %s: name one of them, or a fingerprint as plan --json prints them",
			c.Name, tablesOf(p))}
	}
	if !c.JSON {
		return why.Write(w.out)
	}
	return printJSON(w.out, why)
}

// plan reads the plan that was named, or makes one whether or not the workload has drifted.
func (c explainCommand) plan(ctx context.Context, w world) (p plan.Plan, err error) {
	if c.Plan != "" {
		text, err := c.Plan.read(ctx)
		if err != nil {
			return p, &job.UsageError{Text: "--plan: " + err.Error()}
		}
		if p, err = plan.Parse(text); err != nil {
			return p, &job.UsageError{Text: "--plan: " + err.Error()}
		}
		return p, nil
	}
	night, err := c.night(w)
	if err != nil {
		return p, err
	}
	past, closePast, err := job.OpenPast(ctx, night.StateFile())
	if err != nil {
		return p, err
	}
	defer closing(closePast, &err)
	decision, err := night.Decide(ctx, past, job.PlanAnyway)
	return decision.Plan, err
}

func tablesOf(p plan.Plan) string {
	names := make([]string, len(p.Tables))
	for i, t := range p.Tables {
		names[i] = string(t.Table)
	}
	return strings.Join(names, ", ")
}
