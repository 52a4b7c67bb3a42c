package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// refusals holds that what an engine must not do is refused by name, by Check and by Apply,
// before a byte is written.
func (s suite) refusals(t *testing.T) {
	feature := func(reader, writer []string) action {
		return action{"protocol": action{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": reader, "writerFeatures": writer}}
	}
	tables := []struct {
		name   string
		commit func(t *testing.T, dir string) []action // version 1
		names  string
	}{
		{"a reader feature nobody knows", func(*testing.T, string) []action {
			return []action{feature([]string{"timeTravelling"}, []string{"timeTravelling"})}
		}, "timeTravelling"},
		{"a catalog that commits", func(*testing.T, string) []action {
			return []action{feature([]string{"catalogManaged"}, []string{"catalogManaged", "inCommitTimestamp"})}
		}, "catalogManaged"},
		{"Iceberg beside it", func(*testing.T, string) []action {
			return []action{
				feature(nil, []string{"icebergCompatV2"}),
				{"metaData": metaData(itemSchema, nil, map[string]string{"delta.universalFormat.enabledFormats": "iceberg"})},
			}
		}, "icebergCompatV2"},
		{"types that were widened", func(*testing.T, string) []action {
			return []action{feature([]string{"typeWidening"}, []string{"typeWidening"})}
		}, "typeWidening"},
		{"a type nobody knows", func(*testing.T, string) []action {
			return []action{{"metaData": metaData(`{"type":"struct","fields":[{"name":"id","type":"variant","nullable":true,"metadata":{}}]}`, nil, nil)}}
		}, "variant"},
		{"a file that is gone", func(*testing.T, string) []action {
			return []action{{"add": action{"path": "gone.parquet", "partitionValues": action{}, "size": 10, "modificationTime": 1, "dataChange": true}}}
		}, "gone.parquet"},
		{"a file that is no Parquet", func(t *testing.T, dir string) []action {
			return []action{{"add": action{"path": "_delta_log/00000000000000000000.json", "partitionValues": action{}, "size": 1, "modificationTime": 1, "dataChange": true}}}
		}, "00000000000000000000.json"},
		{"a column stored as another type", func(t *testing.T, dir string) []action {
			type other struct {
				ID *string `parquet:"id,optional"`
			}
			text := "one"
			return []action{addRows(t, dir, "other.parquet", []other{{&text}})}
		}, `column "id"`},
	}
	for _, tt := range tables {
		t.Run(tt.name, func(t *testing.T) {
			dir := itemTable(t)
			commit(t, dir, 1, tt.commit(t, dir)...)
			s.refused(t, s.plain(), dir, stepFor(t, dir, byPrice, unit.MB), tt.names)
		})
	}
	s.refusedSteps(t)
	s.refusedForRoom(t)
}

func (s suite) refused(t *testing.T, e execute.Engine, dir string, step plan.Step, names string) {
	t.Helper()
	before, rec := contents(t, dir), &recorder{}
	wantRefusal(t, e.Check(t.Context(), step), names)
	_, err := e.Apply(t.Context(), step, rec)
	wantRefusal(t, err, names)
	if rec.attempts > 0 {
		t.Errorf("files were intended: %v", rec.intended)
	}
	unchanged(t, dir, before)
}

func (s suite) refusedSteps(t *testing.T) {
	tests := []struct {
		name  string
		edit  func(*plan.Step)
		names string
	}{
		{"another schema than planned", func(p *plan.Step) { p.SchemaHash = "another" }, "schema changed"},
		{"another protocol than planned", func(p *plan.Step) { p.Protocol.MinWriter = 1 }, "protocol changed"},
		{"keys dropped since", func(p *plan.Step) { p.Was, p.Declared = layout.ClusteredBy(layout.Sort, "name"), true }, "keys changed"},
		{"keys of another owner than planned", func(p *plan.Step) { p.Owner, p.Declared = "user", true }, "keys changed"},
		{"a version that is still to come", func(p *plan.Step) { p.Version = 99 }, "planned at version 99 and is at version 0"},
		{"a version that cannot be", func(p *plan.Step) { p.Version = -1 }, "planned at version -1"},
		{"the table is gone", func(p *plan.Step) { p.Location += "/nowhere" }, "nowhere"},
		{"object storage", func(p *plan.Step) { p.Location = "s3://bucket/items" }, "s3"},
		{"a key that is not there", func(p *plan.Step) { p.Layout = layout.ClusteredBy(layout.Sort, "nobody") }, "nobody"},
		{"no keys", func(p *plan.Step) { p.Layout = layout.ClusteredBy(layout.Sort) }, "no key columns"},
		{"no order", func(p *plan.Step) { p.Layout.Order = layout.None }, `"none"`},
		{"five keys on a curve", func(p *plan.Step) {
			p.Layout = layout.ClusteredBy(layout.Hilbert, "id", "price", "name", "id", "id")
		}, "5 key columns"},
		{"a key twice", func(p *plan.Step) { p.Layout = layout.ClusteredBy(layout.Sort, "id", "id") }, "a key twice"},
		{"cuts in another order", func(p *plan.Step) { p.Layout.Tree = &layout.Tree{Column: "id", Cut: predicate.IntValue(5)} }, "learnt cuts"},
		{"partitioning", func(p *plan.Step) { p.Layout.Partition = []table.Column{"name"} }, "partition"},
		{"a part of the table", func(p *plan.Step) { p.Layout.Scope = "id > 5" }, "id > 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := itemTable(t)
			step := stepFor(t, dir, byPrice, unit.MB)
			tt.edit(&step)
			s.refused(t, s.plain(), dir, step, tt.names)
		})
	}
	t.Run("a folder without a table", func(t *testing.T) {
		dir := itemTable(t)
		step := stepFor(t, dir, byPrice, unit.MB)
		step.Location = table.Location(filepath.Dir(dir))
		s.refused(t, s.plain(), dir, step, filepath.Dir(dir))
	})
	t.Run("an Iceberg table in its place", func(t *testing.T) {
		dir := itemTable(t)
		step := stepFor(t, dir, byPrice, unit.MB)
		iceberg := t.TempDir()
		metadata := filepath.Join(iceberg, "metadata", "v1.metadata.json")
		if err := errors.Join(os.Mkdir(filepath.Dir(metadata), 0o755), os.WriteFile(metadata, []byte("{}"), 0o644)); err != nil {
			t.Fatal(err)
		}
		step.Location = table.Location(iceberg)
		s.refused(t, s.plain(), iceberg, step, "is not Delta")
	})
}

// roomAddsUp holds that rows that wait and new files have to fit on their disk together, and so have
// the files of all steps that were checked.
func (s suite) roomAddsUp(t *testing.T) {
	dir, spill := itemTable(t), t.TempDir()
	step, free, one := stepFor(t, dir, byPrice, unit.MB), map[string]unit.Bytes{dir: unit.TB, spill: unit.TB}, false
	small := setup(object.Open)
	small.Memory, small.Spill = 10_000, spill
	small.FreeSpace = func(of string) (unit.Bytes, error) { return free[of], nil }
	small.Disk = func(of string) (string, error) {
		if one {
			return "one", nil
		}
		return of, nil
	}
	needed := func(of string) (bytes unit.Bytes) {
		free[of] = 0
		err := s.newEngine(small).Check(t.Context(), step)
		free[of] = unit.TB
		_, text, _ := strings.Cut(fmt.Sprint(err), "need ")
		if _, scanned := fmt.Sscan(text, (*int64)(&bytes)); scanned != nil {
			t.Fatalf("%v names no bytes that are needed", err)
		}
		return bytes
	}
	files, rows := needed(dir), needed(spill)
	one = true
	free[dir], free[spill] = files+rows-1, files+rows-1
	s.refused(t, s.newEngine(small), dir, step, "bytes free")
	free[dir], free[spill] = files+rows, files+rows
	if err := s.newEngine(small).Check(t.Context(), step); err != nil {
		t.Errorf("room for both: %v", err)
	}

	other := itemTable(t)
	second := stepFor(t, other, byPrice, unit.MB)
	both := setup(object.Open)
	both.FreeSpace = func(string) (unit.Bytes, error) { return 2*files - 1, nil }
	e := s.newEngine(both)
	if err := e.Check(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, e.Check(t.Context(), second), "bytes free")
	if _, err := e.Apply(t.Context(), step, &recorder{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Check(t.Context(), second); err != nil {
		t.Errorf("once the first is done: %v", err)
	}
}

func (s suite) refusedForRoom(t *testing.T) {
	t.Run("no room on the disk", func(t *testing.T) {
		dir := itemTable(t)
		full := setup(object.Open)
		full.FreeSpace = func(string) (unit.Bytes, error) { return 100, nil }
		s.refused(t, s.newEngine(full), dir, stepFor(t, dir, byPrice, unit.MB), "100 bytes free")
	})
	t.Run("room adds up", s.roomAddsUp)
	t.Run("no room to spill", func(t *testing.T) {
		dir := itemTable(t)
		small := setup(object.Open)
		small.Memory, small.Spill = 10_000, t.TempDir()
		small.FreeSpace = func(of string) (unit.Bytes, error) {
			if of == small.Spill {
				return 100, nil
			}
			return unit.TB, nil
		}
		s.refused(t, s.newEngine(small), dir, stepFor(t, dir, byPrice, unit.MB), small.Spill+" has 100 bytes free")
	})
}

// ordered holds that a table whose order only its history tells of, since a Spark of ajlo's has
// made it, is as it was planned.
func (s suite) ordered(t *testing.T) {
	dir := itemTable(t)
	stamp, err := json.Marshal(taker.Text())
	if err != nil {
		t.Fatal(err)
	}
	add, err := json.Marshal(addItems(t, dir, "d.parquet", items(0, 300)))
	if err != nil {
		t.Fatal(err)
	}
	text := `{"commitInfo":{"timestamp":1700000000001,"operation":"OPTIMIZE","operationParameters":{"zOrderBy":"[\"price\"]"},"userMetadata":` + string(stamp) + "}}\n" + string(add) + "\n"
	for _, name := range []string{"a", "b", "c"} {
		text += `{"remove":{"path":"` + name + `.parquet","deletionTimestamp":1700000000001,"dataChange":false,"partitionValues":{}}}` + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "_delta_log", "00000000000000000001.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	step := stepFor(t, dir, byPrice, 2*unit.KB)
	if step.Owner != delta.OwnerUs || len(step.Was.Clustering) != 1 {
		t.Fatalf("planned for %s of %q", step.Was, step.Owner)
	}
	if r, err := s.plain().Apply(t.Context(), step, &recorder{}); err != nil || !r.Changed {
		t.Errorf("%+v, %v", r, err)
	}
}
