package rewrite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/object"
	"ajlo/job/unit"
)

// The largest piece of a file that has to be in memory in one is a page, compressed and not;
// its rows are there as decoded, as they wait, as copied and as encoded. A table of pages or
// rows larger than a tenth of the limit is refused (nine copies were seen at once); from a
// fourth of that on, one worker has the limit for itself.
const (
	pageShare  = 10
	wideShare  = 4
	wideCopies = 2 // of a wide page that rows which wait make room for
)

// usualPage is no wide page, however small the limit: writers make pages of 1 MiB.
const usualPage = 2 << 20

// widePage is the bytes from which on a page is wide.
func (o Options) widePage() int64 { return max(int64(o.Memory)/pageShare/wideShare, usualPage) }

// largestPage is the bytes that no page may have.
func (o Options) largestPage() int64 { return max(int64(o.Memory)/pageShare, usualPage) }

// forWidth are the options for a table with such pages.
func (o Options) forWidth(w wideness) Options {
	if o.wide = w.bytes; w.bytes > 0 {
		o.Parallel = 1
	}
	return o
}

// wideness is what is known of a table's wide pages and rows.
type wideness struct {
	bytes   int64           // of the largest, 0 where none is wide
	columns map[string]bool // that have any; by the names of top-level columns in the files
}

// checkWidth refuses a file of pages or rows that are too large for the limit, and takes note
// of those that are wide. Column chunks that are no wide page in all are not looked at.
func (f *dataFile) checkWidth(w *wideness) error {
	o := Options{Memory: f.memory}
	wide := o.widePage()
	for g, group := range f.footer.RowGroups {
		for c, column := range group.Columns {
			m := column.MetaData
			if m.TotalUncompressedSize <= wide {
				continue
			}
			bytes, err := f.widthOf(m, group.NumRows)
			if err != nil {
				return fmt.Errorf("read %s, row group %d, column %d: %w", f.key, g, c, err)
			}
			if bytes > o.largestPage() {
				return tooWide(f.key, m.PathInSchema, bytes)
			}
			if bytes > wide {
				w.add(m.PathInSchema[0], bytes)
			}
		}
	}
	return nil
}

func (w *wideness) add(column string, bytes int64) {
	if w.columns == nil {
		w.columns = map[string]bool{}
	}
	w.columns[column] = true
	w.bytes = max(w.bytes, bytes)
}

// widthOf is the bytes of a column chunk's largest page, or of its mean row where that is more.
func (f *dataFile) widthOf(m format.ColumnMetaData, rows int64) (bytes int64, err error) {
	if m.Type == format.ByteArray {
		bytes, err = largestPageOf(f.reader, m)
	}
	return max(bytes, m.TotalUncompressedSize/max(1, rows)), err
}

func tooWide(file string, column []string, bytes int64) error {
	return fmt.Errorf("column %q has pages or rows of %s in %s, which need about %d times as much memory: set engine.memory to %d MB or more",
		strings.Join(column, "."), unit.Bytes(bytes), file, pageShare, bytes*pageShare/int64(unit.MB)+1)
}

// largestPageOf is the bytes of the largest page of a column chunk, not compressed, by the
// pages' headers.
func largestPageOf(r object.Reader, m format.ColumnMetaData) (largest int64, err error) {
	err = eachPage(r, m, func(_, _ int64, header format.PageHeader) error {
		largest = max(largest, int64(header.UncompressedPageSize))
		return nil
	})
	return largest, err
}

// eachPage calls do with the place, the length and the content of the header of each page of a
// column chunk.
func eachPage(r object.Reader, m format.ColumnMetaData, do func(at, length int64, header format.PageHeader) error) (err error) {
	defer recovered(&err)
	at := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		at = min(at, m.DictionaryPageOffset)
	}
	for end := at + m.TotalCompressedSize; at < end; {
		header, length, err := pageHeader(r, at, end)
		if err != nil {
			return err
		}
		if header.CompressedPageSize < 0 {
			return errors.New("damaged file: a page of negative size")
		}
		if err := do(at, length, header); err != nil {
			return err
		}
		at += length + int64(header.CompressedPageSize)
	}
	return nil
}

// headerBytes are read at once: most headers of pages are shorter.
const headerBytes = 512

func pageHeader(r object.Reader, at, end int64) (header format.PageHeader, length int64, err error) {
	section := io.NewSectionReader(r, at, end-at)
	buffered := bufio.NewReaderSize(section, headerBytes)
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(buffered)).Decode(&header); err != nil {
		return header, 0, fmt.Errorf("damaged file: header of a page: %w", err)
	}
	read, err := section.Seek(0, io.SeekCurrent)
	return header, read - int64(buffered.Buffered()), err
}
