package sparksql

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
)

// icebergTable is the newest version of a step's Iceberg table.
type icebergTable struct {
	store  object.Store
	native iceberg.Snapshot
	lake   lake.Snapshot
	inside []iceberg.File // that the step takes
}

// openIceberg reads the newest version of the step's table and refuses what follows from its
// metadata alone.
func (e *Engine) openIceberg(ctx context.Context, step plan.Step) (icebergTable, error) {
	store, err := e.o.Open(string(step.Location))
	if err != nil {
		return icebergTable{}, execute.Refuse(step, "%v", err)
	}
	native, err := iceberg.Read(ctx, store)
	if err != nil {
		return icebergTable{}, execute.Refuse(step, "%v", err)
	}
	t := icebergTable{store: store, native: native, lake: lake.OfIceberg(native, step.Table, step.Location)}
	if reason := execute.Changed(step, t.lake); reason != "" {
		return icebergTable{}, execute.Refuse(step, "%s", reason)
	}
	for i, f := range native.Files {
		if plan.Within(t.lake, t.lake.Files[i], step.Periods) {
			t.inside = append(t.inside, f)
		}
	}
	if reasons := append(e.icebergHazards(store, native, t.inside), makableByIceberg(step)...); len(reasons) > 0 {
		return icebergTable{}, execute.Refuse(step, "%s", strings.Join(reasons, "; "))
	}
	return t, nil
}

// icebergHazards says why files of a table are not rewritten: rows that delete files hide are
// not read here, and a folder on S3 that is its own catalog has no safe commit.
func (e *Engine) icebergHazards(store object.Store, s iceberg.Snapshot, files []iceberg.File) (reasons []string) {
	if slices.ContainsFunc(files, func(f iceberg.File) bool { return f.Deleted }) {
		reasons = append(reasons, fmt.Sprintf("%d delete files hide rows of it: have its own engine apply them first (rewrite_data_files with delete-file-threshold)", s.Deletes))
	}
	if i := slices.IndexFunc(files, func(f iceberg.File) bool { return !strings.HasSuffix(f.Path, ".parquet") }); i >= 0 {
		reasons = append(reasons, fmt.Sprintf("%s is no Parquet file below its folder", files[i].Path))
	}
	if !e.o.Spark.Alone() {
		reasons = append(reasons, "on a server that others use a step's stamp would get into their commits to Iceberg tables: use engine: {kind: sparksql}")
	}
	folder := strings.HasPrefix(path.Base(s.Metadata), "v")
	if object.Scheme(store.URL()) == "s3" && folder && e.o.Commit != config.Exclusive {
		reasons = append(reasons, "it is a Hadoop table on S3, where writers can lose each other's commits: say commit: exclusive if ajlo writes alone")
	}
	return reasons
}

// unsupportedIceberg names what keeps a table from being rewritten.
func (e *Engine) unsupportedIceberg(ctx context.Context, store object.Store) ([]string, error) {
	s, err := iceberg.Read(ctx, store)
	if err != nil {
		return nil, err
	}
	reasons := e.icebergHazards(store, s, s.Files)
	if _, err := s.Columns(); err != nil {
		reasons = append(reasons, err.Error())
	}
	return reasons, nil
}

func makableByIceberg(step plan.Step) []string {
	l := step.Layout
	l.Scope = layout.WholeTable // a call says what it takes
	if reason := unmakable(l); reason != "" {
		return []string{reason}
	}
	if !strings.Contains(string(step.Table), ".") {
		return []string{"Iceberg's procedures go by a name in a catalog"}
	}
	catalog, _, _ := strings.Cut(string(step.Table), ".")
	if reason := unsayable(catalog); reason != "" { // all other names are said as literals
		return []string{reason}
	}
	return nil
}

// checkIceberg has this Spark describe the table.
func (e *Engine) checkIceberg(ctx context.Context, step plan.Step) error {
	t, err := e.openIceberg(ctx, step)
	if err != nil {
		return err
	}
	if _, err := t.native.Columns(); err != nil {
		return execute.Refuse(step, "its rows cannot be compared: %v", err)
	}
	printed, err := e.run(ctx, dialect.SparkIceberg{}.Describe(e.target(step)), nil)
	var said *SaidError
	switch {
	case errors.As(err, &said):
		return execute.Refuse(step, "this Spark cannot describe it as a table of Iceberg: %v", err)
	case err != nil:
		return err
	}
	return checkDescribed(step, printed)
}

// checkDescribed looks at what dialect.SparkIceberg.Describe has Spark print.
func checkDescribed(step plan.Step, printed string) error {
	lines := append(strings.Split(printed, "\n"), "")
	spark, _, _ := strings.Cut(lines[0], " ")
	if _, err := dialect.Probed(dialect.OnIceberg, spark, lines[1]); err != nil {
		return execute.Refuse(step, "%v", err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "\t")
		if strings.TrimSpace(name) == "Location" && samePlace(strings.TrimSpace(value), string(step.Location)) {
			return nil
		}
	}
	return execute.Refuse(step, "this Spark finds it elsewhere than the plan, which has it at %s", step.Location)
}

// icebergConflicts are the exceptions of Iceberg by which a writer gives way to another, and
// the one that leaves open whether it committed.
var icebergConflicts = []string{"ValidationException", "CommitFailedException"}

const commitUnknown = "CommitStateUnknownException"

