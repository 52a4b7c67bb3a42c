package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
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
	{[]byte{0x28, 0xB5, 0x2F, 0xFD}, zstandard},
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

// maxWindow bounds what one zstd frame may make the decoder hold; Spark's highest level
// asks for as much.
const maxWindow = 128 << 20

// packedBytes is how much of a packed file is read at once.
const packedBytes = 64 << 10

// maxLayers is how often a log may be packed in what is packed: a zip of gzipped zstd.
const maxLayers = 3

// errLayers is what is packed more often than any writer of logs does it.
var errLayers = fmt.Errorf("packed more than %d times: unpack it by hand", maxLayers)

// unpack gives the text of a part, however often it is packed. release frees the decoders;
// it does not close in.
func unpack(in *bufio.Reader) (text io.Reader, release func(), err error) {
	release = func() {}
	for layer := range maxLayers + 1 {
		head, err := in.Peek(headBytes)
		if layer == 0 && err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		c := codecOf(head) // what damages a layer is told again when it is read
		if c == plain {
			return in, release, nil
		}
		next, free, err := open(c, in)
		if err != nil {
			release()
			return nil, nil, fmt.Errorf("%s: %w", c, err)
		}
		outer := release
		release = func() { free(); outer() }
		in = bufio.NewReaderSize(next, packedBytes)
	}
	release()
	return nil, nil, errLayers
}

// open undoes one layer. Cut anywhere, every reader gives what stood before the cut, by
// whole blocks at least, and then io.ErrUnexpectedEOF.
func open(c codec, in *bufio.Reader) (io.Reader, func(), error) {
	free := func() {}
	switch c {
	case zstandard:
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	case gzipped:
		d, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &blockReader{err: io.ErrUnexpectedEOF}, free, nil // cut inside its head
		}
		return d, free, err
	case lz4Block:
		return &blockReader{in: in, decode: decodeLZ4Block}, free, nil
	case lz4Frame:
		return lz4codec.NewReader(in), free, nil
	case lzf:
		return &blockReader{in: in, decode: decodeLZF}, free, nil
	case snappy:
		return &blockReader{in: in, decode: decodeXerial}, free, nil
	case archive:
		return &zipStream{in: in}, free, nil
	}
	return nil, nil, fmt.Errorf("codec %s has no reader", c)
}
