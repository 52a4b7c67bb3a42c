package main

import (
	"context"

	"ajlo/job"
	"ajlo/job/report"
)

type factsCommand struct {
	logOptions
	JSON bool `help:"One JSON object a line."`
}

// Run prints what the logs say.
func (c factsCommand) Run(ctx context.Context, w world) error {
	sources, length, err := c.sources()
	if err != nil {
		return err
	}
	span, err := c.window(w.clock, length)
	if err != nil {
		return err
	}
	observed, err := job.Observe(ctx, sources, span)
	if err != nil {
		return err
	}
	for _, damage := range observed.Unreadable() {
		w.log.Warn("a log could not be read in whole", "what", damage)
	}
	if len(observed.Queries) == 0 {
		w.log.Info("no query of a user starts in the window", "start", span.Start, "end", span.End)
	}
	if c.JSON {
		return report.FactsJSON(w.out, observed.Queries)
	}
	return report.Facts(w.out, observed.Queries)
}
