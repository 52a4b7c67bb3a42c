package merge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/errgroup"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/prune"
	"ajlo/job/rewrite"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// matches is what the first pass found in one file.
type matches struct {
	file   int      // of the snapshot
	rows   int64    // that are not deleted
	places []uint32 // of rows that match, rising
	groups []int32  // of the source, of each of those
}

// Matches are kept from the first pass to the second: so many bytes each, all together at most one
// part in so many of the memory limit.
const (
	matchBytes = 8
	matchShare = 8
)

// errManyMatches is when matches take too much memory.
var errManyMatches = errors.New("too many rows match")

// candidates are the live files that bounds cannot exclude. Where rows that match nothing are
// deleted no file can be.
func candidates(r Request, t *target, x *index) (files []int) {
	for i, f := range t.lake.Files {
		if r.NotMatchedBySource == Delete || x.mayBeIn(boundsOf(t, f, t.on)) {
			files = append(files, i)
		}
	}
	return files
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

// firstPass reads the condition's columns of the candidates.
type firstPass struct {
	target   *target
	index    *index
	prepared *rewrite.Prepared
	stored   delta.Schema // the condition's columns that files hold
	at       []int        // of each of the condition's columns among them, −1 for partition columns
	most     int64        // matches that may be kept
	kept     atomic.Int64
}

func (m *Merger) match(ctx context.Context, r Request, t *target, s *source, files []int) ([]matches, error) {
	prepared, err := rewrite.Prepare(ctx, t.task(r, files), m.rewriting(s.bytes))
	if err != nil {
		return nil, t.refusal(r, err)
	}
	p := &firstPass{target: t, index: &s.index, prepared: prepared, most: int64(m.o.Memory / matchShare / matchBytes)}
	for _, c := range t.on {
		if slices.Contains(t.parted, c) {
			p.at = append(p.at, -1)
			continue
		}
		p.at = append(p.at, len(p.stored))
		p.stored = append(p.stored, t.schema[c])
	}
	found := make([]matches, len(files))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(prepared.Workers())
	for i, file := range files {
		group.Go(func() (err error) {
			found[i], err = p.read(inner, file)
			return err
		})
	}
	err = group.Wait()
	if errors.Is(err, errManyMatches) {
		return nil, r.refuse("more than %d rows match, which %s of memory have no room for: set --memory higher or merge in parts", p.most, m.o.Memory)
	}
	return found, err
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
	var key []byte
	for rows, err := range p.prepared.Scan(ctx, rewrite.Listed(add), p.stored) {
		if err != nil {
			return matches{}, err
		}
		keys, err := p.keys(add, rows)
		if err != nil {
			return matches{}, err
		}
		found.rows += int64(rows.Count)
		before := len(found.places)
		for i := range rows.Count {
			var group int32
			if group, key = p.index.find(keys, i, key); group == noGroup {
				continue
			}
			if rows.Position(i) > math.MaxUint32 {
				return matches{}, fmt.Errorf("%s has more rows than ajlo merges into", add.Path)
			}
			found.places, found.groups = append(found.places, uint32(rows.Position(i))), append(found.groups, group)
		}
		if p.kept.Add(int64(len(found.places)-before)) > p.most {
			return matches{}, errManyMatches
		}
	}
	return found, nil
}

// keys are the condition's columns of some rows of a file.
func (p *firstPass) keys(f delta.Add, rows rewrite.Rows) (rewrite.Keys, error) {
	columns := make([]arrow.Array, len(p.at))
	for k, at := range p.at {
		if at >= 0 {
			columns[k] = rows.Columns[at]
			continue
		}
		var err error
		if columns[k], err = partitionColumn(f, p.target.schema[p.target.on[k]], rows.Count); err != nil {
			return nil, err
		}
	}
	return rewrite.ViewKeys(columns)
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
