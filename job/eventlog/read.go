package eventlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"
)

// Events streams the events of interest of one application in order. What ends or damages
// a part is collected in r and the rest goes on; an error is yielded only where nothing
// more can be read at all (ctx is done), and then last.
func Events(ctx context.Context, fsys fs.FS, a Application, r *Reading) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !yield(ApplicationStart{ID: a.ID, Attempt: a.Attempt}, nil) {
			return
		}
		for _, number := range a.Lost {
			r.add(path.Dir(a.Parts[0]), 0, fmt.Sprintf("part %d of the rolling log is not there", number))
		}
		held, pairs := newLatest(), newPairs()
		for _, name := range a.Parts {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("read event log %s: %w", name, err))
				return
			}
			p := partReader{ctx: ctx, file: name, reading: r, limit: maxLine, held: held, pairs: pairs, yield: yield}
			if !p.read(fsys) {
				return
			}
		}
		pairs.tell(r)
		p := partReader{ctx: ctx, reading: r, held: held, yield: yield}
		for _, h := range held.rest() {
			if !p.giveHeld(h) {
				return
			}
		}
	}
}

// partReader reads one file of an application.
type partReader struct {
	ctx     context.Context
	file    string
	reading *Reading
	limit   int
	line    int64
	held    *latest
	pairs   *pairs
	yield   func(Event, error) bool
}

// errStopped is a consumer that wants no more.
var errStopped = errors.New("no more events are wanted")

// read gives false once the consumer wants no more.
func (p *partReader) read(fsys fs.FS) bool {
	file, err := openPart(fsys, p.file)
	if err != nil {
		p.lose(0, "cannot be opened: "+reason(err))
		return true
	}
	defer file.Close() // only read: closing loses nothing
	p.reading.Parts++
	// A file's own way of writing to others would take shorter pieces.
	text, err := unpack(bufio.NewReaderSize(struct{ io.Reader }{file}, packedBytes))
	if err != nil {
		p.lose(0, reason(err))
		return true
	}
	defer text.release()
	return p.readText(text)
}

// readText takes all lines of a text. Where its framing lets one go on behind damage the
// line that was hit is lost and what follows counts.
func (p *partReader) readText(text *unpacked) bool {
	l := newLines(p, p.limit)
	for {
		_, err := text.WriteTo(l)
		if errors.Is(err, errStopped) {
			return false
		}
		damaged := err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
		if damaged && text.resume() {
			p.lose(p.line, "damaged inside, what follows was read: "+reason(err))
			l.gap()
			continue
		}
		if errors.Is(l.end(), errStopped) {
			return false
		}
		p.ended(err)
		return true
	}
}

// settle and keep are about the lines that are held: see lineTaker.
func (p *partReader) settle() { p.held.settle() }

func (p *partReader) keep(buffer []byte) []byte { return p.held.exchange(buffer) }

// takeLine accounts for a line, and uses it where it holds an object.
func (p *partReader) takeLine(line []byte, kind lineKind, size int64) error {
	p.line++
	p.reading.Lines++
	p.reading.Bytes += size
	if p.ctx.Err() != nil {
		p.yield(nil, fmt.Errorf("read event log %s: %w", p.file, p.ctx.Err()))
		return errStopped
	}
	if p.holdsObject(line, kind) && !p.use(line, kind) {
		return errStopped
	}
	return nil
}

// use gives the line's event, or holds the line, or passes over it.
func (p *partReader) use(line []byte, kind lineKind) bool {
	name, ok := eventName(line)
	if !ok {
		p.lose(p.line, "line names no event")
		return true
	}
	wanted := kindOf(name)
	switch wanted {
	case unneeded:
		return true
	case taskEnd:
		if key, ok := taskKey(line); ok && kind == lineWhole && !p.held.holdTask(key, line, p.file, p.line) {
			p.lose(p.line, tooManyOpen)
		}
		return true
	case adaptiveUpdate:
		if key, ok := updateKey(line); ok && kind == lineWhole && p.held.hold(key, line, p.file, p.line) {
			return true
		}
	}
	event, err := decode(wanted, line)
	switch {
	case err != nil && kind == lineCut:
		p.lose(p.line, endsInside)
		return true
	case err != nil:
		p.lose(p.line, notAsWritten(name))
		return true
	}
	return p.give(event)
}

// give hands on an event, and before it what was held for it.
func (p *partReader) give(event Event) bool {
	switch e := event.(type) {
	case ExecutionStart:
		p.pairs.start(pairKey{executionEnd, e.Execution})
	case JobStart:
		p.pairs.start(pairKey{jobEnd, e.Job})
	case JobEnd:
		p.pairs.end(pairKey{jobEnd, e.Job}, p.file, p.line, p.reading)
	case ExecutionEnd:
		p.pairs.end(pairKey{executionEnd, e.Execution}, p.file, p.line, p.reading)
		if h := p.held.take(heldKey{kind: adaptiveUpdate, id: e.Execution}); h != nil && !p.giveHeld(h) {
			return false
		}
	case PlanUpdate:
		p.held.release(p.held.take(heldKey{kind: adaptiveUpdate, id: e.Execution})) // this one replaces it
	case StageCompleted:
		p.held.complete(e.Stage, e.Attempt)
	}
	p.reading.Events++
	return p.yield(event, nil)
}

// giveHeld decodes a line that nothing replaced.
func (p *partReader) giveHeld(h *heldLine) bool {
	event, err := decode(h.key.kind, h.text)
	p.held.release(h)
	if err != nil {
		name, _ := eventName(h.text)
		p.reading.add(h.file, h.number, notAsWritten(name))
		return true
	}
	p.reading.Events++
	return p.yield(event, nil)
}

func notAsWritten(name []byte) string {
	return fmt.Sprintf("event %s is not as Spark writes it", shortName(name))
}

// tooManyOpen is what becomes of ends of tasks beyond those that are held.
const tooManyOpen = "task ends of more stages than are followed before they complete"

// endsInside is what becomes of the last line of a log that is still being written.
const endsInside = "file ends inside a line"

// holdsObject tells lines worth a closer look, and accounts for those that are lost.
func (p *partReader) holdsObject(line []byte, kind lineKind) bool {
	text := bytes.TrimSpace(line)
	switch {
	case kind == lineTooLong:
		p.lose(p.line, fmt.Sprintf("line is longer than %d MiB", p.limit>>20))
	case kind == lineCut && !endsObject(text):
		p.lose(p.line, endsInside)
	case kind == lineUnused || kind == lineTorn || len(text) == 0:
	case text[0] != '{':
		p.lose(p.line, "line is no JSON object")
	default:
		return true
	}
	return false
}

func shortName(name []byte) string {
	return string(name[bytes.LastIndexByte(name, '.')+1:])
}

// ended tells a clean end from a damaged one. A log still being written stops inside a
// compressed block: all that could be read was given.
func (p *partReader) ended(err error) {
	switch {
	case err == nil:
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.lose(p.line, "file ends inside a compressed block")
	default:
		p.lose(p.line, "damaged from here on: "+reason(err))
	}
}

func (p *partReader) lose(line int64, why string) { p.reading.add(p.file, line, why) }

// reason is an error without the path, which the problem already names.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return strings.TrimSpace(err.Error())
}
