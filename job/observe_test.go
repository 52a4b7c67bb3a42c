package job_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/report"
	"ajlo/job/window"
)

// always is a window that holds every query.
var always = window.Window{End: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}

// twoLogs is a folder with the logs of both fixtures.
func twoLogs(t *testing.T) string {
	t.Helper()
	logs := filepath.Join(t.TempDir(), "logs")
	for _, name := range []string{"spark40-delta", "spark40-iceberg"} {
		if err := os.CopyFS(filepath.Join(logs, name), os.DirFS("../testdata/"+name+"/eventlogs")); err != nil {
			t.Fatal(err)
		}
	}
	return logs
}

// oneLog is a folder with the smaller log of the two.
func oneLog(t *testing.T) string {
	t.Helper()
	logs := filepath.Join(t.TempDir(), "logs")
	if err := os.CopyFS(filepath.Join(logs, "spark40-iceberg"), os.DirFS("../testdata/spark40-iceberg/eventlogs")); err != nil {
		t.Fatal(err)
	}
	return logs
}

// part finds the first part of the log of a fixture.
func part(t *testing.T, logs, name string) string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(logs, name, "*", "events_1_*"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("%v, %v", parts, err)
	}
	return parts[0]
}

func observer(logs, cache string) job.Observer {
	return job.Observer{Sources: []config.Source{{Logs: logs}}, Cache: cache, Log: slog.New(slog.DiscardHandler), Clock: time.Now}
}

func observe(t *testing.T, o job.Observer, w window.Window) job.Observed {
	t.Helper()
	observed, err := o.Observe(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	return observed
}

// same holds two results against each other: as values, literals with their types, and as
// they are printed.
func same(t *testing.T, want, got job.Observed) {
	t.Helper()
	if len(want.Queries) == 0 && len(want.Problems) == 0 {
		t.Error("there is nothing to compare")
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(job.Observed{}), cmpopts.IgnoreFields(job.Observed{}, "Lines", "Cached"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var wanted, gotten bytes.Buffer
	for text, o := range map[*bytes.Buffer]job.Observed{&wanted: want, &gotten: got} {
		if err := report.FactsJSON(text, o.Queries); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(wanted.String(), gotten.String()); d != "" {
		t.Errorf("printed (-want +got)\n%s", d)
	}
}

func TestSecondNightReadsOnlyWhatIsNew(t *testing.T) {
	logs, cache := twoLogs(t), filepath.Join(t.TempDir(), "cache")
	without := observe(t, observer(logs, ""), always)
	first := observe(t, observer(logs, cache), always)
	if first.Lines != without.Lines || first.Cached != 0 || first.Applications != 2 {
		t.Errorf("the first night read %d lines of %d and %d of %d applications from the cache", first.Lines, without.Lines, first.Cached, first.Applications)
	}
	same(t, without, first)
	second := observe(t, observer(logs, cache), always)
	if second.Lines != 0 || second.Cached != 2 {
		t.Errorf("the second night read %d lines and %d applications from the cache, want 0 and 2", second.Lines, second.Cached)
	}
	same(t, without, second)

	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(part(t, logs, "spark40-iceberg"), later, later); err != nil {
		t.Fatal(err)
	}
	third := observe(t, observer(logs, cache), always)
	if third.Cached != 1 || third.Lines == 0 || third.Lines >= first.Lines {
		t.Errorf("with one new log %d lines were read and %d applications were cached", third.Lines, third.Cached)
	}
	same(t, without, third)
	// What is kept is whole: another window finds its queries there.
	none := observe(t, observer(logs, cache), window.Window{End: time.Unix(0, 0)})
	if none.Cached != 2 || len(none.Queries) != 0 || none.Applications != 0 {
		t.Errorf("a window before all logs has %d queries of %d applications, %d cached", len(none.Queries), none.Applications, none.Cached)
	}
	same(t, without, observe(t, observer(logs, cache), always))

	if err := os.RemoveAll(filepath.Join(logs, "spark40-iceberg")); err != nil {
		t.Fatal(err)
	}
	observe(t, observer(logs, cache), always)
	if kept, err := os.ReadDir(cache); err != nil || len(kept) != 1 {
		t.Errorf("%d files are kept for 1 log, %v", len(kept), err)
	}
}

// Logs that are not over, or could not be read in whole, are read every night.
func TestWhatIsNotCached(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, part string) error
	}{
		{"in progress", func(t *testing.T, part string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(part), "appstatus_x.inprogress"), nil, 0o600)
		}},
		{"cut", func(t *testing.T, part string) error { return os.Truncate(part, 300_000) }},
		{"not a log any more", func(t *testing.T, part string) error {
			return os.WriteFile(part, []byte("\x28\xb5\x2f\xfdxxxx"), 0o600)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			logs, cache := oneLog(t), t.TempDir()
			if err := c.spoil(t, part(t, logs, "spark40-iceberg")); err != nil {
				t.Fatal(err)
			}
			first := observe(t, observer(logs, cache), always)
			second := observe(t, observer(logs, cache), always)
			if second.Cached != 0 || second.Lines != first.Lines {
				t.Errorf("%d were cached, %d of %d lines read", second.Cached, second.Lines, first.Lines)
			}
			same(t, first, second)
			if kept, err := os.ReadDir(cache); err != nil || len(kept) != 0 {
				t.Errorf("%d files are kept, %v", len(kept), err)
			}
		})
	}
}

