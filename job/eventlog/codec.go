package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// codec is how a part is stored, told by its first bytes.
type codec string

const (
	plain     codec = "plain"
	zstandard codec = "zstd"
	gzip      codec = "gzip"
	lz4       codec = "lz4"
	lzf       codec = "lzf"
	snappy    codec = "snappy"
	archive   codec = "zip"
)

// headBytes is as much of a file as tells its codec.
const headBytes = 8

// magics are the first bytes of each codec as Spark writes it: lz4 and snappy in the
// framings of lz4-java and xerial, lzf in compress-lzf's chunks.
var magics = []struct {
	head []byte
	is   codec
}{
	{[]byte{0x28, 0xB5, 0x2F, 0xFD}, zstandard},
	{[]byte("LZ4Block"), lz4},
	{[]byte{0x04, 0x22, 0x4D, 0x18}, lz4},
	{[]byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}, snappy},
	{[]byte("ZV"), lzf},
	{[]byte{0x1F, 0x8B}, gzip},
	{[]byte{'P', 'K', 3, 4}, archive},
}

func codecOf(head []byte) codec {
	for _, m := range magics {
		if bytes.HasPrefix(head, m.head) {
			return m.is
		}
	}
	return plain
}

// maxWindow bounds what one zstd frame may make the decoder hold; zstd itself goes no
// higher than 8 MiB unless it is asked to.
const maxWindow = 128 << 20

// errCodec is a part in a compression that cannot be undone here.
var errCodec = errors.New("compression not read: log with spark.eventLog.compression.codec=zstd, or uncompressed")

// unpack gives the text of a part. close frees the decoder; it does not close in.
func unpack(in *bufio.Reader) (text io.Reader, close func(), err error) {
	head, err := in.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch c := codecOf(head); c {
	case plain:
		return in, func() {}, nil
	case zstandard:
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	default:
		return nil, nil, fmt.Errorf("%s %w", c, errCodec)
	}
}
