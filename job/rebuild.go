package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"ajlo/job/catalog"
	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/script"
	"ajlo/job/table"
	"ajlo/state"
)

// Rebuilt is what a rebuild found and wrote.
type Rebuilt struct {
	State  string `json:"state"`
	Tables int    `json:"tables"` // that were looked at
	Runs   int    `json:"runs"`   // that changed them
	Steps  int    `json:"steps"`
	// Rollbacks are those of the runs that took another back.
	Rollbacks int `json:"rollbacks"`
	Plans     int `json:"plans"` // of those runs, that are there by their text
	// Unreadable names tables whose history could not be read, with the reason: what runs did to
	// them is not in the new state.
	Unreadable []string `json:"unreadable"`
}

// Rebuild writes a state that was lost anew from what runs left in the histories of the tables
// (rule 12) and from the plans that lie beside the state. Tables are those of lake.tables, of
// write: where it gives a place, and all below lake.roots.
func (n Night) Rebuild(ctx context.Context) (r Rebuilt, err error) {
	r = Rebuilt{State: n.Config.State, Unreadable: []string{}}
	tables, err := n.allTables(ctx)
	if err != nil {
		return r, err
	}
	found := map[string]*state.Lost{}
	for _, at := range slices.Sorted(maps.Keys(tables)) {
		r.Tables++
		if err := n.traceRuns(ctx, tables[at], at, found); err != nil {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			r.Unreadable = append(r.Unreadable, fmt.Sprintf("%s: %v", at, err))
		}
	}
	runs, err := n.lost(ctx, found, &r)
	if err != nil {
		return r, err
	}
	if len(runs) == 0 {
		return r, &UsageError{fmt.Sprintf("rebuild: none of %d tables tells of a run of ajlo: name where tables are under lake.roots or lake.tables", r.Tables)}
	}
	err = n.Store.Rebuild(ctx, runs)
	if errors.Is(err, state.ErrHasRuns) {
		err = &Incomplete{state.Refused, err.Error()}
	}
	return r, err
}

// lost are the runs that were found, with their plans where those are there, and counts them.
func (n Night) lost(ctx context.Context, found map[string]*state.Lost, r *Rebuilt) ([]state.Lost, error) {
	plans, err := n.keptPlans(ctx)
	if err != nil {
		return nil, err
	}
	runs := make([]state.Lost, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		run := *found[id]
		if text, ok := plans[run.PlanHash]; ok {
			if p, err := plan.Parse(text); err == nil {
				run.Plan, run.PlanJSON = &p, text
				r.Plans++
			}
		}
		if run.Rollback {
			r.Rollbacks++
		}
		runs, r.Runs, r.Steps = append(runs, run), r.Runs+1, r.Steps+len(run.Steps)
	}
	return runs, nil
}

// allTables are the places the config tells of, each with the table's name.
func (n Night) allTables(ctx context.Context) (map[table.Location]table.Name, error) {
	places := map[table.Location]table.Name{}
	for _, p := range n.Config.Write {
		if at, ok := p.Location(); ok {
			places[catalog.Tidy(at)] = table.Name(at)
		}
	}
	for _, root := range n.Config.Lake.Roots {
		if err := n.tablesBelow(ctx, root, places); err != nil {
			return nil, err
		}
	}
	for _, t := range n.Config.Lake.Tables {
		places[catalog.Tidy(t.Location)] = t.Name
	}
	return places, nil
}

// tablesBelow lists a root and leaps over the files of each table that it finds.
func (n Night) tablesBelow(ctx context.Context, root string, places map[table.Location]table.Name) error {
	store, err := n.opener()(root)
	if err != nil {
		return fmt.Errorf("root %s: %w", root, err)
	}
	for after := ""; ; {
		found := ""
		for info, err := range store.List(ctx, "", after) {
			if err != nil {
				return fmt.Errorf("root %s: %w", root, err)
			}
			if found = tableOf(info.Key); found != "" {
				break
			}
		}
		if found == "" {
			return nil
		}
		places[catalog.Tidy(table.Location(strings.TrimRight(root, "/")+"/"+found))] = nameBelow(found)
		after = found + string('/'+1) // every file of the table lies before it
	}
}

// tableOf is the folder of the table whose log or metadata a key is of; "" for any other.
func tableOf(key string) string {
	folder, name := path.Split(key)
	kind := path.Base(folder)
	if kind == "_delta_log" && strings.HasSuffix(name, ".json") || kind == "metadata" && strings.HasSuffix(name, ".metadata.json") {
		if at := path.Dir(strings.TrimRight(folder, "/")); at != "." {
			return at
		}
	}
	return ""
}

// nameBelow is the name of a table in a folder db.db/table or db/table below a root.
func nameBelow(folder string) table.Name {
	db, tbl := path.Base(path.Dir(folder)), path.Base(folder)
	if db == "." {
		return table.Name(tbl)
	}
	return table.Name(strings.TrimSuffix(db, ".db") + "." + tbl)
}

