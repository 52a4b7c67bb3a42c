package job

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Proposal is a first config for logs and a lake that were looked at, and changed in nothing.
type Proposal struct {
	Text   string // the config, with comments
	Config config.Config
	// Missing are the tables that logs name and that were not found.
	Missing []table.Name
}

// firstBudget is the part of the found tables that a first config lets a night rewrite: all of
// it would be gone over in ten nights.
const firstBudget = 0.1

// leastBudget lets small lakes be laid in a night.
const leastBudget = unit.GB

const leastFile = 10 * unit.KB // over the least that a config may ask for

// Propose makes a config for a night's sources and roots; the night's window says which queries
// are looked at. Its config needs no more than those two. dir is the folder that the file is for.
func (n Night) Propose(ctx context.Context, dir string) (Proposal, error) {
	observed, err := n.observe(ctx)
	if err != nil {
		return Proposal{}, err
	}
	if len(observed.Queries) == 0 {
		return Proposal{}, &UsageError{fmt.Sprintf("no query of a user starts between %s and %s: name other logs with --logs, or another window with --now and --since",
			n.Window.Start.Format("2006-01-02"), n.Window.End.Format("2006-01-02"))}
	}
	for i, s := range n.Config.Sources {
		n.Config.Sources[i].PathMap = n.guessPaths(ctx, s, observed)
	}
	found := n.look(ctx, observed)
	p := Proposal{Missing: missing(observed, found)}
	p.Text = proposalText(n.Config, found, p.Missing)
	p.Config, err = config.Parse([]byte(p.Text), dir)
	return p, err
}

// missing are the tables that queries scan and nobody found.
func missing(o Observed, l Lake) (names []table.Name) {
	for _, q := range o.Queries {
		for _, s := range q.Scans {
			if plan.Plannable(s.Format) && !l.Has(s.Table) && !slices.Contains(names, s.Table) {
				names = append(names, s.Table)
			}
		}
	}
	slices.Sort(names)
	return names
}

// guessPaths finds by the ends of logged places where below the roots tables are that nothing
// else finds: /lake/warehouse/tpch.db/orders is at ROOT/tpch.db/orders, so that /lake/warehouse
// is ROOT.
func (n Night) guessPaths(ctx context.Context, source config.Source, o Observed) map[string]string {
	source.PathMap = map[string]string{}
	finder := NewCatalog(ctx, n.opener(), n.Config, source)
	for _, q := range o.Queries {
		for _, s := range q.Scans {
			if _, ok := finder.Resolve(s.Table, s.Location); ok || s.Location == "" || !plan.Plannable(s.Format) {
				continue
			}
			if from, to, ok := guess(finder, s.Location); ok {
				finder.PathMap[from] = to
			}
		}
	}
	return finder.PathMap
}

// guess takes the longest end of a place that stands below a root.
func guess(finder catalog.Catalog, at table.Location) (from, to string, ok bool) {
	whole := string(catalog.Tidy(at))
	for start, end := path.Dir(whole), path.Base(whole); ; start, end = path.Dir(start), path.Join(path.Base(start), end) {
		for _, root := range finder.Roots {
			if finder.Exists(table.Location(string(root) + "/" + end)) {
				from, to, ok = start, string(root), true
			}
		}
		if parent := path.Dir(start); parent == start || parent == "." {
			return from, to, ok
		}
	}
}

// proposalText writes the config. Names and places come from logs: they are quoted.
func proposalText(c config.Config, found Lake, missing []table.Name) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# What ajlo looks at, and how much it may change. schema/config.json has every key.")
	line("")
	line("sources:")
	for _, s := range c.Sources {
		line("  - logs: %s", strconv.Quote(s.Logs))
		if len(s.PathMap) == 0 {
			continue
		}
		line("    path_map: # places as the logs name them: as this machine does")
		for _, from := range slices.Sorted(maps.Keys(s.PathMap)) {
			line("      %s: %s", strconv.Quote(from), strconv.Quote(s.PathMap[from]))
		}
	}
	line("lake:")
	line("  roots: %s # hold tables as db.db/table or db/table", quotedList(c.Lake.Roots))
	if len(missing) > 0 {
		line("  # Not found, though the logs name them: place them here or by another root.")
		line("  # tables:")
		for _, name := range missing {
			line("  #   - {name: %s, location: WHERE}", strconv.Quote(string(name)))
		}
	}
	var names []string
	for _, f := range found.Tables {
		names = append(names, string(f.Snapshot.Table))
	}
	sizes := sizesOf(found)
	line("")
	line("# Tables that may be rewritten. Without any, ajlo only advises.")
	line("# write: %s", quotedList(names))
	line("")
	budget, part := sizes.budget()
	line("# The most that a night may rewrite: %s. Hard.", part)
	line("budget: {rewrite: %s}", strconv.Quote(budget.String()))
	line("")
	sizes.write(line)
	line("")
	line("# Layouts are weighed on what tables' metadata say of their files. rows reads samples of the")
	line("# tables themselves, which foretells better.")
	line("sample: bounds")
	line("")
	line("# A person has to approve each plan: required.")
	line("# approval: required")
	line("")
	line("# Where the story of all nights is kept.")
	line("state: ajlo.db")
	return b.String()
}

// sizes are those of the tables found.
type sizes struct {
	bytes, largest unit.Bytes
	count          int // of files
}

func sizesOf(l Lake) (s sizes) {
	for _, f := range l.Tables {
		s.bytes, s.largest, s.count = s.bytes+f.Snapshot.Bytes(), max(s.largest, f.Snapshot.Bytes()), s.count+len(f.Snapshot.Files)
	}
	return s
}

// budget is what a night may rewrite to begin with, and what part of the tables that is.
func (s sizes) budget() (budget unit.Bytes, part string) {
	switch tenth := roundUp(unit.Bytes(firstBudget * float64(s.bytes))); {
	case tenth >= leastBudget:
		return tenth, fmt.Sprintf("about a tenth of the %v of the tables found", s.bytes)
	case s.bytes > leastBudget:
		return leastBudget, fmt.Sprintf("some of the %v of the tables found", s.bytes)
	case s.bytes > 0:
		return roundUp(s.bytes), fmt.Sprintf("all of the %v of the tables found, which are small", s.bytes)
	}
	return leastBudget, "no table was found to go by"
}

// write says how large files are made: as the default has it, or, where that would make one file
// of each table, as they are now.
func (s sizes) write(line func(format string, args ...any)) {
	if s.count == 0 || s.largest >= 2*config.UsualFile {
		line("# How large files are made. Smaller ones part a table finer and cost readers more requests.")
		line("# engine: {target_file_size: 64MiB}")
		return
	}
	line("# How large files are made: as large as those of the tables found are on average. 64MiB, where")
	line("# nothing is said, would make one file of each table, which is read whole however it is laid.")
	line("engine: {target_file_size: %s}", strconv.Quote(max(leastFile, roundUp(s.bytes/unit.Bytes(s.count))).String()))
}

func quotedList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// roundUp leaves one digit and zeros.
func roundUp(b unit.Bytes) unit.Bytes {
	step := unit.Bytes(1)
	for step <= b/10 {
		step *= 10
	}
	return (b + step - 1) / step * step
}
