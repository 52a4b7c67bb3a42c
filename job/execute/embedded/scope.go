package embedded

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// scope is the live files that a step rewrites, partition by partition.
type scope struct {
	files []delta.Add
	parts []partition
}

// partition is the files of one partition; of a table that has none, all of them.
type partition struct {
	values map[string]*string // as the log spells them
	task   rewrite.Task
}

// scope is all live files, or those of the step's list that are still live.
func (t opened) scope(step plan.Step) (scope, error) {
	var s scope
	for _, f := range t.delta.Files {
		if len(step.Files) == 0 || slices.Contains(step.Files, f.Path) {
			s.files = append(s.files, f)
		}
	}
	tracking, err := t.delta.RowTracking()
	if err != nil {
		return scope{}, execute.Refuse(step, "%v", err)
	}
	if t.changesPartitions(step) {
		s.parts = []partition{{task: t.wholeTask(step, s.files, tracking)}}
		return s, nil
	}
	at := map[string]int{}
	for _, f := range s.files {
		key := delta.PartitionKey(f, t.delta.Metadata)
		if _, ok := at[key]; !ok {
			at[key] = len(s.parts)
			s.parts = append(s.parts, partition{f.PartitionValues, rewrite.Task{
				Table: step.Table, Store: t.store, Metadata: t.delta.Metadata, Layout: step.Layout, TargetFile: step.TargetFile,
				RowTracking: tracking, Folder: delta.PartitionFolder(f, t.delta.Metadata),
			}})
		}
		task := &s.parts[at[key]].task
		task.Files = append(task.Files, rewrite.Listed(f))
	}
	return s, nil
}

// vectors is how many files have deleted rows.
func (s scope) vectors() (n int) {
	for _, f := range s.files {
		if f.DeletionVector != nil {
			n++
		}
	}
	return n
}

// made is a scope's new files that are not committed yet.
type made struct {
	rewrite.Outcome                      // of all partitions together
	values          []map[string]*string // partition values of each file
}

// rewrite does one partition after the other; room is asked whether so many bytes of rows may wait on
// the disk while so many bytes of files are still to be written. After an error none of the new files is left,
// unless the error says which.
func (s scope) rewrite(ctx context.Context, o rewrite.Options, room func(spilled, left unit.Bytes) error) (all made, err error) {
	total, before, tell := execute.SizeOf(s.files), unit.Bytes(0), o.Progress
	for _, p := range s.parts {
		size := bytesOf(p.task)
		o.Progress = func(done, of unit.Bytes) {
			tell(before+unit.Bytes(float64(size)*float64(done)/float64(max(of, 1))), total)
		}
		o.Room = func(spilled unit.Bytes) error { return room(spilled, total-before) }
		out, err := rewrite.Rewrite(ctx, p.task, o)
		if err != nil {
			return made{}, errors.Join(err, rewrite.Discard(context.WithoutCancel(ctx), p.task.Store, all.Paths()))
		}
		all.Files = append(all.Files, out.Files...)
		all.Removed, all.Added = all.Removed.Plus(out.Removed), all.Added.Plus(out.Added)
		for _, f := range out.Files {
			if p.task.Becomes != nil {
				p.values = f.Values
			}
			all.values = append(all.values, p.values)
		}
		before += size
	}
	return all, nil
}

func bytesOf(t rewrite.Task) (total unit.Bytes) {
	for _, f := range t.Files {
		total += f.Bytes
	}
	return total
}

// cubeTags are those of an engine that clusters the table by the layout's keys, so that it
// takes the new files for clustered; none where no engine does. Files that a step adds to one
// cube are of that cube.
func (t opened) cubeTags(step plan.Step, s scope, newID func() string) map[string]string {
	declared := t.declared()
	if !slices.Equal(slices.Sorted(slices.Values(declared)), slices.Sorted(slices.Values(step.Layout.Clustering))) {
		return nil
	}
	as := step.Layout
	as.Clustering = declared
	return delta.CubeTags(t.delta.Metadata, as, cmp.Or(t.cubeBeside(s), newID()))
}

// declared are the table's own clustering keys; nil where one is no top-level column.
func (t opened) declared() []table.Column {
	var keys []table.Column
	for _, path := range t.delta.ClusteringKeys() {
		if len(path) != 1 {
			return nil
		}
		keys = append(keys, table.Column(path[0]))
	}
	return keys
}

// cubeBeside is the one cube of all files that the step leaves, "" where there is none.
func (t opened) cubeBeside(s scope) (cube string) {
	taken := map[string]bool{}
	for _, f := range s.files {
		taken[f.Path] = true
	}
	for i, f := range slices.DeleteFunc(slices.Clone(t.delta.Files), func(f delta.Add) bool { return taken[f.Path] }) {
		if own := f.Tags[delta.CubeIDTag]; own == "" || i > 0 && own != cube {
			return ""
		}
		cube = f.Tags[delta.CubeIDTag]
	}
	return cube
}

// has reports whether all live files are tagged with the layout. A sort depends on the order
// of its keys, a curve does not. A table without files has every layout.
func (t opened) has(l layout.Layout) bool {
	for _, f := range t.delta.Files {
		tagged, _, ok := delta.TaggedLayout(f.Tags)
		tagged.Partition = l.Partition // files say nothing of it; unmakable held it against the table
		if !ok || tagged.Order != l.Order || !layout.SameKeys(tagged, l) {
			return false
		}
		if l.Order == layout.Sort && !slices.Equal(tagged.Clustering, l.Clustering) {
			return false
		}
	}
	return true
}
