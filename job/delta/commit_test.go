package delta

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ajlo/job/object"
)

// newFile is a file of ours with some rows.
func newFile(path string, rows int) Add {
	return Add{Path: path, Size: 100, ModificationTime: 7, Stats: fmt.Sprintf(`{"numRecords":%d}`, rows), Tags: map[string]string{"AJLO_ORDER": "sort"}}
}

// optimize is a change with nothing missing.
func optimize(remove []Add, add ...Add) Change {
	return Change{Remove: remove, Add: add, Operation: "OPTIMIZE", TxnID: "txn-1", Time: 1_800_000_000_000}
}

// logLines reads the commit of a version as plain JSON, one value a line.
func logLines(t *testing.T, store object.Store, version int64) (lines []map[string]any) {
	t.Helper()
	data, err := store.ReadAll(t.Context(), commitKey(version))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, v)
	}
	return lines
}

// The same rearrangement that Spark committed as OPTIMIZE ZORDER BY, committed by us, gives
// the same lines.
func TestCommitIsSpelledAsSparks(t *testing.T) {
	spark := madeBySpark(t, "zordered")
	want := logLines(t, spark, 2)
	after := replayOf(t, spark)
	read, err := ReplayAt(t.Context(), spark, 1)
	if err != nil {
		t.Fatal(err)
	}
	store, dir := copyOf(t, "zordered")
	remove(t, dir, "00000000000000000002.json")
	info := want[0]["commitInfo"].(map[string]any)
	c := Change{
		Remove: read.Files, Add: after.Files, Operation: "OPTIMIZE",
		Parameters: map[string]any{"predicate": []string{}, "zOrderBy": []string{"id", "k"}, "clusterBy": []string{}, "auto": false},
		Metrics:    map[string]string{}, EngineInfo: info["engineInfo"].(string), TxnID: info["txnId"].(string), Time: int64(info["timestamp"].(float64)),
	}
	for name, v := range info["operationMetrics"].(map[string]any) {
		c.Metrics[name] = v.(string)
	}
	done, err := Commit(t.Context(), store, read, c)
	if err != nil || done != (Committed{Version: 2, Attempts: 1}) {
		t.Fatalf("%+v, %v", done, err)
	}
	ignoreTime := cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "deletionTimestamp" })
	byText := cmpopts.SortSlices(func(a, b map[string]any) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
	if diff := cmp.Diff(want, logLines(t, store, 2), ignoreTime, byText); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(after.Files, replayOf(t, store).Files); diff != "" {
		t.Error(diff)
	}
}

func TestCommitKeepsWhatItIsTold(t *testing.T) {
	store, _ := tableOf(t, aProtocol+aMetadata+anAdd("p%20q"))
	read := replayOf(t, store)
	c := optimize(read.Files, newFile("x y<&>", 1))
	c.UserMetadata = `{"ajlo":{"run":"r"}}`
	if _, err := Commit(t.Context(), store, read, c); err != nil {
		t.Fatal(err)
	}
	text, err := store.ReadAll(t.Context(), commitKey(1))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"commitInfo":{"timestamp":1800000000000,"operation":"OPTIMIZE","operationParameters":{},"readVersion":0,"isolationLevel":"SnapshotIsolation","isBlindAppend":false,"userMetadata":"{\"ajlo\":{\"run\":\"r\"}}","txnId":"txn-1"}}
{"add":{"path":"x%20y%3C&%3E","partitionValues":{},"size":100,"modificationTime":7,"dataChange":false,"stats":"{\"numRecords\":1}","tags":{"AJLO_ORDER":"sort"}}}
{"remove":{"path":"p%20q","deletionTimestamp":1800000000000,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{},"size":1}}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	if got := paths(replayOf(t, store).Files); !slices.Equal(got, []string{"x y<&>"}) {
		t.Errorf("files after: %q", got)
	}
}

