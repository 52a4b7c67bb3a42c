package merge

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"ajlo/job/delta"
	"ajlo/job/predicate"
	"ajlo/job/prune"
)

// settled is where inserted rows go. It follows from the log and the source alone.
type settled struct {
	guests [][]insertion       // by touched file, rows of the source that it takes in
	rest   map[int][]insertion // by partition, rows of the source that are written apart
	joined map[int][]int       // by partition, files of the snapshot that are written anew with those
	marked []bool              // of each touched file: it gets a deletion vector and is not written anew
}

// apartTag marks files of rows that merges wrote apart.
const apartTag = "AJLO_APART"

const (
	// usualTimes is how much larger than the table's mean file one may grow by rows of merges: up
	// to there it is one among others to a reader.
	usualTimes = 2
	// joinTimes is how much larger than what it is joined with a file of earlier merges may be: so
	// that each row is written anew a few times only (as often as its file can double).
	joinTimes = 2
	// mostHosts that bounds of the first key allow are looked at for a row: tables whose files all
	// overlap would take files times rows.
	mostHosts = 64
)

// settle gives each inserted row a place: a touched file of its partition whose bounds hold its
// clustering keys and which has room, so that a look-up reads no more files than before; else a
// file apart, together with small ones that earlier merges wrote apart. A merge that touches no
// file only adds: it joins none, and stays an append to those who read the table as a stream.
func (d *decided) settle(r Request) error {
	d.settled = settled{guests: make([][]insertion, len(d.decision.touched)), rest: map[int][]insertion{}, joined: map[int][]int{}}
	if err := d.chooseMarked(r); err != nil {
		return err
	}
	byPart := d.hosts()
	for _, row := range d.decision.inserted {
		part, err := d.parts.of(d, int(row.rule), row.row, nil)
		if err != nil {
			return r.refuse("%v", err)
		}
		if h := byPart[part].find(d.keysOf(row)); h != nil {
			d.settled.guests[h.touched] = append(d.settled.guests[h.touched], row)
			h.bytes += h.width
			d.decision.counts.Placed++
		} else {
			d.settled.rest[part] = append(d.settled.rest[part], row)
		}
	}
	d.takeAlong()
	return nil
}

// host is a touched file that may take rows in.
type host struct {
	touched int
	bounds  []prune.Bounds // of the clustering keys
	width   float64        // stored bytes of a row
	bytes   float64        // with the rows taken in
}

// hosts are those of one partition by the least value of the first key.
type hosts struct {
	list  []*host
	reach []predicate.Value // the greatest value of the first key in the list so far
	most  float64           // bytes of a file
}

// hosts are the touched files, by partition, of a table whose clustering keys all have bounds.
func (d *decided) hosts() map[int]*hosts {
	byPart, most := map[int]*hosts{}, d.mostBytes()
	if !d.target.rooted {
		return byPart
	}
	for i, f := range d.decision.touched {
		if d.settled.marked[i] {
			continue
		}
		bounds, bytes := boundsOf(d.target, d.target.lake.Files[f.file], d.target.keys), float64(d.target.delta.Files[f.file].Size)
		if slices.ContainsFunc(bounds, func(b prune.Bounds) bool { return b.Min.IsNull() || b.Max.IsNull() }) {
			continue
		}
		part := d.parts.ofFile[f.file]
		if byPart[part] == nil {
			byPart[part] = &hosts{most: most}
		}
		byPart[part].list = append(byPart[part].list, &host{touched: i, bounds: bounds, bytes: bytes, width: bytes / float64(max(1, f.rows))})
	}
	for _, h := range byPart {
		h.sort()
	}
	return byPart
}

// mostBytes is how large a file may grow.
func (d *decided) mostBytes() float64 {
	return min(float64(d.targetFile), usualTimes*float64(d.target.bytesOf(d.target.everyFile()))/float64(max(1, len(d.target.delta.Files))))
}

func (h *hosts) sort() {
	slices.SortStableFunc(h.list, func(a, b *host) int { return predicate.Order(a.bounds[0].Min, b.bounds[0].Min) })
	h.reach = make([]predicate.Value, len(h.list))
	for i, f := range h.list {
		h.reach[i] = f.bounds[0].Max
		if i > 0 && predicate.Order(h.reach[i-1], h.reach[i]) > 0 {
			h.reach[i] = h.reach[i-1]
		}
	}
}