// traceRuns adds what the history of a table tells of runs.
func (n Night) traceRuns(ctx context.Context, name table.Name, at table.Location, found map[string]*state.Lost) error {
	store, err := n.opener()(string(at))
	if err != nil {
		return err
	}
	newest, err := delta.Newest(ctx, store)
	switch {
	case errors.Is(err, delta.ErrNoTable):
		return traceIceberg(ctx, store, name, at, found)
	case err != nil:
		return err
	}
	for e, err := range delta.History(ctx, store, newest) {
		if err != nil {
			return err
		}
		stamp, ok := delta.ParseStamp(e.UserMetadata)
		if !ok || !ofARun(stamp) || e.Operation == merged {
			continue
		}
		t := state.Traced{
			Step: stamp.Step, Table: name, Location: at, Layout: tagged(e.Added), Version: e.Version, Commits: 1, First: e.Time, Last: e.Time,
			FilesRemoved: e.Touched.FilesRemoved, FilesAdded: e.Touched.FilesAdded, BytesRemoved: e.Touched.BytesRemoved, BytesAdded: e.Touched.BytesAdded, Rows: -1,
		}
		if rows, ok := e.Metrics["numOutputRows"]; ok {
			t.Rows = rows
		}
		t.Returned = e.Operation == "RESTORE"
		traced(found, stamp, t)
	}
	return nil
}

// merged is the operation of merges, which are stamped, too, and kept in no state.
const merged = "MERGE"

// ofARun leaves out scripts that a person ran.
func ofARun(s delta.Stamp) bool { return s.Run != script.ByHand }

// tagged is the layout that files say they lie in.
func tagged(files []delta.Add) layout.Layout {
	for _, f := range files {
		if l, _, ok := delta.TaggedLayout(f.Tags); ok {
			return l
		}
	}
	return layout.Unordered()
}

func traceIceberg(ctx context.Context, store object.Store, name table.Name, at table.Location, found map[string]*state.Lost) error {
	commits, err := iceberg.History(ctx, store)
	if err != nil {
		return err
	}
	for _, c := range commits {
		stamp, ok := delta.ParseStamp(c.Summary[iceberg.StampKey])
		if !ok || !ofARun(stamp) {
			continue
		}
		counts := c.Counts()
		traced(found, stamp, state.Traced{
			Step: stamp.Step, Table: name, Location: at, Layout: layout.Unordered(), Version: c.ID, Commits: 1, First: c.Time, Last: c.Time,
			FilesRemoved: counts["deleted-data-files"], FilesAdded: counts["added-data-files"],
			BytesRemoved: counts["removed-files-size"], BytesAdded: counts["added-files-size"], Rows: counts["added-records"],
		})
	}
	return traceRollback(ctx, store, name, at, found)
}

// traceRollback adds the last rollback of an Iceberg table; of earlier ones nothing is left.
func traceRollback(ctx context.Context, store object.Store, name table.Name, at table.Location, found map[string]*state.Lost) error {
	back, err := iceberg.LastRollback(ctx, store)
	if back == nil || err != nil {
		return err
	}
	if stamp, ok := delta.ParseStamp(back.Stamp); ok && !back.Time.IsZero() {
		traced(found, stamp, state.Traced{
			Step: stamp.Step, Table: name, Location: at, Layout: layout.Unordered(), Version: back.To, Commits: 1, First: back.Time, Last: back.Time,
			FilesRemoved: -1, FilesAdded: -1, BytesRemoved: -1, BytesAdded: -1, Rows: -1, Returned: true,
		})
	}
	return nil
}

// traced adds a commit, told newest first, to its run and step. A step on Spark may have several.
func traced(found map[string]*state.Lost, stamp delta.Stamp, t state.Traced) {
	lost, ok := found[stamp.Run]
	if !ok {
		lost = &state.Lost{ID: stamp.Run, PlanHash: stamp.PlanHash, Planned: stamp.Steps, Night: stamp.Night, Undoes: stamp.Undoes}
		found[stamp.Run] = lost
	}
	lost.Rollback = lost.Rollback || t.Returned || stamp.Undoes != ""
	t.Undoes = stamp.UndoesStep
	at := slices.IndexFunc(lost.Steps, func(s state.Traced) bool { return s.Step == t.Step })
	if at < 0 {
		lost.Steps = append(lost.Steps, t)
		slices.SortFunc(lost.Steps, func(a, b state.Traced) int { return cmp.Compare(a.Step, b.Step) })
		return
	}
	s := &lost.Steps[at]
	s.First, s.Commits = t.First, s.Commits+t.Commits
	s.FilesRemoved, s.FilesAdded = s.FilesRemoved+t.FilesRemoved, s.FilesAdded+t.FilesAdded
	s.BytesAdded, s.Rows = s.BytesAdded+t.BytesAdded, max(s.Rows, t.Rows)
	if s.BytesRemoved = s.BytesRemoved + t.BytesRemoved; t.BytesRemoved < 0 {
		s.BytesRemoved = -1
	}
}

// keptPlans are the plans that lie beside the state, by their SHA-256.
func (n Night) keptPlans(ctx context.Context) (map[string]json.RawMessage, error) {
	folder, _ := object.Split(n.Config.State)
	objects, err := n.opener()(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("plans beside the state: %w", err)
	}
	plans := map[string]json.RawMessage{}
	for info, err := range objects.List(ctx, plansFolder+"/", "") {
		if err != nil {
			return nil, fmt.Errorf("plans beside the state: %w", err)
		}
		if !strings.HasSuffix(info.Key, ".json") {
			continue
		}
		text, err := objects.ReadAll(ctx, info.Key)
		if err != nil {
			return nil, fmt.Errorf("plans beside the state: %w", err)
		}
		plans[plan.Hash(text)] = text
	}
	return plans, nil
}
