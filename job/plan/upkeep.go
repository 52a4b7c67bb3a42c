package plan

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"ajlo/job/delta"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
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
}

// Mends names the sets of files that upkeep of the table may take, without their samples: the
// files that came in since it was laid, and those with the ordered files they overlap most.
// None where there is no upkeep.
func Mends(t TableInput, in Input) []Mend {
	if in.noUpkeep(t) != "" {
		return nil
	}
	fresh := places(t.Snapshot, func(f lake.File) bool { return !f.Laid })
	if in.Settings.Engine != EmbeddedEngine { // its OPTIMIZE takes the open cube whole
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
	rs, err := reads(t, in.Queries)
	if err != nil {
		return nil, err
	}
	wanted := t.Snapshot.Layout.Columns()
	for _, c := range predicateColumns(rs) {
		if !slices.Contains(wanted, c) && (unfit(t.Snapshot, c) == "" || slices.Contains(t.Snapshot.Layout.Partition, c)) {
			wanted = append(wanted, c)
		}
	}
	return wanted, nil
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
	case len(t.Unsupported) > 0:
		return barred(t)
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
		ends := endsOf(s, key)
		for i, f := range s.Files {
			shared[i] += ends.overlapping(f.Bounds[key])
			meets[i] = meets[i] || slices.ContainsFunc(fresh, func(at int) bool { return overlap(f.Bounds[key], s.Files[at].Bounds[key]) })
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

// ends are the least and greatest values of a key in every file, each sorted.
type ends struct{ least, greatest []predicate.Value }

func endsOf(s lake.Snapshot, key table.Column) (e ends) {
	for _, f := range s.Files {
		if b := f.Bounds[key]; !b.Min.IsNull() && !b.Max.IsNull() {
			e.least, e.greatest = append(e.least, b.Min), append(e.greatest, b.Max)
		}
	}
	slices.SortFunc(e.least, valueOrder)
	slices.SortFunc(e.greatest, valueOrder)
	return e
}

// overlapping counts the files that may share a value with the bounds.
func (e ends) overlapping(b prune.Bounds) int {
	if b.Min.IsNull() || b.Max.IsNull() {
		return len(e.least)
	}
	behind := len(e.least) - sort.Search(len(e.least), func(i int) bool { return valueOrder(e.least[i], b.Max) > 0 })
	before := sort.Search(len(e.greatest), func(i int) bool { return valueOrder(e.greatest[i], b.Min) >= 0 })
	return len(e.least) - behind - before
}

func valueOrder(a, b predicate.Value) int {
	order, _ := predicate.Compare(a, b)
	return order
}

func bytesOf(s lake.Snapshot, at []int) (total unit.Bytes) {
	for _, place := range at {
		total += s.Files[place].Bytes
	}
	return total
}

// overlap reports whether two files may share a value of the column with these bounds.
func overlap(a, b prune.Bounds) bool { return !behind(a.Min, b.Max) && !behind(b.Min, a.Max) }

func behind(a, b predicate.Value) bool {
	order, ok := predicate.Compare(a, b)
	return ok && order > 0
}

// mend is one Mend weighed.
type mend struct {
	files       []string
	bytes       unit.Bytes
	ordered     unit.Bytes // of those, what lay in order
	now, then   unit.Bytes // scanned per window, of these files alone
	option      option
	unworthy    string
	filesBefore int
}

// upkeep chooses the night's mends within their own budget, and writes into every table what
// has decayed and what becomes of it. Tables that get new keys tonight need no upkeep.
func (in Input) upkeep(p *Plan) error {
	options, mends := make([][]option, len(p.Tables)), make([][]mend, len(p.Tables))
	for i := range p.Tables {
		t := &p.Tables[i]
		input := in.inputOf(*t)
		t.Decay = decayOf(input.Snapshot)
		if !layout.SameKeys(t.Chosen, t.Current) {
			continue
		}
		weighed, err := in.weighMends(input)
		if err != nil {
			return err
		}
		for at, m := range weighed {
			if m.unworthy == "" {
				m.option.candidate = at
				options[i] = append(options[i], m.option)
			}
		}
		mends[i] = weighed
	}
	left := in.Settings.Storage
	for _, t := range p.Tables {
		left -= in.Settings.StorageCost(t.Rewrite)
	}
	best := choose(problem{options: options, budget: in.Settings.Upkeep, storage: left}, Exact)
	for i, pick := range best.picks {
		in.settleMend(p, i, mends[i], options[i], pick)
	}
	p.UpkeepNPV = best.npv
	return nil
}

func (in Input) inputOf(t Table) TableInput {
	at := slices.IndexFunc(in.Tables, func(i TableInput) bool { return i.Snapshot.Table == t.Table && i.Snapshot.Location == t.Location })
	return in.Tables[at]
}

// weighMends foretells what each mend saves: the window's reads of its files as they lie, and
// as they would.
func (in Input) weighMends(t TableInput) ([]mend, error) {
	rs, err := reads(t, in.Queries)
	if err != nil {
		return nil, err
	}
	var list []mend
	for _, m := range t.Mends {
		part := t
		part.Snapshot, part.Sample = Part(t.Snapshot, m), m.Sample
		what := newWhatIf(part, rs, writing{}, in.Settings.TargetFile, in.maker(t.Snapshot))
		then, err := what.under(t.Snapshot.Layout)
		if err != nil {
			return nil, fmt.Errorf("plan: upkeep of %s: %w", t.Snapshot.Table, err)
		}
		w := mend{files: m.Files, bytes: part.Snapshot.Bytes(), now: sum(what.now), then: sum(then), filesBefore: len(part.Snapshot.Files)}
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

// settleMend turns a pick into a step, or says why there is none.
func (in Input) settleMend(p *Plan, at int, mends []mend, options []option, pick int) {
	t := &p.Tables[at]
	if t.Decay == nil {
		return
	}
	switch {
	case !layout.SameKeys(t.Chosen, t.Current):
		t.Decay.Reason = "it gets new keys tonight, whole"
	case len(mends) == 0:
		t.Decay.Reason = "no upkeep: " + in.noUpkeep(in.inputOf(*t))
	case len(options) == 0:
		t.Decay.Reason = "no upkeep: " + mends[0].unworthy
	case pick == leave:
		t.Decay.Reason = fmt.Sprintf("no upkeep: the upkeep budget of %s holds no mend of it, or is spent better on other tables; the least takes %s",
			in.Settings.Upkeep, options[0].rewrite)
	default:
		m := mends[options[pick].candidate]
		t.Decay.Reason = fmt.Sprintf("upkeep: %d files of %s came in since it was laid%s; putting them in order rewrites %s and saves %s a window",
			t.Decay.Files, t.Decay.Bytes, taken(m), m.bytes, m.now-m.then)
		p.Upkeep += m.bytes
		p.SavedBytesPerWindow += m.now - m.then
		p.Steps = append(p.Steps, in.upkeepStep(*t, m))
	}
}

func taken(m mend) string {
	if m.ordered == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s of ordered files that they overlap are taken along", m.ordered)
}

func (in Input) upkeepStep(t Table, m mend) Step {
	s := in.step(t)
	s.Kind, s.Layout, s.Reason = Upkeep, t.Current, t.Decay.Reason
	s.Statement = in.Settings.Dialect.Upkeep(in.Settings.target(t), t.Current)
	if in.Settings.Engine == EmbeddedEngine {
		s.Files = m.files
	}
	s.Expected = Expected{
		Files: layout.FileCount(m.bytes, in.Settings.TargetFile), Rewrite: m.bytes,
		ScannedBytesNow: t.ScannedBytesNow, ScannedBytesThen: t.ScannedBytesNow - (m.now - m.then),
	}
	return s
}

// decayRanges is how many parts each key's values are looked at in.
const decayRanges = 8

// Decay is what came into a table since it was laid by its keys, and how far that gets in the
// way.
type Decay struct {
	Files int        `json:"files"` // that came in since
	Bytes unit.Bytes `json:"bytes"`
	Keys  []KeyDecay `json:"keys"`
	// Reason says what upkeep does about it tonight.
	Reason string `json:"reason"`
}

// KeyDecay is how many files a value of a key falls in, by eighths of the ordered files: of the
// ordered ones alone and of all.
type KeyDecay struct {
	Column  table.Column `json:"column"`
	Ordered []int        `json:"ordered_depth"`
	Now     []int        `json:"depth"`
}

// Decayed is the number of ranges whose values fall in more files than the order alone makes.
func (k KeyDecay) Decayed() (n int) {
	for i := range k.Now {
		if k.Now[i] > k.Ordered[i] {
			n++
		}
	}
	return n
}

// decayOf looks for files that came in since; nil where there are none or it has no keys of
// ajlo.
func decayOf(s lake.Snapshot) *Decay {
	fresh := places(s, func(f lake.File) bool { return !f.Laid })
	if s.Owner != delta.OwnerUs || len(s.Layout.Clustering) == 0 || len(fresh) == 0 {
		return nil
	}
	d := &Decay{Files: len(fresh), Bytes: bytesOf(s, fresh), Keys: []KeyDecay{}}
	for _, key := range s.Layout.Clustering {
		d.Keys = append(d.Keys, keyDecay(s, key))
	}
	return d
}

func keyDecay(s lake.Snapshot, key table.Column) KeyDecay {
	k := KeyDecay{Column: key, Ordered: []int{}, Now: []int{}}
	var starts []predicate.Value
	for _, f := range s.Files {
		if b, ok := f.Bounds[key]; ok && f.Laid && !b.Min.IsNull() {
			starts = append(starts, b.Min)
		}
	}
	slices.SortFunc(starts, valueOrder)
	for i := range min(decayRanges, len(starts)) {
		at := starts[(2*i+1)*len(starts)/(2*min(decayRanges, len(starts)))]
		ordered, all := 0, 0
		for _, f := range s.Files {
			if !holds(f, key, at) {
				continue
			}
			all++
			if f.Laid {
				ordered++
			}
		}
		k.Ordered, k.Now = append(k.Ordered, ordered), append(k.Now, all)
	}
	return k
}

// holds reports whether a look-up of the value would read the file.
func holds(f lake.File, key table.Column, v predicate.Value) bool {
	equal := predicate.Predicate{Op: predicate.Eq, Column: key, Values: []predicate.Value{v}}
	return prune.MayMatch(&equal, func(c table.Column) (prune.Bounds, bool) { b, ok := f.Bounds[c]; return b, ok })
}
