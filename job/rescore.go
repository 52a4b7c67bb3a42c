package job

import (
	"context"
	"fmt"
	"strconv"

	"ajlo/job/drift"
	"ajlo/job/joingraph"
)

// scoringVersion names the code that makes a join graph of logs. Builds that differ elsewhere
// have the same one.
func scoringVersion() string {
	return "facts " + strconv.Itoa(factsVersion) + ", graph " + strconv.Itoa(joingraph.Version)
}

// rescored replaces references that other code scored by what this code makes of their windows'
// logs, or of the facts kept of those: what changed in between is the code, not the workload
// (rule 6). Of a reference whose logs are gone it says so, and it is compared with nothing.
func (n Night) rescored(ctx context.Context, past Past, r references, l Lake) (references, error) {
	var err error
	if r.last, r.lastGone, err = n.rescore(ctx, past, drift.Last, r.last, l); err != nil {
		return r, err
	}
	r.graph, r.graphGone, err = n.rescore(ctx, past, drift.Plan, r.graph, l)
	return r, err
}

// rescore gives the reference as it is to be compared; gone says why it cannot be.
func (n Night) rescore(ctx context.Context, past Past, ref drift.Reference, then *joingraph.Graph, l Lake) (g *joingraph.Graph, gone string, err error) {
	if then == nil {
		return nil, "", nil
	}
	version, err := past.Scoring(ctx, ref, n.Window.Night())
	if err != nil || version == scoringVersion() {
		return then, "", err
	}
	again := n
	again.Window, again.Strict = then.Window, false
	observed, err := again.observe(ctx)
	if ctx.Err() != nil {
		return then, "", ctx.Err()
	}
	if err != nil { // the night's own logs were read: it is these that are not there
		return then, "its window was scored by other code, and its logs cannot be read again", nil
	}
	fresh := joingraph.Build(then.Window, observed.Queries, l.Rows)
	if share := n.Config.LeastSeen; !fresh.HasEvidence() || float64(fresh.TaskMS) < share*float64(then.TaskMS) {
		return then, fmt.Sprintf("its window was scored by other code, and of its logs %d ms of task time are left of %d", fresh.TaskMS, then.TaskMS), nil
	}
	n.Log.Info("a reference was scored anew, since other code had scored it", "reference", ref, "window_end", then.Window.End, "before", version, "now", scoringVersion())
	return &fresh, "", nil
}
