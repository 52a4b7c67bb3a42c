package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/execute/enginetest"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/rewrite/rowtest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// call is a row of the tables below; every column but the id may be NULL.
type call struct {
	ID   int64   `parquet:"id"`
	Kind *string `parquet:"kind,optional"`
	Zone *int32  `parquet:"zone,optional"`
	Paid *bool   `parquet:"paid,optional"`
}

const callSchema = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":true,"metadata":{}},` +
	`{"name":"kind","type":"string","nullable":true,"metadata":{}},` +
	`{"name":"zone","type":"integer","nullable":true,"metadata":{}},` +
	`{"name":"paid","type":"boolean","nullable":true,"metadata":{}}]}`

// kinds are texts that folders, URLs and JSON spell in ways of their own.
var kinds = []string{"local", "a b", "ä/ö", `x=1&"q"`, "100%", "%2F", "null", strings.Repeat("long ", 60)}

// text is the row as the independent reader has it, in any partitioning.
func (c call) text() string {
	return normal(fmt.Sprintf("id=%d;kind=%s;zone=%s;paid=%s;", c.ID, or(c.Kind), or(c.Zone), or(c.Paid)))
}

func or[T any](v *T) string {
	if v == nil {
		return "NULL"
	}
	return fmt.Sprint(*v)
}

// normal brings columns into one order and spelling, wherever they are kept.
func normal(row string) string {
	fields := strings.Split(strings.TrimSuffix(strings.NewReplacer("{", "", "}", "").Replace(row), ";"), ";")
	for i, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if text, err := strconv.Unquote(value); err == nil {
			value = text
		}
		if value == "<nil>" {
			value = "NULL"
		}
		fields[i] = name + "=" + value
	}
	slices.Sort(fields)
	return strings.Join(fields, ";")
}

// callTable is a table that other writers append to by the partition column it has.
type callTable struct {
	dir  string
	rows []call // that it has to hold
	next int    // the version that comes next
	file int
}

type failing interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

func newCallTable(t failing, dir string, by []string, rows []call) *callTable {
	c := &callTable{dir: filepath.Join(dir, "calls")}
	meta := enginetest.Action{"metaData": enginetest.Action{
		"id": "11111111-2222-4333-8444-555555555555", "format": enginetest.Action{"provider": "parquet", "options": enginetest.Action{}},
		"schemaString": callSchema, "partitionColumns": by, "configuration": enginetest.Action{"owner's": "own"}, "createdTime": 1, "name": "calls",
	}}
	protocol := enginetest.Action{"protocol": enginetest.Action{"minReaderVersion": 1, "minWriterVersion": 2}}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.commit(t, append([]enginetest.Action{protocol, meta}, c.adds(t, by, rows)...)...)
	c.rows = rows
	return c
}

func (c *callTable) commit(t failing, actions ...enginetest.Action) {
	t.Helper()
	if err := enginetest.WriteCommit(c.dir, c.next, actions...); err != nil {
		t.Fatal(err)
	}
	c.next++
}

// appends commits rows as another writer does.
func (c *callTable) appends(t failing, rows []call) {
	t.Helper()
	c.commit(t, c.adds(t, c.log(t).Metadata.PartitionColumns, rows)...)
	c.rows = append(slices.Clone(c.rows), rows...)
}

