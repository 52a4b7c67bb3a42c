package job

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"ajlo/job/config"
	"ajlo/job/factcache"
)

// factsVersion is raised with every change of what a log gives: in eventlog, fact, predicate
// or here. A build that knows its commit is another version by itself.
const factsVersion = 9

// codeVersion names the code that turns logs into facts.
func codeVersion() string {
	version := strconv.Itoa(factsVersion)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			version += " built " + builtAt()
		}
	}
	return version
}

// builtAt tells builds of a tree with changes apart.
func builtAt() string {
	program, err := os.Executable()
	if err != nil {
		return "somewhere"
	}
	info, err := os.Stat(program)
	if err != nil {
		return "at some time"
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// shelf is the cache of one reading. Whatever is wrong with it is a warning, once; the zero
// value keeps nothing.
type shelf struct {
	on     bool
	path   string
	folder factcache.Folder
	log    *slog.Logger
	now    time.Time
}

// openCache gives the zero shelf where there is to be none.
func (o Observer) openCache(ctx context.Context) shelf {
	if o.Cache == "" {
		return shelf{}
	}
	s := shelf{path: o.Cache, log: o.Log, now: o.Clock()}
	var err error
	if s.folder, err = factcache.Open(ctx, o.Cache); err != nil {
		s.warn(err)
		return shelf{}
	}
	s.on = true
	return s
}

// get fills in what was kept.
func (s shelf) get(ctx context.Context, r *reading) bool {
	if !s.on {
		return false
	}
	application, ok := s.folder.Get(ctx, r.key)
	r.cached = ok && r.restore(application) == nil
	return r.cached
}

func (s shelf) put(ctx context.Context, r reading) error {
	if !s.on {
		return nil
	}
	_, err := s.folder.Put(ctx, r.key, kept(r))
	return err
}

// spare is for how long facts are kept of logs that the listing of a storage left out since they
// are older than the window: longer than most windows are, so that a shorter one in between
// costs no reading.
const spare = 28 * 24 * time.Hour

// sweep clears away the facts of logs that are gone.
func (s shelf) sweep(ctx context.Context, source config.Source, logs []log) {
	if !s.on {
		return
	}
	places := make([]string, len(logs))
	for i, l := range logs {
		places[i] = l.place
	}
	leave := time.Duration(0)
	if source.Stored() {
		leave = spare
	}
	if err := s.folder.Sweep(ctx, source.Logs, places, s.now, leave); err != nil {
		s.warn(err)
	}
}

// report warns of the first of what could not be kept.
func (s shelf) report(readings []reading) {
	for _, r := range readings {
		if r.unkept != nil {
			s.warn(r.unkept)
			return
		}
	}
}

func (s shelf) warn(err error) {
	s.log.Warn("facts cannot be cached, logs will be read again: make the folder under cache: writable, or set cache: none",
		"cache", s.path, "err", err)
}
