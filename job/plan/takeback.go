package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Way is how a step of an earlier run is taken back.
type Way string

// The ways. Putting files back writes nothing anew and is exact; going by the keys of before is a
// rewrite, open at any time.
const (
	PutBack  Way = "put_back"
	ByKeys   Way = "by_keys"
	NoWay    Way = "none"
	BackDone Way = "done" // the files of before are back already
)

// Return is what becomes of one step of a run that is rolled back.
type Return struct {
	Of       int            `json:"of_step"` // in that run's plan, from 0
	Table    table.Name     `json:"table"`
	Location table.Location `json:"location"`
	Way      Way            `json:"way"`
	// Reason says why this way and no other.
	Reason string `json:"reason"`
	// Step is what is to be done; nil where nothing is.
	Step *Step `json:"step,omitempty"`
}

// Undone is a step that changed its table, with what the table is now.
type Undone struct {
	Step int // in the run's plan
	// Back is the way back by the files of before; Closed says why there is none.
	Back   Back
	Closed string
	// Now is the table's newest version; Unreadable says why there is none, Unsupported why the
	// engine does not rewrite it.
	Now         lake.Snapshot
	Unreadable  string
	Unsupported []string
}

// TakeBack decides for each step of a run how it is taken back; the latest step comes first.
// Where the files of before can be put back they are, else the table is laid by its keys of
// before, within the budget; what neither can do is refused with the reason.
func TakeBack(p Plan, run string, undone []Undone, s Settings) []Return {
	list := []Return{}
	for _, u := range undone {
		step := p.Steps[u.Step]
		r := Return{Of: u.Step, Table: step.Table, Location: step.Location}
		before := layoutBefore(p, step)
		switch {
		case !s.Writable(step.Table, step.Location):
			r.Way, r.Reason = NoWay, "it is not under write: in the config"
		case u.Closed == "" && u.Back.Done:
			r.Way, r.Reason = BackDone, "the files of before are back already"
		case u.Closed == "":
			r.Way, r.Reason, r.Step = PutBack, putBackReason(u.Back), s.putBack(step, before, u)
		default:
			r.Way, r.Reason, r.Step = s.byKeys(step, before, u)
		}
		if r.Step != nil {
			r.Step.Reason = fmt.Sprintf("takes back step %d of run %s: %s", u.Step+1, run, r.Reason)
		}
		list = append(list, r)
	}
	return list
}

func putBackReason(b Back) string {
	return fmt.Sprintf("%d files of version %d come back in the place of %d; nothing is written anew, rows that came in since stay", b.Files, b.Version, b.Replaced)
}

// layoutBefore is what a table lay by before a step.
func layoutBefore(p Plan, step Step) layout.Layout {
	at := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Table == step.Table && t.Location == step.Location })
	if at < 0 {
		return layout.Unordered()
	}
	l := p.Tables[at].Current
	l.Scope = step.Layout.Scope
	return l
}

// onNow is a step on the table as it is now.
func onNow(step Step, before layout.Layout, u Undone) Step {
	return Step{
		Table: step.Table, Kind: Rollback, Location: step.Location, Format: step.Format, Layout: before,
		Version: u.Now.Version, SchemaHash: u.Now.SchemaHash, Protocol: u.Now.Protocol, Owner: u.Now.Owner, Was: u.Now.Layout, Declared: u.Now.Declared,
		TargetFile: step.TargetFile, Periods: step.Periods, Repartition: step.Repartition,
	}
}

// putBack is the step that puts files back; its statement says what a Spark would do about the
// same by, which drops what came in since.
func (s Settings) putBack(step Step, before layout.Layout, u Undone) *Step {
	b, t := onNow(step, before, u), tableOf(u.Now)
	b.Back = &u.Back
	b.Expected.Files = u.Back.Files
	b.Statement, b.Undo = s.undo(t, u.Back.Version), s.undo(t, u.Now.Version)
	return &b
}

