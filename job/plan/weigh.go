package plan

import (
	"fmt"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// weighed is one table with its options for the choice.
type weighed struct {
	table   Table
	input   TableInput
	what    whatIf
	barred  string               // why the table may not be rewritten, empty where it may
	then    map[int][]unit.Bytes // by candidate
	options []option             // those worth choosing, greatest NPV first; known once it comes to choosing
	// protected holds the fingerprints of the classes that must not lose.
	protected map[string]bool
	// spared holds how much more classes count while cuts are learnt, by fingerprint: those that
	// lost by cuts learnt before.
	spared map[string]float64
}

// weigh tries every candidate layout of one table.
func (in Input) weigh(t TableInput) (weighed, error) {
	w := weighed{table: in.describe(t), input: t, protected: in.protected(), then: map[int][]unit.Bytes{}, barred: in.barred(t)}
	rs, err := reads(t, in.Queries, in.Reach)
	if err != nil {
		return weighed{}, err
	}
	sc := in.scope(t)
	w.what = newWhatIf(t, sc, rs, writes(t, in.Queries), in.Settings.TargetFile, in.maker(t.Snapshot))
	w.what.partsAlone = in.partsAlone(t, rs)
	w.table.Periods = sc.periods
	w.table.ScannedBytesNow = sum(w.what.now)
	w.table.ScannedBytesThen = w.table.ScannedBytesNow
	w.table.WrittenBytesNow, w.table.WrittenBytesThen = w.what.writtenNow, w.what.writtenNow
	w.table.Queries = w.classes(w.what.now)
	w.add(w.asIs(t.Snapshot), w.what.now)
	if reason := in.keep(t); reason != "" {
		w.table.Reason = reason
		return w, nil
	}
	keys, refused := keyColumns(t, rs, in.Graph, in.Trigger.First)
	keys, few := in.spread(t, keys)
	refused = append(refused, few...)
	if err := in.weighLayouts(&w, keys); err != nil {
		return weighed{}, err
	}
	w.table.Candidates = append(w.table.Candidates, refused...)
	return w, nil
}

// weighLayouts weighs layouts by one key and by two, larger sets made of the best of those,
// learnt cuts, other partitions and none.
func (in Input) weighLayouts(w *weighed, keys []table.Column) error {
	for _, l := range in.offered(w.input, keys) {
		if w.has(l) {
			continue
		}
		if err := in.try(w, l); err != nil {
			return err
		}
	}
	if in.Settings.Estimator == ByConstant || !in.Trigger.Fired {
		return nil
	}
	if err := in.grow(w, keys); err != nil {
		return err
	}
	if err := in.weighCuts(w); err != nil {
		return err
	}
	if err := in.weighPartitions(w, keys); err != nil {
		return err
	}
	return in.weighUnparted(w)
}

// streamingDays is how long after its last commit a streaming writer counts as alive (rule 5).
const streamingDays = 30

func (in Input) describe(t TableInput) Table {
	s := t.Snapshot
	return Table{
		Table: s.Table, Location: s.Location, Format: s.Format, Version: s.Version, SchemaHash: s.SchemaHash,
		Protocol: s.Protocol, Owner: s.Owner, Declared: s.Declared, Current: s.Layout, Chosen: s.Layout, Bytes: s.Bytes(), Correction: t.Correction,
		Streaming:  s.Streamed.After(in.Window.End.AddDate(0, 0, -streamingDays)),
		Candidates: []Candidate{}, RunTime: []RunTime{},
	}
}

func (w weighed) asIs(s lake.Snapshot) Candidate {
	return Candidate{
		Layout: s.Layout, Bytes: w.table.Bytes, ScannedBytes: w.table.ScannedBytesNow, Losers: []string{},
		WrittenBytes: w.what.writtenNow, Upkeep: w.what.upkeep(w.what.makerOf(s.Owner), s.Layout),
	}
}

// classes sums reads by class and marks those that are protected.
func (w weighed) classes(then []unit.Bytes) []Class {
	list := w.what.classes(then)
	for i := range list {
		list[i].Protected = w.protected[list[i].Fingerprint]
	}
	return list
}

func (w *weighed) add(c Candidate, then []unit.Bytes) {
	w.then[len(w.table.Candidates)] = then
	w.table.Candidates = append(w.table.Candidates, c)
}

func (in Input) weighLayout(w *weighed, l layout.Layout) error {
	then, written, err := in.foretell(w, l)
	if err != nil {
		return err
	}
	w.add(in.candidate(w, l, then, written, w.table.Bytes), then)
	return nil
}

// candidate weighs a layout under which reads and changes are as foretold, and whose files have
// so many bytes. It has a reason where it cannot be chosen.
func (in Input) candidate(w *weighed, l layout.Layout, then []unit.Bytes, written, size unit.Bytes) Candidate {
	c := Candidate{
		Layout: l, Bytes: size, ScannedBytes: sum(then), WrittenBytes: written, Upkeep: w.what.upkeep(w.what.maker, l),
		Rewrite: w.what.bytes, Losers: []string{},
	}
	c.NPV = in.Settings.npv(c.saves(w.table.Candidates[0]), c.Rewrite)
	classes := w.classes(then)
	for _, class := range classes {
		if class.Then > class.Now {
			c.Losses += class.Then - class.Now
			c.Losers = append(c.Losers, class.Fingerprint)
		} else {
			c.Gains += class.Now - class.Then
		}
	}
	if c.Reason = in.unworthy(c); c.Reason == "" && in.Settings.Estimator != ByConstant {
		c.Reason = robbed(classes, w.what.bytes/unit.Bytes(max(1, w.what.files)))
	}
	return c
}

// saves is what a window reads, rewrites by its changes and keeps up less than as the table is.
func (c Candidate) saves(now Candidate) unit.Bytes {
	return now.ScannedBytes + now.WrittenBytes + now.Upkeep - c.ScannedBytes - c.WrittenBytes - c.Upkeep
}

// unworthy says why a candidate cannot be chosen whatever the budget; empty means it can.
func (in Input) unworthy(c Candidate) string {
	saved := c.Gains - c.Losses
	switch {
	case in.Settings.Estimator == ByConstant: // it saves only beside other tables
		return ""
	case saved <= 0:
		return fmt.Sprintf("saves nothing: %s a window against %s now", c.ScannedBytes, c.ScannedBytes+saved)
	case in.losesTooMuch(c):
		return fmt.Sprintf("%s would read %s more a window, over %.0f %% of the %s that others save (max_loss)",
			unit.Counted(len(c.Losers), "query class", "query classes"), c.Losses, in.Settings.MaxLoss*100, c.Gains)
	case float64(c.NPV) <= in.Settings.Margin*float64(c.Rewrite):
		return fmt.Sprintf("saves %s a window, too little for a rewrite of %s: NPV %s, wanted over %.0f %% of the rewrite",
			saved, c.Rewrite, c.NPV, in.Settings.Margin*100)
	}
	return ""
}

func (in Input) losesTooMuch(c Candidate) bool {
	return float64(c.Losses) > in.Settings.MaxLoss*float64(c.Gains)
}
