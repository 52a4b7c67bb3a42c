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
		held := newLatest()
		for _, name := range a.Parts {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("read event log %s: %w", name, err))
				return
			}
			p := partReader{ctx: ctx, file: name, reading: r, limit: maxLine, held: held, yield: yield}
			if !p.read(fsys) {
				return
			}
		}
		p := partReader{ctx: ctx, reading: r, yield: yield}
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
	yield   func(Event, error) bool
}

// read gives false once the consumer wants no more.
func (p *partReader) read(fsys fs.FS) bool {
	file, err := openPart(fsys, p.file)
	if err != nil {
		p.lose(0, "cannot be opened: "+reason(err))
		return true
	}
	defer file.Close() // only read: closing loses nothing
	p.reading.Parts++
	in := bufio.NewReaderSize(file, packedBytes)
	text, release, err := unpack(in)
	if err != nil {
		p.lose(0, reason(err))
		return true
	}
	defer release()
	return p.eachLine(newLines(text, p.limit))
}

func (p *partReader) eachLine(l *lines) bool {
	for {
		line, kind, size, err := l.next()
		if err != nil {
			p.ended(err)
			return true
		}
		p.line++
		p.reading.Lines++
		p.reading.Bytes += size
		if p.ctx.Err() != nil {
			p.yield(nil, fmt.Errorf("read event log %s: %w", p.file, p.ctx.Err()))
			return false
		}
		if p.holdsObject(line, kind) && !p.takeLine(line, kind) {
			return false
		}
	}
}

// takeLine gives the line's event, or holds the line, or passes over it.
func (p *partReader) takeLine(line []byte, kind lineKind) bool {
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
		if key, ok := taskKey(line); ok && kind == lineWhole && p.held.follows(key) {
			p.held.hold(key, line, p.file, p.line)
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
	case ExecutionEnd:
		if h := p.held.take(heldKey{kind: adaptiveUpdate, id: e.Execution}); h != nil && !p.giveHeld(h) {
			return false
		}
	case PlanUpdate:
		p.held.take(heldKey{kind: adaptiveUpdate, id: e.Execution}) // this one replaces it
	case StageCompleted:
		p.held.complete(e.Stage, e.Attempt)
	}
	p.reading.Events++
	return p.yield(event, nil)
}

// giveHeld decodes a line that nothing replaced.
func (p *partReader) giveHeld(h *heldLine) bool {
	event, err := decode(h.key.kind, h.text)
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
	case kind == lineUnused || len(text) == 0:
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
	case errors.Is(err, io.EOF):
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
