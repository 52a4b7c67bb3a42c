package plan

import (
	"fmt"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

const (
	// redrawnCopies is how often each read is imagined with other constants.
	redrawnCopies = 8
	// redrawnWeight is what all copies of a read count together beside the read itself. On
	// TPC-H cuts learnt so read within 1 % of those learnt for the reads alone, and as little
	// as those learnt for the copies alone where constants changed.
	redrawnWeight = 0.3
	// maxWishes bounds what cuts are learnt from: beyond it there are fewer copies.
	maxWishes = 4_000
	// protectedWeight is how much more a protected class counts while cuts are learnt: it may
	// not lose whatever the others gain.
	protectedWeight = 8
	// sparedWeight is how much more a class counts each time it lost by the cuts learnt before,
	// and sparings how often cuts are learnt again so. Growing a tree is greedy: what spares the
	// losers often spares the rest as well.
	sparedWeight = 8
	sparings     = 2
)

// weighCuts learns cuts from the window's predicates and weighs them. They are learnt for the
// reads as they were and, in part, for the same reads with other constants; and they are only
// offered where those other constants would read no more than by the best curve that may be
// chosen, or as the table is where none may, so that a query nobody has seen loses nothing.
// Where classes lose by them, cuts are learnt again that spare those more, and the best are
// offered. Only tables that ajlo alone maintains are cut: another engine's OPTIMIZE would not
// keep the cuts.
func (in Input) weighCuts(w *weighed) error {
	curve, _, ok := w.least()
	if !ok || in.Settings.Engine != EmbeddedEngine || w.input.Snapshot.Format != lake.Delta {
		return nil
	}
	if len(w.input.Snapshot.Layout.Partition) > 0 {
		w.refuse(within(w.input.Snapshot, layout.CutBy(nil, curve.Clustering...)), cutPartitions)
		return nil
	}
	r, err := w.rival()
	if err != nil {
		return err
	}
	first := len(w.table.Candidates)
	w.spared = map[string]float64{}
	for range 1 + sparings {
		known := len(w.table.Candidates)
		if err := in.learnCuts(w, curve.Clustering, r); err != nil || len(w.table.Candidates) == known {
			return err
		}
		learnt := w.table.Candidates[known]
		w.keepBetter(first)
		if learnt.Refused || len(learnt.Losers) == 0 {
			return nil
		}
		w.spare(learnt.Losers)
	}
	return nil
}

// learnCuts weighs the cuts learnt while classes count as they do now, leaves in the order of
// keys; there may be none.
func (in Input) learnCuts(w *weighed, keys []table.Column, r rival) error {
	seen, others := w.wishes()
	tree := w.what.simulation.Learn(append(seen, others...), w.what.files)
	l := layout.CutBy(tree, keys...)
	if tree == nil || w.has(l) {
		return nil
	}
	reason, err := w.worseThan(r, l)
	if err != nil {
		return err
	}
	if reason != "" {
		w.refuse(l, reason)
		return nil
	}
	return in.try(w, l)
}

// spare lets classes count more in the cuts learnt next.
func (w *weighed) spare(losers []string) {
	for _, fingerprint := range losers {
		w.spared[fingerprint] = sparedWeight * max(1, w.spared[fingerprint])
	}
}

// keepBetter keeps of the two candidates at a place the one that may be chosen and is worth more.
func (w *weighed) keepBetter(at int) {
	list := w.table.Candidates
	if len(list) != at+2 {
		return
	}
	old, learnt := list[at], list[at+1]
	may := func(c Candidate) bool { return c.Reason == "" }
	if !learnt.Refused && (may(learnt) && !may(old) || may(learnt) == may(old) && learnt.NPV > old.NPV) {
		list[at], w.then[at] = learnt, w.then[at+1]
	}
	w.table.Candidates = list[:at+1]
	delete(w.then, at+1)
}

// cutPartitions is why a table with partitions is not cut.
const cutPartitions = "refused: each partition would be parted by the whole tree, into files far below the target size"

func (w *weighed) refuse(l layout.Layout, reason string) {
	w.table.Candidates = append(w.table.Candidates, refusal(l, "%s", reason))
}

// rival is what a table gets unless it is cut: the curve of those that may be chosen that reads
// least, or else it stays as it is.
type rival struct {
	name    string
	scanned unit.Bytes    // by the window's reads
	unseen  []layout.Wish // the same reads with other constants
	others  unit.Bytes    // scanned by those
}

func (w weighed) rival() (rival, error) {
	best := 0 // stays as it is
	for i, c := range w.table.Candidates {
		if c.Reason == "" && c.ScannedBytes < w.table.Candidates[best].ScannedBytes {
			best = i
		}
	}
	c, laid := w.table.Candidates[best], w.what.present
	r := rival{name: "the table as it is", scanned: c.ScannedBytes}
	if best > 0 {
		var err error
		if laid, err = w.what.lay(c.Layout); err != nil {
			return rival{}, fmt.Errorf("plan: %s by %s: %w", w.table.Table, c.Layout, err)
		}
		r.name = c.Layout.String()
	}
	_, r.unseen = w.wishes()
	r.others = laid.scannedBy(r.unseen)
	return r, nil
}

// worseThan says why learnt cuts are not offered beside what the table gets without; empty where
// they are.
func (w weighed) worseThan(r rival, cuts layout.Layout) (string, error) {
	laid, err := w.what.lay(cuts)
	if err != nil {
		return "", err
	}
	if !w.gains(r.scanned, laid) {
		return fmt.Sprintf("refused: learnt cuts read no less than %s", r.name), nil
	}
	if others := laid.scannedBy(r.unseen); others > r.others {
		return fmt.Sprintf("refused: asked for other values than this window's, queries would read %s by it and %s by %s", others, r.others, r.name), nil
	}
	return "", nil
}

// gains reports whether cuts read less than that, or spare some class that loses otherwise.
func (w weighed) gains(scanned unit.Bytes, laid files) bool {
	return sum(laid.bytesByRead(w.what.reads)) < scanned || len(w.protected)+len(w.spared) > 0
}

// wishes are the reads as they were, and with other constants.
func (w weighed) wishes() (seen, others []layout.Wish) {
	for _, r := range w.what.reads {
		if r.predicate != nil {
			seen = append(seen, layout.Wish{Predicate: r.predicate, Weight: w.weightOf(r)})
		}
	}
	recurring := layout.RecurringCuts(seen)
	copies := min(redrawnCopies, max(1, maxWishes/max(1, len(seen))))
	for _, wish := range seen {
		for _, p := range w.what.simulation.Redrawn(wish.Predicate, copies, recurring) {
			others = append(others, layout.Wish{Predicate: p, Weight: redrawnWeight * wish.Weight / float64(copies)})
		}
	}
	return seen, others
}

func (w weighed) weightOf(r read) float64 {
	weight := float64(r.weight) * max(1, w.spared[r.class])
	if w.protected[r.class] {
		weight *= protectedWeight
	}
	return weight
}

// scannedBy is what all wishes together would scan.
func (f files) scannedBy(wishes []layout.Wish) unit.Bytes {
	total := 0.0
	for _, wish := range wishes {
		total += wish.Weight * float64(f.readBytes(wish.Predicate))
	}
	return unit.Bytes(total)
}
