package eventlog

import (
	"bytes"
)

// maxLine bounds one line. Plans of 20 MB are normal; a longer line than this is no plan
// that anything could be learnt from, and a few MB of zstd can hold gigabytes. Decoding a
// line takes up to five times its size.
const maxLine = 48 << 20

// shortLine is as long as the ends of tasks may be: what they say of their stage is short.
const shortLine = 256 << 10

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
	lineTorn             // its beginning is damaged
)

// lineTaker is who reads lines. A line is lent: it holds until settle is called.
type lineTaker interface {
	// takeLine takes one line without its end, of so many bytes with it.
	takeLine(line []byte, kind lineKind, size int64) error
	// settle says that the memory of all lines so far will be used for others.
	settle()
	// keep offers the memory of the last line, before which all others were settled; who
	// keeps it gives other memory for it.
	keep(buffer []byte) []byte
}

// lines cuts text into lines as it is written. Those that lie in one piece of it are not
// copied; of others one is held, and of one that nobody needs no more than its beginning.
type lines struct {
	to    lineTaker
	limit int
	held  []byte   // the beginning of a line whose end did not come yet
	kind  lineKind // of that line
	size  int64    // of that line so far
	last  byte     // of that line so far
	asked int      // how much of held was looked through for the event's name
}

func newLines(to lineTaker, limit int) *lines { return &lines{to: to, limit: limit} }

// Write takes the next piece of text. Its error is the taker's.
func (l *lines) Write(text []byte) (int, error) {
	defer l.to.settle()
	for rest := text; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.hold(rest)
			break
		}
		piece := rest[:end+1]
		rest = rest[end+1:]
		if err := l.finish(piece); err != nil {
			return len(text) - len(rest), err
		}
	}
	return len(text), nil
}

// finish takes the piece that ends a line.
func (l *lines) finish(piece []byte) error {
	if l.size == 0 && len(piece) <= l.limit && (l.kind == lineWhole || beginsLine(piece)) {
		l.kind = lineWhole
		return l.to.takeLine(trimEnd(piece), lineWhole, int64(len(piece)))
	}
	l.hold(piece)
	return l.give()
}

// give hands on the line that was held.
func (l *lines) give() error {
	err := l.to.takeLine(trimEnd(l.held), l.kind, l.size)
	if l.held = l.to.keep(l.held)[:0]; cap(l.held) > keptBuffer {
		l.held = nil
	}
	l.kind, l.size, l.asked = lineWhole, 0, 0
	return err
}

// hold keeps a piece, unless the line is not wanted or grew too long.
func (l *lines) hold(piece []byte) {
	if l.size == 0 && l.kind == lineTorn && beginsLine(piece) {
		l.kind = lineWhole
	}
	l.size += int64(len(piece))
	l.last = piece[len(piece)-1]
	if l.kind != lineWhole {
		return
	}
	if len(l.held)+len(piece) > l.limit {
		l.drop(lineTooLong)
		return
	}
	l.held = append(l.room(len(piece)), piece...)
	if len(l.held) >= 2*l.asked && l.asked < shortLine {
		l.ask()
	}
}

// room gives what is held room for n bytes more. Long lines double it, so that little of it
// is left behind to be cleared away.
func (l *lines) room(n int) []byte {
	if need := len(l.held) + n; need > cap(l.held) && need > shortLine {
		return append(make([]byte, 0, max(need, min(2*cap(l.held), l.limit))), l.held...)
	}
	return l.held
}

// ask looks for the event's name in what there is of a line.
func (l *lines) ask() {
	l.asked = len(l.held)
	name, ok := eventName(l.held)
	if !ok {
		return
	}
	switch wanted := kindOf(name); {
	case wanted == unneeded, wanted == taskEnd && len(l.held) >= shortLine:
		l.drop(lineUnused)
	case wanted != taskEnd:
		l.asked = shortLine // and no more
	}
}

func (l *lines) drop(kind lineKind) {
	if l.kind = kind; cap(l.held) > keptBuffer {
		l.held = nil
	}
	l.held = l.held[:0]
}

// end gives what stands behind the last line end. Whether it is whole only its decoder can
// tell, or, where it was thrown away, its last byte.
func (l *lines) end() error {
	if l.size == 0 {
		return nil
	}
	if l.kind == lineWhole || l.kind == lineUnused && l.last != '}' {
		l.kind = lineCut
	}
	return l.give()
}

// gap says that text is missing here: the line that it tore is not used, neither what came
// of it before nor what comes behind, up to its end.
func (l *lines) gap() {
	l.drop(lineTorn)
	l.size, l.asked = 0, 0
}

// beginsLine tells the beginning of a line as Spark writes it: inside of one, its quotes
// would be escaped.
func beginsLine(text []byte) bool { return bytes.HasPrefix(text, eventKey) }

func endsObject(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '}' }

func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }
