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
	homes    []int          // clustering keys that an update sets
	byHome   []rewrite.Keys // those of each chunk of the source
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
	var rows [][]arrow.Array
	for _, chunk := range d.source.chunks {
		rows = append(rows, p.floats(chunk))
	}
	p.nans = p.prepared.NaNsOf(rows)
	if err := p.viewHomes(); err != nil {
		return nil, err
	}
	p.aside, err = p.prepared.NewAside()
	return p, err
}

// floats are a chunk's columns of the data files; those that are not wanted are without rows.
func (p *secondPass) floats(chunk []arrow.Array) []arrow.Array {
	columns := make([]arrow.Array, len(p.stored))
	for k, c := range p.stored {
		if columns[k] = chunk[c]; columns[k] == nil {
			columns[k] = none(p.schema.Field(k).Type)
		}
	}
	return columns
}

func (p *secondPass) viewHomes() error {
	for _, c := range p.target.keys {
		if p.target.set[c] {
			p.homes = append(p.homes, c)
		}
	}
	for _, chunk := range p.source.chunks {
		columns := make([]arrow.Array, len(p.homes))
		for k, c := range p.homes {
			columns[k] = chunk[c]
		}
		keys, err := rewrite.ViewKeys(columns)
		if err != nil {
			return err
		}
		p.byHome = append(p.byHome, keys)
	}
	return nil
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
	if want := e.old.Minus(e.out).Plus(e.in); sum != want || e.next != len(f.places) {
		return revised{}, fmt.Errorf("rule 1: %s holds other rows than %s with its changes (%d rows, not %d; %d of %d matches were met); nothing was committed",
			path, add.Path, sum.Rows, want.Rows, e.next, len(f.places))
	}
	return revised{file: f.file, written: written, moved: e.moved}, nil
}

// edit is one file on its way through.
type edit struct {
	*secondPass
	matches
	add    delta.Add
	number uint64
	leave  bool // updated rows leave the file, whatever their keys
	next   int  // match that comes next
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
	plain := make([]int, len(e.homes))
	for k, c := range e.homes {
		plain[k] = slices.Index(e.stored, c)
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

// fates are what becomes of the rows of a batch: where each row that stays in the file comes from,
// in the columns that an update sets and in the others, and the rows that leave or come in.
type fates struct {
	stay, staySet []rewrite.Pick
	out           []rewrite.Pick // rows of the file as they were
	in, inSet     []rewrite.Pick // updated rows that keep their place
	moves         map[int]*moves // updated rows that do not, by partition
	order         []int          // partitions, as they came
}

// moves are rows for one partition.
type moves struct{ rest, set []rewrite.Pick }

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
	return e.gather(rows, f.stay, f.staySet)
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
	out, _, err := e.sum(rows, f.out, f.out)
	if err != nil {
		return err
	}
	in, _, err := e.sum(rows, f.in, f.inSet)
	if err != nil {
		return err
	}
	e.out, e.in = e.out.Plus(out), e.in.Plus(in)
	for _, part := range f.order {
		sum, columns, err := e.sum(rows, f.moves[part].rest, f.moves[part].set)
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

func (e *edit) sum(rows rewrite.Rows, rest, set []rewrite.Pick) (rewrite.RowSum, []arrow.Array, error) {
	if len(rest) == 0 {
		return rewrite.RowSum{}, nil, nil
	}
	columns, err := e.gather(rows, rest, set)
	if err != nil {
		return rewrite.RowSum{}, nil, err
	}
	sum, err := rewrite.SumRows(e.prepared.Columns(), columns, len(rest))
	return sum, columns, err
}

// gather copies rows: the columns that an update sets by one list, the others by the other.
func (e *edit) gather(rows rewrite.Rows, rest, set []rewrite.Pick) ([]arrow.Array, error) {
	columns := make([]arrow.Array, len(e.stored))
	for k, c := range e.stored {
		chunks, picks := rows.Columns[k:k+1], rest
		if e.target.set[c] {
			chunks, picks = e.source.column(c), set
			chunks[0] = rows.Columns[k]
		}
		var err error
		if columns[k], err = rewrite.Gather(e.schema.Field(k).Type, chunks, picks); err != nil {
			return nil, fmt.Errorf("column %q: %w", e.target.schema[c].Name, err)
		}
	}
	return columns, nil
}

// fates decides row by row.
func (e *edit) fates(rows rewrite.Rows) (f fates, err error) {
	homes, err := e.viewHome(rows)
	if err != nil {
		return fates{}, err
	}
	f.moves = map[int]*moves{}
	for i := range rows.Count {
		own := rewrite.Pick{Row: uint32(i)}
		group := int32(noGroup)
		if e.next < len(e.places) && uint64(e.places[e.next]) == rows.Position(i) {
			group = e.groups[e.next]
			e.next++
		}
		switch e.fate(group) {
		case Keep:
			f.stay, f.staySet = append(f.stay, own), append(f.staySet, own)
		case Delete:
			f.out = append(f.out, own)
		case Update:
			f.out = append(f.out, own)
			if err := e.update(&f, own, e.source.index.first[group], homes); err != nil {
				return fates{}, err
			}
		}
	}
	return f, nil
}

func (e *edit) fate(group int32) Action {
	if group == noGroup {
		return e.request.NotMatchedBySource
	}
	return e.request.Matched
}

// update keeps a row in its place, or sends it where it belongs.
func (e *edit) update(f *fates, own rewrite.Pick, row int32, homes rewrite.Keys) error {
	at, here := e.source.rows[row], e.parts.ofFile[e.file]
	part := here
	if e.parts.moves() {
		var err error
		if part, err = e.parts.of(e.source, row, func(c int) bool { return e.target.set[c] }, &e.add); err != nil {
			return err
		}
	}
	if part == here && !e.leave && !e.target.adrift && homes.Same(int(own.Row), e.byHome[at.Chunk-1], int(at.Row)) {
		f.stay, f.staySet = append(f.stay, own), append(f.staySet, at)
		f.in, f.inSet = append(f.in, own), append(f.inSet, at)
		return nil
	}
	m := f.moves[part]
	if m == nil {
		m = &moves{}
		f.moves[part], f.order = m, append(f.order, part)
	}
	m.rest, m.set = append(m.rest, own), append(m.set, at)
	return nil
}

// viewHome is the clustering keys, of some rows of the file, that an update sets.
func (e *edit) viewHome(rows rewrite.Rows) (rewrite.Keys, error) {
	columns := make([]arrow.Array, len(e.homes))
	for k, c := range e.homes {
		columns[k] = rows.Columns[slices.Index(e.stored, c)]
	}
	return rewrite.ViewKeys(columns)
}
