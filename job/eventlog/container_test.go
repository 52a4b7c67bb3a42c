package eventlog_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ajlo/job/eventlog"
	"ajlo/job/fact"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// samples are logs of one and the same application of two queries, run by Spark 4.0.2 with
// each of its codecs.
const samples = "testdata/spark40"

// facts reads every application of a file system.
func facts(t testing.TB, fsys fs.FS) map[string]fact.Facts {
	t.Helper()
	found, err := eventlog.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]fact.Facts{}
	for _, a := range found {
		var r eventlog.Reading
		f, err := fact.Extract(eventlog.Events(t.Context(), fsys, a, &r))
		if err != nil || len(r.Problems) > 0 {
			t.Errorf("%s: %v, problems %v", a.Parts[0], err, r.Problems)
		}
		all[a.Parts[0]] = f
	}
	return all
}

// timeless leaves out what differs from run to run: ids and times.
func timeless(f fact.Facts) fact.Facts {
	f.App = ""
	f.Queries = slices.Clone(f.Queries)
	for i := range f.Queries {
		q := &f.Queries[i]
		q.App, q.Execution, q.Start, q.WallMS, q.TaskMS = "", 0, time.Time{}, 0, 0
	}
	return f
}

func sample(t testing.TB, suffix string) []byte {
	t.Helper()
	names, err := fs.Glob(os.DirFS(samples), "*"+suffix)
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %v, %v", suffix, names, err)
	}
	content, err := os.ReadFile(path.Join(samples, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestEveryCodecOfSpark(t *testing.T) {
	all := facts(t, os.DirFS(samples))
	if len(all) != 6 {
		t.Errorf("%d applications, want 6: one for each codec and a rolling one", len(all))
	}
	want := timeless(all["local-1795989453128.gz"])
	if len(want.Queries) != 2 || len(want.Queries[0].Joins) != 1 || want.Queries[1].Scans[0].Predicate == nil || !want.Queries[0].Scans[0].Measured {
		t.Fatalf("the plain log's facts are %+v", want)
	}
	for name, f := range all {
		if diff := cmp.Diff(want, timeless(f)); diff != "" {
			t.Errorf("%s (-plain +this)\n%s", name, diff)
		}
	}
}

// The content decides: whatever ending a log has, its facts are the same.
func TestTrapNameAndContentDisagree(t *testing.T) {
	suffixes := []string{".gz", ".lz4", ".lzf", ".snappy", ".zstd", ""}
	for i, suffix := range suffixes[:5] {
		content := sample(t, suffix)
		fsys := fstest.MapFS{"right/a" + suffix: {Data: content}}
		for _, lie := range append(suffixes[:i:i], suffixes[i+1:]...) {
			fsys["wrong"+lie+"/a"+lie] = &fstest.MapFile{Data: content}
		}
		all := facts(t, fsys)
		want := all["right/a"+suffix]
		if len(all) != len(suffixes) || len(want.Queries) != 2 {
			t.Fatalf("%d applications, %d queries", len(all), len(want.Queries))
		}
		for name, got := range all {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s that is %s (-want +got)\n%s", name, suffix, diff)
			}
		}
	}
}

// zipped packs files as the History Server does for download: in the order of a listing,
// folders with entries of their own.
func zipped(t testing.TB, names []string, content map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTrapDownloadIsAZip(t *testing.T) {
	zst, lz4 := sample(t, ".zstd"), sample(t, ".lz4")
	want := facts(t, fstest.MapFS{"a": {Data: zst}, "b": {Data: lz4}})
	first, second := halves(t, zst)
	tests := []struct {
		name    string
		names   []string
		content map[string][]byte
		want    map[string]fact.Facts
	}{
		{"a single file", []string{"local-1.zstd"}, map[string][]byte{"local-1.zstd": zst},
			map[string]fact.Facts{"logs.zip!/local-1.zstd": want["a"]}},
		{"two attempts", []string{"local-1_1", "local-1_2"}, map[string][]byte{"local-1_1": zst, "local-1_2": lz4},
			map[string]fact.Facts{"logs.zip!/local-1_1": want["a"], "logs.zip!/local-1_2": want["b"]}},
		{"a rolling folder, listed in no order",
			[]string{"eventlog_v2_x/", "eventlog_v2_x/events_10_x", "eventlog_v2_x/appstatus_x", "eventlog_v2_x/events_9_x"},
			map[string][]byte{"eventlog_v2_x/events_9_x": first, "eventlog_v2_x/events_10_x": second},
			map[string]fact.Facts{"logs.zip!/eventlog_v2_x/events_9_x": want["a"]}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := facts(t, fstest.MapFS{"logs.zip": {Data: zipped(t, test.names, test.content)}})
			if diff := cmp.Diff(test.want, got, cmp.Transformer("timeless", func(f fact.Facts) fact.Facts { return timeless(f) })); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// halves gives the text of a packed log in two, parted at a line end.
func halves(t testing.TB, packed []byte) (first, second []byte) {
	t.Helper()
	text := unzstd(t, packed)
	at := len(text)/2 + bytes.IndexByte(text[len(text)/2:], '\n') + 1
	return text[:at], text[at:]
}

// A download that was cut has no directory: what stands before the cut counts, in the order
// it stands there.
func TestCutZip(t *testing.T) {
	whole := zipped(t, []string{"local-1_1", "local-1_2"}, map[string][]byte{"local-1_1": sample(t, ".zstd"), "local-1_2": sample(t, ".lz4")})
	for _, share := range []int{30, 60, 90} {
		fsys := fstest.MapFS{"logs.zip": {Data: whole[:len(whole)*share/100]}}
		found, err := eventlog.Find(fsys, ".")
		if err != nil || len(found) != 1 {
			t.Fatalf("%d found, %v", len(found), err)
		}
		var r eventlog.Reading
		f, err := fact.Extract(eventlog.Events(t.Context(), fsys, found[0], &r))
		ends := r.Problems[len(r.Problems)-1].Reason
		if err != nil || f.Executions == 0 || r.Events < int64(share)/4 || !strings.HasPrefix(ends, "file ends inside a") {
			t.Errorf("cut at %d %%: %d executions, %+v, %v", share, f.Executions, r, err)
		}
	}
}

// A query may start in one part and end in another, and each part may be packed anew.
func TestTrapQueryOverParts(t *testing.T) {
	zst := sample(t, ".zstd")
	text := unzstd(t, zst)
	var ends []int
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	want := facts(t, fstest.MapFS{"a": {Data: zst}})["a"]
	for at := 3; at < len(ends)-1; at += 9 {
		got := facts(t, fstest.MapFS{
			"eventlog_v2_x/events_9_x":  {Data: text[:ends[at]]},
			"eventlog_v2_x/events_10_x": {Data: text[ends[at]:]},
		})["eventlog_v2_x/events_9_x"]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("parted after line %d (-want +got)\n%s", at+1, diff)
		}
	}
}

// Only a late part is left, without the application's start: its queries still are facts.
func TestTrapOnlyPart94(t *testing.T) {
	text := unzstd(t, sample(t, ".zstd"))
	begin := bytes.Index(text, []byte(`{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"`))
	got := facts(t, fstest.MapFS{"eventlog_v2_app-7/events_94_app-7.zstd": {Data: text[begin:]}})["eventlog_v2_app-7/events_94_app-7.zstd"]
	want := timeless(facts(t, fstest.MapFS{"a": {Data: text}})["a"])
	want.Cores = 0 // told by the first part
	if diff := cmp.Diff(want, timeless(got)); diff != "" || got.App != "app-7" {
		t.Errorf("application %s (-want +got)\n%s", got.App, diff)
	}
}

// unzstd undoes zstd.
func unzstd(t testing.TB, packed []byte) []byte {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
