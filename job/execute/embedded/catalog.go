package embedded

import (
	"context"

	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// Catalog may know tables by their names.
type Catalog interface {
	// Name is how people are told of it.
	Name() string
	// Locate gives the place of a table; ok is false where it has no table of that name.
	Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error)
}

// committer is a catalog that makes a snapshot current on condition that the one that was read is, whose
// error is of iceberg.ErrMoved where it is not.
type committer interface {
	RollBack(ctx context.Context, name table.Name, read iceberg.Snapshot, to int64, properties map[string]string) error
}

// catalogOf is the catalog that knows the step's table, nil for none. Metadata that is put into the folder
// of a table that it knows would pass it by, whatever names the files there have: a table that was
// registered keeps those that it had.
func (e *Engine) catalogOf(ctx context.Context, step plan.Step) (committer, error) {
	for _, c := range e.o.Catalogs {
		_, ok, err := c.Locate(ctx, step.Table)
		switch {
		case err != nil:
			return nil, execute.Refuse(step, "whether a catalog commits to it is not known: %v", err)
		case !ok:
			continue
		}
		if commits, can := c.(committer); can {
			return commits, nil
		}
		return nil, execute.Refuse(step, "its catalog %s alone commits to it: while nothing else is written, rollback_to_snapshot by a Spark of that catalog takes it back", c.Name())
	}
	return nil, nil
}
