package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"ajlo/job/table"
)

// Make decides the layout of every table together. Without a trigger it names the tables
// and leaves them as they are.
func Make(in Input) (Plan, error) {
	w, err := Weigh(in)
	if err != nil {
		return Plan{}, err
	}
	return w.Plan(nil)
}

// decide chooses among the candidates of all tables, and says why.
func (in Input) decide(all []weighed) (Plan, error) {
	p := Plan{
		Window: in.Window, Coverage: in.Coverage, Drift: in.Drift, Threshold: in.Settings.Threshold,
		Trigger: in.Trigger.Reason, Triggered: in.Trigger.Fired, UpkeepBudget: in.Settings.Upkeep, Budget: in.Settings.Budget, StorageBudget: in.Settings.Storage,
		Engine: in.Settings.Engine, Dialect: in.Settings.Dialect.Name(),
		Choice: cmp.Or(in.Settings.Choice, Exact), Estimator: cmp.Or(in.Settings.Estimator, ByWhatIf),
		Tables: []Table{}, Steps: []Step{}, Graph: in.Graph, Policy: in.Settings.Policy, Deferred: []table.Name{},
	}
	best := in.chooseAll(all)
	p.NPV, p.UpperBound, p.Gap = best.npv, best.bound, gap(best)
	p.Deferred = in.deferred(all, best.picks)
	in.take(all, best.picks)
	for i := range all {
		in.explain(&all[i], best.picks[i])
		in.putBack(&all[i])
		in.tellHarm(&all[i])
		all[i].tellBest()
		all[i].tellRunTime()
		all[i].table.Missing = in.missing(all[i])
		t := all[i].table
		p.Tables = append(p.Tables, t)
		p.SavedBytesPerWindow += t.ScannedBytesNow - t.ScannedBytesThen
		p.Rewrite += t.Rewrite
	}
	p.Steps = in.steps(p.Tables)
	if err := in.upkeep(&p); err != nil {
		return Plan{}, err
	}
	p.Advice = in.advise()
	p.Money = in.Settings.money(p.SavedBytesPerWindow, p.Rewrite+p.Upkeep)
	return p, nil
}

