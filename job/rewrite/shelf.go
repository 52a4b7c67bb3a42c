package rewrite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Shelf is a file without a name whose rows are used as if they were in memory: the system maps it,
// keeps as much of it at hand as it has room for, and lets go of what others need more.
type Shelf struct {
	file   *os.File
	end    int64
	mapped [][]byte
}

// NewShelf makes one in a folder. The caller closes it.
func NewShelf(folder string) (*Shelf, error) {
	f, err := nameless(folder)
	if err != nil {
		return nil, fmt.Errorf("make a file to spill rows into: %w", err)
	}
	return &Shelf{file: f}, nil
}

// shelfAlign is where each buffer begins: Arrow wants 8 bytes and likes 64.
const shelfAlign = 64

// Keep writes columns to the file and gives them back from there; nil stays nil. They are not to be
// used after Close.
func (s *Shelf) Keep(columns []arrow.Array) ([]arrow.Array, error) {
	start := s.end
	w := &shelfWriter{to: bufio.NewWriterSize(io.NewOffsetWriter(s.file, start), spillBuffer)}
	for _, c := range columns {
		if c != nil {
			w.data(c.Data())
		}
	}
	page := int64(os.Getpagesize())
	length := (w.at + page) / page * page // one byte at least, which an empty mapping has not
	if err := errors.Join(w.err, w.to.Flush(), s.file.Truncate(start+length)); err != nil {
		return nil, fmt.Errorf("spill rows: %w", err)
	}
	bytes, err := mapFile(s.file, start, length)
	if err != nil {
		return nil, fmt.Errorf("map spilled rows into memory: %w", err)
	}
	s.end, s.mapped = start+length, append(s.mapped, bytes)
	r := &shelfReader{from: bytes}
	kept := make([]arrow.Array, len(columns))
	for i, c := range columns {
		if c != nil {
			kept[i] = array.MakeFromData(r.data(c.Data()))
		}
	}
	return kept, nil
}

// Close gives the room back. Nothing that was kept may be used any more.
func (s *Shelf) Close() error {
	var err error
	for _, m := range s.mapped {
		err = errors.Join(err, unmapFile(m))
	}
	s.mapped = nil
	if err := errors.Join(err, s.file.Close(), forget(s.file.Name())); err != nil {
		return fmt.Errorf("spilled rows: %w", err)
	}
	return nil
}

// shelfWriter writes the buffers of arrays one after the other.
type shelfWriter struct {
	to  *bufio.Writer
	at  int64
	err error
}

func (w *shelfWriter) data(d arrow.ArrayData) {
	for _, b := range d.Buffers() {
		if b != nil {
			w.buffer(b.Bytes())
		}
	}
	for _, child := range parts(d) {
		w.data(child)
	}
}

func (w *shelfWriter) buffer(bytes []byte) {
	n, err := w.to.Write(bytes)
	w.at, w.err = w.at+int64(n), errors.Join(w.err, err)
	n, err = w.to.Write(make([]byte, -w.at&(shelfAlign-1)))
	w.at, w.err = w.at+int64(n), errors.Join(w.err, err)
}

// parts are the arrays within an array.
func parts(d arrow.ArrayData) []arrow.ArrayData {
	children := append([]arrow.ArrayData{}, d.Children()...)
	if _, coded := d.DataType().(*arrow.DictionaryType); coded {
		children = append(children, d.Dictionary())
	}
	return children
}

// shelfReader finds the buffers again, in the same order.
type shelfReader struct {
	from []byte
	at   int
}

func (r *shelfReader) data(d arrow.ArrayData) arrow.ArrayData {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			end := r.at + b.Len()
			buffers[i] = memory.NewBufferBytes(r.from[r.at:end:end])
			r.at = end + -end&(shelfAlign-1)
		}
	}
	var children []arrow.ArrayData
	for _, child := range d.Children() {
		children = append(children, r.data(child))
	}
	if _, coded := d.DataType().(*arrow.DictionaryType); coded {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), d.Offset(), r.data(d.Dictionary()).(*array.Data))
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
}
