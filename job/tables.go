package job

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
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
	Unreadable  string // why it cannot be read; empty where it can
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
	search := newSearch(n)
	for _, q := range o.Queries {
		for _, scan := range q.Scans {
			if plan.Plannable(scan.Format) {
				search.add(ctx, o.sources[q.App], scan.Table, scan.Location)
			}
		}
	}
	l := search.lake()
	n.askKeepers(ctx, l)
	n.warnOfNames(l)
	return l
}

// askKeepers adds why catalogs keep tables to themselves that could be rewritten else.
func (n Night) askKeepers(ctx context.Context, l Lake) {
	for i, f := range l.Tables {
		if n.Config.MayWrite(f.Snapshot.Table, f.Snapshot.Location) {
			l.Tables[i].Unsupported = append(l.Tables[i].Unsupported, withheld(ctx, n.Catalogs, f.Names)...)
		}
	}
}

// search is a look for tables under way. Each name is asked for once at each place that logs
// give, until it is found.
type search struct {
	night   Night
	finders map[string]catalog.Catalog // by the logs of a source
	asked   map[question]bool
	known   map[table.Name]bool
	at      map[table.Location]int // into found
	found   []Found
}

type question struct {
	logs   string
	name   table.Name
	logged table.Location
}

func newSearch(n Night) *search {
	return &search{night: n, finders: map[string]catalog.Catalog{}, asked: map[question]bool{}, known: map[table.Name]bool{}, at: map[table.Location]int{}}
}

func (s *search) add(ctx context.Context, source config.Source, name table.Name, logged table.Location) {
	asked := question{source.Logs, name, logged}
	if s.known[name] || s.asked[asked] {
		return
	}
	s.asked[asked] = true
	finder, ok := s.finders[source.Logs]
	if !ok {
		finder = NewCatalog(ctx, s.night.opener(), s.night.Config, source)
		finder.Ask = Ask(ctx, s.night.Catalogs, s.night.Log)
		s.finders[source.Logs] = finder
	}
	place, ok := finder.Resolve(name, logged)
	if !ok {
		s.night.Log.Debug("a table was not found", "table", name, "location", logged)
		return
	}
	s.known[name] = true
	if at, known := s.at[place.Location]; known {
		s.found[at].Names = append(s.found[at].Names, name)
		return
	}
	found, err := s.night.open(ctx, name, place.Location)
	if err != nil {
		s.night.Log.Warn("a table cannot be read and stays as it is", "table", name, "location", place.Location, "err", err)
		found = unreadable(name, place.Location, err)
	}
	s.night.Log.Debug("looked at a table", "table", name, "location", place.Location, "found_by", place.Source, "version", found.Snapshot.Version)
	s.at[place.Location] = len(s.found)
	s.found = append(s.found, found)
}

func (s *search) lake() Lake {
	l := Lake{Tables: s.found, names: map[table.Name]int{}}
	slices.SortFunc(l.Tables, func(a, b Found) int { return strings.Compare(string(a.Snapshot.Table), string(b.Snapshot.Table)) })
	for at, f := range l.Tables {
		for _, name := range f.Names {
			l.names[name] = at
		}
	}
	return l
}

// warnOfNames names the entries under write: that no table of the window answers to: a slip of
// the pen there would keep a table as it is for ever.
func (n Night) warnOfNames(l Lake) {
	for _, entry := range n.Config.Write {
		only := config.Config{Write: []config.Pattern{entry}}
		if !slices.ContainsFunc(l.Tables, func(f Found) bool { return only.MayWrite(f.Snapshot.Table, f.Snapshot.Location) }) {
			n.Log.Warn("no table of the window answers to an entry under write:", "entry", entry)
		}
	}
}

// unreadable stands for a table whose log or metadata is damaged.
func unreadable(name table.Name, at table.Location, err error) Found {
	return Found{
		Snapshot:   lake.Snapshot{Table: name, Location: at, Format: lake.Delta, Owner: "none", Layout: layout.Unordered()},
		Unreadable: err.Error(),
		Names:      []table.Name{name},
	}
}

// NewCatalog is the catalog of the config for the logs of one source.
func NewCatalog(ctx context.Context, open object.Opener, c config.Config, source config.Source) catalog.Catalog {
	finder := catalog.Catalog{
		PathMap: source.PathMap,
		Tables:  map[table.Name]table.Location{},
		Exists:  func(at table.Location) bool { return standsAt(ctx, open, at) },
	}
	for _, t := range c.Lake.Tables {
		finder.Tables[t.Name] = t.Location
	}
	for _, root := range c.Lake.Roots {
		finder.Roots = append(finder.Roots, table.Location(root))
	}
	return finder
}

