package eventlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxBlock bounds what one block may declare to hold, packed or not. lz4-java makes none
// larger than 32 MiB, and Spark's are 32 KiB unless it is told otherwise.
const maxBlock = 32 << 20

// blockReader reads a framing of blocks that are decoded one by one.
type blockReader struct {
	in     *bufio.Reader
	decode blockDecoder
	buffer blockBuffer
	rest   []byte
	err    error
}

// blockDecoder reads and decodes the next block into the buffer's text. It gives an empty
// text for a block that holds none, io.EOF where no block begins, and io.ErrUnexpectedEOF
// inside one.
type blockDecoder func(in *bufio.Reader, b *blockBuffer) (text []byte, err error)

// blockBuffer is memory that serves for block after block.
type blockBuffer struct {
	head         [24]byte
	packed, text []byte
}

func (r *blockReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.decode(r.in, &r.buffer)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// errTooLarge is a block that declares more than any writer makes.
var errTooLarge = fmt.Errorf("a block declares more than %d MiB", maxBlock>>20)

// begin reads n bytes of a block's head; io.EOF means that no block begins.
func (b *blockBuffer) begin(in *bufio.Reader, n int) ([]byte, error) {
	_, err := io.ReadFull(in, b.head[:n])
	return b.head[:n], err
}

// more reads n bytes into head that a block must still have.
func (b *blockBuffer) more(in *bufio.Reader, n int) ([]byte, error) {
	head, err := b.begin(in, n)
	return head, insideBlock(err)
}

// load reads a block's n packed bytes, or as many as there are beside the error.
func (b *blockBuffer) load(in *bufio.Reader, n int) ([]byte, error) {
	b.packed = sized(b.packed, n)
	n, err := io.ReadFull(in, b.packed)
	return b.packed[:n], insideBlock(err)
}

// room gives n bytes for a block's text.
func (b *blockBuffer) room(n int) []byte {
	b.text = sized(b.text, n)
	return b.text
}

func sized(buffer []byte, n int) []byte {
	if cap(buffer) < n {
		return make([]byte, n)
	}
	return buffer[:n]
}

func insideBlock(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
