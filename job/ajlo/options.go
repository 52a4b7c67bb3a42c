package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/object"
	"ajlo/job/window"
)

// logOptions are those of every command that reads logs.
type logOptions struct {
	Config string  `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file."`
	Logs   []place `sep:"none" placeholder:"URL" help:"Folders of event logs, on this machine, s3://, gs://, azblob:// or hdfs://, instead of the config's sources."`
	Since  string  `default:"" placeholder:"TIME|DURATION|all" help:"Start of the window: a time, a length such as 7d before its end, or all. Default: the config's window, 7d."`
	Now    string  `default:"" placeholder:"TIME" help:"End of the window, RFC 3339 or a date in UTC. Default: the clock."`
}

// load reads the config and puts the options over it.
func (o logOptions) load() (config.Config, error) {
	if o.Config == "" {
		return config.Config{}, &job.UsageError{Text: "no config: name one with --config or AJLO_CONFIG"}
	}
	c, err := config.Load(o.Config)
	if err != nil {
		return config.Config{}, err
	}
	return c, o.overrule(&c)
}

// overrule replaces the config's log folders; path maps hold for all of them.
func (o logOptions) overrule(c *config.Config) error {
	if len(o.Logs) == 0 {
		return nil
	}
	paths := pathMaps(c.Sources)
	c.Sources = logFolders(o.Logs)
	for i := range c.Sources {
		c.Sources[i].PathMap = paths
	}
	return nil
}

// pathMaps are those of all sources together.
func pathMaps(sources []config.Source) map[string]string {
	paths := map[string]string{}
	for _, s := range sources {
		for from, to := range s.PathMap {
			paths[from] = to
		}
	}
	return paths
}

// place is a URL, or an absolute path that was given from the folder the program was
// started in.
type place string

// read gives the bytes of the file at the place.
func (p place) read(ctx context.Context) ([]byte, error) {
	if object.IsLocal(string(p)) {
		return os.ReadFile(string(p))
	}
	folder, name := object.Split(string(p))
	objects, err := bucket.Open(folder)
	if err != nil {
		return nil, err
	}
	return objects.ReadAll(ctx, name)
}

// isFolder is an error where the place is on this machine and no folder.
func (p place) isFolder() error {
	if !object.IsLocal(string(p)) {
		return nil
	}
	info, err := os.Stat(string(p))
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", p)
	}
	return err
}

// UnmarshalText reads the argument.
func (p *place) UnmarshalText(text []byte) error {
	if err := config.CheckPublic(string(text)); err != nil {
		return err
	}
	*p = place(text)
	if path := strings.TrimPrefix(string(text), "file://"); !strings.Contains(path, "://") {
		*p = place(kong.ExpandPath(path))
	}
	return nil
}

func logFolders[T ~string](folders []T) []config.Source {
	sources := make([]config.Source, len(folders))
	for i, folder := range folders {
		sources[i] = config.Source{Logs: string(folder)}
	}
	return sources
}

// window works out the span to look at; length is the config's.
func (o logOptions) window(clock func() time.Time, length time.Duration) (window.Window, error) {
	end := clock()
	if o.Now != "" {
		var err error
		if end, err = parseTime(o.Now); err != nil {
			return window.Window{}, &job.UsageError{Text: "--now " + o.Now + ": want a time such as 2026-11-30T00:00:00Z or a date"}
		}
	}
	if o.Since == "all" {
		return window.Window{Start: time.Unix(0, 0).UTC(), End: end.UTC().Truncate(time.Microsecond)}, nil
	}
	if start, err := parseTime(o.Since); err == nil {
		if w := (window.Window{Start: start, End: end.UTC().Truncate(time.Microsecond)}); w.Start.Before(w.End) {
			return w, nil
		}
		return window.Window{}, &job.UsageError{Text: "--since " + o.Since + " is not before the window's end " + end.UTC().Format(time.RFC3339)}
	}
	if o.Since != "" {
		var err error
		if length, err = config.ParseSpan(o.Since); err != nil {
			return window.Window{}, &job.UsageError{Text: "--since " + o.Since + ": want a time, a length such as 7d, or all"}
		}
	}
	return window.Ending(end, length), nil
}

func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC(), nil
	}
	return time.Parse(time.DateOnly, text)
}
