package job

import (
	"context"
	"slices"

	"ajlo/job/joingraph"
	"ajlo/job/plan"
)

// usualWindows is how many windows say what is usual.
const usualWindows = 4

// usual is what the last windows showed; nil where there was none, and of a window without
// evidence, which is planned by in no case.
func (n Night) usual(ctx context.Context, past Past, g joingraph.Graph) (*plan.Usual, error) {
	if !g.HasEvidence() {
		return nil, nil
	}
	seen, err := past.Seen(ctx, n.Window.Night(), n.Window.End.Sub(n.Window.Start), usualWindows)
	if len(seen) == 0 || err != nil {
		return nil, err
	}
	var applications, times []float64
	for _, s := range seen {
		times = append(times, float64(s.TaskMS))
		if s.Applications != nil {
			applications = append(applications, float64(*s.Applications))
		}
	}
	return &plan.Usual{Windows: len(seen), Applications: median(applications), TaskMS: median(times), Least: n.Config.LeastSeen}, nil
}

// median is the mean of the two in the middle where the number is even; 0 of none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	of = slices.Sorted(slices.Values(of))
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}