func (c *callTable) log(t failing) delta.Snapshot {
	t.Helper()
	store, err := object.Open(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := delta.Replay(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// adds writes a file for each partition. What files hold in a partition column is not its value.
func (c *callTable) adds(t failing, by []string, rows []call) (actions []enginetest.Action) {
	t.Helper()
	parts := map[string][]call{}
	for _, r := range rows {
		parts[partOf(r, by)] = append(parts[partOf(r, by)], r)
	}
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for key := range parts {
			if !yield(key) {
				return
			}
		}
	}) {
		values := enginetest.Action{}
		for _, column := range by {
			values[column] = spelled(parts[key][0], column)
		}
		actions = append(actions, c.add(t, values, parts[key]))
	}
	return actions
}

func spelled(r call, column string) any {
	text := map[string]string{"kind": or(r.Kind), "zone": or(r.Zone), "paid": or(r.Paid)}[column]
	if null := map[string]bool{"kind": r.Kind == nil, "zone": r.Zone == nil, "paid": r.Paid == nil}[column]; null {
		return nil
	}
	return text
}

func partOf(r call, by []string) (key string) {
	for _, column := range by {
		key += fmt.Sprintf("%q,", spelled(r, column))
	}
	return key
}

func (c *callTable) add(t failing, values enginetest.Action, rows []call) enginetest.Action {
	t.Helper()
	stored := slices.Clone(rows)
	for i := range stored {
		if _, parted := values["kind"]; parted {
			stored[i].Kind = &kinds[0]
		}
		if _, parted := values["zone"]; parted {
			stored[i].Zone = nil
		}
	}
	c.file++
	name := fmt.Sprintf("others-%d.parquet", c.file)
	path := filepath.Join(c.dir, name)
	if err := parquet.WriteFile(path, stored); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.Action{"add": enginetest.Action{
		"path": (&url.URL{Path: name}).EscapedPath(), "partitionValues": values, "size": info.Size(), "modificationTime": 1, "dataChange": true,
		"stats": fmt.Sprintf(`{"numRecords":%d}`, len(rows)),
	}}
}

// check holds the table against the rows it has to have, by an independent reader.
func (c *callTable) check(t failing, by []string) {
	t.Helper()
	got, err := rowtest.Rows(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i] = normal(got[i])
	}
	want := make([]string, len(c.rows))
	for i, r := range c.rows {
		want[i] = r.text()
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("partitioned by %v, rows (-want +got): %s", by, d)
	}
	s := c.log(t)
	if d := cmp.Diff(append([]string{}, by...), s.Metadata.PartitionColumns); d != "" {
		t.Errorf("partition columns: %s", d)
	}
	if s.Metadata.Name != "calls" || s.Metadata.Configuration["owner's"] != "own" || s.Metadata.ID != "11111111-2222-4333-8444-555555555555" {
		t.Errorf("the table's metadata became %+v", s.Metadata)
	}
}

// step gives the table another partitioning.
func (c *callTable) step(t failing, by []table.Column, keys ...table.Column) plan.Step {
	t.Helper()
	return partsStep(t, c.dir, unit.MB, by, keys)
}

// partsStep gives a table other partition columns, and orders its rows by keys into files of a size.
func partsStep(t failing, dir string, target unit.Bytes, by, keys []table.Column) plan.Step {
	t.Helper()
	order := layout.Hilbert
	if len(keys) == 1 {
		order = layout.Sort
	}
	l := layout.ClusteredBy(order, keys...)
	l.Partition = append([]table.Column{}, by...)
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	step, err := stepOn(context.Background(), dir, store, l)
	if err != nil {
		t.Fatal(err)
	}
	step.Repartition, step.TargetFile = true, target
	return step
}

// stepOn plans a layout for the table as it is now.
func stepOn(ctx context.Context, url string, store object.Store, l layout.Layout) (plan.Step, error) {
	s, err := lake.Open(ctx, store, "items", table.Location(url))
	return plan.Step{
		Table: "items", Kind: plan.Rekey, Location: s.Location, Layout: l, Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared, TargetFile: 4 * unit.KB,
	}, err
}

// books is a recorder that lets everything be done.
type books struct{ run string }

func (books) Intend(context.Context, table.Location, []string) error { return nil }
func (books) Spend(unit.Bytes) error                                 { return nil }
func (books) Progress(_, _ unit.Bytes)                               {}
func (b books) Stamp() execute.Stamp                                 { return execute.Stamp{Run: b.run, PlanHash: "a hash"} }

// repartitioner is an engine with leave, whose storage is watched.
func repartitioner(before func(operation, key string, bytes int) error) *embedded.Engine {
	return embedded.New(embedded.Options{
		NewID: uuid.NewString, Now: time.Now, Version: "test", Repartition: true,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Open: func(location string) (object.Store, error) {
			store, err := object.Open(location)
			if err != nil || before == nil {
				return store, err
			}
			return enginetest.Watched{Store: store, Before: before}, nil
		},
	})
}

func drawCalls(t *rapid.T, from, least int) []call {
	rows := make([]call, rapid.IntRange(least, 60).Draw(t, "rows"))
	for i := range rows {
		rows[i].ID = int64(from + i)
		if k := rapid.IntRange(-1, len(kinds)-1).Draw(t, "kind"); k >= 0 {
			rows[i].Kind = &kinds[k]
		}
		if z := rapid.Int32Range(-3, 3).Draw(t, "zone"); z != 0 {
			rows[i].Zone = &z
		}
		if p := rapid.IntRange(0, 2).Draw(t, "paid"); p > 0 {
			paid := p == 1
			rows[i].Paid = &paid
		}
	}
	return rows
}

