package rewrite

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"ajlo/job/object"
	"ajlo/job/unit"
)

// Lay writes rows that come in any order, in the task's layout and into the given folder. It puts
// them aside, on the disk and without a name, and rewrites what it put there. Rows come in the form
// of ArrowSchema and without offsets. After an error none of the new files is left, unless the error
// says which.
func (p *Prepared) Lay(ctx context.Context, folder string, rows iter.Seq2[[]arrow.Array, error]) (out Outcome, err error) {
	s, err := p.newSpool()
	if err != nil {
		return Outcome{}, fmt.Errorf("put rows aside: %w", err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for columns, err := range rows {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return Outcome{}, err
		}
		if err := s.add(columns); err != nil {
			return Outcome{}, fmt.Errorf("put rows aside: %w", err)
		}
	}
	file, err := s.finish()
	if err != nil || file.Rows == 0 {
		return Outcome{}, err
	}
	t := p.task
	t.Files, t.From, t.Folder, t.width = []File{file}, s, folder, 0
	return Rewrite(ctx, t, p.options)
}

// spool is rows as one Parquet file that has no name.
type spool struct {
	file    *os.File
	buffer  *bufio.Writer
	sink    *counted
	parquet *pqarrow.FileWriter
	schema  *arrow.Schema
	group   int64 // bytes of a row group in memory
	held    int64 // of the group that is open
	opened  bool
	rows    int64
}

const (
	spoolName   = "rows put aside"
	spoolBuffer = 1 << 20
)

func (p *Prepared) newSpool() (s *spool, err error) {
	s = &spool{schema: p.schema, group: int64(p.options.rowGroup())}
	if s.file, err = nameless(p.options.Spill); err != nil {
		return nil, err
	}
	s.buffer = bufio.NewWriterSize(s.file, spoolBuffer)
	s.sink = &counted{Writer: s.buffer}
	form := p.form
	form.run, form.nan = "", nanColumns{unbounded: map[string]bool{}, plain: map[string]bool{}}
	for _, f := range p.task.columns() { // what NaNs there will be is not known yet
		floats := hasFloat(f.Type)
		form.nan.unbounded[f.Physical()], form.nan.plain[f.Physical()] = floats, floats
	}
	if s.parquet, err = newParquetWriter(s.sink, p.schema, form, p.survey.spark); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// add writes some rows. It gives a panic of the encoder as an error.
func (s *spool) add(columns []arrow.Array) (err error) {
	defer recovered(&err)
	rows := columns[0].Len()
	if rows == 0 {
		return nil
	}
	if !s.opened || s.held >= s.group {
		if err := s.parquet.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
		s.opened, s.held = true, 0
	}
	s.held += batch{columns: columns}.bytes()
	s.rows += int64(rows)
	return s.parquet.WriteBuffered(array.NewRecordBatch(s.schema, columns, int64(rows)))
}

// finish gives the rows as a file that Open opens.
func (s *spool) finish() (f File, err error) {
	defer recovered(&err)
	if err := errors.Join(s.parquet.Close(), s.buffer.Flush()); err != nil {
		return File{}, fmt.Errorf("put rows aside: %w", err)
	}
	return File{Path: spoolName, Bytes: s.sink.bytes, Rows: s.rows}, nil
}

// Open gives the one file there is; to close it does nothing.
func (s *spool) Open(context.Context, string) (object.Reader, error) {
	return spoolReader{io.NewSectionReader(s.file, 0, math.MaxInt64), s.sink.bytes}, nil
}

func (s *spool) close() error {
	if err := errors.Join(s.file.Close(), forget(s.file.Name())); err != nil {
		return fmt.Errorf("rows put aside: %w", err)
	}
	return nil
}

type spoolReader struct {
	io.ReaderAt
	bytes unit.Bytes
}

// Size is in bytes.
func (r spoolReader) Size() int64 { return int64(r.bytes) }

// Close does nothing: the file is the spool's.
func (r spoolReader) Close() error { return nil }

// Aside keeps rows that are to be put elsewhere, group by group, in a file without a name.
type Aside struct {
	spill *spill
	mu    sync.Mutex
	turns [][]uint64 // of each segment of each group
}

// NewAside has no rows. The caller closes it.
func (p *Prepared) NewAside() (*Aside, error) {
	s, err := newSpill(p.options.Spill, p.schema, 0)
	if err != nil {
		return nil, err
	}
	return &Aside{spill: s}, nil
}

// Put keeps some rows of a group; groups are numbered from 0. It may be called by several
// goroutines, in any order: the turn says which rows come first.
func (a *Aside) Put(group int, turn uint64, columns []arrow.Array) error {
	n := columns[0].Len()
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.turns) <= group {
		a.turns, a.spill.segments = append(a.turns, nil), append(a.spill.segments, nil)
	}
	a.turns[group] = append(a.turns[group], turn)
	return a.spill.put(group, piece{columns, make([]uint64, n), make([]uint64, n)})
}

// Group gives the rows of a group by their turns.
func (a *Aside) Group(group int) iter.Seq2[[]arrow.Array, error] {
	var turns []uint64
	if group < len(a.turns) {
		turns = a.turns[group]
	}
	order := make([]int, len(turns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(turns[i], turns[j]) })
	return func(yield func([]arrow.Array, error) bool) {
		for _, i := range order {
			p, err := a.spill.read(a.spill.segments[group][i])
			if !yield(p.columns, err) || err != nil {
				return
			}
		}
	}
}

// Close gives the room back.
func (a *Aside) Close() error { return a.spill.Close() }
