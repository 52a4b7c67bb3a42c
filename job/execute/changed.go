package execute

import (
	"context"
	"fmt"
	"slices"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
)

// Changed says how a table's schema, protocol, keys or owner differ from what a step was planned
// for (rule 3); empty where they do not. A Delta table whose newest version is older than the plan's is
// another one in its place; Iceberg's versions are snapshot ids, which have no order.
func Changed(step plan.Step, now lake.Snapshot) string {
	if now.Format == lake.Delta && (step.Version < 0 || step.Version > now.Version) {
		return fmt.Sprintf("it was planned at version %d and is at version %d: it was made anew since, or the plan is not as it was made: make a new plan", step.Version, now.Version)
	}
	if now.SchemaHash != step.SchemaHash {
		return fmt.Sprintf("its schema changed since it was planned at version %d (%s, now %s at version %d): make a new plan",
			step.Version, step.SchemaHash, now.SchemaHash, now.Version)
	}
	if !sameProtocol(now.Protocol, step.Protocol) {
		return fmt.Sprintf("its protocol changed since it was planned at version %d (%+v, now %+v at version %d): make a new plan",
			step.Version, step.Protocol, now.Protocol, now.Version)
	}
	return changedKeys(step, now)
}

// ChangedTable is Changed for a Delta table: by what its files and settings tell, or by what its
// history adds, which tells keys that leave no mark on a file, and whose they are. A step's own
// declaration of an attempt before is seen by the former alone.
func ChangedTable(ctx context.Context, store object.Store, d delta.Snapshot, step plan.Step, now lake.Snapshot) string {
	if len(now.Layout.Clustering) > 0 && Changed(step, now) == "" {
		return ""
	}
	return Changed(step, now.Traced(ctx, store, d))
}

// changedKeys leaves alone keys that somebody set or dropped since. Those that the step is for may
// be there already, of an attempt of its own that did not come to its end; and an order that no
// table declares is gone once enough other rows came in.
func changedKeys(step plan.Step, now lake.Snapshot) string {
	switch asPlanned := layout.SameKeys(now.Layout, step.Was); {
	case layout.SameKeys(now.Layout, step.Layout), asPlanned && now.Owner == step.Owner:
		return ""
	case !step.Declared && len(now.Layout.Clustering) == 0 && slices.Equal(now.Layout.Partition, step.Was.Partition):
		return ""
	}
	return fmt.Sprintf("its keys changed since it was planned at version %d (%v, owner %q; now %v, owner %q at version %d): make a new plan",
		step.Version, step.Was, step.Owner, now.Layout, now.Owner, now.Version)
}

func sameProtocol(a, b lake.Protocol) bool {
	return a.MinReader == b.MinReader && a.MinWriter == b.MinWriter &&
		sameSet(a.ReaderFeatures, b.ReaderFeatures) && sameSet(a.WriterFeatures, b.WriterFeatures)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
