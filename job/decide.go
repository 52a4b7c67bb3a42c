package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/drift"
	"ajlo/job/joingraph"
	"ajlo/job/plan"
	"ajlo/job/script"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// Decision is what a night decided, whole, before anything is done.
type Decision struct {
	Graph   joingraph.Graph
	Scores  []drift.Score
	Trigger drift.Trigger
	// Judgements are what the window says of earlier steps.
	Judgements []verify.Judgement
	Plan       plan.Plan
	// PlanJSON is the plan as it is printed and kept; PlanHash is its SHA-256.
	PlanJSON []byte
	PlanHash string
	Script   string
	// Reach is what joins let readers leave unread at run time.
	Reach plan.Reach
}

// Past answers for earlier nights; *state.Store does.
type Past interface {
	// LastGraph is the graph of the last window observed before the night; nil for none.
	LastGraph(ctx context.Context, night string) (*joingraph.Graph, error)
	// Scoring names the code that scored a reference of the night; "" where that is not known.
	Scoring(ctx context.Context, ref drift.Reference, night string) (string, error)
	// Seen are the latest windows of a length before the night, at most n.
	Seen(ctx context.Context, night string, length time.Duration, n int) ([]state.Seen, error)
	// InForce is the plan in force; nil for none.
	InForce(ctx context.Context, night string) (*state.InForce, error)
	// Kept are the tables as they were before the latest steps that gave them new keys, up to
	// the end of a window.
	Kept(ctx context.Context, end time.Time) ([]verify.Kept, error)
	// Calibrations are what foretold bytes are multiplied by, by table.
	Calibrations(ctx context.Context, reader string) (map[table.Name]float64, error)
	// TakenBack are the tables that a rollback was the last to change, with its run.
	TakenBack(ctx context.Context) (map[table.Location]string, error)
}

// Triggering says when a plan is made.
type Triggering string

// A plan is made when the workload has drifted, or anyway because somebody asked.
const (
	PlanOnDrift Triggering = "on-drift"
	PlanAnyway  Triggering = "anyway"
)

// Decide is a run up to its plan: it reads logs, tables and the past and changes nothing.
func (n Night) Decide(ctx context.Context, past Past, when Triggering) (Decision, error) {
	observed, err := n.observe(ctx)
	if err != nil {
		return Decision{}, err
	}
	return n.decide(ctx, observed, n.look(ctx, observed), past, when)
}

func (n Night) decide(ctx context.Context, o Observed, l Lake, past Past, when Triggering) (Decision, error) {
	d := Decision{Graph: joingraph.Build(n.Window, o.Queries, l.Rows)}
	then, err := n.recall(ctx, past)
	if err != nil {
		return Decision{}, err
	}
	if then, err = n.rescored(ctx, past, then, l); err != nil {
		return Decision{}, err
	}
	l.recallCuts(then.plan)
	d.Scores = then.scores(d.Graph)
	d.Trigger = n.trigger(d.Graph, d.Scores, then)
	in := plan.Input{
		Window: n.Window, Graph: d.Graph, Queries: o.Queries, Drift: d.Scores, Trigger: d.Trigger,
		Coverage: plan.Cover(o.Applications, o.Unreadable(), o.Queries, l.Has),
		Settings: n.settings(), Readers: o.reader, Sketched: n.Config.Sample == config.SampleBounds,
	}
	if in.Coverage.Usual, err = n.usual(ctx, past, d.Graph); err != nil {
		return Decision{}, err
	}
	in.Coverage.TaskMS = d.Graph.TaskMS
	switch {
	case in.Coverage.Blind():
		in.Trigger = blind(in.Coverage)
	case when == PlanAnyway && !in.Trigger.Fired:
		in.Trigger.Fired, in.Trigger.Reason = true, "asked for, although: "+in.Trigger.Reason
	}
	taught, err := n.learn(ctx, past, o, l)
	if err == nil && then.graph == nil && when == PlanOnDrift {
		taught.takenBack, err = past.TakenBack(ctx)
	}
	if err != nil {
		return Decision{}, err
	}
	d.Judgements = taught.judgements
	if in.Tables, err = l.inputs(ctx, in, taught, n.drawer()); err != nil {
		return Decision{}, err
	}
	in.Reach = plan.NewReach(in)
	d.Trigger, d.Reach = in.Trigger, in.Reach
	if d.Plan, err = n.choose(ctx, in); err != nil {
		return Decision{}, err
	}
	return d, d.render()
}

// render makes the plan's renderings.
func (d *Decision) render() (err error) {
	if d.PlanJSON, err = d.Plan.JSON(); err != nil {
		return err
	}
	d.PlanHash = plan.Hash(d.PlanJSON)
	d.Script = script.Write(d.Plan, d.PlanHash)
	return nil
}

