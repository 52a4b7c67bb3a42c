//go:build spark

package job_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/execute/sparksql"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/sparktest"
	"ajlo/job/sparktest/shift"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/job/window"
	"ajlo/state"
)

// A day of calls is so many files of callRows rows in order of arrival: 1,024 where all is
// asked for, a seventh else.
const (
	callTable = "lake.tele.calls"
	callRows  = 250
	wholeDay  = 1024
	// lookUpNumbers is for how many numbers look-ups are counted by bounds; Spark itself is asked
	// for the first sparkNumbers of them.
	lookUpNumbers, sparkNumbers = 1000, 4
)

// callLake is a lake of call records on a Spark with Iceberg.
type callLake struct {
	dir, logs string
	files     int       // of yesterday
	now       time.Time // when the night ends: after the look-ups, in an hour or two
	command   []string
	conf      map[string]string
}

func newCallLake(t *testing.T, files int) callLake {
	t.Helper()
	l := callLake{dir: t.TempDir(), logs: t.TempDir(), files: files, now: time.Now().UTC().Add(2 * time.Hour).Truncate(time.Hour)}
	l.command, l.conf = sparktest.SparkSQL(t, sparktest.Options{Engine: sparktest.Iceberg, Warehouse: l.warehouse()})
	return l
}

func (l callLake) warehouse() string { return filepath.Join(l.dir, "warehouse") }

func (l callLake) start(t *testing.T, logs string) *sparktest.Spark {
	t.Helper()
	return sparktest.Start(t, sparktest.Options{Engine: sparktest.Iceberg, Warehouse: l.warehouse(), EventLogDir: logs})
}

// day is midnight so many days from today.
func (l callLake) day(n int) time.Time { return l.now.Truncate(24*time.Hour).AddDate(0, 0, n) }

// fill adds calls to a day.
func (l callLake) fill(t *testing.T, spark *sparktest.Spark, n, files int) {
	t.Helper()
	var none any
	err := spark.Run(t.Context(), &none, callProgram(t), "make", callTable, l.day(n).Format(time.DateOnly), fmt.Sprint(files), fmt.Sprint(callRows))
	if err != nil {
		t.Fatal(err)
	}
}

