package job

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"ajlo/job/config"
	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/factcache"
	"ajlo/job/window"
)

// reading is what one application's log gave.
type reading struct {
	source   config.Source
	key      factcache.Key
	facts    fact.Facts
	problems []eventlog.Problem
	// unread is set where a file as a whole gave nothing.
	unread bool
	lines  int64 // of the log that were read; 0 where its facts were kept before
	cached bool
	// unkept is why facts could not be put into the cache.
	unkept error
	// uncovered is why facts that were read do not do for the window.
	uncovered error
}

// cut leaves the queries that start in the window.
func (r *reading) cut(w window.Window) {
	r.facts.Queries = slices.DeleteFunc(r.facts.Queries, func(q fact.Query) bool { return !w.Contains(q.Start) })
}

// log is one application's log in a source.
type log struct {
	source      config.Source
	folder      fs.FS
	application eventlog.Application
	place       string
}

// find lists the logs of a source; of one in object storage those that may hold what happened
// from since on.
func (o Observer) find(ctx context.Context, source config.Source, since time.Time) ([]log, error) {
	folder, err := o.folder(ctx, source, since)
	if err != nil {
		return nil, &MissingLogs{source.Logs, err}
	}
	applications, err := eventlog.Find(folder, ".")
	if err != nil {
		return nil, &MissingLogs{source.Logs, err}
	}
	logs, taken := make([]log, len(applications)), map[string]bool{}
	for i, a := range applications {
		place := placeOf(a)
		if taken[place] {
			place += "\x00" + a.Parts[0] // an application that began again under its old name
		}
		taken[place] = true
		logs[i] = log{source: source, folder: folder, application: a, place: place}
	}
	return logs, nil
}

// folder opens the folder of a source.
func (o Observer) folder(ctx context.Context, source config.Source, since time.Time) (fs.FS, error) {
	if !source.Stored() {
		return os.DirFS(source.Logs), nil
	}
	store, err := o.Open(source.Logs)
	if err != nil {
		return nil, err
	}
	return eventlog.Stored(ctx, store, since, source.Longest)
}

// placeOf is a path that stays the same while the log grows, is compacted and ends.
func placeOf(a eventlog.Application) string {
	first := a.Parts[0]
	if folder := path.Dir(first); strings.HasPrefix(path.Base(folder), "eventlog_v2_") {
		return folder
	}
	return strings.TrimSuffix(first, ".inprogress")
}

func (l log) key() factcache.Key {
	return factcache.Key{
		Source: l.source.Logs, Place: l.place, Parts: l.application.Parts, Bytes: l.application.Bytes,
		Modified: l.application.Modified, Code: codeVersion(),
	}
}

// read gives the log's facts, from the shelf where they are there.
func (l log) read(ctx context.Context, s shelf) (reading, error) {
	r := reading{source: l.source, key: l.key()}
	finished := !l.application.InProgress
	if finished && s.get(ctx, &r) {
		return r, nil
	}
	var account eventlog.Reading
	facts, err := fact.Extract(eventlog.Events(ctx, l.folder, l.application, &account))
	if ctxErr := ctx.Err(); ctxErr != nil {
		return r, ctxErr
	}
	r.facts, r.problems, r.lines = facts, account.Problems, account.Lines
	if err != nil {
		r.problems = append(r.problems, eventlog.Problem{File: l.application.Parts[0], Reason: err.Error(), Count: 1})
	}
	// A log that is being written may end before its first line does.
	r.unread = account.Parts < len(l.application.Parts) || finished && slices.ContainsFunc(r.problems, ofWholeFile)
	// What could not be read may be readable tomorrow.
	if finished && !slices.ContainsFunc(r.problems, func(p eventlog.Problem) bool { return !p.Lasting() }) {
		r.unkept = s.put(ctx, r)
	}
	return r, nil
}

func ofWholeFile(p eventlog.Problem) bool { return p.Line == 0 }