// weighAll weighs the tables in order of their names.
func (in Input) weighAll() ([]weighed, error) {
	tables := slices.Clone(in.Tables)
	slices.SortFunc(tables, func(a, b TableInput) int {
		return cmp.Or(cmp.Compare(a.Snapshot.Table, b.Snapshot.Table), cmp.Compare(a.Snapshot.Location, b.Snapshot.Location))
	})
	all := make([]weighed, 0, len(tables))
	for _, t := range tables {
		w, err := in.weigh(t)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func gap(c choice) float64 {
	if c.bound <= 0 {
		return 0
	}
	return float64(c.bound-c.npv) / float64(c.bound)
}

// explain gives the table and every candidate its reason.
func (in Input) explain(w *weighed, pick int) {
	t := &w.table
	if pick == leave {
		in.explainLeft(t, w.options, w.barred)
		return
	}
	best := &t.Candidates[w.options[pick].candidate]
	t.Money = in.Settings.money(t.ScannedBytesNow-t.ScannedBytesThen, t.Rewrite)
	t.Reason = chosenReason(*t, *best)
	for i, o := range w.options {
		if i != pick {
			c := &t.Candidates[o.candidate]
			c.Reason = fmt.Sprintf("worth less than %s: NPV %s against %s", best.Layout, c.NPV, best.NPV)
		}
	}
	best.Reason = "chosen: " + t.Reason
	t.Candidates[0].Reason = "not kept: " + t.Reason
}

// explainLeft says why a table stays as it is although it was weighed.
func (in Input) explainLeft(t *Table, options []option, barred string) {
	why := barred
	switch {
	case t.Reason != "":
	case barred != "":
		t.Reason = "kept: " + barred
		if len(options) > 0 {
			t.Reason += fmt.Sprintf("; %s would save %s a window", t.Candidates[options[0].candidate].Layout,
				t.ScannedBytesNow-t.Candidates[options[0].candidate].ScannedBytes)
		}
	case len(options) == 0:
		t.Reason = in.nothingWorthy(*t)
	case !in.Settings.Writable(t.Table, t.Location):
		best := t.Candidates[options[0].candidate]
		t.Reason = fmt.Sprintf("kept: not under write:, though %s would save %s a window",
			best.Layout, t.ScannedBytesNow-best.ScannedBytes)
		why = "the table is not under write:"
	default:
		why = in.passedOver(options)
		t.Reason = "kept: " + why
	}
	for _, o := range options {
		c := &t.Candidates[o.candidate]
		c.Reason = fmt.Sprintf("not chosen: %s; saves %s a window, NPV %s", why, t.ScannedBytesNow-c.ScannedBytes, c.NPV)
	}
	t.Candidates[0].Reason = t.Reason
}

// passedOver says why none of a table's options was chosen.
func (in Input) passedOver(options []option) string {
	least := slices.MinFunc(options, func(a, b option) int { return cmp.Compare(a.rewrite, b.rewrite) })
	switch {
	case least.rewrite > in.Settings.Budget:
		return fmt.Sprintf("the budget of %s is too small for its rewrite of %s", in.Settings.Budget, least.rewrite)
	case least.storage > in.Settings.Storage:
		return fmt.Sprintf("the storage budget of %s is too small: its old files would weigh %s until VACUUM", in.Settings.Storage, least.storage)
	}
	return fmt.Sprintf("the budget of %s (storage %s) is spent better on other tables; its rewrite takes %s",
		in.Settings.Budget, in.Settings.Storage, least.rewrite)
}

func (in Input) nothingWorthy(t Table) string {
	weighed := 0
	for _, c := range t.Candidates[1:] {
		if !c.Refused {
			weighed++
		}
	}
	if weighed == 0 {
		return "kept: no join key or filter column of the window can be a key of it"
	}
	if c, ok := in.tooUnfair(t); ok {
		return fmt.Sprintf("kept: %s would save %s a window on the whole, but %s", c.Layout, c.Gains-c.Losses, c.Reason)
	}
	return fmt.Sprintf("kept: none of %d layouts saves enough of the %s a window it is read for", weighed, t.ScannedBytesNow)
}

// tooUnfair is the layout of most worth that only the losses of some classes forbid; ok is false
// where there is none.
func (in Input) tooUnfair(t Table) (best Candidate, ok bool) {
	for _, c := range t.Candidates[1:] {
		worthy := !c.Refused && float64(c.NPV) > in.Settings.Margin*float64(c.Rewrite)
		if worthy && in.losesTooMuch(c) && (!ok || c.NPV > best.NPV) {
			best, ok = c, true
		}
	}
	return best, ok
}

func chosenReason(t Table, c Candidate) string {
	text := fmt.Sprintf("%s reads %s a window instead of %s and costs a rewrite of %s",
		c.Layout, t.ScannedBytesThen, t.ScannedBytesNow, c.Rewrite)
	if lost := losses(t.Queries); lost != "" {
		text += "; " + lost
	}
	return text + givenUp(t)
}

// JSON is the plan as it is printed, kept and approved: indented, with a line end.
func (p Plan) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("plan: write as JSON: %w", err)
	}
	return append(text, '\n'), nil
}

// Hash is the SHA-256 of the plan's JSON in hex: what approval, history and state name a
// plan by.
func Hash(planJSON []byte) string {
	sum := sha256.Sum256(planJSON)
	return hex.EncodeToString(sum[:])
}

// Parse reads a plan back from its JSON.
func Parse(planJSON []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(planJSON, &p); err != nil {
		return Plan{}, fmt.Errorf("plan: not a plan as ajlo writes it: %w", err)
	}
	return p, nil
}

// ParseKnown is Parse for a plan that is to be carried out: fields that this ajlo does not know
// are an error, since they may be what a newer one, or a person who misspelt a name, relies on.
func ParseKnown(planJSON []byte) (Plan, error) {
	var p Plan
	d := json.NewDecoder(bytes.NewReader(planJSON))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil {
		_, err = Parse(planJSON) // nothing follows it
	}
	if err != nil {
		return Plan{}, fmt.Errorf("plan: not a plan as this ajlo writes it: %w", err)
	}
	return p, nil
}
