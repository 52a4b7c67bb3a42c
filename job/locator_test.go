package job_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/window"
	"ajlo/state"
)

// listing is a catalog that knows the places of tables, or answers nothing.
type listing struct {
	places map[table.Name]table.Location
	err    error
	asked  int
}

func (*listing) Name() string { return "http://catalog.example" }

func (l *listing) Connect(context.Context) error { return l.err }

func (l *listing) Locate(_ context.Context, name table.Name) (table.Location, bool, error) {
	l.asked++
	at, ok := l.places[name]
	return at, ok && l.err == nil, l.err
}

// Tables that neither logs nor the config place are found where a catalog says; while it does not
// answer nothing is planned, and they are named (rule 6).
func TestCatalogsPlaceTables(t *testing.T) {
	l := newLake(t, "tpch.orders")
	l.config.Sources = []config.Source{{Logs: l.config.Sources[0].Logs, PathMap: map[string]string{"s3://clusters/": l.dir}}}
	c := &listing{places: map[table.Name]table.Location{}}
	for _, name := range []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"} {
		c.places[table.Name("tpch."+name)] = table.Location("s3a://clusters/warehouse/tpch.db/" + name)
	}
	night := func() (job.Result, error) {
		return l.with(t, firstNight, job.DryRun, func(n job.Night, ctx context.Context) (job.Result, error) {
			n.Window, n.Catalogs, n.Log = window.Ending(firstNight, l.config.Window), []job.Locator{c}, slog.New(slog.DiscardHandler)
			return n.Run(ctx)
		})
	}
	found, err := night()
	if err != nil || found.Outcome != state.DryRun || len(found.Decision.Plan.Tables) != len(c.places) || len(found.Decision.Plan.Coverage.UnresolvedTables) != 0 {
		t.Errorf("%s with %d tables, %v, %v", found.Outcome, len(found.Decision.Plan.Tables), found.Decision.Plan.Coverage.UnresolvedTables, err)
	}
	c.err, c.asked = errors.New("connection refused"), 0
	lost, err := night()
	if lost.Outcome != state.Refused || job.CodeOf(err) != job.ExitRefused || !strings.Contains(strings.Join(lost.Decision.Plan.Coverage.UnresolvedTables, " "), "tpch.orders") {
		t.Errorf("%s, %v, %v", lost.Outcome, lost.Decision.Plan.Coverage.UnresolvedTables, err)
	}
	if c.asked > 2 { // once for what queries read, once for what they wrote
		t.Errorf("a catalog that does not answer was asked %d times", c.asked)
	}
}

// keeper is a catalog that keeps one table to itself, and does not tell of another.
type keeper struct {
	listing
	keeps, hides table.Name
}

func (k *keeper) Keeps(_ context.Context, name table.Name) (string, error) {
	switch name {
	case k.keeps:
		return "its commits are made by its catalog", nil
	case k.hides:
		return "", errors.New("connection refused")
	}
	return "", nil
}

// A table that its catalog keeps to itself is no target, wherever its place is known from: not of a
// night, and not of a plan that was made before the catalog kept it.
func TestCatalogsKeepTables(t *testing.T) {
	l := newLake(t, "tpch.orders, tpch.lineitem")
	l.config.Sample = config.SampleBounds
	run := func(k *keeper, mode job.Mode, do func(job.Night, context.Context) (job.Result, error)) job.Result {
		t.Helper()
		result, err := l.with(t, firstNight, mode, func(n job.Night, ctx context.Context) (job.Result, error) {
			n.Catalogs = []job.Locator{k}
			return do(n, ctx)
		})
		if err != nil && job.CodeOf(err) != job.ExitRefused && job.CodeOf(err) != job.ExitPart {
			t.Fatal(err)
		}
		return result
	}
	steps := func(r job.Result) (names []table.Name) {
		for _, s := range r.Decision.Plan.Steps {
			names = append(names, s.Table)
		}
		slices.Sort(names)
		return names
	}
	night := func(n job.Night, ctx context.Context) (job.Result, error) { return n.Run(ctx) }

	free := run(&keeper{}, job.DryRun, night)
	if d := cmp.Diff([]table.Name{"tpch.lineitem", "tpch.orders"}, steps(free)); d != "" {
		t.Errorf("steps where nothing is kept (-want +got):\n%s", d)
	}
	one := run(&keeper{keeps: "tpch.orders"}, job.DryRun, night)
	if d := cmp.Diff([]table.Name{"tpch.lineitem"}, steps(one)); d != "" {
		t.Errorf("steps where a table is kept (-want +got):\n%s", d)
	}
	at := slices.IndexFunc(one.Decision.Plan.Tables, func(p plan.Table) bool { return p.Table == "tpch.orders" })
	if reason := one.Decision.Plan.Tables[at].Reason; !strings.Contains(reason, "its commits are made by its catalog") {
		t.Errorf("the reason is %q", reason)
	}
	late := run(&keeper{keeps: "tpch.orders", hides: "tpch.lineitem"}, job.Execute, func(n job.Night, ctx context.Context) (job.Result, error) {
		return n.Apply(ctx, free.Decision.PlanJSON)
	})
	why := map[table.Name]string{}
	for _, s := range late.Steps {
		why[s.Table] = s.Err
		if s.Status == job.StepApplied {
			t.Errorf("%s is applied", s.Table)
		}
	}
	for name, want := range map[table.Name]string{"tpch.orders": "its commits are made by its catalog", "tpch.lineitem": "does not tell whether it keeps the table to itself: connection refused"} {
		if !strings.Contains(why[name], want) {
			t.Errorf("%s: %q; want %q", name, why[name], want)
		}
	}
}