func callProgram(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("testdata/calls.py")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// record has a Spark of its own make the table and run the look-ups, and leaves its event log.
func (l callLake) record(t *testing.T) {
	t.Run("made and looked up", func(t *testing.T) {
		spark := l.start(t, l.logs)
		l.fill(t, spark, -1, l.files)
		l.fill(t, spark, 0, 8)
		for _, sql := range []string{
			"CREATE TABLE lake.tele.people USING iceberg AS SELECT id AS number, pmod(id, 9) AS tariff FROM range(1000)",
			"CREATE TABLE lake.tele.tariffs USING iceberg AS SELECT id AS tariff, id * 2 AS price FROM range(9)",
		} {
			if _, err := spark.SQL(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		var none any
		if err := spark.Run(t.Context(), &none, callProgram(t), append([]string{"ask"}, l.queries()...)...); err != nil {
			t.Fatal(err)
		}
	})
}

// labelled look-ups: so many of each kind.
var lookUps = map[string]int{"OUT": 3, "IN": 3, "TYPE": 1, "DAY": 1, "JOIN": 1}

func (l callLake) queries() (list []string) {
	for kind, n := range lookUps {
		for i := range n {
			number := 100_000_000 + (i*7919+len(kind)*104_729)*3571%900_000_000
			sql := map[string]string{
				"OUT":  fmt.Sprintf("SELECT sum(duration) FROM %s WHERE from_number = %d", callTable, number),
				"IN":   fmt.Sprintf("SELECT sum(duration) FROM %s WHERE to_number = %d", callTable, number),
				"TYPE": fmt.Sprintf("SELECT sum(duration) FROM %s WHERE type = '%s'", callTable, []string{"voice", "data"}[i%2]),
				"DAY":  fmt.Sprintf("SELECT sum(duration) FROM %s WHERE time >= timestamp'%s 00:00:00'", callTable, l.day(-i%2).Format(time.DateOnly)),
				"JOIN": "SELECT sum(price) FROM lake.tele.people p JOIN lake.tele.tariffs t ON p.tariff = t.tariff",
			}[kind]
			list = append(list, fmt.Sprintf("%s%02d look-up", kind, i), sql)
		}
	}
	return list
}

// logsOf is a copy of the log with the look-ups of some kinds alone, so many days later.
func (l callLake) logsOf(t *testing.T, days int, kinds ...string) string {
	t.Helper()
	repeat := map[string]int{}
	for kind, n := range lookUps {
		for i := range n {
			repeat[fmt.Sprintf("%s%02d", kind, i)] = 0
			if slices.Contains(append(kinds, "JOIN"), kind) {
				repeat[fmt.Sprintf("%s%02d", kind, i)] = 1
			}
		}
	}
	to := filepath.Join(t.TempDir(), "logs")
	if err := shift.Logs(to, l.logs, shift.Change{By: time.Duration(days) * 24 * time.Hour, Repeat: repeat}); err != nil {
		t.Fatal(err)
	}
	return to
}

// night is a night that reads some logs and ends so many days from now.
func (l callLake) night(t *testing.T, logs, stateFile string, days int) job.Night {
	t.Helper()
	text := fmt.Sprintf(`
sources: [{logs: %q}]
lake: {roots: [%q]}
write: [%s]
budget: {rewrite: 1GB, upkeep: 1GB}
engine: {kind: sparksql, target_file_size: %d}
state: %s
`, logs, l.warehouse(), callTable, l.fileSize(t), stateFile)
	c, err := config.Parse([]byte(text), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	engine := sparksql.New(sparksql.Options{Spark: sparksql.Child{Command: l.command, Conf: l.conf, Folder: t.TempDir()}, Address: dialect.ByName, Now: time.Now})
	return job.Night{
		Config: c, Window: window.Ending(l.now.AddDate(0, 0, days), c.Window), Mode: job.Execute, Engine: engine,
		Log: slog.New(slog.DiscardHandler), ID: uuid.NewString(), Version: "test", Clock: time.Now,
	}
}

// fileSize is the mean of yesterday's files as they were written: laid anew the day has as many.
func (l callLake) fileSize(t *testing.T) int64 {
	t.Helper()
	s := l.look(t)
	var total, n int64
	for _, f := range s.Files {
		if l.of(s, f, -1) {
			total, n = total+int64(f.Bytes), n+1
		}
	}
	return (total + n - 1) / max(1, n)
}

func (l callLake) look(t *testing.T) lake.Snapshot {
	t.Helper()
	at := filepath.Join(l.warehouse(), "tele", "calls")
	store, err := object.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, callTable, table.Location(at))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// of reports whether a file is of a day.
func (l callLake) of(s lake.Snapshot, f lake.File, day int) bool {
	p, ok := s.PeriodOf(f)
	return ok && p.From.Equal(l.day(day))
}

// run carries a night out.
func (l callLake) run(t *testing.T, n job.Night, want state.Outcome) job.Result {
	t.Helper()
	closing, err := n.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	result, err := n.Run(t.Context())
	if err := errors.Join(err, closing()); err != nil {
		t.Fatal(err)
	}
	if result.Outcome != want {
		t.Fatalf("ended with %s, want %s: %s", result.Outcome, want, result.Decision.Trigger.Reason)
	}
	return result
}

// reads counts the files of yesterday that an outgoing and an incoming look-up of each number
// read together, by the bounds in the manifests.
func (l callLake) reads(t *testing.T, numbers []int64) (files []int) {
	t.Helper()
	s := l.look(t)
	for _, number := range numbers {
		n := 0
		for _, c := range []table.Column{"from_number", "to_number"} {
			equal := predicate.Predicate{Op: predicate.Eq, Column: c, Values: []predicate.Value{predicate.IntValue(number)}}
			for _, f := range s.Files {
				if l.of(s, f, -1) && prune.MayMatch(&equal, func(c table.Column) (prune.Bounds, bool) { b, ok := f.Bounds[c]; return b, ok }) {
					n++
				}
			}
		}
		files = append(files, n)
	}
	return files
}

// sparkReads is the same by Spark's own metrics.
func (l callLake) sparkReads(t *testing.T, spark *sparktest.Spark, numbers []int64) (files []int) {
	t.Helper()
	if _, err := spark.SQL(t.Context(), "REFRESH TABLE "+callTable); err != nil {
		t.Fatal(err)
	}
	for _, number := range numbers {
		n := 0
		for _, c := range []string{"from_number", "to_number"} {
			scans, err := spark.FilesRead(t.Context(), fmt.Sprintf("SELECT sum(duration) FROM %s WHERE %s = %d AND time >= timestamp'%s' AND time < timestamp'%s'",
				callTable, c, number, l.day(-1).Format(time.DateOnly), l.day(0).Format(time.DateOnly)))
			if err != nil || len(scans) != 1 {
				t.Fatalf("%d scans, %v", len(scans), err)
			}
			n += int(scans[0].Files)
		}
		files = append(files, n)
	}
	return files
}

func (l callLake) numbers(t *testing.T, spark *sparktest.Spark) (list []int64) {
	t.Helper()
	rows, err := spark.SQL(t.Context(), fmt.Sprintf("SELECT from_number FROM %s ORDER BY xxhash64(from_number, 7) LIMIT %d", callTable, lookUpNumbers))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows.Rows {
		n, err := row[0].(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// counted holds what bounds and Spark say against each other, and gives mean and 95th percentile.
func (l callLake) counted(t *testing.T, spark *sparktest.Spark, what string, numbers []int64) (mean float64, p95 int) {
	t.Helper()
	files := l.reads(t, numbers)
	if by := l.sparkReads(t, spark, numbers[:sparkNumbers]); !slices.Equal(by, files[:sparkNumbers]) {
		t.Errorf("%s: bounds tell of %v files, Spark reads %v", what, files[:sparkNumbers], by)
	}
	total := 0
	for _, n := range files {
		total += n
	}
	sorted := slices.Sorted(slices.Values(files))
	mean, p95 = float64(total)/float64(len(files)), sorted[len(sorted)*95/100]
	days := 0
	s := l.look(t)
	for _, f := range s.Files {
		if l.of(s, f, -1) {
			days++
		}
	}
	t.Logf("%s: %d files; outgoing and incoming look-up together read mean %.1f, p95 %d, at most %d", what, days, mean, p95, sorted[len(sorted)-1])
	return mean, p95
}

// keysOf says which keys a plan gives the calls, "" for none.
func keysOf(p plan.Plan) string {
	for _, s := range p.Steps {
		if s.Table == callTable {
			return string(s.Layout.Order) + "(" + strings.Join(slices.Sorted(slices.Values(table.Texts(s.Layout.Clustering))), ", ") + ")"
		}
	}
	return ""
}

// rewritten is the one step of a night, on one day's calls.
func (l callLake) rewritten(t *testing.T, r job.Result, kind plan.Kind, day int) job.Step {
	t.Helper()
	if len(r.Steps) != 1 || len(r.Decision.Plan.Steps) != 1 {
		t.Fatalf("steps %+v", r.Steps)
	}
	step := r.Decision.Plan.Steps[0]
	want := []layout.Period{{Column: "time", Type: "timestamp", From: l.day(day), To: l.day(day + 1)}}
	if step.Kind != kind || !cmp.Equal(step.Periods, want) {
		t.Errorf("%s of %s, want %s of %s", step.Kind, layout.ScopeOf(step.Periods), kind, layout.ScopeOf(want))
	}
	if got := r.Steps[0].Result; got.Removed != got.Added || got.Added.Rows == 0 || !got.Changed {
		t.Errorf("%+v", got)
	}
	for _, e := range r.Effects {
		if e.Measure == verify.ScannedBytes && e.Before != nil && e.Foretold != nil && e.After != nil {
			t.Logf("%s: look-ups scan %.0f bytes a window, foretold %.0f, now %.0f", kind, *e.Before, *e.Foretold, *e.After)
			if off := math.Abs(*e.Foretold / *e.After - 1); off > 0.25 {
				t.Errorf("what is scanned was foretold with an error of %.0f %%", 100*off)
			}
		}
	}
	return r.Steps[0]
}

// sameCalls has Spark subtract the table from what it was before a step, both ways.
func sameCalls(t *testing.T, spark *sparktest.Spark, before int64) {
	t.Helper()
	now, then := callTable, fmt.Sprintf("%s VERSION AS OF %d", callTable, before)
	for _, pair := range [][2]string{{now, then}, {then, now}} {
		rows, err := spark.SQL(t.Context(), fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM %s EXCEPT ALL SELECT * FROM %s)", pair[0], pair[1]))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rows.Rows[0][0]); got != "0" {
			t.Errorf("%s rows of %s are not in %s", got, pair[0], pair[1])
		}
	}
}

// Call records, looked up by either number: the keys follow the look-ups in the log, and what
// the look-ups read falls as a z-order promises.
func TestCallRecordsLieByTheirLookUps(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	l := newCallLake(t, wholeDay)
	l.record(t)
	past, closing, err := job.OpenPast(t.Context(), job.StateFile{Location: filepath.Join(l.dir, "none.db")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		kinds []string
		want  string
	}{
		{[]string{"OUT", "IN"}, "zorder(from_number, to_number)"},
		{[]string{"OUT"}, "sort(from_number)"},
		{[]string{"IN", "TYPE"}, "sort(to_number)"},
		{[]string{"TYPE", "DAY"}, ""},
	} {
		d, err := l.night(t, l.logsOf(t, 0, tc.kinds...), "none.db", 0).Decide(t.Context(), past, job.PlanOnDrift)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("look-ups %v give %q", tc.kinds, keysOf(d.Plan))
		if got := keysOf(d.Plan); got != tc.want {
			t.Errorf("look-ups %v give %q, want %q", tc.kinds, got, tc.want)
			for _, table := range d.Plan.Tables {
				t.Logf("%s: %s", table.Table, table.Reason)
			}
		}
	}
	if err := closing(); err != nil {
		t.Fatal(err)
	}
	l.readsFall(t)
}

// What the look-ups of a number may read, both together: sorted, all files by the one column
// and a few by the other; z-ordered, a row and a column of the square that the files make, and
// what its bounds overlap. Of 1,024 files these are 1,030, 125 and 150.
const (
	sortedBeside           = 6
	zorderMean, zorderTail = 125.0 / 64, 150.0 / 64
)

// readsFall lays the day by one column, then by both.
func (l callLake) readsFall(t *testing.T) {
	files, ideal := float64(l.files), 2*math.Sqrt(float64(l.files))
	spark := l.start(t, "")
	numbers := l.numbers(t, spark)
	if mean, _ := l.counted(t, spark, "as written", numbers); mean < 0.97*2*files {
		t.Errorf("as written, look-ups read %.1f files on average: the table is not what it is to be", mean)
	}
	sorted := l.run(t, l.night(t, l.logsOf(t, 0, "OUT"), "sort.db", 0), state.Applied)
	sameCalls(t, spark, l.rewritten(t, sorted, plan.Rekey, -1).Result.Previous)
	if _, p95 := l.counted(t, spark, "sorted by from_number", numbers); p95 > l.files+sortedBeside {
		t.Errorf("sorted, look-ups read %d files (p95), want at most %d", p95, l.files+sortedBeside)
	}
	both := l.logsOf(t, 0, "OUT", "IN")
	zordered := l.run(t, l.night(t, both, "zorder.db", 0), state.Applied)
	sameCalls(t, spark, l.rewritten(t, zordered, plan.Rekey, -1).Result.Previous)
	if mean, p95 := l.counted(t, spark, "z-ordered", numbers); mean > zorderMean*ideal || float64(p95) > zorderTail*ideal {
		t.Errorf("z-ordered, look-ups read mean %.1f and p95 %d files, want at most %.1f and %.1f", mean, p95, zorderMean*ideal, zorderTail*ideal)
	}
}

// Night after night the day that is over is laid, and nothing else.
func TestClosedDaysAreLaidNightAfterNight(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	l := newCallLake(t, 64)
	l.record(t)
	spark := l.start(t, "")
	first := l.run(t, l.night(t, l.logsOf(t, 0, "OUT", "IN"), "zorder.db", 0), state.Applied)
	sameCalls(t, spark, l.rewritten(t, first, plan.Rekey, -1).Result.Previous)

	// A night later today is over, and what came in is upkept; the day before stays.
	l.fill(t, spark, 0, l.files-8)
	before := l.look(t)
	next := l.night(t, l.logsOf(t, 1, "OUT", "IN"), "zorder.db", 1)
	upkept := l.run(t, next, state.Applied)
	sameCalls(t, spark, l.rewritten(t, upkept, plan.Upkeep, 0).Result.Previous)
	after := l.look(t)
	for _, f := range before.Files {
		kept := slices.ContainsFunc(after.Files, func(now lake.File) bool { return now.Path == f.Path })
		if yesterday := l.of(before, f, -1); kept != yesterday {
			t.Errorf("%s: kept %t, of the day before %t", f.Path, kept, yesterday)
			break
		}
	}
	again := l.run(t, l.night(t, l.logsOf(t, 1, "OUT", "IN"), "zorder.db", 1), state.Applied)
	if again.Earlier == "" || len(again.Steps) != 0 {
		t.Errorf("run again: %+v", again.Steps)
	}
	if anew := l.run(t, l.night(t, l.logsOf(t, 1, "OUT", "IN"), "anew.db", 1), state.NothingToDo); len(anew.Decision.Plan.Steps) != 0 {
		t.Errorf("planned anew: %+v", anew.Decision.Plan.Steps)
	}
}
