package eventlog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ajlo/job/eventlog"
)

const someEvent = `{"Event":"SparkListenerApplicationEnd","Timestamp":1}` + "\n"

// losses reads all logs of a file system and names what was lost.
func losses(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	found, err := eventlog.Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range found {
		var r eventlog.Reading
		for _, err := range eventlog.Events(t.Context(), fsys, a, &r) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range r.Problems {
			lines = append(lines, p.File+": "+p.Reason)
		}
	}
	return lines
}

// A rolling log may begin with any part, but none is left out after it.
func TestPartsThatAreNotThere(t *testing.T) {
	event := &fstest.MapFile{Data: []byte(someEvent)}
	for _, tt := range []struct {
		name  string
		parts []string
		want  []string
	}{
		{"several", []string{"events_1_a", "events_2_a", "events_10_a"}, []string{"3", "4", "5", "6", "7", "8", "9"}},
		{"one in the middle", []string{"events_2_a", "events_4_a"}, []string{"3"}},
		{"after what is compact", []string{"events_1_a", "events_5_a.compact", "events_6_a"}, nil},
		{"by a number of anybody's", []string{"events_1_a", "events_9000000000000000000_a"}, make([]string, 100)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for _, part := range tt.parts {
				fsys["eventlog_v2_a/"+part] = event
			}
			got := losses(t, fsys)
			if len(got) != len(tt.want) {
				t.Fatalf("lost %q", got)
			}
			for i, number := range tt.want {
				if !strings.Contains(got[i], "part "+number) {
					t.Errorf("lost %q, want part %s", got[i], number)
				}
			}
		})
	}
}

// What has a log's name and is none is named; a log that was not begun yet is not.
func TestNamesOfLogs(t *testing.T) {
	fsys := fstest.MapFS{
		"local-1795979361104":                {Data: make([]byte, 100)},
		"application_1700000000000_0042.lz4": {Data: []byte("\xef\xbb\xbf" + someEvent)},
		"local-1795979361105.inprogress":     {},
		"notes.txt":                          {Data: []byte("not a log")},
	}
	got := strings.Join(losses(t, fsys), "\n")
	for name, want := range map[string]bool{"local-1795979361104": true, "application_1700000000000_0042": true, "local-1795979361105": false, "notes": false} {
		if strings.Contains(got, name) != want {
			t.Errorf("%s is named: %t, want %t\n%s", name, !want, want, got)
		}
	}
}

// Pipes and devices are named, and nobody waits for them.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(t.TempDir(), "pipe")
	rolling := filepath.Join(dir, "eventlog_v2_a")
	if err := os.Mkdir(rolling, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, filepath.Join(rolling, "events_1_a")} {
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"app-pipe": pipe, "app-zero": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const why = ": cannot be opened: it is no file, but a pipe or a device"
	want := []string{"app-pipe" + why, "app-zero" + why, "eventlog_v2_a/events_1_a" + why}
	if d := cmp.Diff(want, losses(t, os.DirFS(dir))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
