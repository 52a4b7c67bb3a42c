package joingraph

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ajlo/job/fact"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/window"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func week() window.Window {
	return window.Ending(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC), window.Days*24*time.Hour)
}

func ref(text string) table.Ref {
	dot := strings.LastIndexByte(text, '.')
	return table.Ref{Table: table.Name(text[:dot]), Column: table.Column(text[dot+1:])}
}

// join makes a sort-merge join of "t.a=u.b t.c=u.d".
func join(keys string) fact.Join {
	j := fact.Join{Left: []table.Ref{}, Right: []table.Ref{}, Type: fact.Inner, Strategy: fact.SortMergeJoin}
	for _, key := range strings.Fields(keys) {
		left, right, _ := strings.Cut(key, "=")
		j.Left, j.Right = append(j.Left, ref(left)), append(j.Right, ref(right))
	}
	return j
}

func (q query) fact() fact.Query {
	status := q.status
	if status == "" {
		status = fact.Succeeded
	}
	start := q.start
	if start.IsZero() {
		start = noon
	}
	return fact.Query{
		App: "app-1", Fingerprint: q.fingerprint, Start: start, TaskMS: q.taskMS, TasksMeasured: !q.unmeasured,
		Status: status, Joins: q.joins, Scans: q.scans,
	}
}

type query struct {
	fingerprint string
	start       time.Time
	status      fact.Status
	taskMS      int64
	unmeasured  bool
	joins       []fact.Join
	scans       []fact.Scan
}

func facts(queries ...query) (out []fact.Query) {
	for _, q := range queries {
		out = append(out, q.fact())
	}
	return out
}

func with(j fact.Join, s fact.Strategy) fact.Join {
	j.Strategy = s
	return j
}

// brief is what the cases below look at of an edge.
type brief struct {
	Key       EdgeKey
	F         int64
	D, C      float64
	DSource   CardinalitySource
	CSource   CostSource
	CostShare float64
	Prints    string
}

func briefs(edges []Edge) []brief {
	out := []brief{}
	for _, e := range edges {
		out = append(out, brief{e.Key, e.F, e.D, e.C, e.DSource, e.CSource, e.CostShare, strings.Join(e.Fingerprint, " ")})
	}
	return out
}

func lake(rows map[table.Name]int64) Rows {
	return func(t table.Name) (int64, bool) {
		n, ok := rows[t]
		return n, ok
	}
}

