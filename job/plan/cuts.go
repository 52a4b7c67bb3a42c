package plan

import (
	"fmt"

	"ajlo/job/lake"
	"ajlo/job/layout"
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
)

// weighCuts learns cuts from the window's predicates and weighs them. They are learnt for the
// reads as they were and, in part, for the same reads with other constants; and they are only
// offered where those other constants would read no more than by the best curve,
// so that a query nobody has seen loses nothing. Only tables that ajlo alone maintains are cut:
// another engine's OPTIMIZE would not keep the cuts.
func (in Input) weighCuts(w *weighed) error {
	curve, scanned, ok := w.least()
	if !ok || in.Settings.Engine != EmbeddedEngine || w.input.Snapshot.Format != lake.Delta {
		return nil
	}
	if len(w.input.Snapshot.Layout.Partition) > 0 {
		w.refuse(within(w.input.Snapshot, layout.CutBy(nil, curve.Clustering...)), cutPartitions)
		return nil
	}
	seen, others := w.wishes()
	tree := w.what.simulation.Learn(append(seen, others...), w.what.files)
	l := layout.CutBy(tree, curve.Clustering...)
	if tree == nil || w.has(l) {
		return nil
	}
	reason, err := w.worseThan(curve, scanned, l, others)
	if err != nil {
		return err
	}
	if reason != "" {
		w.refuse(l, reason)
		return nil
	}
	return in.try(w, l)
}

// cutPartitions is why a table with partitions is not cut.
const cutPartitions = "refused: each partition would be parted by the whole tree, into files far below the target size"

func (w *weighed) refuse(l layout.Layout, reason string) {
	w.table.Candidates = append(w.table.Candidates, refusal(l, "%s", reason))
}

// worseThan says why learnt cuts are not offered beside the best curve, which scans so much;
// empty where they are.
func (w weighed) worseThan(curve layout.Layout, scanned unit.Bytes, cuts layout.Layout, others []layout.Wish) (string, error) {
	var read [2]unit.Bytes
	for i, l := range []layout.Layout{curve, cuts} {
		laid, err := w.what.lay(l)
		if err != nil {
			return "", err
		}
		if i == 1 && !w.gains(scanned, laid) {
			return fmt.Sprintf("refused: learnt cuts read no less than %s", curve), nil
		}
		read[i] = laid.scannedBy(others)
	}
	if read[1] > read[0] {
		return fmt.Sprintf("refused: asked for other values than this window's, queries would read %s by it and %s by %s", read[1], read[0], curve), nil
	}
	return "", nil
}

// gains reports whether cuts read less than the curve, or spare a protected class something.
func (w weighed) gains(scanned unit.Bytes, laid files) bool {
	return sum(laid.bytesByRead(w.what.reads)) < scanned || len(w.protected) > 0
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
	if w.protected[r.class] {
		return protectedWeight * float64(r.weight)
	}
	return float64(r.weight)
}

// scannedBy is what all wishes together would scan.
func (f files) scannedBy(wishes []layout.Wish) unit.Bytes {
	total := 0.0
	for _, wish := range wishes {
		total += wish.Weight * float64(f.readBytes(wish.Predicate))
	}
	return unit.Bytes(total)
}
