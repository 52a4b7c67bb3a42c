package eventlog

import (
	"bytes"
	"cmp"
	"slices"
)

// latest holds lines that later ones replace, undecoded: of an execution's adaptive updates
// the last is what ran, and of a stage's task ends the last has the totals that the stage
// had come to, which are needed only where it never completed. Half of a log and more is
// made of such lines; here each costs a copy.
type latest struct {
	lines     map[heldKey]*heldLine
	bytes     int
	seen      int64 // lines held so far, which orders them
	completed map[heldKey]bool
}

// heldKey is an execution (kind adaptiveUpdate) or an attempt of a stage (kind taskEnd).
type heldKey struct {
	kind        kind
	id, attempt int64
}

// heldLine is a line and where it stood.
type heldLine struct {
	key    heldKey
	text   []byte
	file   string
	number int64
	order  int64
}

func newLatest() *latest {
	return &latest{lines: map[heldKey]*heldLine{}, completed: map[heldKey]bool{}}
}

// Bounds of what is held for executions and stages that did not end yet: beyond them
// updates are decoded at once, and stages that begin are not followed.
const (
	maxHeldBytes  = 32 << 20
	maxOpenStages = 4096 // of about 4 kB each
)

// hold keeps the line in place of the last one of its key; false where it has to be dealt
// with at once.
func (l *latest) hold(key heldKey, line []byte, file string, number int64) bool {
	h := l.lines[key]
	before := 0
	if h != nil {
		before = len(h.text)
	}
	if l.bytes-before+len(line) > maxHeldBytes {
		return false
	}
	if h == nil {
		h = &heldLine{key: key}
		l.lines[key] = h
	}
	l.seen++
	l.bytes += len(line) - before
	h.text = append(h.text[:0], line...)
	h.file, h.number, h.order = file, number, l.seen
	return true
}

// take gives up the line of a key, nil where there is none.
func (l *latest) take(key heldKey) *heldLine {
	h, ok := l.lines[key]
	if !ok {
		return nil
	}
	delete(l.lines, key)
	l.bytes -= len(h.text)
	return h
}

// complete takes note that a stage's totals are known: its tasks say nothing more.
func (l *latest) complete(stage, attempt int64) {
	key := heldKey{taskEnd, stage, attempt}
	l.take(key)
	l.completed[key] = true
}

// follows reports whether a task's end is worth holding.
func (l *latest) follows(key heldKey) bool {
	if l.completed[key] {
		return false
	}
	_, known := l.lines[key]
	return known || len(l.lines) < maxOpenStages
}

// rest gives up everything, in the order of the log.
func (l *latest) rest() []*heldLine {
	var all []*heldLine
	for _, h := range l.lines {
		all = append(all, h)
	}
	clear(l.lines)
	l.bytes = 0
	slices.SortFunc(all, func(a, b *heldLine) int { return cmp.Compare(a.order, b.order) })
	return all
}

// Fields that tell what a line replaces.
const (
	executionField = "executionId"
	stageField     = "Stage ID"
	attemptField   = "Stage Attempt ID"
)

func updateKey(line []byte) (heldKey, bool) {
	id, ok := wholeField(line, executionField)
	return heldKey{kind: adaptiveUpdate, id: id}, ok
}

// successReason stands near the beginning of the ends of tasks that count: failed, killed
// and overtaken tasks say nothing of what the stage had come to.
var successReason = []byte(`"Reason":"Success"`)

// reasonWithin is how far behind its stage a task's end has its reason.
const reasonWithin = 128 // bytes

func taskKey(line []byte) (heldKey, bool) {
	key, rest, ok := writtenTaskKey(line)
	if !ok {
		key, ok = anyTaskKey(line)
		rest = line
	}
	return key, ok && bytes.Contains(rest[:min(len(rest), reasonWithin)], successReason)
}

// How Spark begins the end of a task; other writers need not.
var (
	taskFront    = []byte(`{"Event":"SparkListenerTaskEnd","Stage ID":`)
	attemptFront = []byte(`,"Stage Attempt ID":`)
)

// writtenTaskKey reads a task's end as Spark writes it, and gives the rest of the line.
func writtenTaskKey(line []byte) (key heldKey, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(line, taskFront)
	if !ok {
		return heldKey{}, nil, false
	}
	stage, n := leadingNumber(rest)
	rest, ok = bytes.CutPrefix(rest[n:], attemptFront)
	attempt, m := leadingNumber(rest)
	return heldKey{kind: taskEnd, id: stage, attempt: attempt}, rest[m:], ok && n > 0 && m > 0
}

func anyTaskKey(line []byte) (heldKey, bool) {
	stage, ok := wholeField(line, stageField)
	if !ok {
		return heldKey{}, false
	}
	attempt, ok := wholeField(line, attemptField)
	return heldKey{kind: taskEnd, id: stage, attempt: attempt}, ok
}

// wholeField reads a whole number of the outermost object without decoding the rest.
func wholeField(line []byte, name string) (int64, bool) {
	at, ok := scanForKey(line, name)
	if !ok {
		return 0, false
	}
	n, size := leadingNumber(bytes.TrimLeft(line[at:], " \t"))
	return n, size > 0
}

// leadingNumber reads digits and gives how many there are; ids are never negative.
func leadingNumber(text []byte) (n int64, size int) {
	for size < min(len(text), maxDigits) && '0' <= text[size] && text[size] <= '9' {
		n = 10*n + int64(text[size]-'0')
		size++
	}
	return n, size
}

// maxDigits is as many as an int64 holds for certain.
const maxDigits = 18