// A cache that cannot be used is one warning, and the result is the same.
func TestCacheThatCannotBeWritten(t *testing.T) {
	logs := oneLog(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want := observe(t, observer(logs, ""), always)
	for _, cache := range []string{blocked, filepath.Join(blocked, "below")} {
		var said bytes.Buffer
		o := observer(logs, cache)
		o.Log = slog.New(slog.NewTextHandler(&said, nil))
		same(t, want, observe(t, o, always))
		if n := strings.Count(said.String(), "facts cannot be cached"); n != 1 {
			t.Errorf("%s: %d warnings, want 1: %s", cache, n, said.String())
		}
	}
}

func TestUnreadApplicationsAreNamed(t *testing.T) {
	logs := oneLog(t)
	if err := observe(t, observer(logs, ""), always).Strictly(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(logs, "broken"), []byte("\x28\xb5\x2f\xfdxxxx"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := observe(t, observer(logs, ""), always)
	err := o.Strictly()
	if err == nil || !strings.Contains(err.Error(), "broken") || job.CodeOf(err) != job.ExitFailed {
		t.Errorf("the error is %v, exit code %d", err, job.CodeOf(err))
	}
	if o.Applications != 1 || len(o.Queries) == 0 {
		t.Errorf("%d applications and %d queries are left", o.Applications, len(o.Queries))
	}
}

// Shards written apart and read together are the whole, damage included.
func TestShardsMakeTheWhole(t *testing.T) {
	logs, facts := twoLogs(t), filepath.Join(t.TempDir(), "facts")
	for _, name := range []string{"broken-1", "broken-2", "broken-3"} {
		if err := os.WriteFile(filepath.Join(logs, name), []byte("\x28\xb5\x2f\xfdxxxx"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := observe(t, observer(logs, ""), always)
	var lines int64
	for i := range 3 {
		o := observer(logs, "")
		o.Shard = job.Shard{Part: i, Of: 3}
		for range 1 + i%2 { // a shard that is run again changes nothing
			part, err := o.Export(context.Background(), always, facts)
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				lines += part.Lines
			}
		}
	}
	if lines > want.Lines {
		t.Errorf("two of three shards read %d lines of %d", lines, want.Lines)
	}
	from := job.Observer{Facts: []config.Source{{Logs: facts}}}
	got := observe(t, from, always)
	byFile := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	if d := cmp.Diff(want.Unreadable(), got.Unreadable(), byFile); d != "" {
		t.Errorf("problems (-want +got)\n%s", d)
	}
	if len(got.Unread) != 3 || len(want.Unread) != 3 {
		t.Errorf("%d and %d were unread, want 3", len(want.Unread), len(got.Unread))
	}
	want.Problems, got.Problems, want.Unread, got.Unread = nil, nil, nil, nil
	same(t, want, got)
	if o := observe(t, from, window.Window{End: time.Unix(0, 0)}); len(o.Queries) > 0 {
		t.Errorf("%d queries lie before the window", len(o.Queries))
	}
}

// A file of facts that was changed, or that ajlo did not write, is named like a damaged log.
func TestDamagedFactsAreNamed(t *testing.T) {
	facts := t.TempDir()
	if _, err := observer(twoLogs(t), "").Export(context.Background(), always, facts); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(facts, "*.parquet"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v, want the files of two applications", files, err)
	}
	for _, file := range []string{files[0], filepath.Join(facts, "x.parquet")} {
		if err := os.WriteFile(file, []byte("PAR1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := observe(t, job.Observer{Facts: []config.Source{{Logs: facts}}}, always)
	named := strings.Join(o.Unreadable(), "\n")
	if len(o.Unread) != 2 || !strings.Contains(named, "x.parquet") || !strings.Contains(named, files[0]) || o.Applications != 1 {
		t.Errorf("%d applications, unread: %v", o.Applications, o.Unread)
	}
	_, err = job.Observer{Facts: []config.Source{{Logs: facts + "/none"}}}.Observe(context.Background(), always)
	if job.CodeOf(err) != job.ExitUsage {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestEveryApplicationIsInOneShard(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		place, of := rapid.String().Draw(r, "place"), rapid.IntRange(1, 50).Draw(r, "of")
		base := rapid.IntRange(0, 1).Draw(r, "base")
		in := 0
		for i := range of {
			s, err := job.ParseShard(fmt.Sprintf("%d/%d", i+base, of))
			if err != nil {
				r.Fatal(err)
			}
			if again, err := job.ParseShard(s.String()); err != nil || again != s {
				r.Fatalf("%v is read back as %v, %v", s, again, err)
			}
			if s.Has(place) {
				in++
			}
		}
		if in != 1 {
			r.Fatalf("%q is in %d of %d shards", place, in, of)
		}
	})
	for _, text := range []string{"", "1", "1/0", "3/2", "-1/2", "a/b", "1/2/3"} {
		if s, err := job.ParseShard(text); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
}

// The same log found in a folder and in a folder of it counts once, and is named.
func TestALogFoundTwiceCountsOnce(t *testing.T) {
	folder, err := filepath.Abs(fixture + "/eventlogs")
	if err != nil {
		t.Fatal(err)
	}
	w := window.Ending(firstNight, day)
	once, err := job.Observer{Sources: []config.Source{{Logs: folder}}}.Observe(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(folder, "eventlog_v2_local-1795979361104")
	twice, err := job.Observer{Sources: []config.Source{{Logs: folder}, {Logs: inner}}}.Observe(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once.Queries, twice.Queries); diff != "" {
		t.Error(diff)
	}
	if len(once.Problems) != 0 || len(twice.Problems) != 1 || twice.Applications != 1 {
		t.Errorf("problems %v and %v, %d applications", once.Problems, twice.Problems, twice.Applications)
	}
}
