package plan

import (
	"math"
	"slices"
	"strings"

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
	bytes      unit.Bytes     // of the part of the table that is laid
	files      int            // that the target size makes of it
	outside    files          // the rest, which stays
	maker      layout.Maker
	simulation *layout.Simulation
	present    files
	writing    writing
	// partsAlone are columns that leave files unread only where a table is partitioned by them.
	partsAlone []table.Column
	writtenNow unit.Bytes // by the window's changes, with the files as they are
}

func newWhatIf(t TableInput, sc scope, rs []read, did writing, target unit.Bytes, maker layout.Maker) whatIf {
	values := map[table.Column][]predicate.Value{}
	for i, c := range t.Sample.Columns {
		values[c] = t.Sample.Values[i]
	}
	now, rest := present(t.Snapshot), t.Snapshot
	rest.Files = sc.outside
	w := whatIf{
		reads:      rs,
		columns:    union(predicateColumns(rs), did.columnsOfChanges()),
		now:        now.bytesByRead(rs),
		present:    now,
		writing:    did,
		bytes:      sc.inside.Bytes(),
		files:      simulatedFiles(t, maker.FileCount(sc.inside.Bytes(), target)),
		outside:    present(rest),
		maker:      maker,
		simulation: layout.NewSimulation(values, t.Sample.Len(), func(c table.Column) int { return boundChars(t.Snapshot, c) }),
	}
	w.writtenNow = w.written(now)
	return w
}

func union(a, b []table.Column) []table.Column {
	all := slices.Clone(a)
	for _, c := range b {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// simulatedFiles is how many files are simulated of those that are made. A sample that is only a part of a
// big table is cut into fewer, so that each has rows enough to show how wide it is, a quarter of
// a small file's: the what-if then promises less than the table would give, never more.
func simulatedFiles(t TableInput, files int) int {
	if int64(t.Sample.Len()) < t.Sample.Population {
		enough := min(sampleRowsPerFile, max(1, int(t.Sample.Population/4)/max(1, files)))
		files = min(files, max(1, t.Sample.Len()/enough))
	}
	return files
}

// present is the table's live files with the bounds they have.
func present(s lake.Snapshot) files {
	return files{
		n:         len(s.Files),
		partition: s.Layout.Partition,
		size:      func(i int) unit.Bytes { return s.Files[i].Bytes },
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
	laid, err := w.lay(l)
	if err != nil {
		return nil, err
	}
	return laid.bytesByRead(w.reads), nil
}

// lay simulates the files of a layout.
func (w whatIf) lay(l layout.Layout) (files, error) {
	bounded := slices.DeleteFunc(slices.Clone(w.columns), func(c table.Column) bool {
		return slices.Contains(w.partsAlone, c) && !slices.Contains(l.Partition, c)
	})
	made, err := w.simulation.Lay(l, w.maker, w.files, bounded)
	if err != nil {
		return files{}, err
	}
	return files{n: made.Files, size: shared(w.bytes, made.Share), bound: made.File, partition: l.Partition}.and(w.outside), nil
}

// and are both sets of files.
func (f files) and(more files) files {
	if more.n == 0 {
		return f
	}
	return files{
		n: f.n + more.n, partition: f.partition,
		size: func(i int) unit.Bytes {
			if i < f.n {
				return f.size(i)
			}
			return more.size(i - f.n)
		},
		bound: func(i int) prune.Columns {
			if i < f.n {
				return f.bound(i)
			}
			return more.bound(i - f.n)
		},
	}
}

// shared parts the table's bytes over its files by their share of the rows, so that they add
// up.
func shared(total unit.Bytes, shares []float64) func(i int) unit.Bytes {
	sizes := make([]unit.Bytes, len(shares))
	sum, before := 0.0, unit.Bytes(0)
	for i, share := range shares {
		sum += share
		end := unit.Bytes(math.Round(sum * float64(total)))
		sizes[i], before = end-before, end
	}
	return func(i int) unit.Bytes { return sizes[i] }
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
		c.Executions += r.executions
		c.Query = first(c.Query, r.query)
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
		for _, a := range r.arrivals {
			if a.values != nil && !slices.Contains(columns, a.column) {
				columns = append(columns, a.column)
			}
		}
	}
	return columns
}

func sum(list []unit.Bytes) (total unit.Bytes) {
	for _, b := range list {
		total += b
	}
	return total
}
