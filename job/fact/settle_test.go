package fact

import (
	"fmt"
	"slices"
	"testing"

	"ajlo/job/eventlog"

	"github.com/google/go-cmp/cmp"
)

// extractSettling is Extract with so many ended roots left unsettled.
func extractSettling(events []eventlog.Event, after int) (*extractor, Facts) {
	x := newExtractor()
	x.after = after
	for _, e := range events {
		x.take(e)
	}
	return x, x.facts()
}

// Facts are the same whether they are made while the log is read or at its end.
func TestSettledEarly(t *testing.T) {
	for _, fixture := range []string{"spark40-delta", "spark40-iceberg"} {
		t.Run(fixture, func(t *testing.T) {
			events := eventsOf(t, "../../testdata/"+fixture+"/eventlogs")
			_, want := extractSettling(events, len(events))
			for _, after := range []int{4, 32} {
				if _, got := extractSettling(events, after); !cmp.Equal(want, got) {
					t.Errorf("settled after %d roots (-want +got)\n%s", after, cmp.Diff(want, got))
				}
			}
		})
	}
}

// However many queries a log has, only the last are held; what comes for a query that is
// settled makes no second one of it.
func TestHeldQueriesAreBounded(t *testing.T) {
	var events []eventlog.Event
	const queries, after = 500, 10
	for id := int64(0); id < queries; id++ {
		events = append(events, start(2*id, 2*id, id), start(2*id+1, 2*id, id), end(2*id+1, id), end(2*id, id+1))
	}
	late := []eventlog.Event{end(0, 9), start(2*queries, 0, 9), eventlog.DriverUpdates{Execution: 2, Values: []eventlog.Accumulator{{ID: 1, Value: 5}}},
		eventlog.PlanUpdate{Execution: 4, PlanText: scanText}, eventlog.JobStart{Execution: 6, SQL: true, Root: 6, Stages: []int64{1}}}
	events = append(events, late...)
	x := newExtractor()
	x.after = after
	for i, e := range events {
		x.take(e)
		if n := len(x.executions); n > 2*2*after+2 {
			t.Fatalf("%d executions are held after event %d", n, i)
		}
	}
	facts := x.facts()
	seen := map[int64]bool{}
	for _, q := range facts.Queries {
		if seen[q.Execution] || q.Status != Succeeded {
			t.Errorf("query %d is %s, seen before: %v", q.Execution, q.Status, seen[q.Execution])
		}
		seen[q.Execution] = true
	}
	if got, want := fmt.Sprint(len(seen), facts.Executions), fmt.Sprint(queries, 2*queries+1); got != want {
		t.Errorf("queries and executions: %s, want %s", got, want)
	}
}

// Values that no plan names wait for a plan that comes late, and are let go of once others have
// ended.
func TestUnnamedValuesAreBounded(t *testing.T) {
	const values = 20
	x := newExtractor()
	for id := int64(0); id < 500; id++ {
		x.take(start(id, id, id))
		measured := eventlog.DriverUpdates{Execution: id}
		for n := range int64(values) {
			measured.Values = append(measured.Values, eventlog.Accumulator{ID: id*values + n, Value: 1})
		}
		x.take(measured)
		x.take(end(id, id+1))
		if x.meter.held > 2*together*values {
			t.Fatalf("%d values are held after execution %d", x.meter.held, id)
		}
	}
	if x.meter.held == 0 {
		t.Error("no value waits for a late plan")
	}
	if x.facts(); x.meter.held != 0 || len(x.meter.early)+len(x.meter.values) != 0 {
		t.Errorf("%d values are held, of %d and %d executions, once all is settled", x.meter.held, len(x.meter.early), len(x.meter.values))
	}
}

// Values that came before the plan that names them are kept for it, however many queries end
// before it is settled.
func TestEarlyValuesOutliveTheirWait(t *testing.T) {
	x := newExtractor()
	x.take(driver(1, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}))
	for id := int64(1); id < settleAfter; id++ {
		x.take(start(id, id, id))
		x.take(end(id, id+1))
	}
	facts := x.facts()
	first := slices.IndexFunc(facts.Queries, func(q Query) bool { return q.Execution == 1 })
	if got := facts.Queries[first].Scans[0]; !got.Measured || got.FilesRead != 4 || got.BytesRead != 900 {
		t.Errorf("the scan read %d files of %d bytes (measured: %v), want 4 of 900", got.FilesRead, got.BytesRead, got.Measured)
	}
}

// An older query that showed the same metrics and is settled does not take them from one that
// still runs.
func TestSharedMetricsOutliveOthers(t *testing.T) {
	x := newExtractor()
	const late = 1000
	x.take(start(late, late, 1))
	ends := func(from, to int64, begin func(id, root, ms int64) eventlog.ExecutionStart) {
		for id := from; id < to; id++ {
			x.take(begin(id, id, id))
			x.take(end(id, id+1))
		}
	}
	ends(1, 1+together, start)
	ends(1+together, 1+3*settleAfter/2, bare)
	if x.meter.wanted[1] {
		t.Fatal("the older queries are not settled")
	}
	x.take(driver(late, eventlog.Accumulator{ID: 1, Value: 4}, eventlog.Accumulator{ID: 2, Value: 900}))
	x.take(end(late, 500))
	ends(500, 500+4*together, bare)
	facts := x.facts()
	at := slices.IndexFunc(facts.Queries, func(q Query) bool { return q.Execution == late })
	if got := facts.Queries[at].Scans[0]; !got.Measured || got.FilesRead != 4 || got.BytesRead != 900 {
		t.Errorf("the scan read %d files of %d bytes (measured: %v), want 4 of 900", got.FilesRead, got.BytesRead, got.Measured)
	}
}
