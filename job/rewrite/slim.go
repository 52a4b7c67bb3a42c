package rewrite

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/object"
)

// The header of a page may hold the least and the greatest value of the page, and whoever keeps
// them whole writes headers as long as values are. arrow-go reads headers of up to 4 MiB. Of files
// with longer ones it is shown columns whose headers hold no values, behind the file's own end.
const (
	longHeader = 1 << 20 // bytes; shorter ones are as the file has them
	// Only pages of values that are wide themselves have long headers.
	longHeaderChunk = longHeader
)

// wholeBounds start what writers say of themselves in footers that keep whole values in headers.
var wholeBounds = []string{"github.com/parquet-go/parquet-go", "github.com/segmentio/parquet-go"}

// longBound is the bytes of a bound in a footer that only such writers keep.
const longBound = 64 << 10

// slimFile is a file with more bytes behind its end.
type slimFile struct {
	object.Reader
	end    int64
	pieces []slimPiece // one after the other from Reader.Size() on
}

// slimPiece is some bytes of the file, or in place of some.
type slimPiece struct {
	at     int64 // place of the first
	length int64
	from   int64  // place in the file
	bytes  []byte // nil where they are the file's own
}

// slim gives the file with short headers where it has long ones; the footer is changed to lead
// there. A file without is given as it is.
func slim(r object.Reader, footer *format.FileMetaData) (object.Reader, error) {
	whole := keepsWholeBounds(footer.CreatedBy)
	f := &slimFile{Reader: r, end: r.Size()}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			m := &footer.RowGroups[g].Columns[c].MetaData
			long := max(len(m.Statistics.MinValue), len(m.Statistics.MaxValue), len(m.Statistics.Min), len(m.Statistics.Max)) > longBound
			if m.Type != format.ByteArray || m.TotalUncompressedSize < longHeaderChunk || !whole && !long {
				continue
			}
			if err := f.add(m); err != nil {
				return nil, fmt.Errorf("row group %d, column %d: %w", g, c, err)
			}
		}
	}
	if len(f.pieces) == 0 {
		return r, nil
	}
	return f, nil
}

func keepsWholeBounds(createdBy string) bool {
	for _, writer := range wholeBounds {
		if strings.HasPrefix(createdBy, writer) {
			return true
		}
	}
	return false
}

// add puts a column chunk behind the end if it has a long header.
func (f *slimFile) add(m *format.ColumnMetaData) error {
	moved, end, long := *m, f.end, false
	var pieces []slimPiece
	err := eachPage(f.Reader, *m, func(at, length int64, header format.PageHeader) error {
		if at == m.DataPageOffset {
			moved.DataPageOffset = end
		}
		if at == m.DictionaryPageOffset {
			moved.DictionaryPageOffset = end
		}
		page := slimPiece{at: end, length: length + int64(header.CompressedPageSize), from: at}
		if length > longHeader {
			long = true
			short, err := shortHeader(header)
			if err != nil {
				return err
			}
			pieces = append(pieces, slimPiece{at: end, length: int64(len(short)), bytes: short})
			page = slimPiece{at: end + int64(len(short)), length: int64(header.CompressedPageSize), from: at + length}
		}
		pieces = append(pieces, page)
		end = page.at + page.length
		return nil
	})
	if err != nil || !long {
		return err
	}
	moved.TotalCompressedSize = end - f.end
	*m, f.pieces, f.end = moved, append(f.pieces, pieces...), end
	return nil
}

// shortHeader is a page's header without the page's bounds.
func shortHeader(h format.PageHeader) ([]byte, error) {
	h.DataPageHeader.V.Statistics = format.Statistics{}
	h.DataPageHeaderV2.V.Statistics = format.Statistics{}
	return thrift.Marshal(new(thrift.CompactProtocol), h)
}

// endOf is the end of a file with all that is behind it.
func endOf(r object.Reader) int64 {
	if f, ok := r.(*slimFile); ok {
		return f.end
	}
	return r.Size()
}

// Size is that of the file itself.
func (f *slimFile) Size() int64 { return f.Reader.Size() }

// ReadAt reads the file and what is behind its end.
func (f *slimFile) ReadAt(p []byte, off int64) (n int, err error) {
	if off < f.Reader.Size() {
		return f.Reader.ReadAt(p, off)
	}
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].at+f.pieces[i].length > off })
	for ; n < len(p) && i < len(f.pieces) && err == nil; i++ {
		var read int
		read, err = f.pieces[i].readAt(f.Reader, p[n:], off+int64(n)-f.pieces[i].at)
		n += read
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// readAt reads the rest of a piece from a place in it.
func (s slimPiece) readAt(r io.ReaderAt, p []byte, from int64) (int, error) {
	p = p[:min(int64(len(p)), s.length-from)]
	if s.bytes != nil {
		return copy(p, s.bytes[from:]), nil
	}
	n, err := r.ReadAt(p, s.from+from)
	if n == len(p) {
		err = nil
	}
	return n, err
}