func TestBuild(t *testing.T) {
	rows := map[table.Name]int64{"a": 10, "b": 100, "c": 1000}
	for _, c := range []struct {
		name             string
		queries          []query
		edges, unscored  []brief
		keyless, queried int
	}{{
		name: "either order of the tables is one edge and the join type is no part of it",
		queries: []query{
			{fingerprint: "q1", taskMS: 300, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "q2", taskMS: 100, joins: []fact.Join{{Left: []table.Ref{ref("b.k")}, Right: []table.Ref{ref("a.k")}, Type: fact.LeftSemi, Strategy: fact.ShuffledHashJoin}}},
		},
		edges:   []brief{{"a(k) = b(k)", 2, 1000, 200, FromLake, FromTasks, 1, "q1 q2"}},
		queried: 2,
	}, {
		name: "both joins of one query over the same pair count once",
		queries: []query{
			{fingerprint: "q", taskMS: 100, joins: []fact.Join{join("a.k=b.k"), join("b.k=a.k")}},
		},
		edges:   []brief{{"a(k) = b(k)", 1, 1000, 100, FromLake, FromTasks, 1, "q"}},
		queried: 1,
	}, {
		name: "the order of composite keys does not matter, their set does",
		queries: []query{
			{fingerprint: "q1", taskMS: 50, joins: []fact.Join{join("a.y=b.v a.x=b.u")}},
			{fingerprint: "q2", taskMS: 50, joins: []fact.Join{join("b.u=a.x b.v=a.y")}},
			{fingerprint: "q3", taskMS: 100, joins: []fact.Join{join("a.x=b.v a.y=b.u")}},
		},
		edges: []brief{
			{"a(x, y) = b(v, u)", 1, 1000, 100, FromLake, FromTasks, 0.5, "q3"},
			{"a(x, y) = b(u, v)", 2, 1000, 50, FromLake, FromTasks, 0.5, "q1 q2"},
		},
		queried: 3,
	}, {
		name: "keys that span several tables split into an edge for each pair",
		queries: []query{
			{fingerprint: "q", taskMS: 10, joins: []fact.Join{join("a.x=c.x b.y=c.y")}},
		},
		edges: []brief{
			{"a(x) = c(x)", 1, 10_000, 10, FromLake, FromTasks, 1, "q"},
			{"b(y) = c(y)", 1, 100_000, 10, FromLake, FromTasks, 1, "q"},
		},
		queried: 1,
	}, {
		name: "a broadcast elsewhere does not count towards F, a broadcast everywhere is unscored",
		queries: []query{
			{fingerprint: "q1", taskMS: 60, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "q2", taskMS: 20, joins: []fact.Join{with(join("a.k=b.k"), fact.BroadcastHashJoin), with(join("b.k=c.k"), fact.BroadcastHashJoin)}},
			{fingerprint: "q3", taskMS: 20, joins: []fact.Join{with(join("a.k=c.k"), fact.NoStrategy)}},
		},
		edges: []brief{{"a(k) = b(k)", 1, 1000, 60, FromLake, FromTasks, 0.6, "q1"}},
		unscored: []brief{
			{"a(k) = c(k)", 1, 10_000, 20, FromLake, FromTasks, 0.2, "q3"},
			{"b(k) = c(k)", 1, 100_000, 20, FromLake, FromTasks, 0.2, "q2"},
		},
		queried: 3,
	}, {
		name: "a query with both kinds of join over one pair has a scored execution",
		queries: []query{
			{fingerprint: "q", taskMS: 60, joins: []fact.Join{with(join("a.k=b.k"), fact.BroadcastHashJoin), join("a.k=b.k")}},
		},
		edges:   []brief{{"a(k) = b(k)", 1, 1000, 60, FromLake, FromTasks, 1, "q"}},
		queried: 1,
	}, {
		name: "only queries that succeeded and start in the window count; the end is not in it",
		queries: []query{
			{fingerprint: "failed", status: fact.Failed, taskMS: 1, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "unfinished", status: fact.Unfinished, taskMS: 1, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "before", start: week().Start.Add(-time.Microsecond), taskMS: 1, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "first", start: week().Start, taskMS: 7, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "after", start: week().End, taskMS: 1, joins: []fact.Join{join("a.k=b.k")}},
		},
		edges:   []brief{{"a(k) = b(k)", 1, 1000, 7, FromLake, FromTasks, 1, "first"}},
		queried: 1,
	}, {
		name: "joins without keys are counted and make no edge",
		queries: []query{
			{taskMS: 5, joins: []fact.Join{with(join(""), fact.BroadcastNestedLoopJoin), with(join(""), fact.CartesianProduct)}},
		},
		keyless: 2, queried: 1,
	}, {
		name: "a key whose table is not known makes no edge, the other keys do",
		queries: []query{
			{fingerprint: "q", taskMS: 5, joins: []fact.Join{join("a.k=b.k .gone=b.x")}},
		},
		edges:   []brief{{"a(k) = b(k)", 1, 1000, 5, FromLake, FromTasks, 1, "q"}},
		queried: 1,
	}, {
		name: "wall time is never averaged with task time",
		queries: []query{
			{fingerprint: "q", taskMS: 9000, unmeasured: true, joins: []fact.Join{join("a.k=b.k"), join("a.k=c.k")}},
			{fingerprint: "q", taskMS: 500, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "q", taskMS: 700, joins: []fact.Join{join("a.k=b.k")}},
			{fingerprint: "q", taskMS: 7000, unmeasured: true, joins: []fact.Join{join("a.k=c.k")}},
		},
		edges: []brief{
			{"a(k) = b(k)", 3, 1000, 600, FromLake, FromTasks, 10200. / 17200, "q"},
			{"a(k) = c(k)", 2, 10_000, 8000, FromLake, FromWall, 16000. / 17200, "q"},
		},
		queried: 4,
	}} {
		t.Run(c.name, func(t *testing.T) {
			g := Build(week(), facts(c.queries...), lake(rows))
			byKey := cmpopts.SortSlices(func(a, b brief) bool { return a.Key < b.Key })
			if diff := cmp.Diff(c.edges, briefs(g.Edges), byKey, cmpopts.EquateEmpty()); diff != "" {
				t.Error("edges", diff)
			}
			if diff := cmp.Diff(c.unscored, briefs(g.Unscored), cmpopts.EquateEmpty()); diff != "" {
				t.Error("unscored", diff)
			}
			if g.Keyless != c.keyless || g.Queries != c.queried {
				t.Errorf("keyless %d, queries %d, want %d, %d", g.Keyless, g.Queries, c.keyless, c.queried)
			}
			if want := len(c.edges) > 0; g.HasEvidence() != want {
				t.Errorf("HasEvidence is %v, want %v", g.HasEvidence(), want)
			}
		})
	}
}

