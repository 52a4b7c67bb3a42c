package delta

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ajlo/job/object"
)

// onlyCheckpoint takes everything but the checkpoint of a version and its commit away.
func onlyCheckpoint(t *testing.T, dir string, version int64) {
	t.Helper()
	keep := map[string]bool{
		filepath.Base(commitKey(version)): true,
		strings.TrimSuffix(filepath.Base(commitKey(version)), ".json") + ".checkpoint.parquet": true,
	}
	entries, err := os.ReadDir(filepath.Join(dir, "_delta_log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !keep[e.Name()] && !e.IsDir() {
			remove(t, dir, e.Name())
		}
	}
}

// A checkpoint of ours says what the log said, in every field.
func TestWrittenCheckpointEqualsLog(t *testing.T) {
	for _, name := range []string{"busy", "checkpointed", "multipart", "v2checkpoint", "clustered", "rowtracking", "vectors", "partitioned", "mapped", "identity", "plain", "empty", "committime"} {
		t.Run(name, func(t *testing.T) {
			store, dir := copyOf(t, name)
			want := replayOf(t, store)
			err := os.Remove(filepath.Join(dir, strings.TrimSuffix(commitKey(want.Version), ".json")+".checkpoint.parquet"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			for range 2 { // once more is no error
				if err := writeCheckpoint(t.Context(), store, want.Version, time.Unix(0, 0)); err != nil {
					t.Fatal(err)
				}
			}
			onlyCheckpoint(t, dir, want.Version)
			got := replayOf(t, store)
			if diff := cmp.Diff(want, withoutDataChange(got, want), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Tags are how a table's layout is known: a checkpoint keeps their values.
func TestCheckpointKeepsTags(t *testing.T) {
	tagged := strings.Replace(anAdd("a"), `"size":`, `"tags":{"AJLO_ORDER":"hilbert","AJLO_KEYS":"[\"id\",\"x\"]","ZCUBE_ID":"1"},"size":`, 1)
	store, dir := tableOf(t, aProtocol+metadataOf("")+tagged+anAdd("b"))
	want := replayOf(t, store)
	if err := writeCheckpoint(t.Context(), store, 0, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	remove(t, dir, filepath.Base(commitKey(0)))
	got := replayOf(t, store)
	if len(want.Files) != 2 || len(want.Files[0].Tags) != 3 {
		t.Fatalf("files %+v", want.Files)
	}
	for i := range want.Files {
		if diff := cmp.Diff(want.Files[i].Tags, got.Files[i].Tags, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}

// Files that were removed stay known as long as the table wants it.
func TestCheckpointKeepsTombstones(t *testing.T) {
	const day = 24 * time.Hour
	now := time.UnixMilli(1).Add(8 * day) // aRemove is of 1 ms
	tests := []struct {
		name, retention string
		after           time.Duration
		want            int
	}{
		{"default, in time", "", -2 * day, 2},
		{"default, too late", "", 0, 0},
		{"long", "interval 30 days", 0, 2},
		{"short", "interval 1 hour", -7 * day, 0},
		{"weeks, as people write", "INTERVAL 2 weeks", 0, 2},
		{"a spelling that is not known", "a while", 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			metadata := aMetadata
			if tt.retention != "" {
				metadata = metadataOf(`"delta.deletedFileRetentionDuration":"` + tt.retention + `"`)
			}
			store, _ := tableOf(t, aProtocol+metadata+anAdd("a")+anAdd("b")+anAdd("c"), aRemove("b"), aRemove("a"), anAdd("d"), aRemove("d"), anAdd("d"))
			if err := writeCheckpoint(t.Context(), store, 5, now.Add(tt.after)); err != nil {
				t.Fatal(err)
			}
			if removed := tombstonesIn(t, store, 5); removed != tt.want {
				t.Errorf("%d removed files, want %d", removed, tt.want)
			}
		})
	}
}

// tombstonesIn counts the removed files that the checkpoint of a version holds.
func tombstonesIn(t *testing.T, store object.Store, version int64) (removed int) {
	t.Helper()
	err := readActions(t.Context(), store, strings.TrimSuffix(commitKey(version), ".json")+".checkpoint.parquet", func(a action) error {
		if a.Remove != nil {
			removed++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return removed
}

// A clock that is ahead does not make VACUUM forget what was removed today.
func TestCheckpointByAClockThatIsAhead(t *testing.T) {
	const read, ours = 1_700_000_000_000, 1_800_000_000_000 // three years apart
	info := fmt.Sprintf(`{"commitInfo":{"timestamp":%d}}`+"\n", read)
	gone := strings.Replace(aRemove("b"), `"deletionTimestamp":1`, fmt.Sprintf(`"deletionTimestamp":%d`, read), 1)
	store, _ := tableOf(t, aProtocol+metadataOf(`"delta.checkpointInterval":"2"`)+anAdd("a")+anAdd("b"), info+gone)
	change := optimize(replayOf(t, store).Files, newFile("new", 1))
	if change.Time != ours {
		t.Fatalf("the change is of %d", change.Time)
	}
	if _, err := Commit(t.Context(), store, replayOf(t, store), change); err != nil {
		t.Fatal(err)
	}
	if removed := tombstonesIn(t, store, 2); removed != 2 {
		t.Errorf("%d removed files, want those of today and of this commit", removed)
	}
}

func TestCheckpointIsWrittenWhenDue(t *testing.T) {
	tests := []struct {
		name, protocol, properties string
		commits                    int // before ours
		want                       bool
	}{
		{"the tenth version", aProtocol, "", 10, true},
		{"the ninth", aProtocol, "", 9, false},
		{"the table's interval", aProtocol, `"delta.checkpointInterval":"2"`, 2, true},
		{"not the table's interval", aProtocol, `"delta.checkpointInterval":"2"`, 3, false},
		{"an interval that is none", aProtocol, `"delta.checkpointInterval":"0"`, 10, false},
		{"statistics of another form", aProtocol, `"delta.checkpoint.writeStatsAsJson":"false"`, 10, false},
		{"a table that is kept from old readers", protocolOf(`"checkpointProtection"`), "", 10, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			commits := []string{tt.protocol + metadataOf(tt.properties) + anAdd("a")}
			for len(commits) < tt.commits {
				commits = append(commits, anAdd("b"))
			}
			store, dir := tableOf(t, commits...)
			read := replayOf(t, store)
			done, err := Commit(t.Context(), store, read, optimize(read.Files[:1], newFile("new", 1)))
			if err != nil || done.Checkpoint != nil {
				t.Fatalf("%+v, %v", done, err)
			}
			_, err = os.Stat(filepath.Join(dir, strings.TrimSuffix(commitKey(done.Version), ".json")+".checkpoint.parquet"))
			if (err == nil) != tt.want {
				t.Errorf("checkpoint: %v, want %v", err, tt.want)
			}
		})
	}
}

// A commit without the checkpoint that was due is a commit.
func TestCheckpointThatFails(t *testing.T) {
	base, _ := tableOf(t, aProtocol+metadataOf(`"delta.checkpointInterval":"1"`)+anAdd("a"))
	read := replayOf(t, base)
	first := true
	store := faulty{base, func(put func() error) error {
		if first {
			first = false
			return put()
		}
		return os.ErrPermission
	}, nil}
	done, err := Commit(t.Context(), store, read, optimize(read.Files, newFile("new", 1)))
	if err != nil || done.Version != 1 || done.Checkpoint == nil || !strings.Contains(done.Checkpoint.Error(), "checkpoint of version 1") {
		t.Errorf("%+v, %v", done, err)
	}
	if s := replayOf(t, base); s.Version != 1 {
		t.Errorf("version %d", s.Version)
	}
}
