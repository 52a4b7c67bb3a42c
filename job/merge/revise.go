package merge

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// secondPass writes the touched files anew, each in its own order.
type secondPass struct {
	decided
	request  Request
	prepared *rewrite.Prepared
	schema   *arrow.Schema  // of the data files
	stored   []int          // columns of the data files
	aside    *rewrite.Aside // rows that move, by partition
	nans     rewrite.NaNs   // of the source
}

// revised is one file written anew.
type revised struct {
	file    int             // of the snapshot
	written rewrite.Written // without rows where none is left
	marked  *delta.Add      // the file with its deletion vector, where it was not written anew
	moved   rewrite.RowSum  // rows that were put aside
}

// newSecondPass gets ready what all files share.
func (d decided) newSecondPass(ctx context.Context, r Request, o rewrite.Options) (p *secondPass, err error) {
	t := d.target
	p = &secondPass{decided: d, request: r, stored: t.stored()}
	files := d.settled.taken()
	for _, f := range d.decision.touched {
		files = append(files, f.file)
	}
	if len(files) == 0 && len(t.delta.Files) > 0 {
		files = []int{0} // for the form of its files
	}
	task := t.task(r, files)
	task.TargetFile = d.targetFile
	if p.prepared, err = rewrite.Prepare(ctx, task, o); err != nil {
		return nil, t.refusal(r, err)
	}
	if p.schema, err = rewrite.ArrowSchema(p.prepared.Columns()); err != nil {
		return nil, err
	}
	p.nans = p.prepared.NaNsOf(p.given())
	p.aside, err = p.prepared.NewAside()
	return p, err
}

// given are all values that rules may give, as rows of the data files; where a column has fewer
// chunks than others it is without rows.
func (p *secondPass) given() (rows [][]arrow.Array) {
	for k, c := range p.stored {
		for i, chunk := range p.rules.chunks(p.source, c, nil)[1:] {
			if i == len(rows) {
				columns := make([]arrow.Array, len(p.stored))
				for k := range columns {
					columns[k] = absent(p.schema.Field(k).Type, 0)
				}
				rows = append(rows, columns)
			}
			rows[i][k] = chunk
		}
	}
	return rows
}

// run revises or marks all files. Paths are theirs.
func (p *secondPass) run(ctx context.Context, paths []string, tell func(done, total unit.Bytes)) ([]revised, error) {
	done := make([]revised, len(p.decision.touched))
	var mu sync.Mutex
	written := unit.Bytes(0)
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(p.prepared.Workers())
	for i, f := range p.decision.touched {
		group.Go(func() (err error) {
			if p.settled.marked[i] {
				done[i], err = p.mark(inner, i, f)
				return err
			}
			if done[i], err = p.revise(inner, i, f, paths[i]); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			written += unit.Bytes(p.target.delta.Files[f.file].Size)
			tell(written, p.plan.BytesTouched)
			return nil
		})
	}
	return done, group.Wait()
}

// names are the paths of the new files, beside the old ones; "" of a file that is not written anew.
func (p *secondPass) names() (paths []string) {
	for i, f := range p.decision.touched {
		if p.settled.marked[i] {
			paths = append(paths, "")
			continue
		}
		paths = append(paths, p.prepared.Name(delta.PartitionFolder(p.target.delta.Files[f.file], p.target.delta.Metadata), i))
	}
	return paths
}

// revise writes one file anew and holds the sum of its rows against what they should be (rule 1).
func (p *secondPass) revise(ctx context.Context, number int, f matches, path string) (revised, error) {
	add := p.target.delta.Files[f.file]
	log := rewrite.Listed(add)
	nans, err := p.prepared.NaNsIn(ctx, log, p.nans)
	if err != nil {
		return revised{}, err
	}
	e := &edit{secondPass: p, matches: f, add: add, number: uint64(number)}
	written, sum, err := p.prepared.Write(ctx, rewrite.Ordered{
		Path: path, Most: f.rows + int64(len(p.settled.guests[number])), Width: float64(add.Size) / float64(max(1, f.rows)), NaNs: nans,
		Rows: func(yield func([]arrow.Array, error) bool) { e.rows(ctx, log, yield) },
	})
	if err != nil {
		return revised{}, err
	}
	if want := e.old.Minus(e.out).Plus(e.in); sum != want || e.met != f.changed() {
		return revised{}, fmt.Errorf("rule 1: %s holds other rows than %s with its changes (%d rows, not %d; %d of %d changes were met); nothing was committed",
			path, add.Path, sum.Rows, want.Rows, e.met, f.changed())
	}
	return revised{file: f.file, written: written, moved: e.moved}, nil
}

