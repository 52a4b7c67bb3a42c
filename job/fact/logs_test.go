package fact

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
)

// realLog is a log of scripts/workload.py in testdata/logs, made small by scripts/compact-log.
type realLog struct {
	name, prefix string
	without      []string
	only         string // the first letters of the labels that the log has, empty for all
	// unsaid are the labels of which a join's keys cannot be told in the log's explain mode,
	// with the number of such joins: they must be counted as lost.
	unsaid map[string]int
	// unlike are the labels that read something else than in the fixture, because the tables
	// had changed.
	unlike []string
}

// aggregated are the labels that join on what an aggregate renamed: in the modes simple and
// codegen nothing says what an aggregate puts out.
var aggregated = map[string]int{"Q06": 1}

var realLogs = []realLog{
	{name: "spark357-delta", prefix: "tpch.", without: []string{"M53"}},
	{name: "spark410-delta", prefix: "tpch.", only: "QJ"},
	{name: "spark402-extended", prefix: "tpch.", unlike: []string{"M52"}}, // its row was gone already
}

// readLog reads a log of testdata/logs.
func readLog(t testing.TB, name string) Facts {
	t.Helper()
	var reading eventlog.Reading
	events := eventlog.Events(context.Background(), os.DirFS("testdata/logs"), eventlog.Application{Parts: []string{name + ".zst"}}, &reading)
	facts, err := Extract(events)
	if err != nil || len(reading.Problems) > 0 {
		t.Fatalf("%s: %v, %v", name, err, reading.Problems)
	}
	Unify(facts.Queries)
	return facts
}

func byLabel(queries []Query) map[string]Query {
	found := map[string]Query{}
	for _, q := range queries {
		found[label(q)] = q
	}
	return found
}

// spellScans tells what a query read and what it looked for; twice the same scan is told
// once, since versions reuse exchanges differently.
func spellScans(q Query, prefix string) []string {
	var lines []string
	for _, s := range q.Scans {
		lines = append(lines, s.Format+" "+strings.TrimPrefix(string(s.Table), prefix)+" "+spellPredicate(s.Predicate))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// Every version and every explain mode gives the joins worked out by hand, and the
// predicates of the default mode; what a mode cannot tell is counted.
func TestVersionsAndExplainModes(t *testing.T) {
	expected := readExpected(t)
	reference := readFacts(t, "spark40-delta")
	Unify(reference.Queries)
	same := byLabel(reference.Queries)
	for _, log := range realLogs {
		found := byLabel(readLog(t, log.name).Queries)
		for _, name := range slices.Sorted(maps.Keys(expected)) {
			if slices.Contains(log.without, name) || (log.only != "" && !strings.Contains(log.only, name[:1])) {
				continue
			}
			t.Run(log.name+"/"+name, func(t *testing.T) {
				q, ok := found[name]
				if !ok {
					t.Fatal("no query")
				}
				log.checkJoins(t, q, expected[name], name)
				if slices.Contains(log.unlike, name) {
					return
				}
				if diff := gocmp.Diff(spellScans(same[name], "tpch."), spellScans(q, log.prefix)); diff != "" {
					t.Errorf("scans (-spark 4.0.2 +got)\n%s", diff)
				}
				if q.Lost.Predicates != 0 {
					t.Errorf("%d predicates lost", q.Lost.Predicates)
				}
			})
		}
	}
}

func (l realLog) checkJoins(t *testing.T, q Query, expected []expectedJoin, name string) {
	t.Helper()
	want := []string{}
	for _, e := range expected {
		want = append(want, e.spell(l.prefix))
	}
	slices.Sort(want)
	got := spellJoins(q.Joins)
	if q.Lost.Joins != l.unsaid[name] || len(got)+q.Lost.Joins != len(want) {
		t.Fatalf("%d joins lost, want %d; joins %v, want %v", q.Lost.Joins, l.unsaid[name], got, want)
	}
	if q.Lost.Joins == 0 {
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("joins (-want +got)\n%s", diff)
		}
		return
	}
	for _, j := range got {
		if !slices.Contains(want, j) {
			t.Errorf("join %s, want one of %v", j, want)
		}
	}
}

// On 3.5.7 a key plus nothing stays an expression: the same edge, marked.
func TestExpressionKeyOf357(t *testing.T) {
	for name, want := range map[string][]string{"spark357-delta": {"(o_orderkey + 0)"}, "spark402-extended": nil, "spark410-delta": nil} {
		q := byLabel(readLog(t, name).Queries)["J15"]
		if len(q.Joins) != 1 || !slices.Equal(q.Joins[0].Expression, want) {
			t.Errorf("%s: %+v, want the expressions %q", name, q.Joins, want)
		}
	}
}
