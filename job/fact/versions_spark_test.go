//go:build spark

package fact

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/sparktest"
)

// matrix is what one engine runs: everything in each explain mode, and the log of that
// written again in each codec.
type matrix struct {
	engine sparktest.Engine
	modes  []string // the default one first: the others are held against it
	codecs []string
	prefix string
	// without are labels that the engine has not, or whose statement fails there.
	without []string
	reps    map[string]int // of the SQL labels; nil is each once
	steps   sparktest.Steps
	part    sparktest.Part
	zone    string // of the JVM, empty for the machine's
	out     string // a folder with tables to use, empty for one of its own
}

var (
	allModes  = []string{"formatted", "simple", "extended", "codegen", "cost"}
	allCodecs = []string{"zstd", "lz4", "snappy", "lzf"}
)

// matrices are all engines where AJLO_SOAK is set, else a sample of the queries on the pinned
// one, in one mode beside the default one and in one codec.
func matrices(t *testing.T) []matrix {
	if os.Getenv("AJLO_SOAK") == "" {
		return []matrix{{modes: []string{"formatted", "codegen"}, codecs: []string{"lz4"}, prefix: "tpch.", reps: sample(t)}}
	}
	all := []matrix{
		{prefix: "tpch."},
		{engine: "3.5.7", prefix: "tpch.", without: []string{"M53"}},
		{engine: "4.1.0", prefix: "tpch."},
		{engine: sparktest.Iceberg, prefix: "lake.tpch.", without: notInIceberg},
	}
	for i := range all {
		all[i].modes, all[i].codecs, all[i].steps = allModes, allCodecs, sparktest.AndShapes
	}
	return all
}

// sampled is how many of the workload's 28 SQL queries run where not all do.
const sampled = 6

// sample draws queries by the seed AJLO_SEED, 1 where there is none.
func sample(t *testing.T) map[string]int {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("AJLO_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatalf("AJLO_SEED: %v", err)
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(readExpected(t))), func(name string) bool { return !strings.Contains("QJT", name[:1]) })
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	reps := map[string]int{"*": 0}
	for _, name := range names[:sampled] {
		reps[name] = 1
	}
	return reps
}

// runs reports whether a label is among those that the matrix runs.
func (m matrix) runs(name string) bool {
	sql := strings.Contains("QJT", name[:1])
	return !slices.Contains(m.without, name) && (m.reps == nil || !sql || m.reps[name] > 0)
}

// The workload and every operator by itself, on each engine and in each explain mode and
// codec: the joins worked out by hand, and the same facts in all of them. What a mode cannot
// tell is counted as lost.
func TestWorkloadOnEveryVersion(t *testing.T) {
	for _, m := range matrices(t) {
		t.Run(cmp.Or(string(m.engine), "pinned"), func(t *testing.T) {
			out := m.run(t)
			facts := readFolder(t, filepath.Join(out, "eventlogs"))
			for _, codec := range m.codecs {
				if d := gocmp.Diff(facts, readFolder(t, filepath.Join(out, "codecs", codec))); d != "" {
					t.Errorf("the same log in %s (-plain +%s)\n%s", codec, codec, d)
				}
			}
			Unify(facts.Queries)
			m.compare(t, facts.Queries)
		})
	}
}