func TestCommitAfterOthers(t *testing.T) {
	start := aProtocol + aMetadata + anAdd("a") + anAdd("b") + anAdd("c")
	vector := `{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":1,"cardinality":1}}}` + "\n"
	domain := func(name string) string {
		return `{"domainMetadata":{"domain":"` + name + `","configuration":"{}","removed":false}}` + "\n"
	}
	tests := []struct {
		name   string
		others []string // commits between our read of version 0 and our commit, which replaces a and b
		want   *Conflict
	}{
		{"nobody", nil, nil},
		{"an append", []string{anAdd("d")}, nil},
		{"many appends", slices.Repeat([]string{anAdd("d")}, 30), nil},
		{"an append by a stream", []string{`{"txn":{"appId":"s","version":1}}` + "\n" + anAdd("d")}, nil},
		{"another file goes", []string{aRemove("c")}, nil},
		{"another file is rewritten", []string{aRemove("c") + anAdd("e")}, nil},
		{"somebody's own domain", []string{domain("theirs")}, nil},
		{"a commit with nothing but its provenance", []string{`{"commitInfo":{"timestamp":1,"operation":"x"}}`}, nil},
		{"our file goes", []string{anAdd("d"), aRemove("b")}, &Conflict{FileRemoved, 2, "b"}},
		{"our file goes, spelled otherwise", []string{aRemove("%62")}, &Conflict{FileRemoved, 1, "%62"}},
		{"our file gets a deletion vector", []string{vector + aRemove("a")}, &Conflict{FileReadded, 1, "a"}},
		{"our file is added again", []string{anAdd("a")}, &Conflict{FileReadded, 1, "a"}},
		{"our new file is there already", []string{anAdd("new")}, &Conflict{FileReadded, 1, "new"}},
		{"a column is added", []string{aMetadata}, &Conflict{MetadataChanged, 1, ""}},
		{"a feature is added", []string{anAdd("d"), anAdd("e"), aProtocol}, &Conflict{ProtocolChanged, 3, ""}},
		{"clustering keys change", []string{domain("delta.clustering")}, &Conflict{ClusteringMoved, 1, "delta.clustering"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, append([]string{start}, tt.others...)...)
			read, err := ReplayAt(t.Context(), store, 0)
			if err != nil {
				t.Fatal(err)
			}
			done, err := Commit(t.Context(), store, read, optimize(read.Files[:2], newFile("new", 2)))
			next := int64(len(tt.others)) + 1
			if tt.want != nil {
				var got *Conflict
				if !errors.As(err, &got) || *got != *tt.want {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				if _, err := store.ReadAll(t.Context(), commitKey(next)); !errors.Is(err, object.ErrNotFound) {
					t.Errorf("version %d was written: %v", next, err)
				}
				return
			}
			if err != nil || done.Version != next {
				t.Fatalf("%+v, %v, want version %d", done, err, next)
			}
			files := paths(replayOf(t, store).Files)
			if slices.Contains(files, "a") || slices.Contains(files, "b") || !slices.Contains(files, "new") {
				t.Errorf("files after: %v", files)
			}
		})
	}
}

