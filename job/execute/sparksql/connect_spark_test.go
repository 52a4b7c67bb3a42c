//go:build spark

package sparksql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/execute/connect"
	"ajlo/job/execute/sparksql"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/sparktest"
)

// By a Spark Connect server as by spark-sql: what is laid, what is refused, and what is said of a
// statement that was left alone. One server is enough for all.
func TestConnect(t *testing.T) {
	server := connect.Server{URL: sparktest.Connect(t, sparktest.Options{})}
	engine := func(s connect.Server) *sparksql.Engine {
		return sparksql.New(sparksql.Options{Spark: s, Address: dialect.ByPath, Now: time.Now})
	}
	t.Run("prints", func(t *testing.T) { connectPrints(t, server) })
	t.Run("lays a table", func(t *testing.T) { laysATable(t, engine(server)) })
	t.Run("refuses", func(t *testing.T) { connectRefuses(t, server, engine) })
	t.Run("is left", func(t *testing.T) { connectIsLeft(t, server, engine) })
}

func connectPrints(t *testing.T, server connect.Server) {
	const settings = "spark.sql.session.timeZone"
	got, err := server.Run(t.Context(), "SELECT 'a;b', `x;``y` FROM VALUES (1) AS t(`x;``y`);\nSELECT NULL, array(1, 2), string(NULL);\nSET "+settings+";", map[string]string{settings: "Asia/Tashkent"})
	if want := "a;b\t1\nNULL\t[1,2]\tNULL\n" + settings + "\tAsia/Tashkent\n"; got != want || err != nil {
		t.Errorf("printed %q, %v, want %q", got, err, want)
	}
	other, err := server.Run(t.Context(), "SET "+settings+";", nil)
	if want := settings + "\tUTC\n"; other != want || err != nil {
		t.Errorf("another session prints %q, %v, want %q", other, err, want)
	}
}

func connectRefuses(t *testing.T, server connect.Server, engine func(connect.Server) *sparksql.Engine) {
	good := stepOn(t, copied(t, "orders"), dialect.SparkDelta{}, layout.ClusteredBy(layout.Sort, "o_custkey"))
	for _, tc := range []struct {
		name   string
		change func(*connect.Server, *plan.Step)
		want   string
	}{
		{"no server", func(s *connect.Server, _ *plan.Step) { s.URL = "sc://127.0.0.1:1" }, "connection refused"},
		{"no URL of a server", func(s *connect.Server, _ *plan.Step) { s.URL = "http://127.0.0.1:1" }, "want sc://host:port"},
		{"a token in the URL", func(s *connect.Server, _ *plan.Step) { s.URL += "/;token=x" }, "engine: {token: env:NAME}"},
		{"a setting of servers that run", func(s *connect.Server, _ *plan.Step) { s.Conf = map[string]string{"spark.sql.extensions": "x"} }, "spark.sql.extensions"},
		{"another schema", func(_ *connect.Server, s *plan.Step) { s.SchemaHash = "0" }, "its schema changed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, step := server, good
			tc.change(&s, &step)
			err := engine(s).Check(t.Context(), step)
			var refused *execute.Refusal
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want a refusal with %q", err, tc.want)
			}
		})
	}
}

// A step that is left may still be carried out, which its error says; and what was committed after
// is found by its stamp.
func connectIsLeft(t *testing.T, server connect.Server, engine func(connect.Server) *sparksql.Engine) {
	dir := copied(t, "orders")
	before := look(t, dir)
	e := engine(server)
	ctx, leave := context.WithCancelCause(t.Context())
	stop := errors.New("told to stop")
	rec := &busy{recorder: &recorder{stamp: execute.Stamp{Run: "left", Step: 1, PlanHash: "abc"}}, begin: func() { leave(stop) }}
	_, err := e.Apply(ctx, stepOn(t, dir, dialect.SparkDelta{}, layout.ClusteredBy(layout.Sort, "o_custkey")), rec)
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "may still carry out") {
		t.Errorf("left: %v", err)
	}
	swept, err := e.Sweep(t.Context(), execute.Leftover{Location: before.Location, Paths: rec.intents})
	if now := look(t, dir); err != nil || swept.Committed != (now.Version > before.Version) {
		t.Errorf("swept %+v, %v; version %d, before %d", swept, err, now.Version, before.Version)
	}
}
