package rewrite

import (
	"math"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// sampler collects sampled rows from many goroutines. A row is taken where the hash of its
// ordinal is low enough; whenever what is held outgrows its bytes, half of it goes. So which rows
// are left at the end does not depend on who came first.
type sampler struct {
	most int64 // bytes

	mu    sync.Mutex
	below uint64 // the hash that is low enough
	bytes int64
	parts [][]batchSample
}

// batchSample is what was chosen from one batch.
type batchSample struct {
	columns  []arrow.Array
	ordinals []uint64
}

// newSampler picks about sampleRows of so many rows, all where there are no more.
func newSampler(rows int64, parts int, most int64) *sampler {
	s := &sampler{most: most, below: math.MaxUint64, parts: make([][]batchSample, parts)}
	if rows > sampleRows {
		s.below = uint64(float64(sampleRows) / float64(rows) * math.MaxUint64)
	}
	return s
}

func (s *sampler) threshold() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.below
}

// take copies the chosen rows of a batch, so that the batch itself can go. The first row of the
// file has the given ordinal.
func (s *sampler) take(part int, first uint64, b batch) error {
	below, some := s.threshold(), batchSample{columns: b.columns}
	var at []place
	for i := range b.rows {
		if ordinal := first + b.position(i); scrambled(ordinal) <= below {
			at, some.ordinals = append(at, place{0, uint32(i)}), append(some.ordinals, ordinal)
		}
	}
	if len(at) == 0 {
		return nil
	}
	some, err := some.only(at, some.ordinals)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if below > s.below {
		if some, err = some.lower(s.below); err != nil {
			return err
		}
	}
	s.parts[part] = append(s.parts[part], some)
	for s.bytes += some.bytes(); s.bytes > s.most; {
		if err := s.halve(); err != nil {
			return err
		}
	}
	return nil
}

// halve lets about half of the rows go.
func (s *sampler) halve() error {
	s.below /= 2
	s.bytes = 0
	for _, part := range s.parts {
		for i := range part {
			var err error
			if part[i], err = part[i].lower(s.below); err != nil {
				return err
			}
			s.bytes += part[i].bytes()
		}
	}
	return nil
}

// lower is the rows that a lower threshold leaves.
func (b batchSample) lower(below uint64) (batchSample, error) {
	var at []place
	var ordinals []uint64
	for i, ordinal := range b.ordinals {
		if scrambled(ordinal) <= below {
			at, ordinals = append(at, place{0, uint32(i)}), append(ordinals, ordinal)
		}
	}
	return b.only(at, ordinals)
}

// only copies the rows of those places, whose ordinals are given, and cuts long texts.
func (b batchSample) only(at []place, ordinals []uint64) (some batchSample, err error) {
	some = batchSample{columns: make([]arrow.Array, len(b.columns)), ordinals: ordinals}
	for c, column := range b.columns {
		if some.columns[c], err = gatherKey(column, at); err != nil {
			return batchSample{}, err
		}
	}
	return some, nil
}

// gatherKey is gather for one chunk of keys, cut at longestKey.
func gatherKey(column arrow.Array, at []place) (arrow.Array, error) {
	text := bytesChunk{}
	if column.DataType().ID() == arrow.STRING {
		text = bytesChunks([]arrow.Array{column})[0]
	}
	if len(text.offsets) == 0 || text.widest(column.Len()) <= longestKey {
		return gather(column.DataType(), []arrow.Array{column}, at)
	}
	cut, offsets := []byte{}, make([]int32, len(at)+1)
	for i, p := range at {
		v := text.value(p.row)
		cut = append(cut, v[:min(len(v), longestKey)]...)
		offsets[i+1] = int32(len(cut))
	}
	validity, nulls := gatherValidity([]arrow.Array{column}, at)
	buffers := []*memory.Buffer{validity, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(slices.Clip(cut))}
	return array.MakeFromData(array.NewData(column.DataType(), len(at), buffers, nil, nulls, 0)), nil
}

// bytes are those of the values, however they came in batches.
func (b batchSample) bytes() int64 {
	const ordinal, offset = 8, 4 // bytes
	total := int64(ordinal * len(b.ordinals))
	for _, c := range b.columns {
		if c.DataType().ID() == arrow.STRING {
			text := bytesChunks([]arrow.Array{c})[0]
			total += int64(offset*c.Len()) + int64(text.length(c.Len()))
		} else if fixed, ok := c.DataType().(arrow.FixedWidthDataType); ok {
			total += int64(max(1, fixed.BitWidth()/8) * c.Len())
		}
	}
	return total
}
