package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/unit"
)

// scope is the part of a table that a step would rewrite.
type scope struct {
	inside  lake.Snapshot // the table as if it had that part alone
	outside []lake.File   // the rest
	periods []layout.Period
	none    string // why there is no such part; empty where there is
}

// Scoped is the part of a table that gets new keys, as a table of its own: what a plan's sample
// is to be drawn from.
func Scoped(t TableInput, in Input) lake.Snapshot { return in.scope(t).inside }

// scope is the whole table, or, of an Iceberg table that is parted by time, its closed
// partitions: the newest of them, as many as the budget holds, since those are read most. The
// open one is left to its writers.
func (in Input) scope(t TableInput) scope {
	closed, ok := in.closed(t.Snapshot)
	switch {
	case !ok:
		return scope{inside: t.Snapshot}
	case len(closed) == 0:
		p, _, _ := t.Snapshot.TimePart()
		return scope{outside: t.Snapshot.Files, inside: Part(t.Snapshot, Mend{}), none: fmt.Sprintf("no partition by %s is closed yet", p.Name)}
	}
	return parted(t.Snapshot, holding(closed, in.Settings.Budget))
}

// closedPart is a partition by time that ends with the window or before.
type closedPart struct {
	period layout.Period
	bytes  unit.Bytes
	fresh  bool // some file of it does not lie by the table's keys
}

// closed are an Iceberg table's closed partitions, the newest first; ok is false for a table
// that has no partitions by time, or files that do not tell theirs.
func (in Input) closed(s lake.Snapshot) (list []closedPart, ok bool) {
	if _, _, byTime := s.TimePart(); !byTime || s.Format != lake.Iceberg {
		return nil, false
	}
	for _, f := range s.Files {
		period, known := s.PeriodOf(f)
		if !known {
			return nil, false
		}
		if period.To.After(in.Window.End) {
			continue
		}
		at := slices.IndexFunc(list, func(c closedPart) bool { return c.period.From.Equal(period.From) && c.period.To.Equal(period.To) })
		if at < 0 {
			at, list = len(list), append(list, closedPart{period: period})
		}
		list[at].bytes += f.Bytes
		list[at].fresh = list[at].fresh || !f.Laid
	}
	slices.SortFunc(list, func(a, b closedPart) int {
		return cmp.Or(b.period.To.Compare(a.period.To), b.period.From.Compare(a.period.From))
	})
	return list, true
}

// holding are the first partitions, one at least, that a budget holds.
func holding(parts []closedPart, budget unit.Bytes) []closedPart {
	for i, p := range parts {
		if budget -= p.bytes; budget < 0 {
			return parts[:max(1, i)]
		}
	}
	return parts
}

// parted is the part of a table that Iceberg takes for some of its partitions.
func parted(s lake.Snapshot, parts []closedPart) scope {
	periods := make([]layout.Period, len(parts))
	for i, p := range parts {
		periods[i] = p.period
	}
	sc := scope{inside: s, periods: layout.Joined(periods)}
	sc.inside.Files = []lake.File{}
	for _, f := range s.Files {
		if Within(s, f, sc.periods) {
			sc.inside.Files = append(sc.inside.Files, f)
		} else {
			sc.outside = append(sc.outside, f)
		}
	}
	return sc
}

// Within reports whether a step on the given periods takes a file: one that may hold a row of
// them. Without periods it takes all.
func Within(s lake.Snapshot, f lake.File, periods []layout.Period) bool {
	own, known := s.PeriodOf(f)
	return len(periods) == 0 || !known || slices.ContainsFunc(periods, own.Meets)
}

// freshParts are the mends of an Iceberg table: its newest closed partition that does not lie by
// the keys, and all such that the upkeep budget holds.
func (in Input) freshParts(s lake.Snapshot) []Mend {
	closed, ok := in.closed(s)
	if !ok {
		return []Mend{{Files: paths(s, places(s, func(lake.File) bool { return true }))}}
	}
	fresh := slices.DeleteFunc(closed, func(c closedPart) bool { return !c.fresh })
	if len(fresh) == 0 {
		return nil
	}
	list := []Mend{mendOf(parted(s, fresh[:1]))}
	if all := holding(fresh, in.Settings.Upkeep); len(all) > 1 {
		list = append(list, mendOf(parted(s, all)))
	}
	return list
}

func mendOf(sc scope) Mend {
	return Mend{Files: paths(sc.inside, places(sc.inside, func(lake.File) bool { return true })), Periods: sc.periods}
}
