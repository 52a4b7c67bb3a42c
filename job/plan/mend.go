package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// upkeepOrdered bounds the ordered files that a mend takes along by the bytes that came in
// since: so upkeep never rewrites more than twice what was written, night after night. A
// mend without the bound would rewrite a table whose keys arrive at random whole every night.
const upkeepOrdered = 1.0

// Mend is a set of files that upkeep may order anew, with the rows that a plan needs to foretell
// what that saves.
type Mend struct {
	Files  []string // relative paths, in the snapshot's order
	Sample lake.Sample
	// Periods are those whose partitions the files fill; none where they are no whole partitions.
	Periods []layout.Period
}

// Mends names the sets of files that upkeep of the table may take, without their samples: the
// files that came in since it was laid, and those with the ordered files they overlap most.
// None where there is no upkeep.
func Mends(t TableInput, in Input) []Mend {
	if in.noUpkeep(t) != "" {
		return nil
	}
	fresh := places(t.Snapshot, func(f lake.File) bool { return !f.Laid })
	switch in.Settings.upkeepTakes(t.Snapshot) {
	case dialect.Partitions:
		return in.freshParts(t.Snapshot)
	case dialect.OpenCube:
		return []Mend{{Files: paths(t.Snapshot, places(t.Snapshot, func(lake.File) bool { return true }))}}
	}
	list := []Mend{{Files: paths(t.Snapshot, fresh)}}
	if more := alongside(t.Snapshot, fresh); len(more) > 0 {
		list = append(list, Mend{Files: paths(t.Snapshot, slices.Sorted(slices.Values(append(more, fresh...))))})
	}
	return list
}

// Part is the table as if it had the mend's files alone.
func Part(s lake.Snapshot, m Mend) lake.Snapshot {
	s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(f lake.File) bool { return !slices.Contains(m.Files, f.Path) })
	return s
}

// MendColumns names the columns whose values upkeep needs sampled: the keys, and those that
// predicates name.
func MendColumns(t TableInput, in Input) ([]table.Column, error) {
	rs, err := reads(t, in.Queries, in.Reach)
	if err != nil {
		return nil, err
	}
	wanted := t.Snapshot.Layout.Columns()
	for _, c := range predicateColumns(rs) {
		if !slices.Contains(wanted, c) && unfit(t.Snapshot, c) == "" {
			wanted = append(wanted, c)
		}
	}
	return union(wanted, partitionColumns(t.Snapshot)), nil
}

// noUpkeep says why a table gets no upkeep; empty where it may.
func (in Input) noUpkeep(t TableInput) string {
	s := t.Snapshot
	switch {
	case in.Coverage.Blind():
		return "too much was not seen"
	case t.Unreadable != "":
		return "it cannot be read: " + t.Unreadable
	case s.Owner != delta.OwnerUs || len(s.Layout.Clustering) == 0:
		return "it does not lie by keys of ajlo"
	case !slices.ContainsFunc(s.Files, func(f lake.File) bool { return !f.Laid }):
		return "nothing came in since it was laid"
	case s.Format == lake.Iceberg && len(in.freshParts(s)) == 0:
		return "what came in since it was laid is in a partition that is not closed yet"
	case len(t.Unsupported) > 0:
		return in.barred(t)
	case !in.Settings.Writable(s.Table, s.Location):
		return "it is not under write:"
	case in.Settings.Upkeep == 0:
		return "budget.upkeep is 0: set it to have files that came in since put in order"
	case s.Layout.Order == layout.LearntCuts && s.Layout.Tree == nil:
		return "its cut points are not known"
	}
	for _, c := range s.Layout.Columns() {
		if reason := unfit(s, c); reason != "" {
			return fmt.Sprintf("its key %s: %s", c, reason)
		}
	}
	return ""
}

func places(s lake.Snapshot, wanted func(lake.File) bool) (list []int) {
	for i, f := range s.Files {
		if wanted(f) {
			list = append(list, i)
		}
	}
	return list
}

func paths(s lake.Snapshot, at []int) []string {
	list := make([]string, len(at))
	for i, place := range at {
		list[i] = s.Files[place].Path
	}
	return list
}

// alongside are the ordered files that get most in the way of others among those that share
// keys with the given ones: wide files, such as earlier mends left, before narrow ones. They
// are as many as the bound on upkeep allows.
func alongside(s lake.Snapshot, fresh []int) (more []int) {
	left := unit.Bytes(upkeepOrdered * float64(bytesOf(s, fresh)))
	shared := make([]int, len(s.Files))
	meets := make([]bool, len(s.Files))
	for _, key := range s.Layout.Clustering {
		ends := prune.EndsOf(s.BoundsOf(key))
		for i, f := range s.Files {
			shared[i] += ends.Meeting(f.Bounds[key])
			meets[i] = meets[i] || slices.ContainsFunc(fresh, func(at int) bool { return f.Bounds[key].Meets(s.Files[at].Bounds[key]) })
		}
	}
	laid := places(s, func(f lake.File) bool { return f.Laid })
	slices.SortStableFunc(laid, func(a, b int) int { return cmp.Compare(shared[b], shared[a]) })
	for _, at := range laid {
		if size := s.Files[at].Bytes; meets[at] && size <= left {
			more, left = append(more, at), left-size
		}
	}
	return more
}

func bytesOf(s lake.Snapshot, at []int) (total unit.Bytes) {
	for _, place := range at {
		total += s.Files[place].Bytes
	}
	return total
}

// mend is one Mend weighed.
type mend struct {
	files       []string
	periods     []layout.Period
	bytes       unit.Bytes
	ordered     unit.Bytes // of those, what lay in order
	now, then   unit.Bytes // scanned per window, of these files alone
	option      option
	unworthy    string
	filesBefore int
}

// weighMends foretells what each mend saves: the window's reads of its files as they lie, and
// as they would.
func (in Input) weighMends(t TableInput) ([]mend, error) {
	rs, err := reads(t, in.Queries, in.Reach)
	if err != nil {
		return nil, err
	}
	var list []mend
	for _, m := range t.Mends {
		part := t
		part.Snapshot, part.Sample = Part(t.Snapshot, m), m.Sample
		what := newWhatIf(part, scope{inside: part.Snapshot}, rs, writing{}, in.Settings.TargetFile, in.maker(t.Snapshot))
		then, err := what.under(t.Snapshot.Layout)
		if err != nil {
			return nil, fmt.Errorf("plan: upkeep of %s: %w", t.Snapshot.Table, err)
		}
		w := mend{files: m.Files, periods: m.Periods, bytes: part.Snapshot.Bytes(), now: sum(what.now), then: sum(then), filesBefore: len(part.Snapshot.Files)}
		w.ordered = bytesOf(part.Snapshot, places(part.Snapshot, func(f lake.File) bool { return f.Laid }))
		w.option = option{npv: in.Settings.npv(w.now-w.then, w.bytes), rewrite: w.bytes, storage: in.Settings.StorageCost(w.bytes)}
		if float64(w.option.npv) <= in.Settings.Margin*float64(w.bytes) {
			w.unworthy = fmt.Sprintf("mending %d files of %s saves %s a window: NPV %s, wanted over %.0f %% of the rewrite",
				w.filesBefore, w.bytes, w.now-w.then, w.option.npv, in.Settings.Margin*100)
		}
		list = append(list, w)
	}
	return list, nil
}
