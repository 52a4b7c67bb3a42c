package plan

import (
	"slices"
	"strings"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// whatIf foretells what the window's reads would scan under another layout: the sample is
// laid out as the engine would lay the table, cut into as many files as the target size
// makes, and each real predicate is held against the bounds that the format would keep.
type whatIf struct {
	reads      []read
	columns    []table.Column // that some predicate names
	now        []unit.Bytes   // by read, with the files as they are
	bytes      unit.Bytes     // of the table
	files      int            // that the target size makes
	simulation *layout.Simulation
}

func newWhatIf(t TableInput, rs []read, target unit.Bytes) whatIf {
	values := map[table.Column][]predicate.Value{}
	for i, c := range t.Sample.Columns {
		values[c] = t.Sample.Values[i]
	}
	return whatIf{
		reads:      rs,
		columns:    predicateColumns(rs),
		now:        present(t.Snapshot).bytesByRead(rs),
		bytes:      t.Snapshot.Bytes(),
		files:      simulatedFiles(t, target),
		simulation: layout.NewSimulation(values, t.Sample.Len(), dialect.BoundChars),
	}
}

// simulatedFiles is how many files the target size makes. A sample that is only a part of a
// big table is cut into fewer, so that each has rows enough to show how wide it is: the
// what-if then promises less than the table would give, never more.
func simulatedFiles(t TableInput, target unit.Bytes) int {
	files := layout.FileCount(t.Snapshot.Bytes(), target)
	if int64(t.Sample.Len()) < t.Sample.Population {
		files = min(files, max(1, t.Sample.Len()/sampleRowsPerFile))
	}
	return files
}

// present is the table's live files with the bounds they have.
func present(s lake.Snapshot) files {
	return files{
		n:    len(s.Files),
		size: func(i int) unit.Bytes { return s.Files[i].Bytes },
		bound: func(i int) prune.Columns {
			return func(c table.Column) (prune.Bounds, bool) {
				b, ok := s.Files[i].Bounds[c]
				return b, ok
			}
		},
	}
}

// under gives what each read would scan per window by the layout.
func (w whatIf) under(l layout.Layout) ([]unit.Bytes, error) {
	made, err := w.simulation.Lay(l, layout.ExactRanks, w.files, w.columns)
	if err != nil {
		return nil, err
	}
	laid := files{n: made.Files, size: evenly(w.bytes, made.Files), bound: made.File}
	return laid.bytesByRead(w.reads), nil
}

// evenly parts the table's bytes over its files so that they add up.
func evenly(total unit.Bytes, n int) func(i int) unit.Bytes {
	at := func(i int) unit.Bytes { return unit.Bytes(float64(total) / float64(n) * float64(i)) }
	return func(i int) unit.Bytes {
		if i == n-1 {
			return total - at(i)
		}
		return at(i+1) - at(i)
	}
}

// classes sums reads by class, sorted by fingerprint.
func (w whatIf) classes(then []unit.Bytes) []Class {
	byName := map[string]*Class{}
	for i, r := range w.reads {
		c := byName[r.class]
		if c == nil {
			c = &Class{Fingerprint: r.class}
			byName[r.class] = c
		}
		c.Executions += r.weight
		c.Now += w.now[i]
		c.Then += then[i]
	}
	list := make([]Class, 0, len(byName))
	for _, c := range byName {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Class) int { return strings.Compare(a.Fingerprint, b.Fingerprint) })
	return list
}

func predicateColumns(rs []read) []table.Column {
	var columns []table.Column
	for _, r := range rs {
		r.predicate.Columns(func(c table.Column, _ predicate.Op) bool {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
			return true
		})
	}
	return columns
}

func sum(list []unit.Bytes) (total unit.Bytes) {
	for _, b := range list {
		total += b
	}
	return total
}
