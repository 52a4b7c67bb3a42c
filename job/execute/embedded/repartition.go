package embedded

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/table"
)

// repartition is what the table's history calls a commit that changes its partition columns; Spark
// has no name for one that changes no data.
const repartition = "REPARTITION"

// Rows of other writers are safe from a commit that changes partition columns, since it stands on the
// newest version and none of theirs on an older one: Delta refuses whoever read before the metadata
// changed (MetadataChangedException). What they mean to write afterwards is another matter, which
// the history tells, as far as it is looked at.
const (
	lookedBack     = 100                 // commits
	streamingAlive = 30 * 24 * time.Hour // since a streaming writer's last commit (rule 5)
)

// changesPartitions reports whether a step gives the table other partition columns than it has.
func (t opened) changesPartitions(step plan.Step) bool {
	return step.Repartition && !slices.Equal(table.Texts(step.Layout.Partition), t.delta.Metadata.PartitionColumns)
}

// partitionsStay says why the table's partition columns may not be changed as the step wants;
// empty where they may.
func (e *Engine) partitionsStay(ctx context.Context, t opened, step plan.Step) (string, error) {
	m := t.delta.Metadata
	becomes := m.PartitionedBy(table.Texts(step.Layout.Partition))
	switch by := becomes.PartitionFields(); {
	case !e.o.Repartition:
		return "changing a table's partition columns takes leave (allow: {repartition: true})", nil
	case len(step.Files) > 0:
		return "its partition columns are changed for all of its files or for none", nil
	case len(by) != len(becomes.PartitionColumns) || len(by) > 1 || len(by) >= len(m.Schema):
		return fmt.Sprintf("it cannot be partitioned by %v: by one of its columns or by none", becomes.PartitionColumns), nil
	case len(by) > 0 && len(t.delta.ClusteringKeys()) > 0:
		return "it declares clustering keys, which no partitioned table has: ALTER TABLE … CLUSTER BY NONE first", nil
	case m.ChangeFeed():
		return "readers of its change data feed would read files of before by the new partition columns", nil
	case t.lake.Streamed.After(e.o.Now().Add(-streamingAlive)):
		return "a streaming writer committed to it in the last 30 days", nil
	}
	for _, f := range slices.Concat(m.PartitionFields(), becomes.PartitionFields()) {
		if !f.Type.Partitionable() {
			return fmt.Sprintf("values of its column %s, of type %s, are not spelled in one way as a partition's", f.Name, f.Type.Text), nil
		}
	}
	return overwrites(ctx, t)
}

// overwrites says which commit put rows in the place of others without a predicate: partition by
// partition (spark.sql.sources.partitionOverwriteMode=dynamic) it would put them in the place of all
// rows of a table that has no partitions, or leave more than before where it has some.
func overwrites(ctx context.Context, t opened) (string, error) {
	seen := 0
	for entry, err := range delta.History(ctx, t.store, t.delta.Version) {
		if err != nil {
			return "", err
		}
		if seen++; seen > lookedBack {
			break
		}
		_, chosen := entry.Parameters["predicate"]
		if entry.Operation == "WRITE" && entry.Parameters["mode"] == "Overwrite" && !chosen && len(entry.Removed) > 0 {
			return fmt.Sprintf("version %d overwrote rows of it without a predicate: a writer that does so partition by partition would overwrite other rows after a change of partitions", entry.Version), nil
		}
	}
	return "", nil
}

// wholeTask rewrites files of all partitions as one.
func (t opened) wholeTask(step plan.Step, files []delta.Add, tracking delta.RowTracking) rewrite.Task {
	becomes := t.delta.Metadata.PartitionedBy(table.Texts(step.Layout.Partition))
	task := rewrite.Task{
		Table: step.Table, Store: t.store, Metadata: t.delta.Metadata, Layout: step.Layout, TargetFile: step.TargetFile,
		RowTracking: tracking, Whole: true, Becomes: &becomes,
	}
	for _, f := range files {
		task.Files = append(task.Files, rewrite.Listed(f))
	}
	return task
}

// reparted fills in how a table whose partition columns the step changed gets those of before back:
// files of both kinds cannot lie side by side, so that none may have come in since.
func (w *wayBack) reparted(ctx context.Context, step plan.Step, before delta.Snapshot, after int64) error {
	is := w.delta.Metadata.PartitionColumns
	if slices.Equal(before.Metadata.PartitionColumns, is) {
		return nil
	}
	made, err := delta.ReplayAt(ctx, w.store, after)
	if err != nil {
		return execute.Refuse(step, "version %d, which the step made, can no longer be read: %v", after, err)
	}
	if !slices.Equal(made.Metadata.PartitionColumns, is) {
		return execute.Refuse(step, "others have changed its partition columns since version %d", after)
	}
	if more := len(w.delta.Files) - len(w.remove); more > 0 {
		return execute.Refuse(step, "%d files came in since, which lie by its partition columns of now: those of before cannot lie beside them", more)
	}
	becomes := w.delta.Metadata.PartitionedBy(before.Metadata.PartitionColumns)
	w.becomes, w.before = &becomes, before
	return nil
}