// Whatever a table is partitioned by and becomes, every row is there, those that others append while
// it is rewritten among them; and it goes back.
func TestRepartitionKeepsRows(t *testing.T) {
	columns := [][]string{{}, {"kind"}, {"zone"}, {"paid"}}
	froms := append(slices.Clone(columns), []string{"kind", "zone"})
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "calls")
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Errorf("%v", err)
			}
		}()
		from := rapid.SampledFrom(froms).Draw(t, "from")
		c := newCallTable(t, dir, from, drawCalls(t, 0, 1))
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			to := rapid.SampledFrom(columns).Filter(func(to []string) bool {
				return !slices.Equal(to, c.log(t).Metadata.PartitionColumns)
			}).Draw(t, "to")
			keys := rapid.SampledFrom([][]table.Column{{"id"}, {"zone", "id"}, {"kind", "paid"}}).Draw(t, "keys")
			meanwhile := rapid.IntRange(0, 2).Draw(t, "appends")
			step := c.step(t, columnsOf(to), keys...)
			var mu sync.Mutex
			e := repartitioner(func(operation, key string, _ int) error {
				mu.Lock()
				defer mu.Unlock()
				if operation == "put" && strings.HasPrefix(key, "_delta_log/0") && strings.HasSuffix(key, ".json") && meanwhile > 0 {
					meanwhile--
					c.appends(t, drawCalls(t, 1_000*c.next, 1))
				}
				return nil
			})
			r, err := e.Apply(context.Background(), step, books{"a run"})
			if err != nil {
				t.Fatal(err)
			}
			c.next++
			if r.Removed != r.Added || r.Added.Rows != int64(len(c.rows)) {
				t.Errorf("%+v, want %d rows", r, len(c.rows))
			}
			c.check(t, to)
			if again, err := e.Apply(context.Background(), step, books{"a run"}); err != nil || again.Changed {
				t.Errorf("done again: %+v, %v", again, err)
			}
			if rapid.Bool().Draw(t, "append") {
				c.appends(t, drawCalls(t, 1_000*c.next, 1))
				c.check(t, to)
			}
		}
	})
}

func columnsOf(names []string) (columns []table.Column) {
	for _, n := range names {
		columns = append(columns, table.Column(n))
	}
	return columns
}

// wayBackOf looks for the way back of a step that a run did.
func wayBackOf(t *testing.T, e *embedded.Engine, step plan.Step, run string) (plan.Step, error) {
	t.Helper()
	step.Back = &plan.Back{Of: execute.Stamp{Run: run, PlanHash: "a hash"}, After: step.Version}
	found, err := e.WayBack(t.Context(), step)
	step.Back = &found
	return step, err
}

// The files of before come back with their partition columns while none came in; else the way is
// shut, also where one comes in at the last moment.
func TestRepartitionIsTakenBack(t *testing.T) {
	for _, tt := range []struct{ name, appends, refusal string }{
		{"nothing came in", "", ""},
		{"rows came in", "before", "1 files came in since"},
		{"rows come in meanwhile", "meanwhile", "1 files came in since"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			local, zone := "local", int32(2)
			c := newCallTable(t, t.TempDir(), []string{"kind"}, []call{{ID: 1, Kind: &local}, {ID: 2, Zone: &zone}})
			before := c.log(t)
			more := []call{{ID: 3}}
			e := repartitioner(func(operation, key string, _ int) error {
				if operation == "put" && tt.appends == "meanwhile" && c.next == 2 {
					c.appends(t, more)
				}
				return nil
			})
			step := c.step(t, nil, "kind", "id")
			if _, err := e.Apply(t.Context(), step, books{"a run"}); err != nil {
				t.Fatal(err)
			}
			c.next++
			if tt.appends == "before" {
				c.appends(t, more)
			}
			back, err := wayBackOf(t, e, step, "a run")
			var r execute.Result
			if err == nil {
				r, err = e.Apply(t.Context(), back, books{"a rollback"})
			}
			if tt.refusal != "" {
				if refused := (*execute.Refusal)(nil); !errors.As(err, &refused) || !strings.Contains(refused.Reason, tt.refusal) {
					t.Errorf("%+v, %v, want a refusal with %q", r, err, tt.refusal)
				}
				c.check(t, nil)
				return
			}
			if err != nil || r.Removed != r.Added || r.Added.Rows != 2 {
				t.Fatalf("%+v, %v", r, err)
			}
			c.check(t, []string{"kind"})
			if d := cmp.Diff(paths(before), paths(c.log(t))); d != "" {
				t.Error(d)
			}
		})
	}
}