func (m matrix) run(t *testing.T) (out string) {
	out = cmp.Or(m.out, t.TempDir())
	err := sparktest.Workload(t.Context(), t, sparktest.Work{
		Out: out, Engine: m.engine, Parquet: sparktest.TPCH(t.Context(), t), Part: cmp.Or(m.part, sparktest.WholeWorkload), Steps: m.steps,
		Reps: m.reps, Modes: m.modes, Codecs: m.codecs,
		Conf: m.settings(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (m matrix) settings() map[string]string {
	conf := map[string]string{
		"spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false", "spark.sql.session.timeZone": "UTC",
		// What follows costs seconds and shows in no plan.
		"spark.sql.shuffle.partitions": "2", "spark.databricks.delta.snapshotPartitions": "1",
		"spark.sql.codegen.cache.maxEntries": "5000", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
	}
	if m.zone != "" {
		conf["spark.driver.extraJavaOptions"] += " -Duser.timezone=" + m.zone
	}
	return conf
}

// readFolder reads the one application of a folder.
func readFolder(t *testing.T, folder string) Facts {
	t.Helper()
	fsys := os.DirFS(folder)
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %d applications", folder, err, len(found))
	}
	var reading eventlog.Reading
	facts, err := Extract(eventlog.Events(context.Background(), fsys, found[0], &reading))
	if err != nil || len(reading.Problems) > 0 {
		t.Fatalf("%s: %v, %v", folder, err, reading.Problems)
	}
	return facts
}

// compare holds the queries of each label, one for each mode in the order of the modes,
// against what was worked out by hand and against the first.
func (m matrix) compare(t *testing.T, queries []Query) {
	byLabel := map[string][]Query{}
	for _, q := range queries {
		byLabel[label(q)] = append(byLabel[label(q)], q)
	}
	expected := readExpected(t)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if m.runs(name) && len(byLabel[name]) != len(m.modes) {
			t.Errorf("%s: %d queries in %d modes", name, len(byLabel[name]), len(m.modes))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byLabel)) {
		all := byLabel[name]
		if len(name) < 3 || len(name) > 4 || len(all) != len(m.modes) {
			continue // what makes tables, and brings them back
		}
		for i, mode := range m.modes {
			t.Run(name+"/"+mode, func(t *testing.T) {
				want, ok := expected[name]
				ok = ok && m.runs(name)
				if ok && all[i].Lost.Joins == 0 {
					checkExpected(t, all[i], want, m.prefix)
				}
				if ok && i == 0 && all[i].Lost != (Lost{}) {
					t.Errorf("the default mode lost %+v", all[i].Lost)
				}
				sameButLost(t, sized(name, all[0]), sized(name, all[i]))
			})
		}
	}
}

// sized leaves out how many bytes were read by steps that come after those that write: what is
// written again in each mode has not quite the same size.
func sized(name string, q Query) Query {
	if strings.Contains("QJTSZ", name[:1]) {
		return q
	}
	q.Scans = slices.Clone(q.Scans)
	for i := range q.Scans {
		q.Scans[i].BytesRead = 0
	}
	return q
}

func checkExpected(t *testing.T, q Query, expected []expectedJoin, prefix string) {
	t.Helper()
	want := []string{}
	for _, e := range expected {
		want = append(want, e.spell(prefix))
	}
	slices.Sort(want)
	if d := gocmp.Diff(want, spellJoins(q.Joins)); d != "" {
		t.Errorf("joins (-worked out +got)\n%s", d)
	}
}

// A JVM in another zone than its session prints the bounds of one query in two zones: both
// are undone.
func TestZoneOfTheJVM(t *testing.T) {
	if os.Getenv("AJLO_SOAK") == "" {
		t.Skip("takes minutes: scripts/soak runs it")
	}
	var spelt [][]string
	out := t.TempDir()
	for _, zone := range []string{"UTC", "Asia/Tashkent"} {
		m := matrix{modes: []string{"formatted", "simple"}, reps: map[string]int{"*": 0, "Z46": 1}, steps: sparktest.AndShapes, part: sparktest.QueriesOnly, zone: zone, out: out}
		logs := filepath.Join(m.run(t), "eventlogs")
		facts := readFolder(t, logs)
		if err := os.RemoveAll(logs); err != nil {
			t.Fatal(err)
		}
		Unify(facts.Queries)
		for _, q := range facts.Queries {
			if label(q) == "Z46" {
				spelt = append(spelt, spellScans(q, "tpch."))
			}
		}
	}
	if len(spelt) != 4 || len(spelt[0]) != 2 {
		t.Fatalf("%d queries of which the first scans %v, want 4 and two tables", len(spelt), spelt[:1])
	}
	for _, other := range spelt[1:] {
		if d := gocmp.Diff(spelt[0], other); d != "" {
			t.Errorf("scans (-JVM in UTC +elsewhere)\n%s", d)
		}
	}
	if bounds := spelt[0][0]; !strings.Contains(bounds, "1998-07-20T22:30:00Z") || !strings.Contains(bounds, "1998-07-25T01:15:00.5Z") {
		t.Errorf("bounds %s, want those of the query", bounds)
	}
}
