package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxBlock bounds what one block may declare to hold, packed or not. lz4-java makes none
// larger than 32 MiB, and Spark's are 32 KiB unless it is told otherwise.
const maxBlock = 32 << 20

// textAtOnce is how much text of short blocks is handed on together.
const textAtOnce = 192 << 10

// blockReader reads a framing of blocks that are decoded one by one.
type blockReader struct {
	in     *bufio.Reader
	decode blockDecoder
	magic  string // that a block, or a stream of blocks, begins with
	buffer blockBuffer
	rest   []byte
	err    error
}

// blockDecoder reads the next block and adds its text to the buffer's, nothing for a block
// that holds none. It gives io.EOF where no block begins, io.ErrUnexpectedEOF inside one,
// and damage where a block is not as it should be; its text is then not used.
type blockDecoder func(in *bufio.Reader, b *blockBuffer) error

// blockBuffer is memory that serves for block after block.
type blockBuffer struct {
	head         [24]byte
	packed, text []byte
}

// damage is what is wrong with a block. Whatever follows the block may be whole.
type damage string

func (d damage) Error() string { return string(d) }

func isDamage(err error) bool {
	_, ok := errors.AsType[damage](err)
	return ok
}

func (r *blockReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill(1)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// WriteTo writes the text without another copy of it.
func (r *blockReader) WriteTo(w io.Writer) (total int64, err error) {
	for {
		n, err := w.Write(r.rest)
		r.rest, total = r.rest[n:], total+int64(n)
		switch {
		case err != nil:
			return total, err
		case errors.Is(r.err, io.EOF):
			return total, nil
		case r.err != nil:
			return total, r.err
		}
		r.fill(textAtOnce)
	}
}

// fill decodes blocks until they are enough bytes of text, or no more can be had.
func (r *blockReader) fill(enough int) {
	b := &r.buffer
	b.text = b.text[:0]
	for len(b.text) < enough && r.err == nil {
		before := len(b.text)
		if r.err = r.decode(r.in, b); r.err != nil {
			b.text = b.text[:before]
		}
	}
	r.rest = b.text
}

// resume goes on behind damage: at the next block that begins like one. It is false where
// there is none.
func (r *blockReader) resume() bool {
	if r.err == nil {
		return true
	}
	if !isDamage(r.err) {
		return false
	}
	if errors.Is(r.err, errXerialData) {
		r.err = nil // the block's length is known, and the next one begins behind it
		return true
	}
	r.err = seek(r.in, r.magic)
	return r.err == nil
}

// seek reads up to the next place where magic stands; its error is the reader's.
func seek(in *bufio.Reader, magic string) error {
	for {
		ahead, err := in.Peek(in.Size())
		at := bytes.Index(ahead, []byte(magic))
		skip := at
		if at < 0 {
			skip = max(0, len(ahead)-len(magic)+1)
		}
		if _, discarded := in.Discard(skip); discarded != nil {
			return discarded
		}
		if at >= 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errTooLarge is a block that declares more than any writer makes.
var errTooLarge = damage(fmt.Sprintf("a block declares more than %d MiB", maxBlock>>20))

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

// load reads a block's n packed bytes.
func (b *blockBuffer) load(in *bufio.Reader, n int) ([]byte, error) {
	b.packed = sized(b.packed, n)
	_, err := io.ReadFull(in, b.packed)
	return b.packed, insideBlock(err)
}

// store reads n bytes of text that are not packed.
func (b *blockBuffer) store(in *bufio.Reader, n int) ([]byte, error) {
	text := b.room(n)
	_, err := io.ReadFull(in, text)
	return text, insideBlock(err)
}

// room gives the next n bytes of the text.
func (b *blockBuffer) room(n int) []byte {
	before := len(b.text)
	b.text = slices.Grow(b.text, n)[:before+n]
	return b.text[before:]
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
