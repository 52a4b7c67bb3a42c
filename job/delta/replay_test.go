package delta

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
)

// Spark listed the data files of its own tables, version by version.
func TestReplayAgreesWithSpark(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]map[string][]string
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected) < 35 {
		t.Fatalf("only %d tables", len(expected))
	}
	for name, versions := range expected {
		t.Run(name, func(t *testing.T) {
			store := madeBySpark(t, name)
			last := int64(-1)
			for text, want := range versions {
				version, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				last = max(last, version)
				s, err := ReplayAt(t.Context(), store, version)
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(want)
				if diff := cmp.Diff(want, paths(s.Files)); diff != "" || s.Version != version {
					t.Errorf("version %d: %s", s.Version, diff)
				}
			}
			if s := replayOf(t, store); s.Version != last || !slices.Equal(paths(s.Files), versions[strconv.FormatInt(last, 10)]) {
				t.Errorf("newest is version %d with %v, want %d", s.Version, paths(s.Files), last)
			}
		})
	}
}

// What a checkpoint says and what the commits say must be the same, in every field.
func TestCheckpointEqualsCommits(t *testing.T) {
	tests := []struct {
		name        string
		checkpoints []string
		at          int64
	}{
		{"checkpointed", []string{"00000000000000000005.checkpoint.parquet", "00000000000000000010.checkpoint.parquet"}, 10},
		{"multipart", nil, 4},
		{"busy", []string{"00000000000000000004.checkpoint.parquet"}, 4},
		{"typedstats", []string{"00000000000000000003.checkpoint.parquet"}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, dir := copyOf(t, tt.name)
			parts, err := filepath.Glob(filepath.Join(dir, "_delta_log", "*.checkpoint.*"))
			if err != nil || len(parts) == 0 {
				t.Fatalf("no checkpoint, %v", err)
			}
			for v := range tt.at { // the checkpoint has to stand for these
				remove(t, dir, filepath.Base(commitKey(v)))
			}
			fromCheckpoint, err := ReplayAt(t.Context(), store, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			full, dir := copyOf(t, tt.name)
			for _, part := range parts {
				remove(t, dir, filepath.Base(part))
			}
			fromCommits, err := ReplayAt(t.Context(), full, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fromCommits, withoutDataChange(fromCheckpoint, fromCommits)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// withoutDataChange takes over what checkpoints do not keep: whether the commit that added a
// file changed rows, which files of the log said what, and Go's difference between an empty and
// no map or list.
func withoutDataChange(s, like Snapshot) Snapshot {
	s.ProtocolIn, s.MetadataIn = like.ProtocolIn, like.MetadataIn
	for i := range min(len(s.Files), len(like.Files)) {
		s.Files[i].DataChange = like.Files[i].DataChange
		if len(s.Files[i].Tags) == len(like.Files[i].Tags) {
			s.Files[i].Tags = like.Files[i].Tags
		}
	}
	return s
}

func TestReplayReadsEverythingOfBusyTable(t *testing.T) {
	s := replayOf(t, madeBySpark(t, "busy"))
	if s.Version != 5 || len(s.Files) != 5 {
		t.Fatalf("version %d with %v", s.Version, paths(s.Files))
	}
	if got := s.Transactions["stream"]; got.Version != 7 || got.LastUpdated == nil {
		t.Errorf("transaction %+v", got)
	}
	if got := s.Domains["delta.rowTracking"].Configuration; !strings.Contains(got, "rowIdHighWaterMark") {
		t.Errorf("domains %+v", s.Domains)
	}
	vectors := 0
	values := map[string]string{}
	for _, f := range s.Files {
		if f.DeletionVector != nil {
			vectors++
		}
		if f.BaseRowID == nil || f.DefaultRowCommitVersion == nil {
			t.Errorf("%s has no row ids", f.Path)
		}
		if v, ok := f.PartitionValues["p"]; !ok {
			t.Errorf("%s has no partition value", f.Path)
		} else if v == nil {
			values["NULL"] = f.RawPath
		} else {
			values[*v] = f.RawPath
		}
	}
	if vectors != 1 {
		t.Errorf("%d deletion vectors, want 1", vectors)
	}
	for value, prefix := range map[string]string{
		"a b:0": "p=a%20b%253A0/", "100%": "p=100%2525/", "x": "p=x/", "NULL": "p=__HIVE_DEFAULT_PARTITION__/",
	} {
		if !strings.HasPrefix(values[value], prefix) {
			t.Errorf("partition %q is at %q, want %s", value, values[value], prefix)
		}
	}
}

// The counts were taken from delta-rs 1.6.6 on the same folders.
func TestReplayOfWorkloadTables(t *testing.T) {
	tests := []struct {
		name        string
		version     int64
		files       int
		bytes, rows int64
	}{
		{"cust_totals", 0, 1, 53768, 5000}, {"customer", 0, 6, 652633, 7500}, {"lineitem", 0, 48, 10193571, 299814},
		{"lineitem", 1, 48, 10193539, 299812}, {"nation", 0, 1, 3126, 25}, {"orders", 0, 16, 2837566, 75000},
		{"orders", 1, 3, 2694694, 75000}, {"part", 0, 6, 371135, 10000}, {"partsupp", 0, 12, 2297821, 40000},
		{"region", 0, 1, 1609, 5}, {"supplier", 0, 2, 47633, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ReplayAt(t.Context(), openFolder(t, filepath.Join(lakeFolder, tt.name)), tt.version)
			if err != nil {
				t.Fatal(err)
			}
			var bytes, rows int64
			for _, f := range s.Files {
				n, _, err := ParseStats(f.Stats, s.Metadata.Schema)
				if err != nil {
					t.Fatal(err)
				}
				bytes, rows = bytes+f.Size, rows+n
			}
			if len(s.Files) != tt.files || bytes != tt.bytes || rows != tt.rows {
				t.Errorf("%d files of %d bytes and %d rows, want %d, %d, %d", len(s.Files), bytes, rows, tt.files, tt.bytes, tt.rows)
			}
		})
	}
}

func TestTimeIsTheCommits(t *testing.T) {
	s, err := ReplayAt(t.Context(), openFolder(t, filepath.Join(lakeFolder, "orders")), 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.UnixMilli(1795979425306).UTC(); !s.Time.Equal(want) || s.Time.Location() != time.UTC {
		t.Errorf("time %v, want %v", s.Time, want)
	}
}

const (
	aProtocol = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n"
	aMetadata = `{"metaData":{"id":"t","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}}` + "\n"
)

func anAdd(path string) string {
	return `{"add":{"path":"` + path + `","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}` + "\n"
}

func aRemove(path string) string {
	return `{"remove":{"path":"` + path + `","deletionTimestamp":1,"dataChange":true}}` + "\n"
}

// table makes a log of the given commits.
func tableOf(t testing.TB, commits ...string) (object.Store, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o700); err != nil {
		t.Fatal(err)
	}
	for v, text := range commits {
		write(t, dir, filepath.Base(commitKey(int64(v))), text)
	}
	return openFolder(t, dir), dir
}

func TestReconciliation(t *testing.T) {
	start := aProtocol + aMetadata
	vector := func(path, id string) string {
		return `{"add":{"path":"` + path + `","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,` +
			`"deletionVector":{"storageType":"u","pathOrInlineDv":"` + id + `","offset":1,"sizeInBytes":1,"cardinality":1}}}` + "\n"
	}
	tests := []struct {
		name    string
		commits []string
		want    []string
	}{
		{"a file added again is one file", []string{start + anAdd("a"), anAdd("a")}, []string{"a"}},
		{"removed and added again", []string{start + anAdd("a"), aRemove("a"), anAdd("a")}, []string{"a"}},
		{"a remove of nothing", []string{start + anAdd("a"), aRemove("b")}, []string{"a"}},
		{"a remove that encodes the path in another way", []string{start + anAdd("a%20b"), aRemove("%61%20b")}, []string{}},
		{"a deletion vector takes the place of the file", []string{start + anAdd("a"), vector("a", "x") + aRemove("a")}, []string{"a"}},
		{"the order within a commit does not matter", []string{start + anAdd("a"), aRemove("a") + vector("a", "x")}, []string{"a"}},
		{"paths are decoded once", []string{start + anAdd("p=a%253A0/x")}, []string{"p=a%3A0/x"}},
		{"an absolute path that is gone", []string{start + anAdd("file:///x/y"), aRemove("file:///x/y")}, []string{}},
		{"unknown actions and fields are passed over", []string{start + `{"cdc":{"path":"x"}}` + "\n" + `{"later":1}` + "\n", anAdd("a")}, []string{"a"}},
		{"no newline at the end", []string{start + strings.TrimSpace(anAdd("a"))}, []string{"a"}},
		{"sorted by path", []string{start + anAdd("b") + anAdd("a"), anAdd("c")}, []string{"a", "b", "c"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, tt.commits...)
			if diff := cmp.Diff(tt.want, paths(replayOf(t, store).Files)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLogsThatAreRefused(t *testing.T) {
	start := aProtocol + aMetadata
	tests := []struct {
		name    string
		commits []string
		want    []string // parts of the error
	}{
		{"no protocol", []string{aMetadata}, []string{"no protocol action"}},
		{"no metadata", []string{aProtocol}, []string{"no metaData action"}},
		{"empty commit", []string{start, ""}, []string{"version 1", "00000000000000000001.json", "empty"}},
		{"cut off", []string{start, anAdd("a")[:20]}, []string{"version 1", "00000000000000000001.json", "line 1"}},
		{"cut off in a later line", []string{start + anAdd("a") + anAdd("b")[:30]}, []string{"version 0", "line 4"}},
		{"a line that is no object", []string{start + "42\n"}, []string{"line 3", "not a JSON object"}},
		{"two protocols", []string{start + aProtocol}, []string{"version 0", "two actions for protocol"}},
		{"two metadata", []string{start + aMetadata}, []string{"two actions for metaData"}},
		{"one file twice", []string{start + anAdd("a") + anAdd("a")}, []string{"two actions for file a"}},
		{"one file in and out", []string{start + anAdd("a") + aRemove("a")}, []string{"two actions for file a"}},
		{"one transaction twice", []string{start + strings.Repeat(`{"txn":{"appId":"s","version":1}}`+"\n", 2)}, []string{"two actions for txn s"}},
		{"schema that is no schema", []string{aProtocol + strings.Replace(aMetadata, `\"struct\"`, `\"long\"`, 1)}, []string{"line 2", "parse schema"}},
		{"absolute path", []string{start, anAdd("/x/y")}, []string{"version 1", `"/x/y" is absolute`}},
		{"path on other storage", []string{start, anAdd("s3://bucket/y")}, []string{"version 1", "absolute"}},
		{"path that climbs", []string{start, anAdd("../y")}, []string{"version 1", `"../y"`, "below the table's folder"}},
		{"path that climbs in disguise", []string{start, anAdd("a/%2E%2E/%2e%2e/y")}, []string{"version 1", "below the table's folder"}},
		{"path that is no URI", []string{start, anAdd("100%")}, []string{"version 1", "percent-encoded"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, dir := tableOf(t, tt.commits...)
			_, err := Replay(t.Context(), store)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range append(tt.want, dir) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestGapsAndMissingTables(t *testing.T) {
	none := openFolder(t, t.TempDir())
	if _, err := Replay(t.Context(), none); !errors.Is(err, ErrNoTable) {
		t.Errorf("empty folder: %v, want ErrNoTable", err)
	}
	store, dir := copyOf(t, "checkpointed")
	remove(t, dir, "00000000000000000003.json")
	tests := []struct {
		name    string
		version int64
		want    []string // parts of the error, none for success
	}{
		{"before the gap", 2, nil},
		{"at the gap", 3, []string{"gap", "version 3", "00000000000000000003.json", "from the start of the log"}},
		{"after the gap, before the checkpoint", 4, []string{"gap", "version 3"}},
		{"past the checkpoint", 6, nil},
		{"beyond the end", 12, []string{"version 12 is not in the log, whose newest is 11"}},
		{"before the start", -1, []string{"version -1 is not in the log"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkError(t, replayError(ReplayAt(t.Context(), store, tt.version)), tt.want) })
	}
	remove(t, dir, "00000000000000000010.checkpoint.parquet")
	remove(t, dir, "00000000000000000008.json")
	checkError(t, replayError(Replay(t.Context(), store)), []string{"gap", "version 8", "after the checkpoint of version 5"})
}

func replayError(_ Snapshot, err error) error { return err }

func checkError(t *testing.T, err error, parts []string) {
	t.Helper()
	if len(parts) == 0 {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

// _last_checkpoint is a hint: whatever it says, the newest version is found.
func TestLastCheckpointIsAHint(t *testing.T) {
	want := paths(replayOf(t, madeBySpark(t, "checkpointed")).Files)
	for _, hint := range []string{"", "not JSON", `{"version":5}`, `{"version":7}`, `{"version":11}`, `{"version":99}`, `{"version":-1}`, `{"version":"x"}`} {
		t.Run(hint, func(t *testing.T) {
			store, dir := copyOf(t, "checkpointed")
			write(t, dir, "_last_checkpoint", hint)
			s := replayOf(t, store)
			if diff := cmp.Diff(want, paths(s.Files)); diff != "" || s.Version != 11 {
				t.Errorf("version %d: %s", s.Version, diff)
			}
		})
	}
}

func TestCheckpointsThatDoNotCount(t *testing.T) {
	want := paths(replayOf(t, madeBySpark(t, "multipart")).Files)
	store, dir := copyOf(t, "multipart")
	part := "00000000000000000004.checkpoint.0000000002.0000000002.parquet"
	remove(t, dir, part)
	if s := replayOf(t, store); !slices.Equal(want, paths(s.Files)) {
		t.Errorf("with a part missing: %v, want %v", paths(s.Files), want)
	}
	write(t, dir, "00000000000000000001.00000000000000000003.compacted", "damaged")
	write(t, dir, ".00000000000000000001.json.crc", "damaged")
	write(t, dir, ".ajlo-tmp-X", "damaged")
	if s := replayOf(t, store); !slices.Equal(want, paths(s.Files)) {
		t.Errorf("with files that are no log: %v, want %v", paths(s.Files), want)
	}
	remove(t, dir, "00000000000000000000.json")
	checkError(t, replayError(Replay(t.Context(), store)), []string{"gap", "version 0"})
}

func TestDamagedCheckpoint(t *testing.T) {
	for _, size := range []int64{0, 3, 100, 5000} {
		store, dir := copyOf(t, "checkpointed")
		name := "00000000000000000010.checkpoint.parquet"
		if err := os.Truncate(filepath.Join(dir, "_delta_log", name), size); err != nil {
			t.Fatal(err)
		}
		checkError(t, replayError(Replay(t.Context(), store)), []string{"read checkpoint", name})
	}
}

// v2Folder makes a log of one checkpoint of the v2 form, with sidecars.
func v2Folder(t testing.TB, name string, top []checkpointRow, sidecars map[string][]checkpointRow) (object.Store, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sidecarFolder)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := parquet.WriteFile(filepath.Join(dir, "_delta_log", name), top); err != nil {
		t.Fatal(err)
	}
	for key, rows := range sidecars {
		if err := parquet.WriteFile(filepath.Join(dir, filepath.FromSlash(key)), rows); err != nil {
			t.Fatal(err)
		}
	}
	return openFolder(t, dir), dir
}

func TestV2Checkpoints(t *testing.T) {
	full := replayOf(t, madeBySpark(t, "v2checkpoint"))
	store, dir := copyOf(t, "v2checkpoint")
	for _, v := range []string{"00000000000000000000.json", "00000000000000000001.json", "00000000000000000002.json"} {
		remove(t, dir, v)
	}
	s := replayOf(t, store)
	if diff := cmp.Diff(full, withoutDataChange(s, full)); diff != "" {
		t.Errorf("from the JSON form: %s", diff)
	}
	sidecars, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(sidecarFolder), "00000000000000000002.*"))
	if err != nil || len(sidecars) == 0 {
		t.Fatalf("no sidecars, %v", err)
	}
	if err := os.Truncate(sidecars[0], 100); err != nil {
		t.Fatal(err)
	}
	checkError(t, replayError(Replay(t.Context(), store)), []string{"checkpoint of version 2", filepath.Base(sidecars[0]), "100 bytes"})
	if err := os.Remove(sidecars[0]); err != nil {
		t.Fatal(err)
	}
	checkError(t, replayError(Replay(t.Context(), store)), []string{"checkpoint of version 2", filepath.Base(sidecars[0])})
}

// The forms that Spark does not write by itself: a Parquet file at the top, or a classic name.
func TestV2CheckpointsInParquet(t *testing.T) {
	add := func(path string) checkpointRow { return checkpointRow{Add: &checkpointAdd{Path: path, Size: 1}} }
	sidecars := map[string][]checkpointRow{sidecarFolder + "a b.parquet": {add("a"), add("b")}}
	beside := func(path string) checkpointRow { return checkpointRow{Sidecar: &sidecar{Path: path}} }
	const classic, named = "00000000000000000007.checkpoint.parquet", "00000000000000000007.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet"
	tests := []struct {
		name, file string
		more       []checkpointRow
		wrong      []string
	}{
		{"named", named, []checkpointRow{beside("a%20b.parquet"), {Own: &ownVersion{7}}}, nil},
		{"classic", classic, []checkpointRow{beside("a%20b.parquet")}, nil},
		{"of another version", named, []checkpointRow{{Own: &ownVersion{6}}}, []string{named, "version 6"}},
		{"beside the log", named, []checkpointRow{beside("x/a.parquet")}, []string{"sidecar", `"x/a.parquet"`}},
		{"that climbs", named, []checkpointRow{beside("../a.parquet")}, []string{"sidecar", `"../a.parquet"`}},
		{"absolute", named, []checkpointRow{beside("/a.parquet")}, []string{"sidecar", `"/a.parquet"`}},
		{"gone", named, []checkpointRow{beside("x.parquet")}, []string{"sidecar", "_sidecars/x.parquet"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := append([]checkpointRow{
				{Protocol: &checkpointProtocol{MinReader: 1, MinWriter: 2}},
				{Metadata: &checkpointMetadata{SchemaString: `{"type":"struct","fields":[]}`}},
				add("c"),
			}, tt.more...)
			size := sidecarSize(t, sidecars)
			for i := range top {
				if top[i].Sidecar != nil {
					top[i].Sidecar.SizeInBytes = size
				}
			}
			store, _ := v2Folder(t, tt.file, top, sidecars)
			s, err := Replay(t.Context(), store)
			checkError(t, err, tt.wrong)
			if tt.wrong == nil && !slices.Equal(paths(s.Files), []string{"a", "b", "c"}) {
				t.Errorf("files %v", paths(s.Files))
			}
		})
	}
}

func sidecarSize(t *testing.T, sidecars map[string][]checkpointRow) int64 {
	t.Helper()
	_, dir := v2Folder(t, "x", nil, sidecars)
	for key := range sidecars {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(key)))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	return 0
}

// Compactions stand for their commits, wherever they overlap.
func TestCompactions(t *testing.T) {
	start := aProtocol + aMetadata
	commits := []string{start + anAdd("a"), anAdd("b"), aRemove("a") + anAdd("c"), anAdd("d"), aRemove("b") + anAdd("e"), anAdd("f")}
	tests := []struct {
		name    string
		add     map[string]string // file → text
		without []int64           // versions whose commits are gone
		version int64
		want    []string
		wrong   []string
	}{
		{"in the middle", map[string]string{"1.3": aRemove("a") + anAdd("b") + anAdd("c") + anAdd("d")}, []int64{1, 2, 3}, 5, []string{"c", "d", "e", "f"}, nil},
		{"the longest counts", map[string]string{"1.2": "damaged", "1.3": aRemove("a") + anAdd("b") + anAdd("c") + anAdd("d")}, nil, 5, []string{"c", "d", "e", "f"}, nil},
		{"not past the version asked for", map[string]string{"1.3": "damaged"}, nil, 2, []string{"b", "c"}, nil},
		{"one within another's range is passed over", map[string]string{
			"0.2": start + aRemove("a") + anAdd("b") + anAdd("c"), "1.4": "damaged",
		}, []int64{0, 1, 2}, 5, []string{"c", "d", "e", "f"}, nil},
		{"backwards", map[string]string{"3.1": "damaged", "2.2": "damaged"}, nil, 5, []string{"c", "d", "e", "f"}, nil},
		{"damaged", map[string]string{"1.3": "damaged"}, nil, 5, nil, []string{"versions 1 to 3", "00000000000000000001.00000000000000000003.compacted.json"}},
		{"to the newest version", map[string]string{"3.5": aRemove("b") + anAdd("d") + anAdd("e") + anAdd("f")}, []int64{3, 4}, 5, []string{"c", "d", "e", "f"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, dir := tableOf(t, commits...)
			for name, text := range tt.add {
				from, to, _ := strings.Cut(name, ".")
				write(t, dir, strings.Repeat("0", 19)+from+"."+strings.Repeat("0", 19)+to+".compacted.json", text)
			}
			for _, v := range tt.without {
				remove(t, dir, filepath.Base(commitKey(v)))
			}
			s, err := ReplayAt(t.Context(), store, tt.version)
			checkError(t, err, tt.wrong)
			if tt.wrong == nil && !slices.Equal(paths(s.Files), tt.want) {
				t.Errorf("files %v, want %v", paths(s.Files), tt.want)
			}
		})
	}
}

func TestInCommitTime(t *testing.T) {
	store, dir := tableOf(t, `{"commitInfo":{"inCommitTimestamp":99,"timestamp":5}}`+"\n"+aProtocol+aMetadata+anAdd("a"))
	if s := replayOf(t, store); s.InCommitTime != 99 || s.Time.UnixMilli() != 99 {
		t.Errorf("time %v, in the commit %d", s.Time, s.InCommitTime)
	}
	write(t, dir, filepath.Base(commitKey(1)), anAdd("b"))
	if s := replayOf(t, store); s.InCommitTime != 0 {
		t.Errorf("%d in a commit that says nothing", s.InCommitTime)
	}
}
