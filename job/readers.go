package job

import (
	"cmp"
	"slices"

	"ajlo/job/config"
	"ajlo/job/prune"
)

// reader is the engine that an application ran on.
func (o Observed) reader(app string) prune.Reader {
	return cmp.Or(o.sources[app].Reader, prune.OSSSpark)
}

// readers are the engines whose queries the night looks at.
func (n Night) readers() []prune.Reader { return readersOf(slices.Concat(n.Config.Sources, n.Facts)) }

// readersOf are the engines of all sources, sorted, each once.
func readersOf(sources []config.Source) []prune.Reader {
	list := []prune.Reader{}
	for _, s := range sources {
		list = append(list, cmp.Or(s.Reader, prune.OSSSpark))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// SoleReader is the engine that all sources name; OSSSpark, which leaves least unread, where
// they name several.
func SoleReader(sources []config.Source) prune.Reader {
	if readers := readersOf(sources); len(readers) == 1 {
		return readers[0]
	}
	return prune.OSSSpark
}

// calibratedFor names what corrections of foretelling hold for: a table that two engines read is
// foretold for both together.
func calibratedFor(readers []prune.Reader) string {
	switch {
	case len(readers) > 1:
		return "several"
	case len(readers) == 0 || readers[0] == prune.OSSSpark:
		return "spark"
	}
	return readers[0].String()
}
