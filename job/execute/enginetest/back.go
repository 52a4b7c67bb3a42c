package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// returner is an engine that puts files back.
type returner interface {
	execute.Engine
	WayBack(ctx context.Context, step plan.Step) (plan.Back, error)
}

// taker is the stamp of a rollback.
var taker = execute.Stamp{Run: "another run", Step: 0, PlanHash: "another hash"}

// backCase is a table after a step, on which others go on before, or while, the step is taken back.
type backCase struct {
	name string
	dir  func(t *testing.T) string // itemTable where nil
	// since commits as version 2, of a table that the step has brought to version 1, and so on.
	since func(t *testing.T, dir string, made []string) [][]action
	// during commits right before the engine does.
	during  func(t *testing.T, dir string, made []string) [][]action
	later   time.Duration // that the clock goes on
	more    int           // rows that others have put in by the end
	refusal string        // empty where the step is taken back
}

func backCases() []backCase {
	appended := func(t *testing.T, dir string, _ []string) [][]action {
		return [][]action{{addItems(t, dir, "new.parquet", items(300, 20))}}
	}
	removed := func(_ *testing.T, _ string, made []string) [][]action { return [][]action{{remove(made[0])}} }
	marked := func(t *testing.T, dir string, made []string) [][]action {
		add := addOf(t, dir, made[0])
		add["deletionVector"] = action{"storageType": "u", "pathOrInlineDv": vectorText, "offset": 1, "sizeInBytes": 40, "cardinality": 1}
		return [][]action{{
			action{"protocol": action{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"deletionVectors"}, "writerFeatures": []string{"deletionVectors"}}},
			remove(made[0]), action{"add": add},
		}}
	}
	lost := func(t *testing.T, dir string, _ []string) [][]action {
		if err := os.Remove(filepath.Join(dir, "b.parquet")); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	other := func(t *testing.T, dir string, _ []string) [][]action {
		addItems(t, dir, "b.parquet", items(700, 100))
		return nil
	}
	return []backCase{
		{name: "nobody wrote"},
		{name: "others appended", since: appended, more: 20},
		{name: "others append meanwhile", during: appended, more: 20},
		{name: "others changed rows", since: removed, refusal: "were changed or laid anew since"},
		{name: "others change rows meanwhile", during: removed, refusal: "were changed or laid anew since"},
		{name: "others deleted rows by a vector", since: marked, refusal: "were changed or laid anew since"},
		{name: "others delete rows by a vector meanwhile", during: marked, refusal: "were changed or laid anew since"},
		{name: "others added a column", since: func(*testing.T, string, []string) [][]action {
			return [][]action{{action{"metaData": metaData(grownSchema, nil, nil)}}}
		}, refusal: "its columns, partitions or row tracking were changed since"},
		{name: "VACUUM may be at it", later: 7*24*time.Hour - 30*time.Minute, refusal: "VACUUM may take the files of before"},
		{name: "VACUUM waits for long", later: 20 * 24 * time.Hour, since: func(*testing.T, string, []string) [][]action {
			return [][]action{{action{"metaData": metaData(itemSchema, nil, map[string]string{"delta.deletedFileRetentionDuration": "interval 30 days"})}}}
		}},
		{name: "a file of before is gone", since: lost, refusal: "a file of before is gone"},
		{name: "a file of before is another", since: other, refusal: "that are not the 300 of its files now"},
		{name: "rows were deleted before", dir: vectorTable},
		{name: "rows keep their ids", dir: trackedTable, since: appendedTracked, more: 20},
	}
}

func appendedTracked(t *testing.T, dir string, made []string) [][]action {
	add := addItems(t, dir, "new.parquet", items(300, 20))
	add["add"].(action)["baseRowId"], add["add"].(action)["defaultRowCommitVersion"] = 100_000, 2
	return [][]action{{add, action{"domainMetadata": action{"domain": "delta.rowTracking", "configuration": `{"rowIdHighWaterMark":100019}`, "removed": false}}}}
}