func paths(s delta.Snapshot) (list []string) {
	for _, f := range s.Files {
		list = append(list, f.Path)
	}
	return list
}

// An error at any step of a write leaves the table as it was and no file behind.
func TestRepartitionFailsWhole(t *testing.T) {
	local, zone := "local", int32(2)
	rows := []call{{ID: 1, Kind: &local}, {ID: 2, Zone: &zone}, {ID: 3, Kind: &kinds[2]}}
	stopped := errors.New("stopped")
	for at, ended := 0, false; !ended; at++ {
		c := newCallTable(t, t.TempDir(), []string{}, rows)
		steps, failed := 0, false
		var mu sync.Mutex
		e := repartitioner(func(operation, _ string, _ int) error {
			mu.Lock()
			defer mu.Unlock()
			if steps++; steps > at && !failed && operation != "delete" {
				failed = true
				return stopped
			}
			return nil
		})
		_, err := e.Apply(t.Context(), c.step(t, columnsOf([]string{"kind"}), "id"), books{"a run"})
		if ended = !failed; ended {
			c.next++
			c.check(t, []string{"kind"})
			break
		}
		if !errors.Is(err, stopped) {
			t.Errorf("step %d: %v", at, err)
		}
		c.check(t, []string{})
		if left, err := filepath.Glob(filepath.Join(c.dir, "*", "part-*")); err != nil || len(left) > 0 {
			t.Errorf("step %d: left behind: %q, %v", at, left, err)
		}
	}
}

// What forbids a change of partition columns is named before a byte is written.
func TestRepartitionRefusals(t *testing.T) {
	local, empty := "local", ""
	for _, tt := range []struct {
		name  string
		make  func(c *callTable, s *plan.Step)
		leave bool
		want  string
	}{
		{"no leave", func(*callTable, *plan.Step) {}, false, "takes leave"},
		{"two columns", func(_ *callTable, s *plan.Step) { s.Layout.Partition = []table.Column{"kind", "zone"} }, true, "by one of its columns or by none"},
		{"no such column", func(_ *callTable, s *plan.Step) { s.Layout.Partition = []table.Column{"day"} }, true, "by one of its columns or by none"},
		{"some files", func(c *callTable, s *plan.Step) { s.Files = []string{"others-1.parquet"} }, true, "for all of its files or for none"},
		{"an empty text", func(c *callTable, s *plan.Step) {
			c.appends(t, []call{{ID: 9, Kind: &empty}})
			s.Version++
		}, true, "empty text"},
		{"overwritten", func(c *callTable, s *plan.Step) {
			add, err := json.Marshal(c.adds(t, []string{}, c.rows)[0])
			if err != nil {
				t.Fatal(err)
			}
			text := `{"commitInfo":{"timestamp":1700000000009,"operation":"WRITE","operationParameters":{"mode":"Overwrite","partitionBy":"[]"}}}` + "\n" +
				`{"remove":{"path":"others-1.parquet","deletionTimestamp":1,"dataChange":true}}` + "\n" + string(add) + "\n"
			if err := os.WriteFile(filepath.Join(c.dir, "_delta_log", "00000000000000000001.json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}, true, "version 1 overwrote rows"},
		{"a stream", func(c *callTable, s *plan.Step) {
			c.commit(t, enginetest.Action{"txn": enginetest.Action{"appId": "a stream", "version": 1, "lastUpdated": time.Now().UnixMilli()}})
		}, true, "streaming writer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCallTable(t, t.TempDir(), []string{}, []call{{ID: 1, Kind: &local}, {ID: 2, Kind: &kinds[1]}})
			step := c.step(t, columnsOf([]string{"kind"}), "id")
			tt.make(c, &step)
			e := repartitioner(func(operation, key string, _ int) error { return fmt.Errorf("%s of %s", operation, key) })
			if !tt.leave {
				e = embedded.New(embedded.Options{NewID: uuid.NewString, Now: time.Now})
			}
			_, err := e.Apply(t.Context(), step, books{"a run"})
			if refused := (*execute.Refusal)(nil); !errors.As(err, &refused) || !strings.Contains(refused.Reason, tt.want) {
				t.Errorf("%v, want a refusal with %q", err, tt.want)
			}
		})
	}
}
