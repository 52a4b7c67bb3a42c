package lake

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/object"
)

// reading keeps the names of the commits that are read.
type reading struct {
	object.Store
	read *[]string
}

func (r reading) ReadAll(ctx context.Context, key string) ([]byte, error) {
	*r.read = append(*r.read, strings.TrimLeft(strings.TrimSuffix(filepath.Base(key), ".json"), "0"))
	return r.Store.ReadAll(ctx, key)
}

// A table's order by OPTIMIZE ZORDER BY is found in its history, which is read no further than
// to the commit since which half of its bytes came in.
func TestTraceOfZOrder(t *testing.T) {
	const start = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n" +
		`{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}}` + "\n"
	wrote := func(name string, bytes int) string {
		return fmt.Sprintf(`{"commitInfo":{"operation":"WRITE","operationParameters":{}}}`+"\n"+
			`{"add":{"path":"%s","partitionValues":{},"size":%d,"modificationTime":1,"dataChange":true}}`+"\n", name, bytes)
	}
	ordered := func(name string, bytes int) string {
		return strings.Replace(wrote(name, bytes), `"WRITE","operationParameters":{}`, `"OPTIMIZE","operationParameters":{"zOrderBy":"[\"k\"]"}`, 1)
	}
	taken := func(name string) string {
		return fmt.Sprintf(`{"remove":{"path":"%s","deletionTimestamp":1,"dataChange":false}}`+"\n", name)
	}
	byOtherKeys := strings.Replace(ordered("b", 60), `\"k\"`, `\"j\"`, 1) + taken("a")
	back := strings.Replace(wrote("a", 60), `"WRITE","operationParameters":{}`, `"RESTORE","operationParameters":{},"userMetadata":"{\"run\":\"r\",\"step\":0,\"plan_sha256\":\"h\"}"`, 1) + taken("b")
	stamp := func(commit string) string {
		return strings.Replace(commit, `"operationParameters":{`, `"userMetadata":"{\"run\":\"r\",\"step\":0,\"plan_sha256\":\"h\"}","operationParameters":{`, 1)
	}
	merged := func(name string, bytes int) string {
		return strings.Replace(wrote(name, bytes), `"WRITE"`, `"MERGE"`, 1) + taken("a")
	}
	tests := []struct {
		name    string
		commits []string
		read    []string // by the trace, newest first
		found   bool
	}{
		{"most bytes are ordered", []string{start + ordered("a", 60), wrote("b", 20), wrote("c", 20)}, []string{"2", "1", ""}, true},
		{"half of them came in since", []string{start + ordered("a", 50), wrote("b", 20), wrote("c", 30)}, []string{"2", "1"}, false},
		{"the last commit holds all that counts", []string{start + ordered("a", 10), wrote("b", 10), wrote("c", 80)}, []string{"2"}, false},
		{"files of an earlier order came back", []string{start + ordered("a", 60), byOtherKeys, back}, []string{"2", "1", ""}, true},
		{"a merge wrote most of ajlo's order anew", []string{start + stamp(ordered("a", 60)), merged("b", 60), wrote("c", 20)}, []string{"2", "1", ""}, true},
		{"a step of ajlo was taken back", []string{start + wrote("a", 60), stamp(ordered("b", 60)) + taken("a"), back}, []string{"2", "1", ""}, false},
		{"a merge wrote most of what ajlo partitioned anew", []string{start + strings.Replace(stamp(ordered("a", 60)), "OPTIMIZE", "REPARTITION", 1), merged("b", 60)}, []string{"1", ""}, true},
		{"a merge wrote most of another's order anew", []string{start + ordered("a", 60), merged("b", 60)}, []string{"1", ""}, false},
		{"more came in than a merge wrote anew", []string{start + stamp(ordered("a", 60)), merged("b", 60), wrote("c", 90)}, []string{"2"}, false},
		{"nothing was ever ordered", []string{start + wrote("a", 60), wrote("b", 20)}, []string{"1", ""}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := logOf(t, tt.commits)
			s, err := delta.Replay(t.Context(), store)
			if err != nil {
				t.Fatal(err)
			}
			var read []string
			got, found := trace(t.Context(), reading{store, &read}, s, layout.Unordered())
			if found != tt.found || found && !slices.Equal(got.layout.Clustering, layout.ClusteredBy(layout.Sort, "k").Clustering) {
				t.Errorf("found %v: %v", found, got.layout)
			}
			if !slices.Equal(read, tt.read) {
				t.Errorf("read %q, want %q", read, tt.read)
			}
		})
	}
}

// Keys that a step of ajlo declared are the table's once a file lies by them: a Spark that was
// killed before it came to that has to go on.
func TestTraceOfDeclaredKeys(t *testing.T) {
	const start = `{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["clustering","domainMetadata"]}}` + "\n" +
		`{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"k\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}` + "\n" +
		`{"add":{"path":"a","partitionValues":{},"size":60,"modificationTime":1,"dataChange":true}}` + "\n"
	const declared = `{"commitInfo":{"operation":"CLUSTER BY","operationParameters":{"oldClusteringColumns":"","newClusteringColumns":"k"},"userMetadata":"{\"run\":\"r\",\"step\":0,\"plan_sha256\":\"h\"}"}}` + "\n" +
		`{"domainMetadata":{"domain":"delta.clustering","configuration":"{\"clusteringColumns\":[[\"k\"]]}","removed":false}}` + "\n"
	const laid = `{"commitInfo":{"operation":"OPTIMIZE","operationParameters":{}}}` + "\n" + `{"remove":{"path":"a","deletionTimestamp":1,"dataChange":false}}` + "\n" +
		`{"add":{"path":"b","partitionValues":{},"size":60,"modificationTime":1,"dataChange":false,"tags":{"ZCUBE_ID":"1","ZCUBE_ZORDER_BY":"[\"k\"]"}}}` + "\n"
	theirs := strings.Replace(declared, `,"userMetadata":"{\"run\":\"r\",\"step\":0,\"plan_sha256\":\"h\"}"`, "", 1)
	for _, tt := range []struct {
		name    string
		commits []string
		keys    int
		owner   string
	}{
		{"declared alone", []string{start, declared}, 0, delta.OwnerNone},
		{"and laid", []string{start, declared, laid}, 1, delta.OwnerUs},
		{"declared by a person", []string{start, theirs}, 1, delta.OwnerUser},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := logOf(t, tt.commits)
			s, err := Open(t.Context(), store, "t", "/t")
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Layout.Clustering) != tt.keys || s.Owner != tt.owner || !s.Declared {
				t.Errorf("laid by %s of %s, declared %v", s.Layout, s.Owner, s.Declared)
			}
		})
	}
}

// logOf is a table of these commits.
func logOf(t *testing.T, commits []string) object.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o700); err != nil {
		t.Fatal(err)
	}
	for version, text := range commits {
		if err := os.WriteFile(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", version)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
