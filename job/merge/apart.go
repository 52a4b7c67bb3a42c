package merge

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/rewrite"
)

// apart is the files of rows that are inserted, moved or joined.
type apart struct {
	files  []rewrite.Written
	values []map[string]*string // partition values of each
	sum    rewrite.RowSum
}

func (a apart) paths() (paths []string) {
	for _, f := range a.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// Rows of the source are copied in batches of about so many bytes, and at most so many.
const (
	batchBytes = 4 << 20
	batchRows  = 32 << 10
)

// writeApart writes rows that are inserted, rows of files that join them and rows that were put aside,
// partition by partition.
// Moved is the sum of the latter. After an error none of the files is left, unless it says which.
func (p *secondPass) writeApart(ctx context.Context, moved rewrite.RowSum) (out apart, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, rewrite.Discard(context.WithoutCancel(ctx), p.target.store, out.paths()))
		}
	}()
	want := moved
	for _, part := range p.parts.inOrder() {
		to := p.parts.all[part]
		done, err := p.prepared.Lay(ctx, to.folder, p.apart(ctx, part, &want))
		if err != nil {
			return out, err
		}
		for _, f := range done.Files {
			out.files, out.values = append(out.files, f), append(out.values, to.values)
		}
		out.sum = out.sum.Plus(done.Added)
	}
	if out.sum != want {
		return out, fmt.Errorf("rule 1: the files of rows written apart hold other rows than those inserted, moved and joined (%d, not %d); nothing was committed", out.sum.Rows, want.Rows)
	}
	return out, nil
}

// apart yields the rows for one partition: those that move there, then those of files that are joined
// and those inserted, whose sums it adds.
func (p *secondPass) apart(ctx context.Context, part int, sum *rewrite.RowSum) iter.Seq2[[]arrow.Array, error] {
	return func(yield func([]arrow.Array, error) bool) {
		for _, rows := range []iter.Seq2[[]arrow.Array, error]{
			p.aside.Group(part), p.join(ctx, p.settled.joined[part], sum), p.inserts(p.settled.rest[part], sum),
		} {
			for columns, err := range rows {
				if !yield(columns, err) || err != nil {
					return
				}
			}
		}
	}
}

// join yields the rows of small files and adds their sum.
func (p *secondPass) join(ctx context.Context, files []int, sum *rewrite.RowSum) iter.Seq2[[]arrow.Array, error] {
	return func(yield func([]arrow.Array, error) bool) {
		for _, i := range files {
			for rows, err := range p.prepared.Scan(ctx, rewrite.Listed(p.target.delta.Files[i]), p.prepared.Columns()) {
				var columns []arrow.Array
				var some rewrite.RowSum
				if err == nil {
					columns, err = p.whole(rows)
				}
				if err == nil {
					some, err = rewrite.SumRows(p.prepared.Columns(), columns, rows.Count)
					*sum = sum.Plus(some)
				}
				if !yield(columns, err) || err != nil {
					return
				}
			}
		}
	}
}

// inserts yields rows of the source and adds their sum.
func (p *secondPass) inserts(inserted []insertion, sum *rewrite.RowSum) iter.Seq2[[]arrow.Array, error] {
	return func(yield func([]arrow.Array, error) bool) {
		for step := p.step(); len(inserted) > 0; {
			n := min(step, len(inserted))
			columns, err := p.insert(inserted[:n])
			if err == nil {
				var some rewrite.RowSum
				some, err = rewrite.SumRows(p.prepared.Columns(), columns, n)
				*sum = sum.Plus(some)
			}
			if !yield(columns, err) || err != nil {
				return
			}
			inserted = inserted[n:]
		}
	}
}

func (p *secondPass) step() int {
	width := int(p.source.size) / max(1, p.source.count())
	return min(max(batchBytes/max(width, 1), 1), batchRows)
}

// insert makes rows of those of the source; what a rule does not give is NULL.
func (p *secondPass) insert(rows []insertion) ([]arrow.Array, error) {
	of := make([]built, len(rows))
	for i, row := range rows {
		of[i] = built{from: p.source.pick(row.row), rule: int(row.rule)}
	}
	return p.make(of, func(k int) arrow.Array { return absent(p.schema.Field(k).Type, 1) })
}
