package job

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/config"
	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/unit"
	"ajlo/job/window"
)

// What the fixture's statements did to their tables, as the tables say: M51 merged into
// orders, M52 deleted from lineitem, M53 made a table anew.
func TestWritesAreTouchedAsTheTablesSay(t *testing.T) {
	source := config.Source{Logs: "../testdata/spark40-delta/eventlogs", PathMap: map[string]string{}}
	warehouse, err := filepath.Abs("../testdata/spark40-delta/warehouse")
	if err != nil {
		t.Fatal(err)
	}
	source.PathMap["/lake/warehouse"] = warehouse
	o := Observer{Sources: []config.Source{source}, Log: slog.New(slog.DiscardHandler), Histories: &Histories{
		Config: config.Config{Lake: config.Lake{Roots: []string{warehouse}}}, Open: object.Open, Log: slog.New(slog.DiscardHandler),
	}}
	observed, err := o.Observe(context.Background(), window.Window{Start: time.Unix(0, 0), End: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	got, told := map[string]*fact.Touched{}, 0
	for _, q := range observed.Queries {
		for _, w := range q.Writes {
			if w.Touched != nil {
				told++
			}
			if label, _, _ := strings.Cut(q.Query, " "); strings.HasPrefix(label, "M") {
				got[label] = w.Touched
			}
		}
	}
	if told != 11 { // the three, and the eight tables that the log makes first
		t.Errorf("%d writes are told, want 11", told)
	}
	of := func(n int64) *int64 { return &n }
	bytes := func(b unit.Bytes) *unit.Bytes { return &b }
	want := map[string]*fact.Touched{
		"M51": {Version: 1, FilesAdded: 3, FilesRemoved: 16, BytesAdded: 2_694_694, BytesRemoved: bytes(2_837_566),
			RowsWritten: of(75_000), RowsCopied: of(74_872), RowsInserted: of(0), RowsUpdated: of(128), RowsDeleted: of(0)},
		"M52": {Version: 1, FilesAdded: 2, FilesRemoved: 2, BytesAdded: 403_044, BytesRemoved: bytes(403_076),
			RowsWritten: of(11_748), RowsCopied: of(11_748), RowsDeleted: of(2)},
		"M53": {FilesAdded: 1, BytesAdded: 53_768, BytesRemoved: bytes(0), RowsWritten: of(5_000)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// ran is a MERGE of an application that ran between two seconds.
func ran(app string, from, to int) fact.Query {
	return fact.Query{App: app, Start: second(from), WallMS: int64(to-from) * 1000, Writes: []fact.Write{{Operation: fact.Merge}}}
}

func second(n int) time.Time { return time.Unix(1_800_000_000+int64(n), 0) }

// commit is a version that was merged at a second.
func commit(version int64, at int, kinds ...lake.ChangeKind) lake.Change {
	return lake.Change{Version: version, Time: second(at), Kinds: append(kinds, lake.Merged)}
}

// A write is told only where one commit alone can be it.
func TestMatched(t *testing.T) {
	counted, others := ran("app", 0, 10), commit(2, 6)
	three, four := int64(3), int64(4)
	counted.Writes[0].FilesRemoved = &three
	others.CountedRemoved = &four
	foreign := commit(2, 6)
	foreign.App = "another"
	tests := []struct {
		name    string
		queries []fact.Query
		changes []lake.Change
		want    map[int]int64 // versions by query
	}{
		{"one commit while it ran", []fact.Query{ran("app", 0, 10)}, []lake.Change{commit(2, 11), commit(1, 5)}, map[int]int64{0: 1}},
		{"none while it ran", []fact.Query{ran("app", 0, 10)}, []lake.Change{commit(2, 11)}, map[int]int64{}},
		{"one after the other", []fact.Query{ran("app", 0, 10), ran("app", 10, 20)}, []lake.Change{commit(2, 15), commit(1, 9)}, map[int]int64{0: 1, 1: 2}},
		{"two commits while it ran", []fact.Query{ran("app", 0, 10)}, []lake.Change{commit(2, 6), commit(1, 5)}, map[int]int64{}},
		{"one commit while two ran", []fact.Query{ran("app", 0, 10), ran("other", 3, 12)}, []lake.Change{commit(1, 5)}, map[int]int64{}},
		{"two that overlap", []fact.Query{ran("app", 0, 10), ran("other", 8, 20)}, []lake.Change{commit(2, 15), commit(1, 9)}, map[int]int64{0: 1}},
		{"another operation", []fact.Query{ran("app", 0, 10)}, []lake.Change{{Version: 1, Time: second(5), Kinds: []lake.ChangeKind{lake.Appended}}}, map[int]int64{}},
		{"upkeep beside it", []fact.Query{ran("app", 0, 10)}, []lake.Change{{Version: 2, Time: second(6)}, commit(1, 5)}, map[int]int64{0: 1}},
		{"a kind that Iceberg does not tell from others", []fact.Query{ran("app", 0, 10)}, []lake.Change{commit(1, 5, lake.Updated)}, map[int]int64{0: 1}},
		{"other counts than the log's", []fact.Query{counted}, []lake.Change{others, commit(1, 5)}, map[int]int64{0: 1}},
		{"of another application", []fact.Query{ran("app", 0, 10)}, []lake.Change{foreign, commit(1, 5)}, map[int]int64{0: 1}},
		{"of another attempt's application", []fact.Query{ran("another_2", 0, 10)}, []lake.Change{foreign}, map[int]int64{0: 2}},
		{"a query whose end the log does not have", []fact.Query{ran("app", 0, 0)}, []lake.Change{commit(1, 5)}, map[int]int64{}},
		{"a commit without a time", []fact.Query{ran("app", 0, 10)}, []lake.Change{{Version: 1, Kinds: []lake.ChangeKind{lake.Merged}}}, map[int]int64{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writers, got := []int{}, map[int]int64{}
			for i := range tt.queries {
				writers = append(writers, i)
			}
			for writer, c := range matched(tt.queries, writers, tt.changes) {
				got[writer] = c.Version
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("versions by query (-want +got)\n%s", diff)
			}
		})
	}
}

// Every operation of a fact is a kind of change.
func TestOperationsAreKinds(t *testing.T) {
	want := []lake.ChangeKind{lake.Appended, lake.Overwritten, lake.Merged, lake.Updated, lake.Deleted, lake.Created}
	var got []lake.ChangeKind
	for _, o := range []fact.Operation{fact.Append, fact.Overwrite, fact.Merge, fact.Update, fact.Delete, fact.CTAS} {
		got = append(got, lake.ChangeKind(o))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// manyCommits is a table that was appended to once a second, n times.
func manyCommits(t *testing.T, n int) object.Store {
	t.Helper()
	log := filepath.Join(t.TempDir(), "_delta_log")
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	for v := range n {
		text := fmt.Sprintf(`{"commitInfo":{"timestamp":%d,"operation":"WRITE","operationParameters":{"mode":"Append"}}}`, second(v).UnixMilli())
		if err := os.WriteFile(filepath.Join(log, fmt.Sprintf("%020d.json", v)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := object.Open(filepath.Dir(log))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// The search for commits ends: before the first write, and after so many commits, beyond which
// nothing is certain.
func TestSearchForCommitsEnds(t *testing.T) {
	store := manyCommits(t, historyBack+20)
	changes, from, err := changesSince(t.Context(), store, second(historyBack))
	if err != nil || len(changes) != 20 || !from.IsZero() {
		t.Errorf("%d changes from %v, %v, want 20 from always", len(changes), from, err)
	}
	changes, from, err = changesSince(t.Context(), store, second(0))
	if err != nil || len(changes) != historyBack || !from.Equal(second(20)) {
		t.Errorf("%d changes from %v, %v, want %d from %v", len(changes), from, err, historyBack, second(20))
	}
}