// byKeys is the step that lays the table by its keys of before, or why there is none.
func (s Settings) byKeys(step Step, before layout.Layout, u Undone) (Way, string, *Step) {
	b := onNow(step, before, u)
	size := unit.Bytes(0)
	for _, f := range u.Now.Files {
		if Within(u.Now, f, step.Periods) {
			size += f.Bytes
		}
	}
	if reason := s.noWayByKeys(step, before, u, size); reason != "" {
		return NoWay, u.Closed + "; " + reason, nil
	}
	b.Expected = Expected{Files: layout.FileCount(size, step.TargetFile), Rewrite: size}
	t := tableOf(u.Now)
	b.Statement, b.Undo = s.statement(t, b), s.undo(t, u.Now.Version)
	return ByKeys, fmt.Sprintf("it is laid by its keys of before, %s, and %s are rewritten: the files of before cannot come back, since %s", before, size, u.Closed), &b
}

func (s Settings) noWayByKeys(step Step, before layout.Layout, u Undone, size unit.Bytes) string {
	switch {
	case step.Kind == Upkeep:
		return "the step kept the keys, so that there are no others to go by"
	case u.Unreadable != "":
		return "it cannot be read: " + u.Unreadable
	case len(u.Unsupported) > 0:
		return "the engine does not rewrite it: " + strings.Join(u.Unsupported, "; ")
	case u.Now.Owner != delta.OwnerUs || !layout.SameKeys(u.Now.Layout, step.Layout):
		return fmt.Sprintf("its keys are %s by now, which the run did not give it", u.Now.Layout)
	case len(before.Clustering) == 0:
		return "it had no keys to go by"
	case step.Repartition && !s.Repartition:
		return "giving it its partition columns of before takes leave (allow: {repartition: true})"
	case before.Order == layout.LearntCuts && before.Tree == nil:
		return "the cut points of before are not known"
	case size > s.Budget:
		return fmt.Sprintf("the budget of %s does not hold a rewrite of %s by the keys of before", s.Budget, size)
	}
	for _, c := range before.Clustering {
		if reason := unfit(u.Now, c); reason != "" {
			return fmt.Sprintf("its key %s of before: %s", c, reason)
		}
	}
	return ""
}

// tableOf is what a table's statements take of its decision.
func tableOf(s lake.Snapshot) Table {
	return Table{Table: s.Table, Location: s.Location, Format: s.Format, Protocol: s.Protocol, Streaming: !s.Streamed.IsZero()}
}

// Rollback is the plan that takes a run's plan back, for the record: its steps, and nothing of a
// workload.
func (p Plan) Rollback(run string, returns []Return, undone []Undone, s Settings) Plan {
	back := Plan{
		Window: p.Window, Trigger: "rollback of run " + run, Budget: s.Budget, StorageBudget: s.Storage, UpkeepBudget: s.Upkeep,
		Engine: s.Engine, Dialect: s.Dialect.Name(), Choice: cmp.Or(s.Choice, Exact), Estimator: cmp.Or(s.Estimator, ByWhatIf),
		Policy: s.Policy, Deferred: []table.Name{}, Tables: []Table{}, Steps: []Step{},
		Graph: joingraph.Graph{Window: p.Window},
	}
	for i, r := range returns {
		if r.Step == nil {
			continue
		}
		now := undone[i].Now
		t := tableOf(now)
		t.Version, t.SchemaHash, t.Owner, t.Current, t.Chosen, t.Bytes = now.Version, now.SchemaHash, now.Owner, now.Layout, r.Step.Layout, now.Bytes()
		t.Reason, t.Rewrite = r.Step.Reason, r.Step.Expected.Rewrite
		back.Tables, back.Steps = append(back.Tables, t), append(back.Steps, *r.Step)
		back.Rewrite += r.Step.Expected.Rewrite
	}
	return back
}
