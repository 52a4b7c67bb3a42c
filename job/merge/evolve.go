package merge

import (
	"context"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/rewrite"
	"ajlo/job/table"
)

// evolve gives the table the columns of the source that it lacks: all of them where a clause takes
// all columns, else those that clauses name. Columns that the source lacks need not be there: rows
// keep theirs, and new rows have NULL. It is done before anything else looks at the schema.
func (m *Merger) evolve(ctx context.Context, r Request, t *target) error {
	at, err := m.find(ctx, r, t)
	if err != nil {
		return err
	}
	theirs, err := schemaOf(ctx, r, at)
	if err != nil {
		return err
	}
	names, err := t.sourceNames(r)
	if err != nil {
		return err
	}
	t.lacking = make([]bool, len(t.schema))
	for c, name := range names {
		t.lacking[c] = !slices.ContainsFunc(theirs, func(f delta.Field) bool { return strings.EqualFold(f.Name, name) })
	}
	for _, f := range theirs {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, f.Name) }) && r.adds(f.Name) {
			t.added = append(t.added, f)
		}
	}
	if len(t.added) == 0 {
		return nil
	}
	grown, err := t.read.Grown(t.added, m.o.NewID)
	if err != nil {
		return r.refuse("the source's new columns cannot be taken: %v", err)
	}
	t.delta.Metadata, t.schema = grown, grown.Schema
	t.lacking = append(t.lacking, make([]bool, len(t.added))...)
	return nil
}

// adds reports whether a clause gives values to a column that only the source has.
func (r Request) adds(name string) bool {
	return slices.ContainsFunc(r.clauses(), func(c Clause) bool {
		named := func(a Assignment) bool { return strings.EqualFold(string(a.Column), name) }
		return c.Action != Delete && (len(c.Set) == 0 || slices.ContainsFunc(c.Set, named))
	})
}

// schemaOf is the columns of a source with their types.
func schemaOf(ctx context.Context, r Request, at place) (delta.Schema, error) {
	switch at.format {
	case FromCSV:
		return nil, r.refuse("the columns of a CSV file have no types by which the table could get them: make it Parquet or merge without --evolve")
	case FromDelta:
		d, err := delta.Replay(ctx, at.store)
		if err != nil {
			return nil, r.unreadable(ctx, err)
		}
		return d.Metadata.Schema, nil
	}
	files, err := parquetFiles(ctx, r, at)
	if err != nil {
		return nil, err
	}
	var first delta.Schema
	for i, f := range files {
		stored, err := rewrite.StoredColumns(ctx, at.store, f.Path)
		if err != nil {
			return nil, r.unreadable(ctx, err)
		}
		if i == 0 {
			first = stored
		} else if !slices.EqualFunc(sorted(first), sorted(stored), func(a, b delta.Field) bool { return a.Name == b.Name && same(a.Type, b.Type) }) {
			return nil, r.refuse("%s and %s of the source have not the same columns: make them alike or merge without --evolve", files[0].Path, f.Path)
		}
	}
	return first, nil
}

func sorted(columns delta.Schema) delta.Schema {
	return slices.SortedFunc(slices.Values(columns), func(a, b delta.Field) int { return strings.Compare(a.Name, b.Name) })
}

// addedColumns are the names of the columns that the table gets.
func (t *target) addedColumns() (names []table.Column) {
	for _, f := range t.added {
		names = append(names, table.Column(f.Name))
	}
	return names
}
