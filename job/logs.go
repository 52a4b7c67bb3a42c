package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ajlo/job/config"
	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/object"
	"ajlo/job/window"
)

// Observer reads what ran, from event logs and from facts that were made of them before.
type Observer struct {
	// Sources are the folders of event logs.
	Sources []config.Source
	// Open opens those in object storage.
	Open object.Opener
	// Facts are folders that Export wrote, each as the Logs of a source.
	Facts []config.Source
	// FactsOf are the sources that Facts have to be of, all of them.
	FactsOf []config.Source
	// Cache is the folder that keeps facts of finished applications; empty for none.
	Cache string
	// Shard is the part of the logs' applications that is read. Facts are read whole.
	Shard Shard
	// Histories are asked what writes touched; nil where no table is looked at.
	Histories *Histories
	Log       *slog.Logger
	// Clock is the time now, which only the upkeep of the cache looks at.
	Clock func() time.Time
}

// Observed is what the event logs of a window say.
type Observed struct {
	// Queries are the user queries that start in the window, by start, application and
	// execution.
	Queries []fact.Query
	// Applications counts those with a query in the window.
	Applications int
	// Problems are files, or parts of them, that could not be read.
	Problems []eventlog.Problem
	// Unread are those of applications of which a file as a whole gave nothing.
	Unread []eventlog.Problem
	// Lines counts the lines of logs that were read, and Cached the applications of which
	// none had to be.
	Lines  int64
	Cached int
	// Uncovered says which facts are not of the window, or of which source there are none; nil for
	// neither. Nothing is decided by them.
	Uncovered error
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

// MissingLogs is a source whose folder is not there or cannot be listed.
type MissingLogs struct {
	Logs string
	Err  error
}

func (e *MissingLogs) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return fmt.Sprintf("event logs: there is no folder %s: name the folder that spark.eventLog.dir points to, under sources: or with --logs", e.Logs)
	}
	return fmt.Sprintf("event logs %s: %v: make the folder readable for this user", e.Logs, e.Err)
}

func (e *MissingLogs) Unwrap() error { return e.Err }

// Unread is applications that could not be read where all were wanted.
type Unread struct{ Problems []eventlog.Problem }

func (e *Unread) Error() string {
	return fmt.Sprintf("%d files could not be read (--strict): %s: mend or move them, or leave --strict out", len(e.Problems), problemText(e.Problems[0]))
}

// Strictly is an *Unread where an application could not be read.
func (o Observed) Strictly() error {
	if len(o.Unread) == 0 {
		return nil
	}
	return &Unread{o.Unread}
}

// Observe reads every source, several applications at a time. Damaged logs are named in the
// result and give what they hold; a source that is not there at all is an error. The result
// does not depend on the cache, nor on what was read first.
func (o Observer) Observe(ctx context.Context, w window.Window) (Observed, error) {
	readings, err := o.read(ctx, w)
	return o.told(ctx, gather(readings)), err
}

// told adds what the tables that were written to say themselves.
func (o Observer) told(ctx context.Context, observed Observed) Observed {
	if o.Histories == nil {
		return observed
	}
	return o.Histories.tell(ctx, observed)
}

// reader reads one application.
type reader func(context.Context) (reading, error)

// read gives what the window has of each application, in the order of sources and paths.
func (o Observer) read(ctx context.Context, w window.Window) ([]reading, error) {
	shelf := o.openCache(ctx)
	readers, err := o.readers(ctx, shelf, w)
	if err != nil {
		return nil, err
	}
	readings := make([]reading, len(readers))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, read := range readers {
		group.Go(func() (err error) {
			readings[i], err = read(ctx)
			readings[i].cut(w)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	shelf.report(readings)
	return readings, nil
}

func (o Observer) readers(ctx context.Context, shelf shelf, w window.Window) ([]reader, error) {
	var readers []reader
	for _, source := range o.Sources {
		logs, err := o.find(ctx, source, w.Start)
		if err != nil {
			return nil, err
		}
		for _, l := range logs {
			if o.Shard.Has(l.place) {
				readers = append(readers, func(ctx context.Context) (reading, error) { return l.read(ctx, shelf) })
			}
		}
		shelf.sweep(ctx, source, logs)
	}
	var of []string
	for _, source := range o.Facts {
		made, places, err := o.factReaders(ctx, source, w)
		if err != nil {
			return nil, err
		}
		readers, of = append(readers, made...), append(of, places...)
	}
	if lacks := lacking(o.FactsOf, of); lacks != nil {
		readers = append(readers, func(context.Context) (reading, error) { return reading{uncovered: lacks}, nil })
	}
	return readers, nil
}

// gather makes one result of all applications: one table has one name, and an application
// whose log was found twice counts once.
func gather(readings []reading) Observed {
	o := Observed{sources: map[string]config.Source{}}
	seen := executions{}
	for _, r := range readings {
		if again := seen.repeats(&r); again > 0 {
			o.Problems = append(o.Problems, eventlog.Problem{File: r.key.Place, Count: 1,
				Reason: fmt.Sprintf("%d queries of it were read already from another place and count once", again)})
		}
		o.Queries = append(o.Queries, r.facts.Queries...)
		o.Problems = append(o.Problems, r.problems...)
		o.Lines += r.lines
		if r.unread {
			o.Unread = append(o.Unread, r.problems...)
		}
		if r.cached {
			o.Cached++
		}
		o.Uncovered = cmp.Or(o.Uncovered, r.uncovered)
		if len(r.facts.Queries) > 0 {
			o.Applications++
			o.sources[r.facts.Queries[0].App] = r.source
		}
	}
	fact.Unify(o.Queries)
	slices.SortStableFunc(o.Queries, byStart)
	return o
}

// executions are those read so far. An application that began again under its old name starts
// its executions at other times.
type executions map[execution]bool

type execution struct {
	app   string
	id    int64
	start time.Time
}

// repeats takes the queries out of a reading that were read before, and counts them.
func (e executions) repeats(r *reading) int {
	before := len(r.facts.Queries)
	r.facts.Queries = slices.DeleteFunc(r.facts.Queries, func(q fact.Query) bool {
		key := execution{q.App, q.Execution, q.Start}
		known := e[key]
		e[key] = true
		return known
	})
	return before - len(r.facts.Queries)
}

func byStart(a, b fact.Query) int {
	return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.App, b.App), cmp.Compare(a.Execution, b.Execution))
}
