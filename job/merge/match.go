package merge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/merge/condition"
	"ajlo/job/prune"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// matches is what the first pass found in one file.
type matches struct {
	file   int               // of the snapshot
	rows   int64             // that are not deleted
	hits   int64             // rows that match, whatever becomes of them
	places []uint32          // of rows that match and that a rule changes, rising
	by     []int32           // row of the source, of each of those
	rule   []int16           // that does, of each of those
	others []*roaring.Bitmap // places of rows that match nothing, by the rules for those
	// ambiguous is the first row that several rows of the source want to change.
	ambiguous *Ambiguous
}

// changed is how many rows do not stay as they are.
func (m matches) changed() (rows int64) {
	for _, places := range m.others {
		rows += int64(places.GetCardinality())
	}
	return rows + int64(len(m.places))
}

// count calls yield with every rule and how many rows of the file it changes.
func (m matches) count(c *rules, yield func(rule int, rows int64)) {
	byRule := make([]int64, c.inserts)
	for _, rule := range m.rule {
		byRule[rule]++
	}
	for rule, rows := range byRule {
		yield(rule, rows)
	}
	for i, places := range m.others {
		yield(c.inserts+i, int64(places.GetCardinality()))
	}
}

// updates reports whether a rule changes a row of the file and does not delete it.
func (m matches) updates(c *rules) (found bool) {
	m.count(c, func(rule int, rows int64) { found = found || rows > 0 && c.all[rule].Action == Update })
	return found
}

// Matches are kept from the first pass to the second: so many bytes each, all together at most one
// part in so many of the memory limit.
const (
	matchBytes = 10
	matchShare = 8
)

// errManyMatches is when matches take too much memory.
var errManyMatches = errors.New("too many rows match")

// candidates are the live files that bounds cannot exclude.
func (d *decided) chooseCandidates() {
	for i, f := range d.target.lake.Files {
		if d.mayDecide(f) {
			d.candidates = append(d.candidates, i)
		}
	}
}

// mayDecide reports whether a file could hold rows that match, or rows that match nothing and are
// changed for it.
func (d *decided) mayDecide(f lake.File) bool {
	bounds := func(column table.Column) (prune.Bounds, bool) {
		b, ok := f.Bounds[column]
		return b, ok
	}
	may := func(c *condition.Condition) bool { return c == nil || prune.MayMatch(&c.OfTable, bounds) }
	for _, rule := range d.rules.all[d.rules.inserts:] {
		if may(rule.when) {
			return true
		}
	}
	return may(d.rules.on) && d.source.index.mayBeIn(boundsOf(d.target, f, d.target.on))
}

// boundsOf are those of some columns; of a column that has none they exclude nothing.
func boundsOf(t *target, f lake.File, columns []int) []prune.Bounds {
	bounds := make([]prune.Bounds, len(columns))
	for k, c := range columns {
		b, ok := f.Bounds[table.Column(t.schema[c].Name)]
		if !ok {
			b = prune.Bounds{Nulls: -1, Rows: -1}
		}
		bounds[k] = b
	}
	return bounds
}

// firstPass reads the columns that decide, of the candidates.
type firstPass struct {
	*decided
	request  Request
	prepared *rewrite.Prepared
	stored   delta.Schema // those of the columns to read that files hold
	at       []int        // of each column to read among them, −1 for partition columns
	most     int64        // matches that may be kept
	kept     atomic.Int64
	hit      []uint32 // a bit for each row of the source that matches; nil where nobody asks
}

// match reads the candidates and says which rows of the source match.
func (m *Merger) match(ctx context.Context, r Request, d *decided) (found []matches, hit []uint32, err error) {
	prepared, err := rewrite.Prepare(ctx, d.target.task(r, d.candidates), m.rewriting(d.source.held))
	if err != nil {
		return nil, nil, d.target.refusal(r, err)
	}
	p := &firstPass{decided: d, request: r, prepared: prepared, most: int64(m.o.Memory / matchShare / matchBytes)}
	if len(r.NotMatched) > 0 {
		p.hit = make([]uint32, d.source.count()/32+1)
	}
	for _, c := range d.rules.read {
		if slices.Contains(d.target.parted, c) {
			p.at = append(p.at, -1)
			continue
		}
		p.at = append(p.at, len(p.stored))
		p.stored = append(p.stored, d.target.schema[c])
	}
	found = make([]matches, len(d.candidates))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(prepared.Workers())
	for i, file := range d.candidates {
		group.Go(func() (err error) {
			found[i], err = p.read(inner, file)
			return err
		})
	}
	err = group.Wait()
	if errors.Is(err, errManyMatches) {
		return nil, nil, r.refuse("more than %d rows match, which %s of memory have no room for: set --memory higher or merge in parts", p.most, m.o.Memory)
	}
	return found, p.hit, err
}

// task is the table's files as the rewriting parts take them.
func (t *target) task(r Request, files []int) rewrite.Task {
	task := rewrite.Task{Table: r.Table, Store: t.store, Metadata: t.delta.Metadata, Layout: t.order}
	for _, i := range files {
		task.Files = append(task.Files, rewrite.Listed(t.delta.Files[i]))
	}
	return task
}

