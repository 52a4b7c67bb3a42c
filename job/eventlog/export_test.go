package eventlog

import (
	"bufio"
	"io"
	"testing"
)

// Unpack undoes a file's compression as Events does, for benchmarks that compare with it.
func Unpack(in io.Reader) (io.Reader, func(), error) {
	return unpack(bufio.NewReaderSize(in, packedBytes))
}

// AppendLZ4Block adds a block as lz4-java writes it.
func AppendLZ4Block(t testing.TB, out, text []byte) []byte { return appendLZ4Block(t, out, text) }