// addOf is the action that adds a live file, as it stands in the log.
func addOf(t *testing.T, dir, name string) action {
	t.Helper()
	s := replayed(t, dir)
	at := slices.IndexFunc(s.Files, func(f delta.Add) bool { return f.Path == name })
	f := s.Files[at]
	return action{"path": f.RawPath, "partitionValues": action{}, "size": f.Size, "modificationTime": 1, "dataChange": true, "stats": f.Stats}
}

func replayed(t *testing.T, dir string) delta.Snapshot {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := delta.Replay(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// back holds that a step is taken back to the very files of before where no row is lost by it,
// whatever others do meanwhile, and that the table stays as it is where one would be.
func (s suite) back(t *testing.T) {
	for _, tt := range backCases() {
		t.Run(tt.name, func(t *testing.T) { s.takeBack(t, tt) })
	}
}

func (s suite) takeBack(t *testing.T, tt backCase) {
	dir := itemTable
	if tt.dir != nil {
		dir = tt.dir
	}
	at := dir(t)
	before, rows := replayed(t, at), rowsOf(t, at)
	step := stepFor(t, at, byPrice, 2*unit.KB)
	done, err := s.plain().Apply(t.Context(), step, &recorder{})
	if err != nil {
		t.Fatal(err)
	}
	next := int(done.Version)
	others := func(make func(*testing.T, string, []string) [][]action) {
		if make == nil {
			return
		}
		for _, actions := range make(t, at, done.Paths) {
			next++
			commit(t, at, next, actions...)
		}
	}
	others(tt.since)
	r, back, err := s.wentBack(t, step, tt.later, func() { others(tt.during) })
	if tt.refusal != "" {
		wantRefusal(t, err, tt.refusal)
		if now := replayed(t, at).Version; now != int64(next) {
			t.Errorf("version %d is not by the others, who came to %d", now, next)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	after := rowsOf(t, at)
	if lost := without(rows, after); len(lost) > 0 || len(after) != len(rows)+tt.more {
		t.Errorf("%d rows are lost, such as %q; there are %d for %d and %d more", len(lost), lost[:min(len(lost), 1)], len(after), len(rows), tt.more)
	}
	if r.Removed != r.Added || r.FilesRemoved != len(done.Paths) || r.FilesAdded != len(before.Files) || back.Version != before.Version || int(r.Version) != next+1 {
		t.Errorf("%+v by %+v, at version %d after %d", r, back, r.Version, next)
	}
	sameFiles(t, before, replayed(t, at))
}

// wentBack takes the step back, and again, which changes nothing.
func (s suite) wentBack(t *testing.T, step plan.Step, later time.Duration, during func()) (r execute.Result, back plan.Back, err error) {
	t.Helper()
	step.Back = &plan.Back{Of: (&recorder{}).Stamp(), After: step.Version}
	set := setup(func(location string) (object.Store, error) {
		store, err := object.Open(location)
		return onCommits(func(attempt int) error {
			if attempt == 1 && during != nil {
				once := during
				during = nil
				once()
			}
			return nil
		})(store), err
	})
	set.Later = later
	e := s.newEngine(set).(returner)
	if back, err = e.WayBack(t.Context(), step); err != nil {
		return r, back, err
	}
	step.Back = &back
	if err := e.Check(t.Context(), step); err != nil {
		t.Errorf("check: %v", err)
	}
	rec := &recorder{stamp: taker}
	if r, err = e.Apply(t.Context(), step, rec); err != nil {
		return r, back, err
	}
	if rec.spent != 0 || len(rec.intended) != 0 {
		t.Errorf("spent %s and named %q", rec.spent, rec.intended)
	}
	again, err := e.Apply(t.Context(), step, rec)
	if err != nil || again.Changed {
		t.Errorf("again: %+v, %v", again, err)
	}
	return r, back, nil
}

// sameFiles holds that the files of before are as they were, statistics, tags and row ids among
// it, beside those that came in since.
func sameFiles(t *testing.T, before, after delta.Snapshot) {
	t.Helper()
	want, got := map[string]delta.Add{}, map[string]delta.Add{}
	for _, f := range before.Files {
		f.DataChange = false
		want[f.Path] = f
	}
	for _, f := range after.Files {
		if _, old := want[f.Path]; old {
			f.DataChange = false
			got[f.Path] = f
		} else if f.Path != "new.parquet" {
			t.Errorf("%s is left", f.Path)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