func scan(name table.Name, rows int64, p *predicate.Predicate) fact.Scan {
	return fact.Scan{Table: name, Rows: rows, Measured: true, Predicate: p}
}

func TestCardinality(t *testing.T) {
	notNull := predicate.Predicate{Op: predicate.NotNull, Column: "k"}
	equal := predicate.Predicate{Op: predicate.Eq, Column: "k", Values: []predicate.Value{predicate.IntValue(1)}}
	for _, c := range []struct {
		name   string
		lake   map[table.Name]int64
		scans  []fact.Scan
		d      float64
		source CardinalitySource
	}{
		{"the lake knows both", map[table.Name]int64{"a": 3, "b": 5}, []fact.Scan{scan("a", 999, nil)}, 15, FromLake},
		{"an empty table is known", map[table.Name]int64{"a": 0, "b": 5}, []fact.Scan{scan("a", 999, nil)}, 0, FromLake},
		{"the worse source of the two is named", map[table.Name]int64{"a": 3}, []fact.Scan{scan("b", 7, nil)}, 21, FromScan},
		{"the largest full scan counts", nil, []fact.Scan{scan("a", 4, nil), scan("a", 6, &notNull), scan("b", 2, predicate.Conjunction([]predicate.Predicate{notNull, notNull}))}, 12, FromScan},
		{"a filtered scan says nothing", nil, []fact.Scan{scan("a", 4, nil), scan("b", 9, &equal)}, 0, NoSource},
		{"nor does a filter beside a not-null", nil, []fact.Scan{scan("a", 4, nil), scan("b", 9, predicate.Conjunction([]predicate.Predicate{notNull, equal}))}, 0, NoSource},
		{"nor a filter that could not be read", nil, []fact.Scan{scan("a", 4, nil), scan("b", 9, &predicate.Predicate{Op: predicate.Unknown})}, 0, NoSource},
		{"nor a scan without metrics", nil, []fact.Scan{scan("a", 4, nil), {Table: "b"}}, 0, NoSource},
		{"one known table is not enough", map[table.Name]int64{"a": 3}, nil, 0, NoSource},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Build(week(), facts(query{joins: []fact.Join{join("a.k=b.k")}, scans: c.scans}), lake(c.lake))
			if e := g.Edges[0]; e.D != c.d || e.DSource != c.source {
				t.Errorf("D %v from %s, want %v from %s", e.D, e.DSource, c.d, c.source)
			}
		})
	}
}

func TestScansOfFailedQueriesAreNoCardinality(t *testing.T) {
	g := Build(week(), facts(
		query{joins: []fact.Join{join("a.k=b.k")}, scans: []fact.Scan{scan("a", 4, nil), scan("b", 2, nil)}},
		query{status: fact.Failed, scans: []fact.Scan{scan("a", 1000, nil)}},
	), nil)
	if g.Edges[0].D != 8 {
		t.Errorf("D is %v, want 8: a failed query may have read a table more than once", g.Edges[0].D)
	}
}