func TestCommitRefuses(t *testing.T) {
	start := aProtocol + aMetadata + anAdd("a") + strings.Replace(anAdd("b"), `"dataChange"`, `"stats":"{\"numRecords\":5}","dataChange"`, 1)
	tests := []struct {
		name   string
		change func(*Snapshot, *Change)
		want   string
	}{
		{"unsupported table", func(s *Snapshot, _ *Change) { s.Protocol = Protocol{MinReader: 9, MinWriter: 9} }, "reader version 9"},
		{"file that is not there", func(_ *Snapshot, c *Change) { c.Remove = []Add{{Path: "x"}} }, `"x" is not in version 0`},
		{"file named twice", func(_ *Snapshot, c *Change) { c.Remove = append(c.Remove, c.Remove[0]) }, "named twice"},
		{"new file that is there", func(_ *Snapshot, c *Change) { c.Add[0].Path = "a" }, `"a" is in the table already`},
		{"new file named twice", func(_ *Snapshot, c *Change) { c.Add = append(c.Add, c.Add[0]) }, "named twice"},
		{"row lost", func(s *Snapshot, c *Change) { c.Remove, c.Add = s.Files[1:], []Add{newFile("new", 4)} }, "4 rows would come in for 5 that go out"},
		{"new file without statistics", func(_ *Snapshot, c *Change) { c.Add[0].Stats = "" }, "no statistics"},
		{"new file with damaged statistics", func(_ *Snapshot, c *Change) { c.Add[0].Stats = "{" }, "statistics"},
		{"nothing to remove", func(_ *Snapshot, c *Change) { c.Remove = nil }, "nothing to put in another order"},
		{"other metadata", func(s *Snapshot, c *Change) { c.Metadata = &s.Metadata }, "may give the table more columns"},
		{"a column that becomes another", func(s *Snapshot, c *Change) {
			s.Metadata.Schema = Schema{{Name: "id"}}
			other := s.Metadata
			other.Schema = Schema{{Name: "other"}, {Name: "more", Nullable: true}}
			c.Metadata = &other
		}, "would become another"},
		{"a new column that is NOT NULL", func(s *Snapshot, c *Change) {
			other := s.Metadata
			other.Schema = append(slices.Clone(other.Schema), Field{Name: "more"})
			c.Metadata = &other
		}, "may not be NOT NULL"},
		{"no transaction id", func(_ *Snapshot, c *Change) { c.TxnID = "" }, "transaction id"},
		{"no time", func(_ *Snapshot, c *Change) { c.Time = 0 }, "time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, start)
			read := replayOf(t, store)
			c := optimize(read.Files[:1], newFile("new", 1))
			tt.change(&read, &c)
			_, err := Commit(t.Context(), store, read, c)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := store.ReadAll(t.Context(), commitKey(1)); !errors.Is(err, object.ErrNotFound) {
				t.Errorf("a version was written: %v", err)
			}
		})
	}
}

// faulty is a store whose puts and reads of commits go wrong.
type faulty struct {
	object.Store
	put  func(put func() error) error
	read func(key string) error
}

func (f faulty) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return f.put(func() error { return f.Store.PutIfAbsent(ctx, key, data) })
}

func (f faulty) ReadAll(ctx context.Context, key string) ([]byte, error) {
	if f.read != nil {
		if err := f.read(key); err != nil {
			return nil, err
		}
	}
	return f.Store.ReadAll(ctx, key)
}

func TestLostReplies(t *testing.T) {
	lost := errors.New("connection reset")
	tests := []struct {
		name    string
		put     func(put func() error) error
		read    func(key string) error
		version int64 // 0: the commit fails
		want    []error
		written bool
	}{
		{"the reply is lost, the commit is not", func(put func() error) error { return errors.Join(lost, put()) }, nil, 1, nil, true},
		{"the storage client tried twice", func(put func() error) error { return errors.Join(put(), put()) }, nil, 1, nil, true},
		{"the commit is lost", func(func() error) error { return lost }, nil, 0, []error{lost}, false},
		{"nobody knows", func(put func() error) error { return errors.Join(lost, put()) },
			func(key string) error { return fmt.Errorf("read %s: %w", key, lost) }, 0, []error{lost, ErrOutcomeUnknown}, true},
		{"it may still be on its way", func(func() error) error { return object.ErrUncertain }, nil, 0, []error{object.ErrUncertain, ErrOutcomeUnknown}, false},
		{"somebody else was first and the reply is lost", func() func(func() error) error {
			first := true
			return func(put func() error) error {
				if !first {
					return put()
				}
				first = false
				return errSomebody
			}
		}(), nil, 2, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, dir := tableOf(t, aProtocol+aMetadata+anAdd("a"))
			read := replayOf(t, base)
			store := faulty{base, func(put func() error) error {
				err := tt.put(put)
				if errors.Is(err, errSomebody) {
					write(t, dir, filepath.Base(commitKey(1)), anAdd("theirs"))
				}
				return err
			}, tt.read}
			done, err := Commit(t.Context(), store, read, optimize(read.Files, newFile("new", 1)))
			if done.Version != tt.version || (err == nil) != (tt.version > 0) {
				t.Errorf("%+v, %v", done, err)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) {
					t.Errorf("%v does not wrap %v", err, want)
				}
			}
			if len(tt.want) == 1 && errors.Is(err, ErrOutcomeUnknown) {
				t.Errorf("%v: the outcome is known", err)
			}
			if got := slices.Contains(paths(replayOf(t, base).Files), "new"); got != tt.written {
				t.Errorf("written: %v, want %v", got, tt.written)
			}
		})
	}
}

