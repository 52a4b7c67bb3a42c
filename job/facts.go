package job

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ajlo/job/config"
	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/factcache"
	"ajlo/job/object"
	"ajlo/job/window"
	"ajlo/state"
)

// Export writes what the window has of each application into a folder or a prefix of object
// storage, one file each, and what it wrote into a manifest. From what all shards wrote an
// Observer with that folder among its Facts gives the same result as from the logs. An
// application that was written before is written anew.
func (o Observer) Export(ctx context.Context, w window.Window, folder string) (Observed, error) {
	if slices.ContainsFunc(o.Sources, func(s config.Source) bool { return filepath.Clean(s.Logs) == filepath.Clean(folder) }) {
		return Observed{}, &UsageError{fmt.Sprintf("facts would get among the event logs in %s: name another folder", folder)}
	}
	readings, err := o.read(ctx, w)
	if err != nil {
		return Observed{}, err
	}
	into, err := o.factFolder(ctx, folder)
	if err == nil {
		err = o.export(ctx, w, readings, into)
	}
	if err != nil {
		return Observed{}, fmt.Errorf("write facts: %w", err)
	}
	return gather(readings), nil
}

func (o Observer) export(ctx context.Context, w window.Window, readings []reading, into factcache.Folder) error {
	m := factcache.Manifest{Sources: o.places(), Part: o.Shard.Part, Of: max(o.Shard.Of, 1), Start: w.Start, End: w.End, Written: o.Clock().UTC(), Files: []string{}}
	for _, r := range readings {
		if len(r.facts.Queries) == 0 && len(r.problems) == 0 {
			continue
		}
		name, err := into.Put(ctx, r.key, kept(r))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, name)
	}
	slices.Sort(m.Files)
	return into.PutManifest(ctx, m)
}

// places names all that is read.
func (o Observer) places() []string {
	var places []string
	for _, s := range slices.Concat(o.Sources, o.Facts) {
		places = append(places, s.Logs)
	}
	return places
}

// factFolder opens a folder of facts, which need not be there yet.
func (o Observer) factFolder(ctx context.Context, location string) (factcache.Folder, error) {
	if object.IsLocal(location) {
		return factcache.Open(ctx, strings.TrimPrefix(location, "file://"))
	}
	store, err := o.Open(location)
	if err != nil {
		return factcache.Folder{}, err
	}
	return factcache.OpenStored(ctx, store)
}

// Discard deletes what Export wrote into a folder, and nothing else, and counts the files.
func (o Observer) Discard(ctx context.Context, location string) (int, error) {
	folder, err := o.factFolder(ctx, location)
	if err != nil {
		return 0, fmt.Errorf("delete facts: %w", err)
	}
	files, err := folder.Discard(ctx)
	if err != nil {
		return files, fmt.Errorf("delete the facts in %s: %w", location, err)
	}
	return files, nil
}

// factSets opens a folder that Export wrote.
func (o Observer) factSets(ctx context.Context, location string) (factcache.Folder, []factcache.Set, error) {
	folder, err := o.factFolder(ctx, location)
	if err != nil {
		return folder, nil, &UsageError{fmt.Sprintf("facts: %v: name a folder that facts --parquet wrote", err)}
	}
	sets, err := folder.Sets(ctx)
	var shards *factcache.MissingShards
	var file *factcache.MissingFile
	switch {
	case errors.Is(err, factcache.ErrNoManifest):
		err = &UsageError{fmt.Sprintf("facts in %s: %v: name a folder that facts --parquet wrote", location, err)}
	case errors.As(err, &shards), errors.As(err, &file):
		err = &Incomplete{state.Refused, fmt.Sprintf("facts in %s: %v", location, err)}
	case err != nil:
		err = fmt.Errorf("facts in %s: %w", location, err)
	}
	return folder, sets, err
}

// factReaders reads a folder that Export wrote: the files of its manifests, and those that were
// put there by somebody else, to name them; of says of which folders they are. What it lacks of the
// window a reading without facts tells.
func (o Observer) factReaders(ctx context.Context, source config.Source, w window.Window) (readers []reader, of []string, err error) {
	folder, sets, err := o.factSets(ctx, source.Logs)
	if err != nil {
		return nil, nil, err
	}
	files := folder.Strangers()
	for _, set := range sets {
		files, of = append(files, set.Files...), append(of, set.Sources...)
		if lacks := uncovered(source.Logs, set, w); lacks != nil {
			readers = append(readers, func(context.Context) (reading, error) { return reading{source: source, uncovered: lacks}, nil })
		}
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		readers = append(readers, func(ctx context.Context) (reading, error) {
			return readFacts(ctx, source, folder, file), ctx.Err()
		})
	}
	return readers, of, nil
}

// lacking is an error where facts are of fewer places than there are sources. Shards may have
// reached a source by another path than the config's, so that one place for one is enough.
func lacking(sources []config.Source, places []string) error {
	slices.Sort(places)
	places = slices.Compact(places)
	wanted := map[string]bool{}
	var missing []string
	for _, s := range sources {
		if !wanted[s.Logs] && !slices.Contains(places, s.Logs) {
			missing = append(missing, s.Logs)
		}
		wanted[s.Logs] = true
	}
	if len(places) >= len(wanted) {
		return nil
	}
	return &Incomplete{state.Refused, fmt.Sprintf("the facts are of %d of the config's %d sources: run facts --config for all of them, %s is missing, or say by --logs what is to be read beside the facts",
		len(places), len(wanted), strings.Join(missing, ", "))}
}

// readFacts reads one file; one that cannot be read is a problem like that of a log.
func readFacts(ctx context.Context, source config.Source, folder factcache.Folder, file string) reading {
	r := reading{source: source}
	key, application, err := folder.Read(ctx, file)
	if err == nil {
		r.key = key
		err = r.restore(application)
	}
	if err != nil {
		r.facts, r.unread = fact.Facts{}, true
		r.problems = []eventlog.Problem{{File: folder.Path(file), Reason: err.Error(), Count: 1}}
	}
	return r
}

// uncovered is an error where a folder of facts lacks a part of the window: of it they would know
// nothing, and the workload would seem to have changed.
func uncovered(folder string, s factcache.Set, w window.Window) error {
	if s.Start.Sub(w.Start) < factcache.OneReading && w.End.Sub(s.End) < factcache.OneReading {
		return nil
	}
	return &Incomplete{state.Refused, fmt.Sprintf("the facts in %s are of %s to %s, which is not the run's window: write them anew into an empty folder, with the --now and --since of the run",
		folder, s.Start.Format(time.RFC3339), s.End.Format(time.RFC3339))}
}
