package enginetest

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/go-cmp/cmp"

	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// features holds what comes with rows beside their values: partitions, names and ids of
// columns, rows that are deleted, ids of rows. The independent reader shows all of it.
func (s suite) features(t *testing.T) {
	t.Run("partitions", func(t *testing.T) {
		dir := fixture(t, "partitioned")
		was := folders(openTable(t, dir).Files)
		s.applied(t, dir, layout.ClusteredBy(layout.Sort, "id"), unit.MB)
		if diff := cmp.Diff(was, folders(openTable(t, dir).Files)); diff != "" {
			t.Errorf("new files lie in other folders: %s", diff)
		}
	})
	t.Run("columns by their physical names", func(t *testing.T) {
		s.applied(t, fixture(t, "mapped"), layout.ClusteredBy(layout.Sort, "id"), unit.MB)
	})
	t.Run("columns by their numbers", func(t *testing.T) {
		s.applied(t, fixture(t, "numbered"), layout.ClusteredBy(layout.Sort, "id"), unit.MB)
	})
	t.Run("all of it at once", func(t *testing.T) {
		dir := fixture(t, "moved")
		was := folders(openTable(t, dir).Files)
		s.applied(t, dir, layout.ClusteredBy(layout.Hilbert, "key", "id"), 2*unit.KB)
		if diff := cmp.Diff(was, folders(openTable(t, dir).Files)); diff != "" {
			t.Errorf("new files lie in other folders: %s", diff)
		}
	})
	t.Run("deleted rows", func(t *testing.T) {
		dir := vectorTable(t)
		r := s.applied(t, dir, byPrice, 2*unit.KB)
		if want := int64(300 - len(deletedItems)); r.Added.Rows != want {
			t.Errorf("%d rows, want the %d that are not deleted", r.Added.Rows, want)
		}
		for _, a := range openTable(t, dir).Commits[r.Version].Added {
			if a["deletionVector"] != nil {
				t.Errorf("%v has a deletion vector", a["path"])
			}
		}
	})
	t.Run("ids of rows", func(t *testing.T) {
		dir := trackedTable(t)
		s.applied(t, dir, byPrice, 2*unit.KB)
		// Once more, from files that hold ids of their own.
		s.applied(t, dir, layout.ClusteredBy(layout.Sort, "name"), 3*unit.KB)
	})
	t.Run("a list of files", s.listed)
	t.Run("clustered by an engine", s.clustered)
}

func folders(files []string) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = path.Dir(f)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listed holds that a step with a list rewrites those files only, and not those of them that
// somebody rewrote first.
func (s suite) listed(t *testing.T) {
	dir := itemTable(t)
	step := stepFor(t, dir, byPrice, 10*unit.KB)
	step.Kind, step.Files = plan.Upkeep, []string{"b.parquet", "gone.parquet", "c.parquet"}
	e := s.plain()
	if err := e.Check(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	r, err := e.Apply(t.Context(), step, rec)
	if err != nil || !r.Changed || r.FilesRemoved != 2 || r.BytesRemoved != rec.spent {
		t.Fatalf("got %+v, %v with leave for %d bytes, want two files removed", r, err, rec.spent)
	}
	wantItems(t, dir, items(0, 300))
	if !slices.Contains(openTable(t, dir).Files, "a.parquet") {
		t.Error("a.parquet was rewritten, too")
	}
	if r, err = e.Apply(t.Context(), step, &recorder{}); err != nil || r.Changed {
		t.Errorf("got %+v, %v, want no change: the files of the list are gone", r, err)
	}
}

// clustered holds that the engine that clusters the table finds its own tags on the files: one
// cube, by the keys as it declares them.
func (s suite) clustered(t *testing.T) {
	dir := itemTable(t)
	commit(t, dir, 1,
		action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": []string{"clustering", "domainMetadata"}}},
		action{"domainMetadata": action{"domain": "delta.clustering", "configuration": `{"clusteringColumns":[["id"],["price"]]}`, "removed": false}})
	r := s.applied(t, dir, byPrice, 2*unit.KB)
	cubes := map[string]bool{}
	for _, a := range openTable(t, dir).Commits[r.Version].Added {
		tags := a["tags"].(map[string]any)
		cubes[tags["ZCUBE_ID"].(string)] = true
		if tags["ZCUBE_ZORDER_BY"] != `["id","price"]` || a["clusteringProvider"] != "liquid" {
			t.Errorf("tags %v, provider %v", tags, a["clusteringProvider"])
		}
	}
	if len(cubes) != 1 {
		t.Errorf("%d cubes, want one", len(cubes))
	}
}

// deletedItems are positions in b.parquet.
var deletedItems = []uint64{0, 1, 50, 99}

// The file of deletion vectors: its name, and the name's UUID as the log spells it in Z85.
const (
	vectorFile = "deletion_vector_01234567-89ab-4def-8123-456789abcdef.bin"
	vectorText = "0v73CIk%wtFG)P@Il1[&"
)

// vectorTable is itemTable after someone deleted rows by a vector.
func vectorTable(t *testing.T) string {
	t.Helper()
	dir := itemTable(t)
	bitmap, err := roaring64.BitmapOf(deletedItems...).ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	data := append(binary.LittleEndian.AppendUint32(nil, 1_681_511_377), bitmap...)
	file := append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(data))), data...)
	file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(data))
	if err := os.WriteFile(filepath.Join(dir, vectorFile), file, 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "b.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	add := action{
		"path": "b.parquet", "partitionValues": action{}, "size": info.Size(), "modificationTime": 1, "dataChange": true,
		"stats": `{"numRecords":100}`, "deletionVector": action{
			"storageType": "u", "pathOrInlineDv": vectorText, "offset": 1, "sizeInBytes": len(data), "cardinality": len(deletedItems),
		},
	}
	commit(t, dir, 1, action{"protocol": action{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"deletionVectors"}, "writerFeatures": []string{"deletionVectors"}}},
		remove("b.parquet"), action{"add": add})
	return dir
}

// trackedTable is a table of items whose rows keep their ids.
func trackedTable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tracked")
	tracked := func(add action, base int) action {
		add["add"].(action)["baseRowId"], add["add"].(action)["defaultRowCommitVersion"] = base, 0
		return add
	}
	commit(t, dir, 0,
		action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": []string{"rowTracking", "domainMetadata"}}},
		action{"metaData": metaData(itemSchema, nil, map[string]string{
			"delta.enableRowTracking": "true", "delta.rowTracking.materializedRowIdColumnName": "_row-id",
			"delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version",
		})},
		action{"domainMetadata": action{"domain": "delta.rowTracking", "configuration": `{"rowIdHighWaterMark":299}`, "removed": false}},
		tracked(addItems(t, dir, "a.parquet", items(0, 200)), 0),
		tracked(addItems(t, dir, "b.parquet", items(200, 100)), 200),
	)
	return dir
}
