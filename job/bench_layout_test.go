//go:build bench

package job_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/drift"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// benchOrder is what scripts/bench-layout asks for: one lake, and the layouts it is to get.
type benchOrder struct {
	Logs   string     `json:"logs"`
	Was    string     `json:"was"`    // the lake as the logs name it
	Prefix string     `json:"prefix"` // of the labels of the queries that count
	Target unit.Bytes `json:"target"`
	Method string     `json:"method"` // paper, clustering, unbound (clustering whoever loses), cuts, now
	Lake   string     `json:"lake"`   // the copy that is laid out
	// Protect holds labels of queries that must not lose.
	Protect []string `json:"protect"`
}

// benchAnswer is what was decided, and what each query will read by it.
type benchAnswer struct {
	Layouts  map[table.Name]string `json:"layouts"`
	SQL      []string              `json:"sql"`      // of the steps that Spark is to carry out
	Now      map[string]unit.Bytes `json:"now"`      // by label, one execution
	Foretold map[string]unit.Bytes `json:"foretold"` // by label, one execution
	Floor    map[string]unit.Bytes `json:"floor"`    // bytes × share of rows that meet the predicates
}

// TestBenchLayout answers the order in the file that AJLO_BENCH_LAYOUT names, into the file of
// the same name that ends in ".answer".
func TestBenchLayout(t *testing.T) {
	path := os.Getenv("AJLO_BENCH_LAYOUT")
	if path == "" {
		t.Skip("scripts/bench-layout runs this")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var order benchOrder
	if err := json.Unmarshal(text, &order); err != nil {
		t.Fatal(err)
	}
	answer, err := json.MarshalIndent(order.answer(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".answer", answer, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (o benchOrder) answer(t *testing.T) benchAnswer {
	in := o.input(t)
	labels := map[string]string{}
	for _, q := range in.Queries {
		labels[q.Fingerprint] = q.Query
	}
	p := o.plan(t, in)
	a := benchAnswer{
		Layouts: map[table.Name]string{}, Now: map[string]unit.Bytes{}, Foretold: map[string]unit.Bytes{}, Floor: o.floor(t, in),
	}
	for _, decided := range p.Tables {
		a.Layouts[decided.Table] = decided.Chosen.String()
		for _, c := range decided.Candidates {
			t.Logf("%s: %s: scans %s, gains %s, losses %s: %s", decided.Table, c.Layout, c.ScannedBytes, c.Gains, c.Losses, c.Reason)
		}
		for _, c := range decided.Queries {
			a.Now[labels[c.Fingerprint]] += c.Now / unit.Bytes(c.Executions)
			a.Foretold[labels[c.Fingerprint]] += c.Then / unit.Bytes(c.Executions)
		}
	}
	for _, step := range p.Steps {
		if in.Settings.Engine == plan.EmbeddedEngine && o.Method != "now" {
			o.apply(t, step)
		} else {
			a.SQL = append(a.SQL, strings.Split(step.Statement, "\n")...)
		}
	}
	return a
}

// plan chooses as a night does: the layouts that it comes to are tried by the engine in Go.
func (o benchOrder) plan(t *testing.T, in plan.Input) plan.Plan {
	w, err := plan.Weigh(in)
	if err != nil {
		t.Fatal(err)
	}
	var trials []plan.Trial
	for {
		p, err := w.Plan(trials)
		if err != nil {
			t.Fatal(err)
		}
		known := len(trials)
		for _, s := range p.Steps {
			if in.Settings.Engine == plan.EmbeddedEngine && !slices.ContainsFunc(trials, func(t plan.Trial) bool { return t.Tries(s) }) {
				trials = append(trials, o.try(t, s))
			}
		}
		if len(trials) == known {
			return p
		}
	}
}

func (o benchOrder) try(t *testing.T, s plan.Step) plan.Trial {
	bytes, err := o.engine().Trial(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Trial{Location: s.Location, Version: s.Version, Layout: s.Layout, Target: s.TargetFile, Bytes: bytes}
}

func (o benchOrder) input(t *testing.T) plan.Input {
	observer := job.Observer{Sources: []config.Source{{Logs: o.Logs}}, Log: slog.New(slog.DiscardHandler), Clock: time.Now}
	observed, err := observer.Observe(t.Context(), always)
	if err != nil {
		t.Fatal(err)
	}
	in := plan.Input{Window: always, Trigger: drift.Trigger{Fired: true, Reason: "asked for"}, Settings: o.settings()}
	for _, q := range observed.Queries {
		if strings.HasPrefix(q.Query, o.Prefix) {
			in.Queries = append(in.Queries, q)
		}
	}
	rows := map[table.Name]int64{}
	for name, at := range o.tables(in.Queries) {
		store, err := object.Open(at)
		if err != nil {
			t.Fatal(err)
		}
		s, err := lake.Open(t.Context(), store, name, table.Location(at))
		if err != nil {
			t.Fatal(err)
		}
		rows[name], _ = s.Rows()
		in.Tables = append(in.Tables, plan.TableInput{Snapshot: s, Names: []table.Name{name}})
	}
	in.Graph = joingraph.Build(always, in.Queries, func(n table.Name) (int64, bool) { r, ok := rows[n]; return r, ok })
	for i := range in.Tables {
		in.Tables[i].Sample = o.sample(t, in, in.Tables[i])
	}
	return in
}

func (o benchOrder) settings() plan.Settings {
	s := plan.Settings{
		Threshold: 0.1, Budget: unit.TB, Storage: unit.TB, Horizon: 8, Rate: 0.02, StorageWeight: 0.1, Margin: 0.1, MaxLoss: 0.15,
		TargetFile: o.Target, Engine: "spark", Address: dialect.ByPath, Dialect: dialect.SparkDelta{MayRaiseProtocol: dialect.RaiseProtocol},
		Protect:  o.Protect,
		Writable: func(table.Name, table.Location) bool { return true },
	}
	switch o.Method {
	case "cuts":
		s.Engine = plan.EmbeddedEngine
	case "unbound":
		s.MaxLoss = 1
	case "paper":
		s.Estimator, s.Choice = plan.ByConstant, plan.Greedy
	}
	return s
}

// tables gives the places of the copies of the tables that the queries scan.
func (o benchOrder) tables(queries []fact.Query) map[table.Name]string {
	places := map[table.Name]string{}
	for _, q := range queries {
		for _, s := range q.Scans {
			if rest, ok := strings.CutPrefix(string(s.Location), o.Was); ok {
				places[s.Table] = o.Lake + rest
			}
		}
	}
	return places
}

func (o benchOrder) sample(t *testing.T, in plan.Input, ti plan.TableInput) lake.Sample {
	columns, err := plan.Columns(ti, in)
	if err != nil {
		t.Fatal(err)
	}
	store, err := object.Open(string(ti.Snapshot.Location))
	if err != nil {
		t.Fatal(err)
	}
	sample, err := lake.Draw(t.Context(), store, ti.Snapshot, columns, plan.SampleRows(ti.Snapshot, o.Target))
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// floor is what each query would read if only rows were read that meet the predicates which
// reach its scans.
func (o benchOrder) floor(t *testing.T, in plan.Input) map[string]unit.Bytes {
	floor, counted := map[string]unit.Bytes{}, map[string]bool{}
	for _, q := range in.Queries {
		if counted[q.Query] {
			continue
		}
		counted[q.Query] = true
		for _, scan := range q.Scans {
			at := slices.IndexFunc(in.Tables, func(ti plan.TableInput) bool { return ti.Names[0] == scan.Table })
			if at >= 0 {
				floor[q.Query] += unit.Bytes(shareOfRows(in.Tables[at].Sample, scan.Predicate) * float64(in.Tables[at].Snapshot.Bytes()))
			}
		}
	}
	return floor
}

func shareOfRows(s lake.Sample, p *predicate.Predicate) float64 {
	met := 0
	for row := range s.Len() {
		held := prune.MayMatch(p, func(c table.Column) (prune.Bounds, bool) {
			at := slices.Index(s.Columns, c)
			if at < 0 {
				return prune.Bounds{}, false
			}
			v := s.Values[at][row]
			nulls := int64(0)
			if v.IsNull() {
				nulls = 1
			}
			return prune.Bounds{Min: v, Max: v, Rows: 1, Nulls: nulls}, true
		})
		if held {
			met++
		}
	}
	if s.Len() == 0 {
		return 1
	}
	return float64(met) / float64(s.Len())
}

// freely lets a step do what it likes.
type freely struct{}

func (freely) Intend(context.Context, table.Location, []string) error { return nil }
func (freely) Spend(unit.Bytes) error                                 { return nil }
func (freely) Progress(unit.Bytes, unit.Bytes)                        {}
func (freely) Stamp() execute.Stamp                                   { return execute.Stamp{Run: "bench"} }

func (o benchOrder) apply(t *testing.T, step plan.Step) {
	if _, err := o.engine().Apply(t.Context(), step, freely{}); err != nil {
		t.Fatal(err)
	}
}

func (o benchOrder) engine() *embedded.Engine {
	return embedded.New(embedded.Options{Memory: 2 * unit.GiB, NewID: uuid.NewString, Now: time.Now, Version: "bench"})
}