// find is the smallest host that holds the keys and has room; nil where there is none.
func (h *hosts) find(keys []predicate.Value) (best *host) {
	if h == nil || keys == nil {
		return nil
	}
	from := sort.Search(len(h.list), func(i int) bool { return predicate.Order(h.list[i].bounds[0].Min, keys[0]) > 0 })
	looked := 0
	for i := from - 1; i >= 0 && looked < mostHosts && predicate.Order(h.reach[i], keys[0]) >= 0; i-- {
		f := h.list[i]
		looked++
		if f.bytes+f.width <= h.most && f.holds(keys) && (best == nil || f.bytes < best.bytes) {
			best = f
		}
	}
	return best
}

func (f *host) holds(keys []predicate.Value) bool {
	for k, b := range f.bounds {
		if predicate.Order(b.Min, keys[k]) > 0 || predicate.Order(b.Max, keys[k]) < 0 {
			return false
		}
	}
	return true
}

// keysOf are the clustering keys of a row of the source; nil where one has no place in an order of
// bounds.
func (d *decided) keysOf(row insertion) []predicate.Value {
	keys := make([]predicate.Value, len(d.target.keys))
	for k, c := range d.target.keys {
		column, at := d.rules.of(d.source, int(row.rule), c, row.row)
		if column == nil {
			return nil
		}
		v, ok, err := delta.ValueOf(column, at, d.target.schema[c].Type)
		if err != nil || !ok || v.IsNull() || v.Kind == predicate.Float && math.IsNaN(v.F) {
			return nil
		}
		keys[k] = v
	}
	return keys
}

// takeAlong joins small files of earlier merges to what is written apart, the smallest first, while they
// are not much larger than what is written with them.
func (d *decided) takeAlong() {
	touched, bytes, rows := map[int]bool{}, int64(0), int64(0)
	for _, f := range d.decision.touched {
		touched[f.file] = true
		bytes, rows = bytes+d.target.delta.Files[f.file].Size, rows+f.rows
	}
	if rows == 0 {
		return
	}
	width := float64(bytes) / float64(rows)
	small := d.small(touched)
	for part, fresh := range d.apart() {
		total := float64(fresh) * width
		for _, i := range small[part] {
			size := float64(d.target.delta.Files[i].Size)
			if size > joinTimes*total {
				break
			}
			d.settled.joined[part] = append(d.settled.joined[part], i)
			d.decision.counts.Joined += d.target.delta.Files[i].Live()
			total += size
		}
	}
}

// apart is how many rows are known to be written apart, by partition: those whose keys change come
// to light only when their files are read.
func (d *decided) apart() map[int]int {
	rows := map[int]int{}
	for part, inserted := range d.settled.rest {
		rows[part] = len(inserted)
	}
	for i, f := range d.decision.touched {
		if !d.settled.marked[i] {
			continue
		}
		f.count(d.rules, func(rule int, n int64) {
			if n > 0 && d.rules.all[rule].Action == Update && !d.rules.moves(d.target, rule) {
				rows[d.parts.ofFile[f.file]] += int(n)
			}
		})
	}
	return rows
}

// small are files that earlier merges wrote apart and that have not grown full, by partition and
// size, but those that are touched.
func (d *decided) small(touched map[int]bool) map[int][]int {
	byPart, most := map[int][]int{}, d.mostBytes()
	for i, f := range d.target.delta.Files {
		if !touched[i] && f.Tags[apartTag] != "" && f.Live() >= 0 && float64(f.Size) < most {
			byPart[d.parts.ofFile[i]] = append(byPart[d.parts.ofFile[i]], i)
		}
	}
	for _, files := range byPart {
		slices.SortStableFunc(files, func(a, b int) int { return cmp.Compare(d.target.delta.Files[a].Size, d.target.delta.Files[b].Size) })
	}
	return byPart
}

// taken are the files that are joined, as places in the snapshot.
func (s settled) taken() (files []int) {
	for _, some := range s.joined {
		files = append(files, some...)
	}
	slices.Sort(files)
	return files
}