// edit is one file on its way through.
type edit struct {
	*secondPass
	matches
	add    delta.Add
	number uint64
	leave  bool  // updated rows leave the file, whatever their keys
	next   int   // match that comes next
	met    int64 // changes that were met
	turn   uint64
	// Sums of the file's rows, of those that leave it, of those that come in, and of those that
	// were put aside.
	old, out, in, moved rewrite.RowSum
}

func (e *edit) rows(ctx context.Context, log rewrite.File, yield func([]arrow.Array, error) bool) {
	if !e.own(ctx, log, yield) {
		return
	}
	for columns, err := range e.inserts(e.settled.guests[e.number], &e.in) {
		if !yield(columns, err) || err != nil {
			return
		}
	}
}

// own yields what stays of the file's own rows, and says whether more is wanted.
func (e *edit) own(ctx context.Context, log rewrite.File, yield func([]arrow.Array, error) bool) bool {
	var plain []int
	for _, rule := range e.rules.all {
		for _, key := range rule.homes {
			plain = append(plain, slices.Index(e.stored, key))
		}
	}
	for rows, err := range e.prepared.ScanAll(ctx, log, plain) {
		var columns []arrow.Array
		if err == nil {
			columns, err = e.batch(rows)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if len(columns) > 0 && columns[0].Len() > 0 && !yield(columns, nil) {
			return false
		}
	}
	return true
}

// fates are what becomes of the rows of a batch.
type fates struct {
	stay  []built         // as they were, or updated in their place
	out   []built         // rows of the file as they were
	in    []built         // updated rows that keep their place
	moves map[int][]built // updated rows that do not, by partition
	order []int           // partitions, as they came
}

// batch gives what stays of some rows; of a file that is not written anew nothing.
func (e *edit) batch(rows rewrite.Rows) ([]arrow.Array, error) {
	if e.leave {
		f, err := e.fates(rows)
		if err != nil || len(f.out) == 0 {
			return nil, err
		}
		return nil, e.account(rows, f)
	}
	old, err := rewrite.SumRows(e.prepared.Columns(), rows.Columns, rows.Count)
	if err != nil {
		return nil, err
	}
	e.old = e.old.Plus(old)
	f, err := e.fates(rows)
	if err != nil {
		return nil, err
	}
	if len(f.out) == 0 {
		return e.whole(rows)
	}
	if err := e.account(rows, f); err != nil {
		return nil, err
	}
	return e.gather(rows, f.stay)
}

// whole gives rows none of which changes; only what cannot be written as it is is copied.
func (p *secondPass) whole(rows rewrite.Rows) ([]arrow.Array, error) {
	columns := slices.Clone(rows.Columns)
	all := make([]rewrite.Pick, rows.Count)
	for i := range all {
		all[i].Row = uint32(i)
	}
	for k, column := range columns {
		dt := p.schema.Field(k).Type
		if column.Data().Offset() == 0 && column.DataType().ID() == dt.ID() {
			continue
		}
		var err error
		if columns[k], err = rewrite.Gather(dt, []arrow.Array{column}, all); err != nil {
			return nil, fmt.Errorf("column %q: %w", p.target.schema[p.stored[k]].Name, err)
		}
	}
	return columns, nil
}

// account sums what leaves and what comes in, and puts aside what moves.
func (e *edit) account(rows rewrite.Rows, f fates) error {
	out, _, err := e.sum(rows, f.out)
	if err != nil {
		return err
	}
	in, _, err := e.sum(rows, f.in)
	if err != nil {
		return err
	}
	e.out, e.in = e.out.Plus(out), e.in.Plus(in)
	for _, part := range f.order {
		sum, columns, err := e.sum(rows, f.moves[part])
		if err != nil {
			return err
		}
		e.moved = e.moved.Plus(sum)
		if err := e.aside.Put(part, e.number<<32|e.turn, columns); err != nil {
			return err
		}
		e.turn++
	}
	return nil
}

func (e *edit) sum(rows rewrite.Rows, of []built) (rewrite.RowSum, []arrow.Array, error) {
	if len(of) == 0 {
		return rewrite.RowSum{}, nil, nil
	}
	columns, err := e.gather(rows, of)
	if err != nil {
		return rewrite.RowSum{}, nil, err
	}
	sum, err := rewrite.SumRows(e.prepared.Columns(), columns, len(of))
	return sum, columns, err
}

// gather makes rows of those of a batch of the file and those of the source.
func (e *edit) gather(rows rewrite.Rows, of []built) ([]arrow.Array, error) {
	return e.make(of, func(k int) arrow.Array { return rows.Columns[k] })
}

// make makes rows; own gives each stored column of the rows that they are made of.
func (p *secondPass) make(of []built, own func(k int) arrow.Array) ([]arrow.Array, error) {
	columns := make([]arrow.Array, len(p.stored))
	for k, c := range p.stored {
		var err error
		chunks := p.rules.chunks(p.source, c, own(k))
		if columns[k], err = rewrite.Gather(p.schema.Field(k).Type, chunks, p.rules.picks(p.source, c, of)); err != nil {
			return nil, fmt.Errorf("column %q: %w", p.target.schema[c].Name, err)
		}
	}
	return columns, nil
}

// fates decides row by row.
func (e *edit) fates(rows rewrite.Rows) (f fates, err error) {
	homes := make([]rewrite.Keys, len(e.rules.all))
	for i := range e.rules.all {
		if homes[i], err = e.viewHomes(rows, e.rules.all[i].homes); err != nil {
			return fates{}, err
		}
	}
	f.moves = map[int][]built{}
	for i := range rows.Count {
		row, by := e.fate(rows.Position(i))
		row.own = rewrite.Pick{Row: uint32(i)}
		switch {
		case row.rule == none:
			f.stay = append(f.stay, row)
		case e.rules.all[row.rule].Action == Delete:
			f.out = append(f.out, built{own: row.own, rule: none})
		default:
			f.out = append(f.out, built{own: row.own, rule: none})
			if err := e.update(&f, row, by, homes[row.rule]); err != nil {
				return fates{}, err
			}
		}
	}
	return f, nil
}

// fate is the rule for the row at a place of the file, and the row of the source.
func (e *edit) fate(place uint64) (row built, by int32) {
	row, by = built{rule: none}, noRow
	if e.next < len(e.places) && uint64(e.places[e.next]) == place {
		row.rule, by = int(e.rule[e.next]), e.by[e.next]
		row.from = e.source.pick(by)
		e.next++
		e.met++
		return row, by
	}
	for i, places := range e.others {
		if places.Contains(uint32(place)) {
			row.rule = e.rules.inserts + i
			e.met++
		}
	}
	return row, by
}

// update keeps a row in its place, or sends it where it belongs.
func (e *edit) update(f *fates, row built, by int32, homes rewrite.Keys) error {
	rule, here := &e.rules.all[row.rule], e.parts.ofFile[e.file]
	part := here
	if e.rules.moves(e.target, row.rule) {
		var err error
		if part, err = e.parts.of(&e.decided, row.rule, by, &e.add); err != nil {
			return err
		}
	}
	same := len(rule.homes) == 0 || homes.Same(int(row.own.Row), rule.views[row.from.Chunk-1], int(row.from.Row))
	if part == here && !e.leave && !rule.adrift && same {
		f.stay, f.in = append(f.stay, row), append(f.in, row)
		return nil
	}
	if f.moves[part] == nil {
		f.order = append(f.order, part)
	}
	f.moves[part] = append(f.moves[part], row)
	return nil
}

// viewHomes is clustering keys of some rows of the file.
func (e *edit) viewHomes(rows rewrite.Rows, homes []int) (rewrite.Keys, error) {
	columns := make([]arrow.Array, len(homes))
	for k, c := range homes {
		columns[k] = rows.Columns[slices.Index(e.stored, c)]
	}
	return rewrite.ViewKeys(columns)
}
