package delta

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// protocolOf is a protocol action with the given writer features.
func protocolOf(features string) string {
	return `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":[` + features + `]}}` + "\n"
}

// metadataOf is a metadata action with properties, given as JSON without braces.
func metadataOf(properties string) string {
	return strings.Replace(aMetadata, `"configuration":{}`, `"configuration":{`+properties+`}`, 1)
}

func domainOf(name, configuration string) string {
	return fmt.Sprintf(`{"domainMetadata":{"domain":%q,"configuration":%q,"removed":false}}`+"\n", name, configuration)
}

func trackedAdd(path string, first, version, rows int64) string {
	return strings.Replace(anAdd(path), `"dataChange"`, fmt.Sprintf(
		`"stats":"{\"numRecords\":%d}","baseRowId":%d,"defaultRowCommitVersion":%d,"dataChange"`, rows, first, version), 1)
}

// Whatever others committed first, our files get row ids that nobody has, and the version
// that they are really in.
func TestRowIDsAreNew(t *testing.T) {
	start := protocolOf(`"rowTracking","domainMetadata"`) + aMetadata +
		trackedAdd("a", 0, 0, 5) + trackedAdd("b", 5, 0, 5) + domainOf(rowTrackingDomain, `{"rowIdHighWaterMark":9}`)
	theirs := trackedAdd("c", 10, 1, 100) + domainOf(rowTrackingDomain, `{"rowIdHighWaterMark":109}`)
	tests := []struct {
		name    string
		others  []string
		first   int64
		version int64
		mark    string
	}{
		{"nobody", nil, 10, 1, `{"rowIdHighWaterMark":19}`},
		{"an append", []string{theirs}, 110, 2, `{"rowIdHighWaterMark":119}`},
		{"an append and a commit without rows", []string{theirs, aRemove("c")}, 110, 3, `{"rowIdHighWaterMark":119}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, append([]string{start}, tt.others...)...)
			read, err := ReplayAt(t.Context(), store, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Commit(t.Context(), store, read, optimize(read.Files, newFile("x", 3), newFile("y", 7))); err != nil {
				t.Fatal(err)
			}
			s := replayOf(t, store)
			ids := map[string][2]int64{}
			for _, f := range s.Files {
				ids[f.Path] = [2]int64{*f.BaseRowID, *f.DefaultRowCommitVersion}
			}
			delete(ids, "c")
			want := map[string][2]int64{"x": {tt.first, tt.version}, "y": {tt.first + 3, tt.version}}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Error(diff)
			}
			if got := s.Domains[rowTrackingDomain].Configuration; got != tt.mark {
				t.Errorf("high water mark %s, want %s", got, tt.mark)
			}
			removed := logLines(t, store, tt.version)[3]["remove"].(map[string]any)
			if removed["baseRowId"] != 0.0 || removed["defaultRowCommitVersion"] != 0.0 {
				t.Errorf("removed: %v", removed)
			}
			info := logLines(t, store, tt.version)[0]["commitInfo"].(map[string]any)
			if diff := cmp.Diff(map[string]any{"delta.rowTracking.preserved": "false"}, info["tags"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInCommitTimesRise(t *testing.T) {
	const ours = 1_800_000_000_000 // of optimize
	info := func(time int64) string { return fmt.Sprintf(`{"commitInfo":{"inCommitTimestamp":%d}}`+"\n", time) }
	start := protocolOf(`"inCommitTimestamp"`) + metadataOf(`"delta.enableInCommitTimestamps":"true"`) + anAdd("a")
	tests := []struct {
		name   string
		first  string
		others []string
		want   float64
		wrong  string
	}{
		{"later than the last", info(5), nil, ours, ""},
		{"the last is ahead of our clock", info(ours + 7), nil, ours + 8, ""},
		{"one that came first is ahead", info(5), []string{info(ours+20) + anAdd("b")}, ours + 21, ""},
		{"the last has none", "", nil, 0, "version 0 (_delta_log/00000000000000000000.json) has no inCommitTimestamp"},
		{"one that came first has none", info(5), []string{anAdd("b")}, 0, "version 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, append([]string{tt.first + start}, tt.others...)...)
			read, err := ReplayAt(t.Context(), store, 0)
			if err != nil {
				t.Fatal(err)
			}
			done, err := Commit(t.Context(), store, read, optimize(read.Files, newFile("x", 3)))
			if tt.wrong != "" {
				if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("got %v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first := logLines(t, store, done.Version)[0]["commitInfo"].(map[string]any)
			if first["inCommitTimestamp"] != tt.want {
				t.Errorf("%v, want %v", first, tt.want)
			}
		})
	}
}

// Files say that they are clustered where they are, by the table's own keys.
func TestClusteringProvider(t *testing.T) {
	const schema = `\"fields\":[{\"name\":\"a.b\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"delta.columnMapping.physicalName\":\"p1\",\"delta.columnMapping.id\":1}},` +
		`{\"name\":\"s\",\"type\":{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"delta.columnMapping.physicalName\":\"p3\",\"delta.columnMapping.id\":3}}]},` +
		`\"nullable\":true,\"metadata\":{\"delta.columnMapping.physicalName\":\"p2\",\"delta.columnMapping.id\":2}}]`
	metadata := strings.Replace(metadataOf(`"delta.columnMapping.mode":"name"`), `\"fields\":[]`, schema, 1)
	start := protocolOf(`"clustering","domainMetadata","columnMapping"`) + metadata + anAdd("a")
	tests := []struct {
		name, domain, tag, want string
	}{
		{"the table's keys", `{"clusteringColumns":[["p1"],["p2","p3"]]}`, "[\"`a.b`\",\"s.x\"]", "liquid"},
		{"in another order", `{"clusteringColumns":[["p2","p3"],["p1"]]}`, "[\"`a.b`\",\"s.x\"]", ""},
		{"other keys", `{"clusteringColumns":[["p1"]]}`, `["s.x"]`, ""},
		{"no keys", `{"clusteringColumns":[]}`, `[]`, ""},
		{"no tag", `{"clusteringColumns":[["p1"]]}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, _ := tableOf(t, start+domainOf(clusteringDomain, tt.domain))
			read := replayOf(t, store)
			read.Metadata.Configuration = nil // job/rewrite is what mapping waits for
			file := newFile("x", 1)
			file.Tags[cubeTag] = tt.tag
			if _, err := Commit(t.Context(), store, read, optimize(read.Files, file)); err != nil {
				t.Fatal(err)
			}
			s := replayOf(t, store)
			if got := s.Files[0].ClusteringProvider; got != tt.want {
				t.Errorf("provider %q, want %q", got, tt.want)
			}
			if s.Domains[clusteringDomain].Configuration != tt.domain {
				t.Errorf("domain %v", s.Domains)
			}
		})
	}
}

// What is removed by a clock that is behind would be vacuumed too early.
func TestClockThatIsBehind(t *testing.T) {
	info := func(time int64) string { return fmt.Sprintf(`{"commitInfo":{"timestamp":%d}}`+"\n", time) }
	const ours = 1_800_000_000_000
	for name, last := range map[string]int64{"behind": ours + clockTolerance + 1, "near": ours + clockTolerance, "ahead": 5} {
		t.Run(name, func(t *testing.T) {
			store, _ := tableOf(t, info(last)+aProtocol+aMetadata+anAdd("a"))
			read := replayOf(t, store)
			_, err := Commit(t.Context(), store, read, optimize(read.Files, newFile("x", 1)))
			if (name == "behind") != errors.Is(err, errClock) {
				t.Errorf("got %v", err)
			}
			if name == "behind" && !strings.Contains(err.Error(), "version 0 (_delta_log/00000000000000000000.json)") {
				t.Errorf("%v does not name the version and its file", err)
			}
		})
	}
}

// Rows of files with deletion vectors are counted as they are read.
func TestCommitCountsLiveRows(t *testing.T) {
	vector := `"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":34,"cardinality":2},"stats":"{\"numRecords\":10}","dataChange"`
	store, _ := tableOf(t, aProtocol+aMetadata+strings.Replace(anAdd("a"), `"dataChange"`, vector, 1))
	read := replayOf(t, store)
	for rows, want := range map[int]bool{10: false, 8: true, 7: false} {
		err := optimize(read.Files, newFile("x", rows)).checkRows(read)
		if (err == nil) != want {
			t.Errorf("%d rows for 8 live ones: %v", rows, err)
		}
	}
}