// attemptIceberg runs the statements on the newest version. Rows of the files that the step
// takes are read before Spark begins, so that what cannot be read is refused in time. Files of a
// failed attempt are left alone: after CommitStateUnknownException they may be the table's.
func (e *Engine) attemptIceberg(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	before, err := e.openIceberg(ctx, step)
	if err != nil {
		return execute.Result{}, err
	}
	if err := rec.Spend(execute.SizeOfIceberg(before.inside)); err != nil {
		return execute.Result{}, err
	}
	rows := execute.NewIcebergRows(before.store, before.native)
	if _, err := rows.Of(ctx, before.inside); err != nil {
		return execute.Result{}, execute.Refuse(step, "its rows cannot be compared: %v", err)
	}
	if err := rec.Intend(ctx, step.Location, []string{entryOf(rec.Stamp())}); err != nil {
		return execute.Result{}, err
	}
	rec.Progress(0, step.Expected.Rewrite)
	begin, _ := dialect.SparkIceberg{}.Stamp(rec.Stamp().Text(), step.Layout)
	_, failed := e.run(ctx, begin+"\n"+step.Statement, nil)
	if failed != nil && !strings.Contains(failed.Error(), commitUnknown) {
		return execute.Result{}, judgedIceberg(step, failed)
	}
	rec.Progress(step.Expected.Rewrite, step.Expected.Rewrite)
	r, err := e.icebergOutcome(ctx, before, rows, rec.Stamp())
	if err == nil && failed != nil && !r.Changed {
		err = fmt.Errorf("rewrite %s: %w", step.Table, failed)
	}
	return r, err
}

// judgedIceberg tells conflicts from other failures by what Spark said.
func judgedIceberg(step plan.Step, err error) error {
	var said *SaidError
	if errors.As(err, &said) && slices.ContainsFunc(icebergConflicts, func(name string) bool { return strings.Contains(said.Said, name) }) {
		return conflictError{err}
	}
	return fmt.Errorf("rewrite %s: %w", step.Table, err)
}

// icebergStamped are the commits that a step made and that put files in the place of others,
// oldest first.
func icebergStamped(s iceberg.Snapshot, stamp execute.Stamp) (list []iceberg.Commit) {
	for _, c := range s.Commits {
		if execute.IsStamped(c.Summary[iceberg.StampKey], execute.Stamp{Run: stamp.Run, Step: stamp.Step}) && c.Operation == iceberg.Replace {
			list = append(list, c)
		}
	}
	return list
}

// icebergOutcome tells from the table's history what Spark did, and reads the rows of what it
// took out and put in.
func (e *Engine) icebergOutcome(ctx context.Context, before icebergTable, rows *execute.IcebergRows, stamp execute.Stamp) (execute.Result, error) {
	now, err := iceberg.Read(ctx, before.store)
	if err != nil {
		return execute.Result{}, fmt.Errorf("look at what Spark did to %s: %w", before.lake.Table, err)
	}
	r := execute.Result{Version: now.ID, Previous: before.native.ID}
	for i, c := range icebergStamped(now, stamp) {
		if i == 0 {
			r.Previous = c.Parent
		}
		if err := addIceberg(ctx, &r, before.store, rows, c); err != nil {
			return execute.Result{}, fmt.Errorf("rows of %s before and after snapshot %d, by Spark, cannot be compared: %w", before.lake.Table, c.ID, err)
		}
	}
	return r, nil
}

// addIceberg counts one commit by the files of its snapshot and of the one that it followed.
func addIceberg(ctx context.Context, r *execute.Result, store object.Store, rows *execute.IcebergRows, c iceberg.Commit) error {
	parent, err := iceberg.ReadAt(ctx, store, c.Parent)
	if err != nil {
		return err
	}
	own, err := iceberg.ReadAt(ctx, store, c.ID)
	if err != nil {
		return err
	}
	removed, added := iceberg.Without(parent.Files, own.Files), iceberg.Without(own.Files, parent.Files)
	old, err := rows.Of(ctx, removed)
	if err != nil {
		return err
	}
	written, err := rows.Of(ctx, added)
	if err != nil {
		return err
	}
	r.Changed, r.Version = true, c.ID
	r.FilesRemoved, r.FilesAdded = r.FilesRemoved+len(removed), r.FilesAdded+len(added)
	r.BytesRemoved, r.BytesAdded = r.BytesRemoved+execute.SizeOfIceberg(removed), r.BytesAdded+execute.SizeOfIceberg(added)
	r.Removed, r.Added = r.Removed.Plus(old), r.Added.Plus(written)
	r.Warnings = append(r.Warnings, disagreeing(c, len(removed), len(added))...)
	return nil
}

// disagreeing says where a commit's own summary counts other files than its manifests hold.
func disagreeing(c iceberg.Commit, removed, added int) (warnings []string) {
	for key, counted := range map[string]int{"deleted-data-files": removed, "added-data-files": added} {
		if said := c.Summary[key]; said != strconv.Itoa(counted) {
			warnings = append(warnings, fmt.Sprintf("snapshot %d says %s: %q, its manifests have %d", c.ID, key, said, counted))
		}
	}
	return warnings
}

// sweepIceberg looks for the commits of a dead step in an Iceberg table's history.
func sweepIceberg(ctx context.Context, store object.Store, stamps []execute.Stamp, paths []string) (execute.Swept, error) {
	now, err := iceberg.Read(ctx, store)
	if err != nil {
		return execute.Swept{}, err
	}
	var swept execute.Swept
	for i, stamp := range stamps {
		done := icebergStamped(now, stamp)
		if len(done) == 0 {
			swept.Gone = append(swept.Gone, paths[i])
			continue
		}
		swept.Committed, swept.Version = true, done[len(done)-1].ID
	}
	return swept, nil
}
