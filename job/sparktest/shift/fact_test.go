package shift

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
)

// factsOf reads the logs in a folder as ajlo does, by label.
func factsOf(t *testing.T, dir string) map[string][]fact.Query {
	t.Helper()
	fsys := os.DirFS(dir)
	applications, err := eventlog.Find(fsys, ".")
	if err != nil || len(applications) != 1 {
		t.Fatalf("applications %v, error %v: want one", applications, err)
	}
	var reading eventlog.Reading
	facts, err := fact.Extract(eventlog.Events(t.Context(), fsys, applications[0], &reading))
	if err != nil {
		t.Fatal(err)
	}
	byLabel := map[string][]fact.Query{}
	for _, q := range facts.Queries {
		label, _, _ := strings.Cut(q.Query, " ")
		byLabel[label] = append(byLabel[label], q)
	}
	return byLabel
}

// repeatedFacts checks that a repeated query is the same query in every respect but its
// execution: scans with their metrics, joins, task time.
func repeatedFacts(t *testing.T, before, after map[string][]fact.Query) {
	t.Helper()
	for _, label := range []string{"Q01", "J19", "M51", "Q02"} {
		times := map[string]int{"Q01": 2, "J19": 3, "M51": 2, "Q02": 1}[label]
		if len(before[label]) != 1 || len(after[label]) != times {
			t.Errorf("%s: %d and %d queries, want 1 and %d", label, len(before[label]), len(after[label]), times)
			continue
		}
		want := before[label][0]
		if want.TaskMS == 0 || len(want.Scans) == 0 || want.Scans[0].BytesRead == 0 {
			t.Fatalf("%s: facts without figures: %+v", label, want)
		}
		for _, got := range after[label] {
			got.Execution = want.Execution
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", label, d)
			}
		}
	}
	if len(after["T17"]) != 0 {
		t.Errorf("T17 was left out and has %d queries", len(after["T17"]))
	}
}
