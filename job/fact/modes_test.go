package fact

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"ajlo/job/eventlog"
)

// spellQuery is all of a query that must be the same in every explain mode, a line a fact.
func spellQuery(q Query) []string {
	lines := []string{"fingerprint " + q.Fingerprint, "status " + string(q.Status), fmt.Sprint("lost ", q.Lost)}
	for _, s := range q.Scans {
		lines = append(lines, fmt.Sprintf("scan %s %s %s %s %t %d", s.Format, s.Table, s.Location, spellPredicate(s.Predicate), s.Measured, s.BytesRead))
	}
	for _, j := range q.Joins {
		expression := strings.Join(j.Expression, "; ")
		if len(j.Left) == 0 {
			expression = "" // of nobody's column
		}
		lines = append(lines, fmt.Sprintf("join %s %s %v %v %s", j.Type, j.Strategy, j.Left, j.Right, expression))
	}
	for _, w := range q.Writes {
		lines = append(lines, fmt.Sprintf("write %s %s %s %v %t", w.Operation, w.Table, w.Location, w.Keys, w.FilesAdded != nil))
	}
	slices.Sort(lines)
	return lines
}

// sameButLost holds a query against the same one in the default mode. What is not there must
// have been counted as lost. (A join on nobody's column may be counted, too: it looks like
// one. The keys of a MERGE are those of its join, and lost with it.)
func sameButLost(t *testing.T, want, got Query) {
	t.Helper()
	lines := spellQuery(got)
	if got.Lost.Joins > want.Lost.Joins && len(got.Writes) == 1 && len(got.Writes[0].Keys) == 0 {
		want.Writes = slices.Clone(want.Writes)
		for i := range want.Writes {
			want.Writes[i].Keys = got.Writes[0].Keys
		}
	}
	lost := map[string]int{"join": got.Lost.Joins - want.Lost.Joins, "write": got.Lost.Writes - want.Lost.Writes}
	unsaid := "lost " + fmt.Sprint(got.Lost)
	var missing []string
	for _, line := range spellQuery(want) {
		kind, _, _ := strings.Cut(line, " ")
		switch at := slices.Index(lines, line); {
		case at >= 0:
			lines = slices.Delete(lines, at, at+1)
		case kind == "lost" && want.Lost.Predicates == got.Lost.Predicates:
			lines = slices.DeleteFunc(lines, func(l string) bool { return l == unsaid })
		case lost[kind] > 0:
			lost[kind]--
		default:
			missing = append(missing, line)
		}
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "join ") && strings.Contains(l, " [] [] ") })
	if len(missing)+len(lines) > 0 || lost["write"] != 0 {
		t.Errorf("lost %v; not found:\n%s\nfound beside:\n%s", got.Lost, strings.Join(missing, "\n"), strings.Join(lines, "\n"))
	}
}

// inCodegenMode gives a log the plan texts that the mode codegen leaves where nothing is
// generated: all else is in the tree beside them.
func inCodegenMode(events iter.Seq2[eventlog.Event, error]) iter.Seq2[eventlog.Event, error] {
	const text = "Found 0 WholeStageCodegen subtrees.\n"
	return func(yield func(eventlog.Event, error) bool) {
		for event, err := range events {
			switch e := event.(type) {
			case eventlog.ExecutionStart:
				e.PlanText = text
				event = e
			case eventlog.PlanUpdate:
				e.PlanText = text
				event = e
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// untold is what the mode codegen cannot tell of the workload.
var untold = map[string]Lost{"Q06": {Joins: 1}, "M51": {Writes: 1}, "M52": {Writes: 1}}

// The tree beside a plan's text gives the facts of the text, but for what an aggregate
// renames and for the tables that commands write to: those are counted as lost.
func TestTreeAloneGivesTheFacts(t *testing.T) {
	for _, fixture := range []string{"spark40-delta", "spark40-iceberg"} {
		fsys := os.DirFS("../../testdata/" + fixture + "/eventlogs")
		found, err := eventlog.Find(fsys, ".")
		if err != nil {
			t.Fatal(err)
		}
		var reading eventlog.Reading
		alone, err := Extract(inCodegenMode(eventlog.Events(context.Background(), fsys, found[0], &reading)))
		if err != nil {
			t.Fatal(err)
		}
		whole := readFacts(t, fixture)
		if len(whole.Queries) != len(alone.Queries) {
			t.Fatalf("%d queries, %d by their trees", len(whole.Queries), len(alone.Queries))
		}
		for i, q := range whole.Queries {
			t.Run(fixture+"/"+label(q), func(t *testing.T) {
				sameButLost(t, q, alone.Queries[i])
				if got := alone.Queries[i].Lost; got != untold[label(q)] {
					t.Errorf("lost %+v, want %+v", got, untold[label(q)])
				}
			})
		}
	}
}
