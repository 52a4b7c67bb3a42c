package rewrite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// spill is a file of rows on their way to their buckets, as Arrow streams one after the other.
// It has no name in any folder, so that nothing of it is left however the process ends.
type spill struct {
	file   *os.File
	schema *arrow.Schema // of the rows, their places and their ordinals

	mu       sync.Mutex
	end      int64       // where the next segment goes
	segments [][]segment // of each bucket
}

// spillPattern is the name of the file in the moment in which it has one.
const spillPattern = ".ajlo-spill-*"

// segment is some rows of one bucket, in the order of their ordinals.
type segment struct{ offset, length int64 }

// Names of the columns that go beside the rows; positions, not names, are what counts.
const (
	placeColumn   = "place"
	ordinalColumn = "ordinal"
)

func newSpill(folder string, rows *arrow.Schema, buckets int) (*spill, error) {
	f, err := nameless(folder)
	if err != nil {
		return nil, fmt.Errorf("make a file to spill rows into: %w", err)
	}
	fields := append(append([]arrow.Field{}, rows.Fields()...),
		arrow.Field{Name: placeColumn, Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: ordinalColumn, Type: arrow.PrimitiveTypes.Uint64})
	return &spill{file: f, schema: arrow.NewSchema(fields, nil), segments: make([][]segment, buckets)}, nil
}

// Close gives the space back.
func (s *spill) Close() error {
	if err := errors.Join(s.file.Close(), forget(s.file.Name())); err != nil {
		return fmt.Errorf("spilled rows: %w", err)
	}
	return nil
}

// put writes some rows of a bucket, straight from where they are.
func (s *spill) put(bucket int, rows piece) error {
	columns := append(append([]arrow.Array{}, rows.columns...), uint64Array(rows.places), uint64Array(rows.ordinals))
	s.mu.Lock()
	defer s.mu.Unlock()
	to := io.NewOffsetWriter(s.file, s.end)
	buffered := bufio.NewWriterSize(to, spillBuffer)
	w := ipc.NewWriter(buffered, ipc.WithSchema(s.schema))
	err := w.Write(array.NewRecordBatch(s.schema, columns, int64(len(rows.places))))
	if err = errors.Join(err, w.Close(), buffered.Flush()); err != nil {
		return fmt.Errorf("spill rows: %w", err)
	}
	length, err := to.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("spill rows: %w", err)
	}
	s.segments[bucket] = append(s.segments[bucket], segment{s.end, length})
	s.end += length
	return nil
}

// spillBuffer joins the small writes; columns that are larger go by without a copy.
const spillBuffer = 64 << 10

func uint64Array(values []uint64) arrow.Array {
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(values))}
	return array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Uint64, len(values), buffers, nil, 0, 0))
}

// get reads all rows of a bucket.
func (s *spill) get(bucket int) ([]piece, error) {
	pieces := make([]piece, len(s.segments[bucket]))
	for i, at := range s.segments[bucket] {
		var err error
		if pieces[i], err = s.read(at); err != nil {
			return nil, fmt.Errorf("read spilled rows: %w", err)
		}
	}
	return pieces, nil
}

func (s *spill) read(at segment) (piece, error) {
	r, err := ipc.NewReader(io.NewSectionReader(s.file, at.offset, at.length), ipc.WithSchema(s.schema))
	if err != nil {
		return piece{}, err
	}
	record, err := r.Read()
	if err != nil {
		return piece{}, err
	}
	// The record's buffers are the garbage collector's: nothing is released.
	n := int(record.NumCols()) - 2
	return piece{
		columns:  record.Columns()[:n],
		places:   record.Column(n).(*array.Uint64).Uint64Values(),
		ordinals: record.Column(n + 1).(*array.Uint64).Uint64Values(),
	}, nil
}
