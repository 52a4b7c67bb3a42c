package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/table"
)

// Make decides the layout of every table together. Without a trigger it names the tables
// and leaves them as they are.
func Make(in Input) (Plan, error) {
	p := Plan{
		Window: in.Window, Coverage: in.Coverage, Drift: in.Drift, Threshold: in.Settings.Threshold,
		Trigger: in.Trigger.Reason, Budget: in.Settings.Budget, StorageBudget: in.Settings.Storage,
		Engine: in.Settings.Engine, Dialect: in.Settings.Dialect.Name(),
		Tables: []Table{}, Steps: []Step{}, Graph: in.Graph, Policy: in.Settings.Policy, Deferred: []table.Name{},
	}
	all, err := in.weighAll()
	if err != nil {
		return Plan{}, err
	}
	options := in.allowed(all)
	best := choose(problem{options: options, budget: in.Settings.Budget, storage: in.Settings.Storage}, Exact)
	p.NPV, p.UpperBound, p.Gap = best.npv, best.bound, gap(best)
	for i := range all {
		in.settle(&all[i], best.picks[i])
		if best.picks[i] == leave && len(options[i]) > 0 {
			p.Deferred = append(p.Deferred, all[i].table.Table)
		}
		p.Tables = append(p.Tables, all[i].table)
		p.SavedBytesPerWindow += all[i].table.ScannedBytesNow - all[i].table.ScannedBytesThen
		p.Rewrite += all[i].table.Rewrite
	}
	p.Steps = in.steps(p.Tables)
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

// allowed gives the options of the tables that may be rewritten; the others have none.
func (in Input) allowed(all []weighed) [][]option {
	options := make([][]option, len(all))
	for i, w := range all {
		if w.barred == "" && in.Settings.Writable(w.table.Table, w.table.Location) {
			options[i] = w.options
		}
	}
	return options
}

func gap(c choice) float64 {
	if c.bound <= 0 {
		return 0
	}
	return float64(c.bound-c.npv) / float64(c.bound)
}

// settle writes the choice into the table and gives every candidate its reason.
func (in Input) settle(w *weighed, pick int) {
	t := &w.table
	options := w.options
	if pick != leave {
		chosen := options[pick].candidate
		t.Chosen, t.Rewrite = t.Candidates[chosen].Layout, t.Candidates[chosen].Rewrite
		t.ScannedBytesThen = t.Candidates[chosen].ScannedBytes
		t.Queries = w.what.classes(w.then[chosen])
		t.Reason = chosenReason(*t, t.Candidates[chosen])
		t.Candidates[chosen].Reason = "chosen: " + t.Reason
		in.explainLosers(t, options, chosen)
		t.Candidates[0].Reason = "not kept: " + t.Reason
		return
	}
	in.explainLeft(t, options, w.barred)
}

// explainLosers gives the worthy candidates that were not chosen their reason.
func (in Input) explainLosers(t *Table, options []option, chosen int) {
	best := t.Candidates[chosen]
	for _, o := range options {
		if o.candidate != chosen {
			c := &t.Candidates[o.candidate]
			c.Reason = fmt.Sprintf("worth less than %s: NPV %s against %s", best.Layout, c.NPV, best.NPV)
		}
	}
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
		why = fmt.Sprintf("the budget of %s (storage %s) is spent better on other tables or too small",
			in.Settings.Budget, in.Settings.Storage)
		t.Reason = fmt.Sprintf("kept: %s; its rewrite takes %s", why, t.Bytes)
	}
	for _, o := range options {
		c := &t.Candidates[o.candidate]
		c.Reason = fmt.Sprintf("not chosen: %s; saves %s a window, NPV %s", why, t.ScannedBytesNow-c.ScannedBytes, c.NPV)
	}
	t.Candidates[0].Reason = t.Reason
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
	return fmt.Sprintf("kept: none of %d layouts saves enough of the %s a window it is read for", weighed, t.ScannedBytesNow)
}

func chosenReason(t Table, c Candidate) string {
	text := fmt.Sprintf("%s reads %s a window instead of %s and costs a rewrite of %s",
		c.Layout, c.ScannedBytes, t.ScannedBytesNow, c.Rewrite)
	if len(c.Losers) > 0 {
		text += fmt.Sprintf("; %d query classes read %s more: %s", len(c.Losers), c.Losses, someOf(c.Losers))
	}
	return text
}

// namedLosers is how many losing classes a reason names; the candidate lists them all.
const namedLosers = 3

func someOf(fingerprints []string) string {
	if len(fingerprints) <= namedLosers {
		return strings.Join(fingerprints, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(fingerprints[:namedLosers], ", "), len(fingerprints)-namedLosers)
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