// standsAt reports whether a Delta table's log is at the place, or an Iceberg table's metadata.
// One that may not be looked at stands there: opening it says what is missing.
func standsAt(ctx context.Context, open object.Opener, at table.Location) bool {
	store, err := open(string(at))
	if err != nil {
		return false
	}
	for _, err := range store.List(ctx, "_delta_log/", "") {
		return err == nil || errors.Is(err, fs.ErrPermission)
	}
	return iceberg.Holds(ctx, store)
}

func (n Night) open(ctx context.Context, name table.Name, at table.Location) (Found, error) {
	store, err := n.opener()(string(at))
	if err != nil {
		return Found{}, err
	}
	s, err := lake.Open(ctx, store, name, at)
	if err != nil {
		return Found{}, err
	}
	unsupported, err := unsupported(ctx, n.Engine, s)
	if err != nil {
		return Found{}, err
	}
	return Found{Snapshot: s, Unsupported: unsupported, Names: []table.Name{name}, store: store}, nil
}

// unsupported is what keeps an engine from rewriting a table.
func unsupported(ctx context.Context, engine execute.Engine, s lake.Snapshot) ([]string, error) {
	if s.Format == lake.Iceberg && engine.Name() == plan.EmbeddedEngine {
		return []string{"an Iceberg table, which Spark rewrites (engine: {kind: sparksql})"}, nil
	}
	return engine.Unsupported(ctx, s.Location)
}

// drawer draws about so many rows of a table.
type drawer func(ctx context.Context, f Found, columns []table.Column, rows int) (lake.Sample, error)

// drawer reads rows once for each version of a table, or makes do with bounds where the config
// says so.
func (n Night) drawer() drawer {
	if n.Config.Sample == config.SampleBounds {
		return func(_ context.Context, f Found, columns []table.Column, rows int) (lake.Sample, error) {
			return lake.Sketch(f.Snapshot, columns, rows), nil
		}
	}
	kept := lake.Samples{Problem: func(err error) { n.Log.Warn("the sample of a table is drawn again next time", "err", err) }}
	if n.Config.Cache != "" {
		kept.Folder = filepath.Join(n.Config.Cache, "samples")
	}
	return func(ctx context.Context, f Found, columns []table.Column, rows int) (lake.Sample, error) {
		return kept.Draw(ctx, f.store, f.Snapshot, columns, rows)
	}
}

// inputs draws the samples that the plan asks for.
func (l Lake) inputs(ctx context.Context, in plan.Input, taught learnt, draw drawer) ([]plan.TableInput, error) {
	list := make([]plan.TableInput, len(l.Tables))
	for i, f := range l.Tables {
		list[i] = plan.TableInput{Snapshot: f.Snapshot, Unsupported: f.Unsupported, Unreadable: f.Unreadable, Names: slices.Clone(f.Names)}
		list[i].TakenBack = taught.takenBack[f.Snapshot.Location]
		list[i].Harmed, list[i].Correction = taught.harms[f.Snapshot.Location], taught.factors[f.Snapshot.Table]
		if err := l.drawMends(ctx, f, &list[i], in); err != nil {
			return nil, err
		}
		columns, err := plan.Columns(list[i], in)
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			continue
		}
		scoped := f
		scoped.Snapshot = plan.Scoped(list[i], in)
		rows := plan.SampleRows(scoped.Snapshot, in.Settings.TargetFile)
		list[i].Sample, err = draw(ctx, scoped, columns, rows)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			list[i].Unreadable = err.Error()
		}
	}
	return list, nil
}

// drawMends draws the samples of the files that upkeep may take.
func (l Lake) drawMends(ctx context.Context, f Found, t *plan.TableInput, in plan.Input) error {
	t.Mends = plan.Mends(*t, in)
	if len(t.Mends) == 0 {
		return nil
	}
	columns, err := plan.MendColumns(*t, in)
	if err != nil {
		return err
	}
	for i := range t.Mends {
		part := plan.Part(f.Snapshot, t.Mends[i])
		t.Mends[i].Sample, err = lake.Draw(ctx, f.store, part, columns, plan.SampleRows(part, in.Settings.TargetFile))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.Unreadable, t.Mends = err.Error(), nil
			return nil
		}
	}
	return nil
}

// recallCuts gives tables that lie by learnt cuts their cut points back: the files tell only
// which cuts they follow, the plan in force has the cuts themselves.
func (l Lake) recallCuts(inForce plan.Plan) {
	for i := range l.Tables {
		found := &l.Tables[i].Snapshot.Layout
		for _, t := range inForce.Tables {
			for _, known := range []layout.Layout{t.Chosen, t.Current} {
				if found.Cuts != "" && found.Tree == nil && known.Cuts == found.Cuts {
					found.Tree = known.Tree
				}
			}
		}
	}
}
