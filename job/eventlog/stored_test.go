package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/object"
)

// day is when the logs of these tests are looked at.
var day = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// names is a store of which only the names matter: file after file, with the requests that a
// storage of a thousand names a page would take.
type names struct {
	object.Store
	infos    []object.Info // by key
	requests int
	yielded  int
}

func (n *names) URL() string { return "mem://names" }

func (n *names) List(_ context.Context, prefix, after string) iter.Seq2[object.Info, error] {
	return func(yield func(object.Info, error) bool) {
		n.requests++
		from, _ := slices.BinarySearchFunc(n.infos, after, func(i object.Info, key string) int { return strings.Compare(i.Key, key) })
		for at, info := range n.infos[from:] {
			if at > 0 && at%1000 == 0 {
				n.requests++
			}
			if info.Key <= after || !strings.HasPrefix(info.Key, prefix) {
				continue
			}
			n.yielded++
			if !yield(info, nil) {
				return
			}
		}
	}
}

func written(key string, at time.Time) object.Info {
	return object.Info{Key: key, Size: 3, Modified: at}
}

func listed(t *testing.T, s *names, since time.Time, longest time.Duration) []string {
	t.Helper()
	slices.SortFunc(s.infos, func(a, b object.Info) int { return strings.Compare(a.Key, b.Key) })
	folder, err := eventlog.Stored(t.Context(), s, since, longest)
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Logs that were written last before the window hold nothing of it; a rolled log is kept whole.
func TestStoredLeavesOldLogsOut(t *testing.T) {
	old, lately := day.Add(-30*24*time.Hour), day.Add(-time.Hour)
	s := &names{infos: []object.Info{
		written("c1/eventlog_v2_local-1/events_1_local-1.zstd", old), written("c1/eventlog_v2_local-1/events_2_local-1.zstd", lately),
		written("c1/eventlog_v2_local-2/events_1_local-2.zstd", old), written("c1/eventlog_v2_local-2/appstatus_local-2", old),
		written("single-old", old), written("single-new", lately), written("single-edge", day.Add(-7*24*time.Hour-time.Hour)),
		written("db/eventlog", lately), written("db/eventlog-2026-10-01--00-00.gz", old), written("db/eventlog-2026-10-02--00-00.gz", old),
		written("gone/eventlog", old), written("gone/eventlog-2026-10-01--00-00.gz", old), written("gone/other", lately),
	}}
	want := []string{
		"c1/eventlog_v2_local-1/events_1_local-1.zstd", "c1/eventlog_v2_local-1/events_2_local-1.zstd",
		"db/eventlog", "db/eventlog-2026-10-01--00-00.gz", "db/eventlog-2026-10-02--00-00.gz", "gone/other", "single-edge", "single-new",
	}
	if diff := cmp.Diff(want, listed(t, s, day.Add(-7*24*time.Hour), 0)); diff != "" {
		t.Error(diff)
	}
	if all := listed(t, s, time.Time{}, 0); len(all) != len(s.infos) {
		t.Errorf("without a window %d of %d are listed", len(all), len(s.infos))
	}
}

// Of a hundred thousand logs the window's are found with requests in proportion to them, and
// they are those that a listing of all names finds.
func TestStoredLeapsOverOldNames(t *testing.T) {
	const logs = 100_000 // one every ten minutes
	began := func(i int) time.Time { return day.Add(-time.Duration(logs-i) * 10 * time.Minute) }
	for _, tt := range []struct {
		name string
		key  func(i int) string
		leap bool
	}{
		{"local", func(i int) string { return fmt.Sprintf("logs/local-%d.zstd", began(i).UnixMilli()) }, true},
		{"rolling", func(i int) string {
			id := fmt.Sprintf("local-%d", began(i).UnixMilli())
			return "eventlog_v2_" + id + "/events_1_" + id + ".zstd"
		}, true},
		{"standalone", func(i int) string { return began(i).Format("logs/app-20060102150405-0001") }, true},
		{"folders of a day", func(i int) string { return began(i).Format("dt=2006-01-02/") + fmt.Sprintf("spark-%04x", i*7919%65536) }, true},
		{"year, month and day", func(i int) string { return began(i).Format("2006/01/02/") + fmt.Sprintf("application_1_%d", i) }, true},
		{"YARN", func(i int) string { return fmt.Sprintf("logs/application_1700000000000_%06d", i) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &names{}
			for i := range logs {
				s.infos = append(s.infos, written(tt.key(i), began(i).Add(time.Hour)))
			}
			since := day.Add(-7 * 24 * time.Hour)
			want := listed(t, s, since, 0)
			if len(want) < 7*24*6 || len(want) > 9*24*6 {
				t.Fatalf("%d logs in the window", len(want))
			}
			whole := s.requests
			s.requests = 0
			if diff := cmp.Diff(want, listed(t, s, since, 2*24*time.Hour)); diff != "" {
				t.Error(diff)
			}
			const most = 5 // pages: the one that leaps, and two thousand names
			if whole < logs/1000 || (s.requests <= most) != tt.leap {
				t.Errorf("%d requests, without leaps %d", s.requests, whole)
			}
		})
	}
}

// A folder that is not there is told from one whose logs are all old.
func TestStoredFolderThatIsNotThere(t *testing.T) {
	if _, err := eventlog.Stored(t.Context(), &names{}, day, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	old := &names{infos: []object.Info{written("local-1", day.Add(-1000*time.Hour))}}
	if found := listed(t, old, day, 0); len(found) > 0 {
		t.Errorf("%v were found", found)
	}
}

func storeOf(t *testing.T, dir string) object.Store {
	t.Helper()
	s, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Through a store the fixtures' applications are what they are on disk, and so are their events.
func TestStoredIsTheFolder(t *testing.T) {
	for _, fixture := range []string{"spark40-delta", "spark40-iceberg"} {
		dir := "../../testdata/" + fixture + "/eventlogs"
		stored, err := eventlog.Stored(t.Context(), storeOf(t, dir), time.Time{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, got := findIn(t, os.DirFS(dir)), findIn(t, stored)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%d applications (-folder +store)\n%s", len(want), diff)
		}
		for _, a := range got {
			if onDisk, inStore := readings(t, os.DirFS(dir), a), readings(t, stored, a); onDisk.Events == 0 || !cmp.Equal(onDisk, inStore) {
				t.Error(cmp.Diff(onDisk, inStore))
			}
		}
	}
}

func findIn(t *testing.T, fsys fs.FS) []eventlog.Application {
	t.Helper()
	found, err := eventlog.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func readings(t *testing.T, fsys fs.FS, a eventlog.Application) (r eventlog.Reading) {
	t.Helper()
	for _, err := range eventlog.Events(t.Context(), fsys, a, &r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestStoredIsAFileSystem(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("0123456789abcdef", 1<<16) // several ranges
	for name, text := range map[string]string{"a/b/c": "x", "a/empty": "", "a.txt": "y", "z/long": long} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := eventlog.Stored(t.Context(), storeOf(t, dir), time.Time{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(stored, "a/b/c", "a/empty", "a.txt", "z/long"); err != nil {
		t.Error(err)
	}
	file, err := stored.Open("z/long")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(iotest.HalfReader(file))
	if err != nil || string(got) != long {
		t.Errorf("%d bytes and %v, want the file's %d", len(got), err, len(long))
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// counted counts the ranges that are read.
type counted struct {
	object.Store
	ranges *[]int
}

func (c counted) Open(ctx context.Context, key string) (object.Reader, error) {
	r, err := c.Store.Open(ctx, key)
	return countedReader{r, c.ranges}, err
}

type countedReader struct {
	object.Reader
	ranges *[]int
}

func (r countedReader) ReadAt(p []byte, offset int64) (int, error) {
	*r.ranges = append(*r.ranges, len(p))
	return r.Reader.ReadAt(p, offset)
}

// The first range of a file is small, the others grow.
func TestRangesGrow(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, 1_000_000), 0o644); err != nil {
		t.Fatal(err)
	}
	var ranges []int
	stored, err := eventlog.Stored(t.Context(), counted{storeOf(t, dir), &ranges}, time.Time{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(stored, "x")
	if err != nil || len(data) != 1_000_000 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	want := []int{1 << 16, 1 << 17, 1 << 18, 1 << 19, 1_000_000 - 15<<16, 1}
	if diff := cmp.Diff(want, ranges); diff != "" {
		t.Error(diff)
	}
}
