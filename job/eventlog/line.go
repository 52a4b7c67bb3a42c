package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one line. Plans of 20 MB are normal; a longer line than this is no plan
// that anything could be learnt from, and a few MB of zstd can hold gigabytes. Decoding a
// line takes about three times its size.
const maxLine = 64 << 20

// readBytes is how much text is read at once: lines that are shorter are not copied, and
// what is moved when one ends beyond it is little beside it. Of longer lines the gate is
// asked before any more is held. It stays in a core's cache.
const readBytes = 256 << 10

// keptBuffer is how large a line's memory may be to serve for the next line too; what one
// huge plan took is given back.
const keptBuffer = 16 << 20

// lineKind says what became of a line.
type lineKind int

const (
	lineWhole   lineKind = iota
	lineTooLong          // over the limit, thrown away
	lineUnused           // its event is not needed, thrown away before it was whole
	lineCut              // the part ends inside it
)

// lines reads a part line by line. It holds one line at most, and of a line that nobody
// needs no more than the buffer.
type lines struct {
	in    *bufio.Reader
	limit int
	held  []byte
}

func newLines(text io.Reader, limit int) *lines {
	return &lines{in: bufio.NewReaderSize(text, readBytes), limit: limit}
}

// next gives the next line without its end; the slice holds until the next call. err is
// io.EOF after the last line, or what stopped the stream: both come alone, with no line.
func (l *lines) next() (line []byte, kind lineKind, bytes int64, err error) {
	if l.held = l.held[:0]; cap(l.held) > keptBuffer {
		l.held = nil
	}
	for {
		piece, err := l.in.ReadSlice('\n')
		bytes += int64(len(piece))
		switch {
		case err == nil && kind == lineWhole && len(l.held) == 0:
			return trimEnd(piece), kind, bytes, nil
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
			kind = l.hold(piece, kind)
			if err == nil {
				return trimEnd(l.held), kind, bytes, nil
			}
		case bytes > 0:
			return l.last(piece, kind, bytes)
		default:
			return nil, 0, 0, err
		}
	}
}

// hold keeps a piece, unless the line is not wanted or grew too long.
func (l *lines) hold(piece []byte, kind lineKind) lineKind {
	if kind != lineWhole {
		return kind
	}
	if len(l.held)+len(piece) > l.limit {
		l.held = nil
		return lineTooLong
	}
	first := len(l.held) == 0
	l.held = append(l.held, piece...)
	if name, ok := eventName(l.held); first && ok && !worthHolding(kindOf(name)) {
		l.held = l.held[:0]
		return lineUnused
	}
	return kind
}

// worthHolding tells lines that may be longer than what is read at once. Ends of tasks are
// not: what they say of their stage is short.
func worthHolding(k kind) bool { return k != unneeded && k != taskEnd }

// last is what stands after the last line end. Whether it is whole only its decoder can
// tell, or, where it was thrown away, its last byte. The reason for the end comes with the
// next call.
func (l *lines) last(piece []byte, kind lineKind, bytes int64) ([]byte, lineKind, int64, error) {
	kind = l.hold(piece, kind)
	if kind == lineWhole || (kind == lineUnused && !endsObject(piece)) {
		kind = lineCut
	}
	return trimEnd(l.held), kind, bytes, nil
}

func endsObject(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '}' }

func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }
