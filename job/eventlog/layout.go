package eventlog

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// part is one file of a rolling log.
type part struct {
	index   int64
	compact bool
	entry   fs.DirEntry
}

// parsePart reads "events_12_local-1.zstd": the number between the underscores.
func parsePart(base string) (part, bool) {
	rest, ok := strings.CutPrefix(base, partPrefix)
	if !ok {
		return part{}, false
	}
	number, _, ok := strings.Cut(rest, "_")
	if !ok {
		return part{}, false
	}
	index, err := strconv.ParseInt(number, 10, 64)
	// A compact file that is still being written replaces nothing yet.
	unfinished := strings.HasSuffix(base, compactSuffix+inProgressSuffix)
	return part{index: index, compact: strings.HasSuffix(base, compactSuffix)}, err == nil && !unfinished
}

// inOrder sorts by number (10 after 9) and leaves out what a compact file replaces: itself
// and everything before it.
func inOrder(parts []part) []part {
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(boolRank(a.compact), boolRank(b.compact)),
			cmp.Compare(a.entry.Name(), b.entry.Name()))
	})
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].compact {
			return parts[i:]
		}
	}
	return parts
}

// mostLost bounds what is named of the parts that are not there: a number in a name is anybody's.
const mostLost = 100

// lostParts are the numbers missing between parts in their order. A log may begin with any: what
// was before was cleaned away.
func lostParts(parts []part) (lost []int64) {
	for i := 1; i < len(parts); i++ {
		for n := parts[i-1].index + 1; n < parts[i].index && len(lost) < mostLost; n++ {
			lost = append(lost, n)
		}
	}
	return lost
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// codecSuffixes are the names of Spark's codecs as file endings; the content decides what
// is done, the ending is only no part of the id.
var codecSuffixes = []string{".zstd", ".zst", ".lz4", ".lzf", ".snappy", ".gz", ".zip"}

func cutCodec(base string) string {
	for _, suffix := range codecSuffixes {
		if cut, ok := strings.CutSuffix(base, suffix); ok {
			return cut
		}
	}
	return base
}

// yarnID is an id that itself ends in a number: application_1700000000000_0042.
var yarnID = regexp.MustCompile(`^application_\d+_\d+`)

// attemptSuffix is how attempts are told: a number after the last underscore.
var attemptSuffix = regexp.MustCompile(`_(\d+)$`)

func splitAttempt(base string) (id, attempt string) {
	fixed := len(yarnID.FindString(base))
	m := attemptSuffix.FindStringSubmatchIndex(base[fixed:])
	if m == nil {
		return base, ""
	}
	return base[:fixed+m[0]], base[fixed+m[2]:]
}

// datedPart is how Databricks names what it has rolled over ("eventlog-2026-11-29--20-30.gz",
// by the hour in UTC, so that names sort as times do); what it still writes to is eventlog.
var datedPart = regexp.MustCompile(`^eventlog-(\d{4}-\d{2}-\d{2}--\d{2}-\d{2})(\.|$)`)

const datedCurrent = "eventlog"

func isDated(name string) bool {
	base := path.Base(name)
	return base == datedCurrent || datedPart.MatchString(base)
}

// joinDated makes one application of the files that Databricks wrote for one cluster into
// one folder, which gives it its name.
func joinDated(found []Application) []Application {
	folders := map[string]int{} // folder → its place in joined
	var joined []Application
	for _, a := range found {
		folder := path.Dir(a.Parts[0])
		at, known := folders[folder]
		switch {
		case len(a.Parts) != 1 || !isDated(a.Parts[0]):
			joined = append(joined, a)
		case known:
			joined[at] = joined[at].with(a)
		default:
			folders[folder] = len(joined)
			if folder != "." {
				a.ID, a.Attempt = path.Base(folder), ""
			}
			joined = append(joined, a)
		}
	}
	return joined
}

// with adds a dated part in its place: the one without a date is the last.
func (a Application) with(b Application) Application {
	a.Parts = append(slices.Clone(a.Parts), b.Parts...)
	slices.SortFunc(a.Parts, func(x, y string) int {
		return cmp.Or(cmp.Compare(boolRank(path.Base(x) == datedCurrent), boolRank(path.Base(y) == datedCurrent)), cmp.Compare(x, y))
	})
	a.Bytes += b.Bytes
	if b.Modified.After(a.Modified) {
		a.Modified = b.Modified
	}
	return a
}

// withoutStale leaves out a log that says it is in progress where the same folder has it
// finished: a writer that could not rename leaves both.
func withoutStale(found []Application) []Application {
	type attempt struct{ folder, id, attempt string }
	finished := map[attempt]bool{}
	key := func(a Application) attempt { return attempt{path.Dir(a.Parts[0]), a.ID, a.Attempt} }
	for _, a := range found {
		if !a.InProgress {
			finished[key(a)] = true
		}
	}
	return slices.DeleteFunc(found, func(a Application) bool { return a.InProgress && len(a.Parts) == 1 && finished[key(a)] })
}
