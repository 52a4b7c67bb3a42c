package job

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/predicate"
)

// Every field of a fact comes back: one that is new is missing here until rows have it.
func TestEveryFieldIsKept(t *testing.T) {
	queries := rapid.MakeCustom[fact.Query](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[time.Time](): rapid.Map(rapid.Int64Range(0, 4e15), func(us int64) any { return time.UnixMicro(us).UTC() }),
		reflect.TypeFor[predicate.Value](): rapid.Custom(func(t *rapid.T) any {
			return predicate.Value{
				Kind: predicate.Kind(rapid.IntRange(0, int(predicate.LocalTime)).Draw(t, "kind")), Scale: rapid.Int8().Draw(t, "scale"),
				I: rapid.Int64().Draw(t, "int"), F: rapid.Float64().Draw(t, "float"), S: rapid.String().Draw(t, "text"),
			}
		}),
		// What a write touched is asked of its table each time, and no log has it.
		reflect.TypeFor[*fact.Touched]():        rapid.Just(any((*fact.Touched)(nil))),
		reflect.TypeFor[*predicate.Predicate](): rapid.Custom(func(t *rapid.T) any { return drawnPredicate(t, 3) }),
	}})
	rapid.Check(t, func(r *rapid.T) {
		want := reading{unread: rapid.Bool().Draw(r, "unread"), facts: fact.Facts{
			App: "a", Executions: 2, Cores: 3, Queries: rapid.SliceOfN(queries, 0, 3).Draw(r, "queries"),
		}, problems: rapid.SliceOfN(rapid.Make[eventlog.Problem](), 0, 2).Draw(r, "problems")}
		var got reading
		if err := got.restore(kept(want)); err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(reading{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
			r.Fatal(d)
		}
	})
}

// drawnPredicate is a tree of at most the given depth.
func drawnPredicate(t *rapid.T, depth int) *predicate.Predicate {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	p := &predicate.Predicate{Op: predicate.In, Column: "c", Values: []predicate.Value{predicate.DateValue(rapid.Int64().Draw(t, "day")), {}}}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "args") {
			if arg := drawnPredicate(t, depth-1); arg != nil {
				p.Args = append(p.Args, *arg)
			}
		}
	}
	return p
}
