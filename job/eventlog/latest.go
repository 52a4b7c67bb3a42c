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
	completed completed
	lent      []*heldLine // whose text is in memory that is not theirs
	spare     [][]byte    // memory that updates were held in
}

// heldKey is an execution (kind adaptiveUpdate) or an attempt of a stage (kind taskEnd).
type heldKey struct {
	kind        kind
	id, attempt int64
}

// heldLine is a line and where it stood. Its text is lent until the reader needs the memory:
// most lines are replaced before that, and never copied.
type heldLine struct {
	key    heldKey
	text   []byte
	own    []byte // memory for the text
	lent   bool   // the text is not in own
	file   string
	number int64
	order  int64
}

func newLatest() *latest {
	return &latest{lines: map[heldKey]*heldLine{}, completed: completed{}}
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
	return l.put(l.lines[key], key, line, file, number)
}

// put is hold for the line that is held under the key, nil for none.
func (l *latest) put(h *heldLine, key heldKey, line []byte, file string, number int64) bool {
	before := 0
	if h != nil {
		before = len(h.text)
	}
	if l.bytes-before+len(line) > maxHeldBytes {
		return false
	}
	if h == nil {
		h = &heldLine{key: key, own: l.memoryFor(key)}
		l.lines[key] = h
	}
	l.seen++
	l.bytes += len(line) - before
	if h.text = line; !h.lent {
		h.lent = true
		l.lent = append(l.lent, h)
	}
	h.file, h.number, h.order = file, number, l.seen
	return true
}

// holdTask holds the end of a task of a stage that is worth following; false where there are
// too many of those.
func (l *latest) holdTask(key heldKey, line []byte, file string, number int64) bool {
	h, known := l.lines[key]
	switch {
	case !known && l.completed.has(key.id, key.attempt):
		return true
	case !known && len(l.lines) >= maxOpenStages:
		return false
	}
	return l.put(h, key, line, file, number)
}

// settle moves lines out of memory that was lent.
func (l *latest) settle() {
	for _, h := range l.lent {
		if h.lent {
			h.own = append(h.own[:0], h.text...)
			h.text, h.lent = h.own, false
		}
	}
	clear(l.lent)
	l.lent = l.lent[:0]
}

// exchange takes over the buffer that the last line was lent in, where it is held, no other
// is lent and it fills the buffer; the line's own memory is given for it.
func (l *latest) exchange(buffer []byte) []byte {
	if len(l.lent) == 1 && l.lent[0].lent && cap(buffer) <= 2*len(buffer) {
		h := l.lent[0]
		h.lent, h.own, buffer = false, buffer, h.own
	}
	l.settle()
	return buffer
}

// Memory for updates is used again, so long as it is not much.
const (
	maxSpare   = 4
	spareBytes = 1 << 20
)

func (l *latest) memoryFor(key heldKey) (buffer []byte) {
	if n := len(l.spare); n > 0 && key.kind == adaptiveUpdate {
		buffer, l.spare = l.spare[n-1], l.spare[:n-1]
	}
	return buffer
}

// release takes back the memory of a line that was taken.
func (l *latest) release(h *heldLine) {
	if h != nil && len(l.spare) < maxSpare && h.key.kind == adaptiveUpdate && cap(h.own) > 0 && cap(h.own) <= spareBytes {
		l.spare = append(l.spare, h.own)
	}
}

// take gives up the line of a key, nil where there is none.
func (l *latest) take(key heldKey) *heldLine {
	h, ok := l.lines[key]
	if !ok {
		return nil
	}
	delete(l.lines, key)
	l.bytes -= len(h.text)
	h.lent = false // nobody asks for it once the reader goes on
	return h
}

// complete takes note that a stage's totals are known: its tasks say nothing more.
func (l *latest) complete(stage, attempt int64) {
	l.take(heldKey{taskEnd, stage, attempt})
	l.completed.add(stage, attempt)
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
