package rewrite

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// place is one value of a column that is held in several chunks.
type place struct{ chunk, row uint32 }

// errTooLong is when a column of one batch outgrows the 32-bit offsets of Arrow.
var errTooLong = errors.New("more than 2 GiB of values in one batch")

// gather copies the values at the given places, in that order, into one array. All chunks
// have the type dt, in the form of ArrowSchema; those of texts may also hold numbers of texts
// in a dictionary.
func gather(dt arrow.DataType, chunks []arrow.Array, at []place) (arrow.Array, error) {
	validity, nulls := gatherValidity(chunks, at)
	var buffers []*memory.Buffer
	var children []arrow.ArrayData
	var err error
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		buffers = []*memory.Buffer{validity, gatherBits(chunks, at)}
	case *arrow.StringType, *arrow.BinaryType:
		buffers, err = gatherBytes(validity, chunks, at)
	case *arrow.StructType:
		buffers = []*memory.Buffer{validity}
		children, err = gatherFields(dt, chunks, at)
	case *arrow.ListType, *arrow.MapType:
		buffers, children, err = gatherEntries(dt.(arrow.ListLikeType), validity, chunks, at)
	case *arrow.DictionaryType:
		err = fmt.Errorf("order rows: the values of %s are wanted, not their numbers", dt)
	case arrow.FixedWidthDataType:
		buffers = []*memory.Buffer{validity, gatherFixed(dt, chunks, at)}
	default:
		err = fmt.Errorf("order rows: no way to copy %s", dt)
	}
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(array.NewData(dt, len(at), buffers, children, nulls, 0)), nil
}

// gatherValidity is nil where no chunk has a NULL.
func gatherValidity(chunks []arrow.Array, at []place) (validity *memory.Buffer, nulls int) {
	any := false
	for _, c := range chunks {
		any = any || c.NullN() > 0
	}
	if !any {
		return nil, 0
	}
	bits := make([]byte, bitutil.BytesForBits(int64(len(at))))
	for i, p := range at {
		if chunks[p.chunk].IsNull(int(p.row)) {
			nulls++
		} else {
			bitutil.SetBit(bits, i)
		}
	}
	return memory.NewBufferBytes(bits), nulls
}

func gatherBits(chunks []arrow.Array, at []place) *memory.Buffer {
	bits := make([]byte, bitutil.BytesForBits(int64(len(at))))
	for i, p := range at {
		if chunks[p.chunk].(*array.Boolean).Value(int(p.row)) {
			bitutil.SetBit(bits, i)
		}
	}
	return memory.NewBufferBytes(bits)
}

func gatherFixed(dt arrow.FixedWidthDataType, chunks []arrow.Array, at []place) *memory.Buffer {
	switch dt.BitWidth() / 8 {
	case 1:
		return copyWords[uint8](chunks, at)
	case 2:
		return copyWords[uint16](chunks, at)
	case 4:
		return copyWords[uint32](chunks, at)
	case 8:
		return copyWords[uint64](chunks, at)
	}
	return copyWords[decimal128.Num](chunks, at)
}

