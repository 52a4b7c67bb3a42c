package eventlog

import (
	"bufio"
	"io"
	"testing"
)

// Unpack undoes a file's compression as Events does, for benchmarks that compare with it.
func Unpack(in io.Reader) (text io.WriterTo, release func(), err error) {
	u, err := unpack(bufio.NewReaderSize(in, packedBytes))
	if err != nil {
		return nil, nil, err
	}
	return u, u.release, nil
}

// AppendLZ4Block adds a block as lz4-java writes it.
func AppendLZ4Block(t testing.TB, out, text []byte) []byte { return appendLZ4Block(t, out, text) }