// refusal turns what the rewriting parts refuse into one of the merge.
func (t *target) refusal(r Request, err error) error {
	var refused *rewrite.Refusal
	if errors.As(err, &refused) {
		return r.refuse("version %d: %s", t.delta.Version, refused.Reason)
	}
	return fmt.Errorf("merge into %s at version %d: %w", r.Table, t.delta.Version, err)
}

// read looks at one file.
func (p *firstPass) read(ctx context.Context, file int) (matches, error) {
	add, found := p.target.delta.Files[file], matches{file: file}
	for range p.request.NotMatchedBySource {
		found.others = append(found.others, roaring.New())
	}
	look := &look{firstPass: p, matches: &found}
	for rows, err := range p.prepared.Scan(ctx, rewrite.Listed(add), p.stored) {
		if err != nil {
			return matches{}, err
		}
		found.rows += int64(rows.Count)
		if err := look.batch(add, rows); err != nil || found.ambiguous != nil {
			return found, err
		}
	}
	for _, places := range found.others {
		places.RunOptimize()
	}
	return found, nil
}

// look is one file that is looked at.
type look struct {
	*firstPass
	*matches
	key  []byte
	sure int64 // of what it keeps, counted already
}

// batch looks at some rows.
func (l *look) batch(add delta.Add, rows rewrite.Rows) error {
	columns, err := l.columns(add, rows)
	if err != nil {
		return err
	}
	keys, err := rewrite.ViewKeys(columns[:len(l.target.on)])
	if err != nil {
		return err
	}
	of := condition.Row{Columns: columns}
	for i := range rows.Count {
		if rows.Position(i) > math.MaxUint32 {
			return fmt.Errorf("%s has more rows than ajlo merges into", add.Path)
		}
		of.At = i
		var first int32
		first, l.key = l.source.find(keys, i, l.key)
		if err := l.row(of, uint32(rows.Position(i)), first); err != nil || l.ambiguous != nil {
			return err
		}
	}
	size := int64(len(l.places))
	for _, places := range l.others {
		size += int64(places.GetSizeInBytes()) / matchBytes
	}
	if l.kept.Add(size-l.sure) > l.most {
		return errManyMatches
	}
	l.sure = size
	return nil
}

// row decides what becomes of a row.
func (l *look) row(of condition.Row, place uint32, first int32) error {
	by, err := l.matching(of, first)
	if err != nil || l.ambiguous != nil {
		return err
	}
	if by == noRow {
		rule, err := l.rules.first(l.rules.inserts, len(l.rules.all), of, condition.Row{})
		if err == nil && rule != none {
			l.others[rule-l.rules.inserts].Add(place)
		}
		return err
	}
	l.hits++
	rule, err := l.rules.first(0, l.rules.matched, of, l.source.row(by))
	if err == nil && rule != none {
		l.places, l.by, l.rule = append(l.places, place), append(l.by, by), append(l.rule, int16(rule))
	}
	return err
}

// matching is the first row of the source that a row matches, among those with its key, noRow where
// there is none; all of them are marked.
func (l *look) matching(of condition.Row, row int32) (first int32, err error) {
	if row == noRow || l.rules.on == nil && l.request.unambiguous() && (l.hit == nil || l.marked(row)) {
		return row, nil // the others of its key are marked, too, or being marked
	}
	for first = noRow; row != noRow; row = l.source.index.after(row) {
		if l.rules.on != nil {
			if holds, err := l.rules.on.Holds(of, l.source.row(row)); err != nil {
				return noRow, err
			} else if !holds {
				continue
			}
		}
		if l.hit != nil {
			atomic.OrUint32(&l.hit[row/32], 1<<(row%32))
		}
		if first == noRow {
			first = row
		} else if !l.request.unambiguous() {
			l.ambiguous = &Ambiguous{int(first) + 1, int(row) + 1}
			return first, nil
		}
	}
	return first, nil
}

func (p *firstPass) marked(row int32) bool {
	return atomic.LoadUint32(&p.hit[row/32])&(1<<(row%32)) != 0
}

// row is a row of the source.
func (s *source) row(row int32) condition.Row {
	at := s.pick(row)
	return condition.Row{Columns: s.chunks[at.Chunk-1], At: int(at.Row)}
}

// columns are those that decide, of some rows of a file.
func (p *firstPass) columns(f delta.Add, rows rewrite.Rows) ([]arrow.Array, error) {
	columns := make([]arrow.Array, len(p.at))
	for k, at := range p.at {
		if at >= 0 {
			columns[k] = rows.Columns[at]
			continue
		}
		var err error
		if columns[k], err = rewrite.PartitionColumn(f, p.target.schema[p.rules.read[k]], rows.Count); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// everyFile are the places of all live files in the snapshot.
func (t *target) everyFile() []int {
	all := make([]int, len(t.delta.Files))
	for i := range all {
		all[i] = i
	}
	return all
}

// bytesOf is the size of files of the snapshot.
func (t *target) bytesOf(files []int) (total unit.Bytes) {
	for _, i := range files {
		total += unit.Bytes(t.delta.Files[i].Size)
	}
	return total
}
