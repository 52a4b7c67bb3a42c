package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	lz4codec "github.com/pierrec/lz4/v4"
)

// codec is how a part is stored, told by its first bytes.
type codec string

const (
	plain     codec = "plain"
	zstandard codec = "zstd"
	gzipped   codec = "gzip"
	lz4Block  codec = "lz4"
	lz4Frame  codec = "lz4 frame"
	lzf       codec = "lzf"
	snappy    codec = "snappy"
	archive   codec = "zip"
)

// headBytes is as much of a file as tells its codec.
const headBytes = 8

// magics are the first bytes of each codec as Spark writes it: lz4 and snappy in the
// framings of lz4-java and xerial, lzf in compress-lzf's chunks. LZ4's own frames are what
// other programs make of a log.
var magics = []struct {
	head []byte
	is   codec
}{
	{[]byte(zstdMagic), zstandard},
	{[]byte(lz4BlockMagic), lz4Block},
	{[]byte{0x04, 0x22, 0x4D, 0x18}, lz4Frame},
	{[]byte(xerialMagic), snappy},
	{[]byte(lzfMagic), lzf},
	{[]byte{0x1F, 0x8B}, gzipped},
	{[]byte(zipEntryMagic), archive},
}

func codecOf(head []byte) codec {
	for _, m := range magics {
		if bytes.HasPrefix(head, m.head) {
			return m.is
		}
	}
	return plain
}

// packedBytes is how much of a packed file is read at once.
const packedBytes = 64 << 10

// maxLayers is how often a log may be packed in what is packed: a zip of gzipped zstd.
const maxLayers = 3

// errLayers is what is packed more often than any writer of logs does it.
var errLayers = fmt.Errorf("packed more than %d times: unpack it by hand", maxLayers)

// unpacked is the text of a part, out of as many layers as it was packed in.
type unpacked struct {
	*bufio.Reader
	layers []layer // the outermost first
}

// layer is one codec's reader. Cut anywhere it gives what stood before the cut, by whole
// blocks at least, and then io.ErrUnexpectedEOF, again and again.
type layer struct {
	io.Reader
	free   func()      // nil where nothing is to be freed
	resume func() bool // nil where the framing does not let one go on behind damage
}

// unpack gives the text of a part, however often it is packed. What damages a layer is told
// when it is read.
func unpack(in *bufio.Reader) (*unpacked, error) {
	u := &unpacked{Reader: in}
	for range maxLayers + 1 {
		head, err := u.Peek(headBytes)
		if len(u.layers) == 0 && err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		c := codecOf(head)
		if c == plain {
			return u, nil
		}
		next, err := open(c, u.Reader)
		if err != nil {
			u.release()
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		u.layers = append(u.layers, next)
		u.Reader = bufio.NewReaderSize(next.Reader, packedBytes)
	}
	u.release()
	return nil, errLayers
}

// release frees the decoders; it does not close what they read from.
func (u *unpacked) release() {
	for _, l := range slices.Backward(u.layers) {
		if l.free != nil {
			l.free()
		}
	}
}

// resume goes on behind damage in any of the layers; false where that cannot be.
func (u *unpacked) resume() bool {
	for _, l := range u.layers {
		if l.resume == nil || !l.resume() {
			return false
		}
	}
	return len(u.layers) > 0
}

// open undoes one layer.
func open(c codec, in *bufio.Reader) (layer, error) {
	switch c {
	case zstandard:
		return openZstd(in)
	case gzipped:
		d, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return layer{Reader: &blockReader{err: io.ErrUnexpectedEOF}}, nil // cut inside its head
		}
		return layer{Reader: d}, err
	case lz4Block:
		return blocks(&blockReader{in: in, decode: decodeLZ4Block, magic: lz4BlockMagic}), nil
	case lz4Frame:
		return layer{Reader: struct{ io.Reader }{lz4codec.NewReader(in)}}, nil // its WriteTo cannot follow a Read
	case lzf:
		return blocks(&blockReader{in: in, decode: decodeLZF, magic: lzfMagic}), nil
	case snappy:
		return blocks(&blockReader{in: in, decode: decodeXerial, magic: xerialMagic}), nil
	case archive:
		return layer{Reader: &zipStream{in: in}}, nil
	}
	return layer{}, fmt.Errorf("codec %s has no reader", c)
}

func blocks(r *blockReader) layer { return layer{Reader: r, resume: r.resume} }
