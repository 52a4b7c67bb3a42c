package eventlog

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdMagic begins every frame (RFC 8878, section 3.1.1). Spark ends one whenever it flushes,
// at the end of a line.
const zstdMagic = "\x28\xB5\x2F\xFD"

// maxWindow bounds what one zstd frame may make the decoder hold; Spark's highest level
// asks for as much.
const maxWindow = 128 << 20

// zstdReader reads frame after frame.
type zstdReader struct {
	*zstd.Decoder
	in  *bufio.Reader
	err error // why it cannot go on
}

func openZstd(in *bufio.Reader) (layer, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return layer{}, err
	}
	z := &zstdReader{Decoder: d, in: in}
	return layer{Reader: z, free: d.Close, resume: z.resume}, nil
}

func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.Decoder.Read(p)
	return n, z.failed(err)
}

// WriteTo writes the text without a copy of it.
func (z *zstdReader) WriteTo(w io.Writer) (int64, error) {
	n, err := z.Decoder.WriteTo(w)
	return n, z.failed(err)
}

// failed tells the end of a file, inside a block, from a block that ends too early: the
// decoder says the same of both.
func (z *zstdReader) failed(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		if _, end := z.in.Peek(1); end == nil {
			err = errZstdData
		}
	}
	z.err = err
	return err
}

const errZstdData = damage("a zstd block cannot be decoded")

// resume goes on at the next frame behind damage.
func (z *zstdReader) resume() bool {
	if z.err == nil {
		return true
	}
	if errors.Is(z.err, io.EOF) || errors.Is(z.err, io.ErrUnexpectedEOF) || seek(z.in, zstdMagic) != nil {
		return false
	}
	z.err = z.Reset(z.in)
	return z.err == nil
}