func copyWords[T arrow.FixedWidthType](chunks []arrow.Array, at []place) *memory.Buffer {
	sources := make([][]T, len(chunks))
	for c, chunk := range chunks {
		data := chunk.Data()
		sources[c] = words[T](data)[data.Offset():]
	}
	out := make([]T, len(at))
	for i, p := range at {
		out[i] = sources[p.chunk][p.row]
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}

// words is the second buffer of an array from its very start, before any offset.
func words[T arrow.FixedWidthType](data arrow.ArrayData) []T {
	buffer := data.Buffers()[1]
	if buffer == nil {
		return make([]T, data.Offset()+data.Len())
	}
	return arrow.GetData[T](buffer.Bytes())
}

// bytesChunk is a string or binary array taken apart, or one of numbers of texts in a dictionary.
type bytesChunk struct {
	offsets []int32
	bytes   []byte
	numbers []int32 // of the rows' texts, noText for NULL; nil where row i has text i
}

const noText = -1

func bytesChunks(chunks []arrow.Array) []bytesChunk {
	apart := make([]bytesChunk, len(chunks))
	for c, chunk := range chunks {
		data := chunk.Data()
		if coded, ok := chunk.(*array.Dictionary); ok {
			data, apart[c].numbers = coded.Dictionary().Data(), numbersOf(coded)
		}
		if data.Len() == 0 {
			continue
		}
		apart[c].offsets = words[int32](data)[data.Offset():]
		if buffer := data.Buffers()[2]; buffer != nil {
			apart[c].bytes = buffer.Bytes()
		}
	}
	return apart
}

// numbersOf is the rows' places in their dictionary.
func numbersOf(coded *array.Dictionary) []int32 {
	data := coded.Data()
	numbers := words[int32](data)[data.Offset():][:data.Len()]
	if coded.NullN() == 0 {
		return numbers
	}
	numbers = slices.Clone(numbers)
	for i := range numbers {
		if coded.IsNull(i) {
			numbers[i] = noText
		}
	}
	return numbers
}

// length is the bytes of so many values.
func (b bytesChunk) length(values int) int32 {
	if values == 0 {
		return 0
	}
	return b.offsets[values] - b.offsets[0]
}

func (b bytesChunk) value(row uint32) []byte {
	if b.numbers != nil {
		number := b.numbers[row]
		if number == noText {
			return nil
		}
		row = uint32(number)
	}
	return b.bytes[b.offsets[row]:b.offsets[row+1]]
}

// gatherBytes copies strings or binaries: offsets first, so that the bytes are allocated once.
func gatherBytes(validity *memory.Buffer, chunks []arrow.Array, at []place) ([]*memory.Buffer, error) {
	sources := bytesChunks(chunks)
	offsets := make([]int32, len(at)+1)
	total := 0
	for i, p := range at {
		if total += len(sources[p.chunk].value(p.row)); total > math.MaxInt32 {
			return nil, errTooLong
		}
		offsets[i+1] = int32(total)
	}
	bytes := make([]byte, 0, total)
	for _, p := range at {
		bytes = append(bytes, sources[p.chunk].value(p.row)...)
	}
	return []*memory.Buffer{validity, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(bytes)}, nil
}

func gatherFields(dt *arrow.StructType, chunks []arrow.Array, at []place) ([]arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, dt.NumFields())
	for f := range children {
		parts := make([]arrow.Array, len(chunks))
		for c, chunk := range chunks {
			parts[c] = chunk.(*array.Struct).Field(f)
		}
		child, err := gather(dt.Field(f).Type, parts, at)
		if err != nil {
			return nil, err
		}
		children[f] = child.Data()
	}
	return children, nil
}

// gatherEntries copies lists and maps: the places of their entries become the places of the
// one child that holds all entries. A NULL has none, whatever range its offsets give.
func gatherEntries(dt arrow.ListLikeType, validity *memory.Buffer, chunks []arrow.Array, at []place) ([]*memory.Buffer, []arrow.ArrayData, error) {
	sources, parts := make([]array.ListLike, len(chunks)), make([]arrow.Array, len(chunks))
	for c, chunk := range chunks {
		sources[c] = chunk.(array.ListLike)
		parts[c] = sources[c].ListValues()
	}
	offsets := make([]int32, len(at)+1)
	var entries []place
	for i, p := range at {
		if sources[p.chunk].IsValid(int(p.row)) {
			start, end := sources[p.chunk].ValueOffsets(int(p.row))
			for j := start; j < end; j++ {
				entries = append(entries, place{p.chunk, uint32(j)})
			}
		}
		if len(entries) > math.MaxInt32 {
			return nil, nil, errTooLong
		}
		offsets[i+1] = int32(len(entries))
	}
	child, err := gather(dt.Elem(), parts, entries)
	if err != nil {
		return nil, nil, err
	}
	return []*memory.Buffer{validity, memory.NewBufferBytes(arrow.GetBytes(offsets))}, []arrow.ArrayData{child.Data()}, nil
}
