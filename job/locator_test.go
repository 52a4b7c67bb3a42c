package job_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"ajlo/job"
	"ajlo/job/config"
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