// recall reads the references of the night from the past.
func (n Night) recall(ctx context.Context, past Past) (references, error) {
	last, err := past.LastGraph(ctx, n.Window.Night())
	if err != nil {
		return references{}, err
	}
	r := references{last: last}
	inForce, err := past.InForce(ctx, n.Window.Night())
	if inForce == nil || err != nil {
		return r, err
	}
	r.graph = &inForce.Graph
	r.plan, err = plan.Parse(inForce.PlanJSON)
	return r, err
}

// references are what a window is held against.
type references struct {
	last  *joingraph.Graph
	graph *joingraph.Graph // that the plan in force was made from
	plan  plan.Plan
	// lastGone and graphGone say why one is compared with nothing; empty where it is compared.
	lastGone, graphGone string
}

// scores measures the drift from each reference. A window without a scored edge shows no
// drift, only that nothing was seen.
func (r references) scores(g joingraph.Graph) []drift.Score {
	if !g.HasEvidence() {
		return []drift.Score{drift.Between(drift.Last, nil, g), drift.Between(drift.Plan, nil, g)}
	}
	return []drift.Score{between(drift.Last, r.last, r.lastGone, g), between(drift.Plan, r.graph, r.graphGone, g)}
}

func between(ref drift.Reference, then *joingraph.Graph, gone string, now joingraph.Graph) drift.Score {
	if gone == "" {
		return drift.Between(ref, then, now)
	}
	score := drift.Between(ref, nil, now)
	score.Incomparable = gone
	return score
}

// trigger decides whether layouts are chosen anew tonight: by drift, or because the plan in
// force is not what the config asks for, or was not finished.
func (n Night) trigger(g joingraph.Graph, scores []drift.Score, r references) drift.Trigger {
	if !g.HasEvidence() {
		return drift.Trigger{Reason: "no evidence: no shuffled join ran in the window", First: []joingraph.EdgeKey{}}
	}
	t := drift.Decide(scores, drift.Rule{
		Threshold: n.Config.Delta, FirstSeen: drift.FirstSeen(n.Config.FirstSeen), Share: n.Config.FirstSeenShare,
	})
	switch {
	case t.Fired || r.graph == nil:
	case r.plan.Policy != n.policy():
		t.Fired, t.Reason = true, "the config asks for something else than the plan in force was made for"
	case len(r.plan.Deferred) > 0:
		t.Fired, t.Reason = true, fmt.Sprintf("the plan in force left %d tables for want of budget", len(r.plan.Deferred))
	}
	return t
}

// policy is the SHA-256 of what the config wants and allows, whatever the workload is.
func (n Night) policy() string {
	c := n.Config
	text, err := json.Marshal([]any{n.readers(), c.Write, c.Budget, c.Engine, c.Horizon, c.Rate, c.StorageWeight, c.Margin, c.MaxLoss, c.Allow, c.Estimator, c.Sample, c.Choice, c.Protect, c.Delta})
	if err != nil {
		panic(fmt.Sprintf("job: policy: %v", err)) // no value of these types fails to encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// blind keeps every table as it is: blindness is not drift (rule 6).
func blind(c plan.Coverage) drift.Trigger {
	return drift.Trigger{Reason: "too much was not seen: " + c.Blindness(), First: []joingraph.EdgeKey{}}
}

// settings turns the config into the plan's limits and weights.
func (n Night) settings() plan.Settings {
	c := n.Config
	leave := dialect.KeepProtocol
	if c.Allow.ProtocolUpgrade {
		leave = dialect.RaiseProtocol
	}
	return plan.Settings{
		Threshold: c.Delta, Budget: c.Budget.Rewrite, Upkeep: c.Budget.Upkeep, Storage: c.Budget.Storage, Horizon: c.Horizon, Rate: c.Rate,
		StorageWeight: c.StorageWeight, Margin: c.Margin, MaxLoss: c.MaxLoss, TargetFile: c.Engine.TargetFileSize,
		Estimator: plan.Estimator(c.Estimator), Choice: plan.Choosing(c.Choice), Protect: c.Protect,
		Prices: plan.Prices{Currency: c.Prices.Currency, Scan: c.Prices.ScanTB, Rewrite: c.Prices.RewriteTB, StorageMonths: c.Prices.StorageMonth},
		Policy: n.policy(), Engine: n.Engine.Name(),
		Dialect: dialect.SparkDelta{Flavour: dialect.Flavour(c.Engine.Dialect), MayRaiseProtocol: leave}, Address: dialect.Address(c.Lake.Address),
		Repartition: c.Allow.Repartition, Writable: writable(c),
	}
}

// writable is every table where the config names none: the plan is then advice.
func writable(c config.Config) func(table.Name, table.Location) bool {
	if len(c.Write) == 0 {
		return func(table.Name, table.Location) bool { return true }
	}
	return c.MayWrite
}
