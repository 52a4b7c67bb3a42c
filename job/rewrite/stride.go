package rewrite

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// maxBatchRows are copied at a time at most.
const maxBatchRows = 32 << 10

// stride cuts lists of rows into batches of about so many bytes. Rows are taken for equally
// wide, unless that could make a batch much larger.
type stride struct {
	bytes  int64
	most   int64 // rows
	uneven bool
	texts  [][]bytesChunk // of each piece, its columns of texts; where uneven
}

func strideOver(pieces []piece, bytes int64) stride {
	s, total, rows, widest := stride{bytes: bytes}, int64(0), int64(1), int64(0)
	texts := make([][]bytesChunk, len(pieces))
	for i, p := range pieces {
		total, rows = total+p.bytes(), rows+int64(len(p.places))
		for _, c := range p.columns {
			if !isText(c) {
				continue
			}
			chunk, distinct := bytesChunks([]arrow.Array{c})[0], c.Len()
			if coded, ok := c.(*array.Dictionary); ok {
				distinct = coded.Dictionary().Len()
				total += chunk.written(c.Len())
			}
			widest = max(widest, chunk.widest(distinct))
			texts[i] = append(texts[i], chunk)
		}
	}
	s.most = min(max(bytes/max(1, total/rows), 1), maxBatchRows)
	if s.uneven = widest*s.most > 2*bytes; s.uneven {
		s.texts = texts
	}
	return s
}

func isText(a arrow.Array) bool {
	id := a.DataType().ID()
	return id == arrow.STRING || id == arrow.BINARY || id == arrow.DICTIONARY
}

// written is the bytes that texts of a dictionary take where so many rows have them written out.
func (b bytesChunk) written(rows int) (bytes int64) {
	for row := range rows {
		bytes += int64(len(b.value(uint32(row))))
	}
	return bytes
}

// next is how many of the rows, at least one, make the next batch.
func (s stride) next(rows []place) int {
	most := min(int(s.most), len(rows))
	if !s.uneven {
		return most
	}
	bytes := int64(0)
	for i, at := range rows[:most] {
		for _, texts := range s.texts[at.chunk] {
			bytes += int64(len(texts.value(at.row)))
		}
		if bytes > s.bytes {
			return max(1, i)
		}
	}
	return most
}
