package shift

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// readPart gives the lines of one file, without their ends.
func readPart(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, zstdMagic) {
		if data, err = unpack(data); err != nil {
			return nil, fmt.Errorf("unpack %s: %w", filepath.Base(path), err)
		}
	}
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func unpack(data []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// writePart writes the lines as the name says: packed where it ends in .zstd.
func writePart(path string, lines [][]byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	if !strings.HasSuffix(path, ".zstd") {
		return writeLines(f, lines)
	}
	w, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if err := writeLines(w, lines); err != nil {
		return err
	}
	return w.Close()
}

func writeLines(w io.Writer, lines [][]byte) error {
	b := bufio.NewWriter(w)
	for _, line := range lines {
		// A bufio.Writer keeps its first error and gives it at Flush.
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Flush()
}
