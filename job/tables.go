package job

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// Lake is the part of the lake that a window's queries read.
type Lake struct {
	// Tables are those found, one for each place, sorted by name.
	Tables []Found
	names  map[table.Name]int // into Tables
}

// Found is one table with the names that logs know it by.
type Found struct {
	Snapshot    lake.Snapshot
	Unsupported []string
	Names       []table.Name
	store       object.Store
}

// Rows answers the join graph's question for the number of rows of a table.
func (l Lake) Rows(name table.Name) (int64, bool) {
	at, ok := l.names[name]
	if !ok {
		return 0, false
	}
	return l.Tables[at].Snapshot.Rows()
}

// Has reports whether a table of the logs was found.
func (l Lake) Has(name table.Name) bool {
	_, ok := l.names[name]
	return ok
}

// look finds and opens every table that the queries scan. A table that cannot be found is
// left out: coverage counts it. One that is there and cannot be read is kept as it is, with
// the reason.
func (n Night) look(ctx context.Context, o Observed) Lake {
	l := Lake{names: map[table.Name]int{}}
	places := map[table.Location]int{}
	for _, q := range o.Queries {
		finder := NewCatalog(ctx, n.Config, o.sources[q.App])
		for _, scan := range q.Scans {
			if !plan.Plannable(scan.Format) || l.Has(scan.Table) {
				continue
			}
			place, ok := finder.Resolve(scan.Table, scan.Location)
			if !ok {
				continue
			}
			if at, known := places[place.Location]; known {
				l.names[scan.Table] = at
				l.Tables[at].Names = append(l.Tables[at].Names, scan.Table)
				continue
			}
			found, err := n.open(ctx, scan.Table, place.Location)
			if err != nil {
				n.Log.Warn("a table cannot be read and stays as it is", "table", scan.Table, "location", place.Location, "err", err)
				found = unreadable(scan.Table, place.Location, err)
			}
			places[place.Location], l.names[scan.Table] = len(l.Tables), len(l.Tables)
			l.Tables = append(l.Tables, found)
		}
	}
	slices.SortFunc(l.Tables, func(a, b Found) int { return strings.Compare(string(a.Snapshot.Table), string(b.Snapshot.Table)) })
	for at, f := range l.Tables {
		for _, name := range f.Names {
			l.names[name] = at
		}
	}
	return l
}

// unreadable stands for a table whose log or metadata is damaged.
func unreadable(name table.Name, at table.Location, err error) Found {
	return Found{
		Snapshot:    lake.Snapshot{Table: name, Location: at, Format: lake.Delta, Owner: "none", Layout: layout.Unordered()},
		Unsupported: []string{"it cannot be read: " + err.Error()},
		Names:       []table.Name{name},
	}
}

// NewCatalog is the catalog of the config for the logs of one source.
func NewCatalog(ctx context.Context, c config.Config, source config.Source) catalog.Catalog {
	finder := catalog.Catalog{
		PathMap: source.PathMap,
		Tables:  map[table.Name]table.Location{},
		Exists:  func(at table.Location) bool { return standsAt(ctx, at) },
	}
	for _, t := range c.Lake.Tables {
		finder.Tables[t.Name] = t.Location
	}
	for _, root := range c.Lake.Roots {
		finder.Roots = append(finder.Roots, table.Location(root))
	}
	return finder
}

// standsAt reports whether a Delta table's log is at the place.
func standsAt(ctx context.Context, at table.Location) bool {
	store, err := object.Open(string(at))
	if err != nil {
		return false
	}
	for _, err := range store.List(ctx, "_delta_log/", "") {
		return err == nil
	}
	return false
}

func (n Night) open(ctx context.Context, name table.Name, at table.Location) (Found, error) {
	store, err := object.Open(string(at))
	if err != nil {
		return Found{}, err
	}
	s, err := lake.Open(ctx, store, name, at)
	if err != nil {
		return Found{}, err
	}
	unsupported, err := n.Engine.Unsupported(ctx, at)
	if err != nil {
		return Found{}, err
	}
	return Found{Snapshot: s, Unsupported: unsupported, Names: []table.Name{name}, store: store}, nil
}

// inputs draws the samples that the plan asks for.
func (l Lake) inputs(ctx context.Context, in plan.Input) ([]plan.TableInput, error) {
	list := make([]plan.TableInput, len(l.Tables))
	for i, f := range l.Tables {
		list[i] = plan.TableInput{Snapshot: f.Snapshot, Unsupported: f.Unsupported, Names: slices.Clone(f.Names)}
		columns, err := plan.Columns(list[i], in)
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			continue
		}
		rows := plan.SampleRows(f.Snapshot, in.Settings.TargetFile)
		if list[i].Sample, err = lake.Draw(ctx, f.store, f.Snapshot, columns, rows); err != nil {
			return nil, fmt.Errorf("table %s: sample: %w", f.Snapshot.Table, err)
		}
	}
	return list, nil
}
