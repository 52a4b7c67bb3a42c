package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/drift"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// grown is the grid sorted by a in 20 files of the given size, and two of 5 kB since with values
// all over it. The window looks for a in a range, four times; nothing has drifted.
func grown(laid unit.Bytes) plan.Input {
	in := input(grid("t"))
	in.Trigger = drift.Trigger{Reason: "drift 0.01"}
	in.Settings.Upkeep, in.Settings.Dialect = unit.MB, dialect.SparkDelta{}
	s := &in.Tables[0].Snapshot
	s.Owner, s.Layout = "us", layout.ClusteredBy(layout.Sort, "a")
	for i := range s.Files {
		low := int64(i * 5)
		s.Files[i].Laid, s.Files[i].Bytes = true, laid
		s.Files[i].Bounds = map[table.Column]prune.Bounds{"a": {Min: predicate.IntValue(low), Max: predicate.IntValue(low + 4), Rows: 500}}
	}
	for i := range 2 {
		s.Files = append(s.Files, lake.File{Path: fmt.Sprint("new", i), Bytes: 5000, Rows: 500, Bounds: map[table.Column]prune.Bounds{
			"a": {Min: predicate.IntValue(0), Max: predicate.IntValue(99), Rows: 500}}})
	}
	return withMends(in)
}

// tooBig is a file that no mend may take along.
const tooBig = 11 * unit.KB

// withMends draws the samples that plans ask for: values all over the range.
func withMends(in plan.Input) plan.Input {
	for i := range in.Tables {
		in.Tables[i].Mends = plan.Mends(in.Tables[i], in)
		for m := range in.Tables[i].Mends {
			sample := lake.Sample{Columns: []table.Column{"a"}, Values: make([][]predicate.Value, 1), Population: 1000}
			for v := range int64(1000) {
				sample.Values[0] = append(sample.Values[0], predicate.IntValue(v*37%100))
			}
			in.Tables[i].Mends[m].Sample = sample
		}
	}
	return in
}

func TestUpkeepOrdersWhatCameIn(t *testing.T) {
	p := decide(t, grown(tooBig))
	if p.Triggered || p.Rewrite != 0 || p.Upkeep != 10_000 || len(p.Steps) != 1 {
		t.Fatalf("triggered %v, rewrite %d, upkeep %d, %d steps", p.Triggered, p.Rewrite, p.Upkeep, len(p.Steps))
	}
	s := p.Steps[0]
	if s.Kind != plan.Upkeep || !strings.Contains(s.Statement, "OPTIMIZE `t` ZORDER BY (`a`)") {
		t.Errorf("a step of kind %s: %s", s.Kind, s.Statement)
	}
	if diff := cmp.Diff([]string{"new0", "new1"}, s.Files); diff != "" {
		t.Error(diff)
	}
	// Four scans of both files become four of one file of ten, each of 1 kB.
	if p.SavedBytesPerWindow != 36_000 || s.Expected.ScannedBytesNow-s.Expected.ScannedBytesThen != 36_000 {
		t.Errorf("saves %d, the step %+v; want 4 × 9 kB", p.SavedBytesPerWindow, s.Expected)
	}
	d := p.Tables[0].Decay
	if d.Files != 2 || d.Bytes != 10_000 || d.Keys[0].Decayed() != 8 || d.Keys[0].Ordered[0] != 1 || d.Keys[0].Now[0] != 3 {
		t.Errorf("decay %+v", d)
	}
}

func TestUpkeepIsLeft(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*plan.Input)
		want   string
	}{
		{"no budget for it", func(in *plan.Input) { in.Settings.Upkeep = 0 }, "no upkeep: budget.upkeep is 0"},
		{"too small a budget", func(in *plan.Input) { in.Settings.Upkeep = 9_999 }, "no upkeep: the upkeep budget of 10.0 kB holds no mend"},
		{"no room for the old files", func(in *plan.Input) { in.Settings.Storage = 999 }, "no upkeep: the upkeep budget"},
		{"nobody reads it", func(in *plan.Input) { in.Queries = nil }, "no upkeep: mending 2 files of 10.0 kB saves 0 B"},
		{"not under write", func(in *plan.Input) { in.Settings.Writable = func(table.Name, table.Location) bool { return false } }, "no upkeep: it is not under write:"},
		{"a feature the engine lacks", func(in *plan.Input) { in.Tables[0].Unsupported = []string{"deletionVectors"} }, "no upkeep: the engine cannot rewrite it"},
		{"a key that is gone", func(in *plan.Input) { in.Tables[0].Snapshot.Columns = nil }, "no upkeep: its key a: refused: the table has no such column"},
		{"blind", func(in *plan.Input) { in.Coverage.UnresolvedBytes = 1 }, "no upkeep: too much was not seen"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := grown(tooBig)
			tc.change(&in)
			p := decide(t, withMends(in))
			if len(p.Steps) != 0 || p.Upkeep != 0 {
				t.Errorf("steps %v, upkeep %d", p.Steps, p.Upkeep)
			}
			if got := p.Tables[0].Decay.Reason; !strings.HasPrefix(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// Upkeep never takes more ordered bytes along than came in, and those first that get most in
// the way.
func TestMendsTakeWideFilesAlong(t *testing.T) {
	in := grown(unit.KB)
	files := in.Tables[0].Snapshot.Files
	files[3].Bounds["a"] = prune.Bounds{Min: predicate.IntValue(0), Max: predicate.IntValue(90), Rows: 500}
	files[3].Bytes, files[4].Bytes = 9_500, 501
	mends := plan.Mends(in.Tables[0], in)
	if len(mends) != 2 || len(mends[1].Files) != 3 || mends[1].Files[0] != files[3].Path {
		t.Errorf("%+v", mends)
	}
}

// Another engine's OPTIMIZE takes the open cube whole: that is what it costs.
func TestUpkeepBySparkIsChargedWhole(t *testing.T) {
	in := grown(unit.KB)
	in.Settings.Engine = "sparksql"
	p := decide(t, withMends(in))
	if p.Upkeep != 30_000 || len(p.Steps) != 1 || p.Steps[0].Files != nil {
		t.Errorf("upkeep rewrites %d in %v, want all 30000 and no list of files", p.Upkeep, p.Steps)
	}
}

// A table that gets new keys is rewritten whole and needs no upkeep.
func TestNewKeysComeBeforeUpkeep(t *testing.T) {
	in := grown(unit.KB)
	in.Trigger.Fired = true
	in.Tables[0].Snapshot.Layout = layout.ClusteredBy(layout.Sort, "b")
	p := decide(t, withMends(in))
	if len(p.Steps) != 1 || p.Steps[0].Kind != plan.Rekey || p.Upkeep != 0 || !strings.HasPrefix(p.Tables[0].Decay.Reason, "it gets new keys") {
		t.Errorf("steps %+v, decay %+v", p.Steps, p.Tables[0].Decay)
	}
}
