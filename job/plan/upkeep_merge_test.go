package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/drift"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// orders is the fixture's table in the order of o_orderdate, as if a step of ajlo had put it so, to
// some version: 1 is a MERGE of a real Spark, which wrote every file anew for 128 rows.
func orders(t *testing.T, versions int) lake.Snapshot {
	t.Helper()
	const fixture = "../../testdata/spark40-delta/warehouse/tpch.db/orders/_delta_log"
	dir := t.TempDir()
	log := filepath.Join(dir, "_delta_log")
	if err := os.CopyFS(log, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(log, "00000000000000000000.json")
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, laidByUs(t, line))
	}
	if err := os.WriteFile(first, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if versions == 1 {
		if err := os.Remove(filepath.Join(log, "00000000000000000001.json")); err != nil {
			t.Fatal(err)
		}
	}
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, "t", table.Location(dir))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// laidByUs makes a line of the log one of a step of ajlo.
func laidByUs(t *testing.T, line string) string {
	t.Helper()
	var action map[string]map[string]any
	if err := json.Unmarshal([]byte(line), &action); err != nil {
		t.Fatal(err)
	}
	if add := action["add"]; add != nil {
		add["tags"] = map[string]string{"AJLO_ORDER": "sort", "AJLO_KEYS": `["o_orderdate"]`}
	}
	if info := action["commitInfo"]; info != nil {
		info["operation"], info["userMetadata"] = "OPTIMIZE", delta.Stamp{Run: "r", PlanHash: "h"}.Text()
	}
	done, err := json.Marshal(action)
	if err != nil {
		t.Fatal(err)
	}
	return string(done)
}

// What another engine's MERGE wrote is told from what lies in order by the log alone: how many files
// a key's values then fall in is measured, and upkeep puts it in order where the window's reads are
// worth it.
func TestUpkeepMendsWhatAMergeWrote(t *testing.T) {
	week := predicate.Predicate{Op: predicate.And, Args: []predicate.Predicate{
		{Op: predicate.Ge, Column: "o_orderdate", Values: []predicate.Value{predicate.DateValue(9131)}}, // 1995-01-01
		{Op: predicate.Lt, Column: "o_orderdate", Values: []predicate.Value{predicate.DateValue(9138)}},
	}}
	tests := []struct {
		name     string
		versions int
		scans    int
		files    int
		reason   string
	}{
		{"before it", 1, 10, 0, ""},
		{"after it, read often", 2, 10, 3, "upkeep: 3 files of 2.69 MB came in since it was laid; putting them in order rewrites 2.69 MB"},
		{"after it, not read", 2, 0, 3, "no upkeep: mending 3 files of 2.69 MB saves 0 B a window"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(plan.TableInput{Snapshot: orders(t, tt.versions), Names: []table.Name{"t"}})
			in.Trigger, in.Queries = drift.Trigger{Reason: "drift 0.01"}, nil
			in.Settings.Upkeep, in.Settings.TargetFile, in.Settings.Storage, in.Settings.Dialect = unit.GB, 200*unit.KB, unit.GB, dialect.SparkDelta{}
			for range tt.scans {
				in.Queries = append(in.Queries, scan("q", "t", &week))
			}
			in.Tables[0].Mends = plan.Mends(in.Tables[0], in)
			for m := range in.Tables[0].Mends {
				in.Tables[0].Mends[m].Sample = days(75_000)
			}
			p := decide(t, in)
			d := p.Tables[0].Decay
			if tt.files == 0 {
				if d != nil || len(p.Steps) != 0 {
					t.Errorf("decay %+v, steps %v", d, p.Steps)
				}
				return
			}
			if d == nil || d.Files != tt.files || d.Keys[0].Decayed() != 3 || !strings.HasPrefix(d.Reason, tt.reason) {
				t.Fatalf("decay %+v, want %d files, %q", d, tt.files, tt.reason)
			}
			if steps := strings.HasPrefix(tt.reason, "upkeep"); steps != (len(p.Steps) == 1) {
				t.Errorf("steps %v", p.Steps)
			}
			if len(p.Steps) == 1 {
				if diff := cmp.Diff(in.Tables[0].Mends[0].Files, p.Steps[0].Files); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// days are the years of the fixture's orders, evenly.
func days(rows int64) lake.Sample {
	s := lake.Sample{Columns: []table.Column{"o_orderdate"}, Values: make([][]predicate.Value, 1), Population: rows}
	for i := range int64(5000) {
		s.Values[0] = append(s.Values[0], predicate.DateValue(8035+i*7%2400))
	}
	return s
}
