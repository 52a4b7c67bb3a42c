package eventlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestFind(t *testing.T) {
	log := file("{}\n")
	tests := []struct {
		name  string
		files fstest.MapFS
		root  string
		want  []Application
	}{
		{"part 10 comes after part 9", fstest.MapFS{
			"eventlog_v2_local-1/events_10_local-1.zstd": log, "eventlog_v2_local-1/events_9_local-1.zstd": log,
			"eventlog_v2_local-1/events_1_local-1.zstd": log, "eventlog_v2_local-1/appstatus_local-1": file(""),
		}, ".", []Application{{ID: "local-1", Bytes: 9, Lost: []int64{2, 3, 4, 5, 6, 7, 8}, Parts: []string{
			"eventlog_v2_local-1/events_1_local-1.zstd", "eventlog_v2_local-1/events_9_local-1.zstd",
			"eventlog_v2_local-1/events_10_local-1.zstd"}}}},
		{"a compact file stands for the parts before it", fstest.MapFS{
			"eventlog_v2_a/events_1_a": log, "eventlog_v2_a/events_2_a": log, "eventlog_v2_a/events_2_a.compact": log,
			"eventlog_v2_a/events_3_a": log,
		}, ".", []Application{{ID: "a", Bytes: 6, Parts: []string{"eventlog_v2_a/events_2_a.compact", "eventlog_v2_a/events_3_a"}}}},
		{"still running, with an attempt and a YARN id", fstest.MapFS{
			"eventlog_v2_application_17_0042_1/events_1_application_17_0042_1":             log,
			"eventlog_v2_application_17_0042_1/appstatus_application_17_0042_1.inprogress": file(""),
		}, ".", []Application{{ID: "application_17_0042", Attempt: "1", InProgress: true, Bytes: 3,
			Parts: []string{"eventlog_v2_application_17_0042_1/events_1_application_17_0042_1"}}}},
		{"single files", fstest.MapFS{
			"app-20261129-0001": log, "local-7_2.zstd": file("\x28\xB5\x2F\xFD"), "local-8.lz4.inprogress": log,
		}, ".", []Application{
			{ID: "app-20261129-0001", Bytes: 3, Parts: []string{"app-20261129-0001"}},
			{ID: "local-7", Attempt: "2", Bytes: 4, Parts: []string{"local-7_2.zstd"}},
			{ID: "local-8", InProgress: true, Bytes: 3, Parts: []string{"local-8.lz4.inprogress"}}}},
		{"what is no log is passed over", fstest.MapFS{
			"eventlog_v2_a/.events_1_a.crc": file("crc"), "eventlog_v2_a/events_1_a": log, ".local-1.crc": file("crc"),
			"README.md": file("# logs"), "empty": file(""), "_delta_log/0.json": log, "eventlog_v2_b/appstatus_b": file(""),
		}, ".", []Application{{ID: "a", Bytes: 3, Parts: []string{"eventlog_v2_a/events_1_a"}}}},
		{"folders of clusters", fstest.MapFS{
			"c1/eventlog_v2_a/events_1_a": log, "c2/deep/local-2": log,
		}, ".", []Application{
			{ID: "a", Bytes: 3, Parts: []string{"c1/eventlog_v2_a/events_1_a"}},
			{ID: "local-2", Bytes: 3, Parts: []string{"c2/deep/local-2"}}}},
		{"one log by itself", fstest.MapFS{"eventlog_v2_a/events_1_a": log}, "eventlog_v2_a",
			[]Application{{ID: "a", Bytes: 3, Parts: []string{"eventlog_v2_a/events_1_a"}}}},
		{"one file by itself", fstest.MapFS{"x/local-3": log}, "x/local-3",
			[]Application{{ID: "local-3", Bytes: 3, Parts: []string{"x/local-3"}}}},
		{"no logs", fstest.MapFS{"x/y.txt": file("hello")}, ".", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Find(test.files, test.root)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(Application{}, "Modified")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFindMissingFolder(t *testing.T) {
	if _, err := Find(fstest.MapFS{}, "logs"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one that is fs.ErrNotExist", err)
	}
}

// lockedFS refuses one folder or file.
type lockedFS struct {
	fstest.MapFS
	locked string
}

func (l lockedFS) Open(name string) (fs.File, error) {
	if name == l.locked {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.Open(name)
}

func (l lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.locked {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.MapFS.ReadDir(name)
}

// What may not be read is named, and nothing else is lost with it.
func TestFindLocked(t *testing.T) {
	files := fstest.MapFS{"c1/local-1": file("{}"), "eventlog_v2_a/events_1_a": file("{}"), "local-2": file("{}")}
	for _, locked := range []string{"c1", "eventlog_v2_a", "local-2"} {
		fsys := lockedFS{files, locked}
		found, err := Find(fsys, ".")
		if err != nil || len(found) != 3 {
			t.Fatalf("%s locked: %d found, %v", locked, len(found), err)
		}
		var lost []Problem
		for _, a := range found {
			_, r, err := read(fsys, a)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range r.Problems {
				if p.Line == 0 {
					lost = append(lost, p)
				}
			}
		}
		want := []Problem{{File: locked, Reason: "cannot be opened: permission denied", Count: 1}}
		if diff := cmp.Diff(want, lost); diff != "" {
			t.Errorf("%s locked (-want +got)\n%s", locked, diff)
		}
	}
}

// Logs may be links into another folder; what a link does not lead to is named.
func TestFindLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	log := []byte(`{"Event":"SparkListenerLogStart","Spark Version":"4.0.2"}` + "\n")
	rolling := filepath.Join(elsewhere, "eventlog_v2_local-2")
	err := errors.Join(
		os.WriteFile(filepath.Join(elsewhere, "local-1"), log, 0o644),
		os.Mkdir(rolling, 0o755),
		os.WriteFile(filepath.Join(rolling, "events_1_local-2"), log, 0o644),
		os.Symlink(filepath.Join(elsewhere, "local-1"), filepath.Join(dir, "local-1")),
		os.Symlink(rolling, filepath.Join(dir, "eventlog_v2_local-2")),
		os.Symlink(elsewhere, filepath.Join(dir, "more")),
		os.Symlink(filepath.Join(elsewhere, "gone"), filepath.Join(dir, "local-3")),
		os.Mkdir(filepath.Join(dir, "eventlog_v2_local-4"), 0o755),
		os.Symlink(filepath.Join(rolling, "events_1_local-2"), filepath.Join(dir, "eventlog_v2_local-4", "events_1_local-4")),
	)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Find(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, a := range found {
		got[a.ID] = a.Bytes
	}
	size := int64(len(log))
	want := map[string]int64{"local-1": size, "local-2": size, "local-4": size, "more": 0, "local-3": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
