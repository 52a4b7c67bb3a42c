package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ajlo/job/config"
	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/window"
)

// Observed is what the event logs of a window say.
type Observed struct {
	// Queries are the user queries that start in the window, by start, application and
	// execution.
	Queries []fact.Query
	// Applications counts those with a query in the window.
	Applications int
	// Problems are files, or parts of them, that could not be read.
	Problems []eventlog.Problem
	// sources tells which source each application was read from.
	sources map[string]config.Source
}

// Unreadable names the damaged files for people, one line each.
func (o Observed) Unreadable() []string {
	lines := make([]string, len(o.Problems))
	for i, p := range o.Problems {
		lines[i] = problemText(p)
	}
	return lines
}

func problemText(p eventlog.Problem) string {
	text := p.File
	if p.Line > 0 {
		text += fmt.Sprintf(", line %d", p.Line)
	}
	text += ": " + p.Reason
	if p.Count > 1 {
		text += fmt.Sprintf(" (%d times)", p.Count)
	}
	return text
}

// Observe reads the event logs of every source. Damaged logs are named in the result and
// give what they hold; a source that is not there at all is an error.
func Observe(ctx context.Context, sources []config.Source, w window.Window) (Observed, error) {
	o := Observed{sources: map[string]config.Source{}}
	for _, source := range sources {
		if err := o.readSource(ctx, source, w); err != nil {
			return Observed{}, err
		}
	}
	fact.Unify(o.Queries)
	slices.SortStableFunc(o.Queries, byStart)
	return o, nil
}

// MissingLogs is a source whose folder is not there or cannot be listed.
type MissingLogs struct {
	Logs string
	Err  error
}

func (e *MissingLogs) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("event logs: there is no folder %s: name the folder that spark.eventLog.dir points to, under sources: or with --logs", e.Logs)
	}
	return fmt.Sprintf("event logs: %v: make the folder readable for this user", e.Err)
}

func (e *MissingLogs) Unwrap() error { return e.Err }

func (o *Observed) readSource(ctx context.Context, source config.Source, w window.Window) error {
	if strings.Contains(source.Logs, "://") {
		return &UsageError{"event logs: " + source.Logs + " is not on local disk: copy or mount it and name the folder"}
	}
	folder := os.DirFS(source.Logs)
	applications, err := eventlog.Find(folder, ".")
	if err != nil {
		return &MissingLogs{source.Logs, err}
	}
	for _, application := range applications {
		if err := o.readApplication(ctx, folder, application, source, w); err != nil {
			return err
		}
	}
	return nil
}

func (o *Observed) readApplication(ctx context.Context, folder fs.FS, a eventlog.Application, source config.Source, w window.Window) error {
	var reading eventlog.Reading
	facts, err := fact.Extract(eventlog.Events(ctx, folder, a, &reading))
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	o.Problems = append(o.Problems, reading.Problems...)
	if err != nil {
		o.Problems = append(o.Problems, eventlog.Problem{File: a.Parts[0], Reason: err.Error(), Count: 1})
		return nil
	}
	before := len(o.Queries)
	for _, q := range facts.Queries {
		if w.Contains(q.Start) {
			o.Queries = append(o.Queries, q)
		}
	}
	if len(o.Queries) > before {
		o.Applications++
		o.sources[facts.App] = source
	}
	return nil
}

func byStart(a, b fact.Query) int {
	return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.App, b.App), int(a.Execution-b.Execution))
}
