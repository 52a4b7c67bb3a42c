package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
)

// expectedJoin is an entry of expected-joins.json.
type expectedJoin struct {
	Keys     [][2]string `json:"keys"`
	Type     JoinType    `json:"type"`
	Strategy *Strategy   `json:"strategy"`
}

func readExpected(t *testing.T) map[string][]expectedJoin {
	t.Helper()
	text, err := os.ReadFile("../../testdata/expected-joins.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Joins map[string][]expectedJoin `json:"joins"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Joins
}

// readFacts reads the one application of a fixture.
func readFacts(t testing.TB, fixture string) Facts {
	t.Helper()
	fsys := os.DirFS("../../testdata/" + fixture + "/eventlogs")
	found, err := eventlog.Find(fsys, ".")
	if err != nil || len(found) != 1 {
		t.Fatalf("find: %v, %d applications", err, len(found))
	}
	var reading eventlog.Reading
	facts, err := Extract(eventlog.Events(context.Background(), fsys, found[0], &reading))
	if err != nil || len(reading.Problems) > 0 {
		t.Fatalf("extract: %v, %v", err, reading.Problems)
	}
	return facts
}

func label(q Query) string {
	first, _, _ := strings.Cut(q.Query, " ")
	return first
}

// spell writes a join as one line; prefix is what the fixture's tables have before their
// names.
func (e expectedJoin) spell(prefix string) string {
	pairs := make([]string, len(e.Keys))
	for i, k := range e.Keys {
		pairs[i] = prefix + k[0] + "=" + prefix + k[1]
	}
	strategy := NoStrategy
	if e.Strategy != nil {
		strategy = *e.Strategy
	}
	return string(e.Type) + " " + string(strategy) + " " + strings.Join(pairs, " ")
}

func spellJoins(all []Join) []string {
	lines := []string{}
	for _, j := range all {
		if len(j.Left) == 0 {
			continue // keyless joins are not listed
		}
		pairs := make([]string, len(j.Left))
		for i := range j.Left {
			pairs[i] = j.Left[i].String() + "=" + j.Right[i].String()
		}
		lines = append(lines, string(j.Type)+" "+string(j.Strategy)+" "+strings.Join(pairs, " "))
	}
	slices.Sort(lines)
	return lines
}

// notInIceberg are the labels whose statements only the Delta workload runs.
var notInIceberg = []string{"D34", "M51", "M52", "M53"}

// Every labelled query joins what was worked out for it by hand, and nothing else.
func TestExpectedJoins(t *testing.T) {
	expected := readExpected(t)
	for _, fixture := range []struct {
		name, prefix string
		without      []string
	}{
		{"spark40-delta", "tpch.", nil},
		{"spark40-iceberg", "lake.tpch.", notInIceberg},
	} {
		facts := readFacts(t, fixture.name)
		Unify(facts.Queries)
		byLabel := map[string][]Query{}
		for _, q := range facts.Queries {
			byLabel[label(q)] = append(byLabel[label(q)], q)
		}
		for _, name := range slices.Sorted(maps.Keys(expected)) {
			if slices.Contains(fixture.without, name) {
				continue
			}
			t.Run(fixture.name+"/"+name, func(t *testing.T) {
				if len(byLabel[name]) != 1 {
					t.Fatalf("%d queries, want 1", len(byLabel[name]))
				}
				want := []string{}
				for _, e := range expected[name] {
					want = append(want, e.spell(fixture.prefix))
				}
				slices.Sort(want)
				q := byLabel[name][0]
				if diff := gocmp.Diff(want, spellJoins(q.Joins)); diff != "" {
					t.Errorf("joins (-want +got)\n%s", diff)
				}
				if failed := cmp.Or(q.Status) == Failed; failed != (name == "D36") {
					t.Errorf("status %s", q.Status)
				}
			})
		}
	}
}