func TestExpressionsMarkTheEdge(t *testing.T) {
	cast := join("a.k=b.k")
	cast.Expression = []string{"cast(k as string)"}
	g := Build(week(), facts(
		query{joins: []fact.Join{join("a.k=b.k")}}, query{joins: []fact.Join{cast}}, query{joins: []fact.Join{join("a.x=b.x")}},
	), nil)
	got := map[EdgeKey]bool{}
	for _, e := range g.Edges {
		got[e.Key] = e.Expression
	}
	if diff := cmp.Diff(map[EdgeKey]bool{"a(k) = b(k)": true, "a(x) = b(x)": false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name, join string
		want       EdgeKey
	}{
		{"the lesser table is on the left", "tpch.orders.o_orderkey=tpch.lineitem.l_orderkey", "tpch.lineitem(l_orderkey) = tpch.orders(o_orderkey)"},
		{"a pair named twice is one", "a.k=b.k b.k=a.k", "a(k) = b(k)"},
		{"the sides of a self-join have no order", "a.y=a.x", "a(x) = a(y)"},
		{"a self-join turns as a whole", "a.x=a.z a.y=a.y", "a(x, y) = a(z, y)"},
		{"and so from the other side", "a.z=a.x a.y=a.y", "a(x, y) = a(z, y)"},
		{"a self-join crosswise is not the same straight", "a.x=a.y a.y=a.x", "a(x, y) = a(y, x)"},
		{"names that hold the key's own signs are quoted", "a.k,(=b.`k", "a(`k,(`) = b(```k`)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := identitiesOf(join(c.join))
			if len(got) != 1 || got[0].key() != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

// drawJoin draws a join over few names, some of which hold the key's own signs.
func drawJoin(t *rapid.T) fact.Join {
	names := rapid.SampledFrom([]string{"a", "b", "a(b", "a, b", "=", "`", "a`, `b"})
	draw := func(label string) table.Ref {
		return table.Ref{Table: table.Name(names.Draw(t, label)), Column: table.Column(names.Draw(t, label))}
	}
	j := fact.Join{Strategy: fact.SortMergeJoin}
	for range rapid.IntRange(1, 3).Draw(t, "pairs") {
		j.Left, j.Right = append(j.Left, draw("left")), append(j.Right, draw("right"))
	}
	return j
}

func TestKeysTellEdgesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, a := range identitiesOf(drawJoin(t)) {
			for _, b := range identitiesOf(drawJoin(t)) {
				same := a.left == b.left && a.right == b.right && slices.Equal(a.pairs, b.pairs)
				if same != (a.key() == b.key()) {
					t.Errorf("%+v has key %s, %+v has key %s", a, a.key(), b, b.key())
				}
			}
		}
	})
}

func TestSidesAndOrderDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var queries []fact.Query
		for range rapid.IntRange(1, 6).Draw(t, "queries") {
			q := query{fingerprint: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "print"), taskMS: rapid.Int64Range(0, 1e12).Draw(t, "ms")}
			for range rapid.IntRange(0, 3).Draw(t, "joins") {
				q.joins = append(q.joins, drawJoin(t))
			}
			queries = append(queries, q.fact())
		}
		want := Build(week(), queries, nil)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
		for i := range queries {
			for n, j := range queries[i].Joins {
				queries[i].Joins[n].Left, queries[i].Joins[n].Right = j.Right, j.Left
			}
		}
		if diff := cmp.Diff(want, Build(week(), queries, nil)); diff != "" {
			t.Error(diff)
		}
	})
}

// expected is one join of testdata/expected-joins.json.
type expected struct {
	Keys     [][2]string   `json:"keys"`
	Strategy fact.Strategy `json:"strategy"`
	Failed   bool          `json:"failed"`
}

func fixture(t *testing.T) (queries []fact.Query) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "expected-joins.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Joins map[string][]expected `json:"joins"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for label, joins := range file.Joins {
		q := query{fingerprint: label, taskMS: 1}
		for _, e := range joins {
			var keys []string
			for _, k := range e.Keys {
				keys = append(keys, k[0]+"="+k[1])
			}
			q.joins = append(q.joins, with(join(strings.Join(keys, " ")), e.Strategy))
			if e.Failed {
				q.status = fact.Failed
			}
		}
		queries = append(queries, q.fact())
	}
	return queries
}

// The edges of the recorded workload, with the queries that each comes from, worked out by
// hand from expected-joins.json.
func TestEdgesOfTheRecordedWorkload(t *testing.T) {
	g := Build(week(), fixture(t), nil)
	got := map[EdgeKey]string{}
	for _, e := range g.Edges {
		got[e.Key] = strings.Join(e.Fingerprint, " ")
	}
	want := map[EdgeKey]string{
		"lineitem(l_orderkey) = orders(o_orderkey)":                         "D31 D34 J15 J16 J17 J22 Q01 Q02 Q04 Q05 Q06 Q07 T03 T05 T18 T21",
		"customer(c_custkey) = orders(o_custkey)":                           "D32 D33 D35 J12 J13 J18 M53 Q03 Q04 T03 T05 T18",
		"lineitem(l_partkey, l_suppkey) = partsupp(ps_partkey, ps_suppkey)": "J11",
		"lineitem(l_orderkey) = lineitem(l_orderkey)":                       "J14 T18 T21",
		"lineitem(l_partkey) = part(p_partkey)":                             "J19 T17",
		"nation(n_nationkey) = supplier(s_nationkey)":                       "J21 T05 T21",
		"lineitem(l_suppkey) = supplier(s_suppkey)":                         "T05 T21",
		"customer(c_nationkey) = supplier(s_nationkey)":                     "T05",
		"nation(n_regionkey) = region(r_regionkey)":                         "T05",
		"orders(o_orderkey) = orders(o_orderkey)":                           "M51",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(g.Unscored) != 0 {
		t.Errorf("unscored %v: every broadcast or removed join of the log has scored executions elsewhere", briefs(g.Unscored))
	}
}