var errSomebody = errors.New("timeout")

func TestCommitStopsWhenCanceled(t *testing.T) {
	store, _ := tableOf(t, aProtocol+aMetadata+anAdd("a"))
	read := replayOf(t, store)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Commit(ctx, store, read, optimize(read.Files, newFile("new", 1)))
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("got %v, want canceled and known not to be written", err)
	}
}

func TestCommitGivesUpOnDamagedCommitsOfOthers(t *testing.T) {
	store, _ := tableOf(t, aProtocol+aMetadata+anAdd("a"), "damaged")
	read, err := ReplayAt(t.Context(), store, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Commit(t.Context(), store, read, optimize(read.Files, newFile("new", 1)))
	if err == nil || !strings.Contains(err.Error(), "version 1") {
		t.Errorf("got %v, want an error that names version 1", err)
	}
}

// Many writers at once: appends and rearrangements of the same small table. Every append
// must be in the table once and only once, whoever won, and the log must have no gap.
func TestCommitsRace(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, filepath.Base(commitKey(0)), aProtocol+metadataOf(`"delta.checkpointInterval":"40"`)+encodedAppend(t, newFile("start-1", 3), newFile("start-2", 4)))
	const writers, rounds = 8, 20
	var mutex sync.Mutex
	var wait sync.WaitGroup
	commits, conflicts := 0, 0
	count := func(c *int) {
		mutex.Lock()
		defer mutex.Unlock()
		*c++
	}
	for w := range writers {
		store := openFolder(t, dir)
		wait.Go(func() {
			for round := range rounds {
				name := fmt.Sprintf("w%d-%d", w, round)
				var err error
				if (w+round)%2 == 0 {
					err = appendBlindly(t.Context(), store, encodedAppend(t, newFile(name, 1)))
				} else {
					err = merge(t.Context(), store, name)
				}
				var conflict *Conflict
				switch {
				case err == nil:
					count(&commits)
				case errors.As(err, &conflict):
					count(&conflicts)
				default:
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	s := replayOf(t, openFolder(t, dir))
	rows, known, err := countRows(s.Files, nil)
	if want := int64(3 + 4 + writers*rounds/2); rows != want || !known || err != nil {
		t.Errorf("%d rows, %v, want %d", rows, err, want)
	}
	if s.Version != int64(commits) || commits+conflicts != writers*rounds {
		t.Errorf("version %d after %d commits and %d conflicts", s.Version, commits, conflicts)
	}
	t.Logf("%d commits, %d conflicts", commits, conflicts)
}

func encodedAppend(t *testing.T, files ...Add) string {
	var actions []action
	for _, f := range files {
		f.RawPath, f.DataChange = f.Path, true
		actions = append(actions, action{Add: &f})
	}
	text, err := encodeLines(actions)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// appendBlindly is what another writer's append does.
func appendBlindly(ctx context.Context, store object.Store, text string) error {
	for {
		s, err := Replay(ctx, store)
		if err != nil {
			return err
		}
		if err := store.PutIfAbsent(ctx, commitKey(s.Version+1), []byte(text)); !errors.Is(err, object.ErrExists) {
			return err
		}
	}
}

// merge puts the rows of two files into one.
func merge(ctx context.Context, store object.Store, name string) error {
	s, err := Replay(ctx, store)
	if err != nil {
		return err
	}
	if len(s.Files) < 2 {
		return &Conflict{} // nothing to merge counts as lost
	}
	at := len(name) * len(s.Files) % (len(s.Files) - 1)
	rows, _, err := countRows(s.Files[at:at+2], nil)
	if err != nil {
		return err
	}
	c := optimize(s.Files[at:at+2], newFile(name, int(rows)))
	c.TxnID = name
	_, err = Commit(ctx, store, s, c)
	return err
}
