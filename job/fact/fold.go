package fact

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ajlo/job/unit"
)

// execution is one SQL execution as far as the log has told of it.
type execution struct {
	id, root    int64
	description string
	zone        string
	started     time.Time // zero where the log has no start
	begun       time.Time // of its first job, where it has no start
	ended       time.Time
	over        bool // its end was seen
	failure     string
	told        bool     // the log says whether it failed
	lastFailed  bool     // the job that ended last
	statements  []string // keys of the statement it runs for
	sql         string   // of that statement, where it came before
	first, last plan
	digested    *digest
	jobs        int
	taskMS      int64
	measured    bool // a stage's total was seen
}

// digest reads the plans and lets go of them. It can come again, should a plan arrive
// late; the first plan is kept until then only where there is no digest yet.
func (e *execution) digest(r reader, names interner, explained bool) {
	first, last := e.first, e.last
	if last.absent() {
		last = first
	}
	if first.absent() {
		first = last
	}
	if first.absent() && e.digested != nil {
		return
	}
	d := r.digest(first, last)
	if !explained {
		d.forgetNotes()
	}
	d.detach(names)
	e.digested = &d
	e.first, e.last = plan{}, plan{}
}

// tree is a root execution with its children, in the order of their ids. The root is
// missing where the log has no start of it.
type tree struct {
	root     int64
	top      *execution // the root itself, else the first child
	children []*execution
}

func (t tree) all() []*execution {
	if t.top.id != t.root {
		return t.children
	}
	return append([]*execution{t.top}, t.children...)
}

// trees groups executions under their roots, those that are chosen.
func (x *extractor) trees(chosen func(*execution) bool) []tree {
	byRoot := map[int64]*tree{}
	for _, id := range slices.Sorted(maps.Keys(x.executions)) {
		e := x.executions[id]
		if !chosen(e) {
			continue
		}
		if e.digested == nil {
			x.digest(e)
		}
		t, ok := byRoot[e.root]
		if !ok {
			t = &tree{root: e.root, top: e}
			byRoot[e.root] = t
		}
		if id == e.root {
			t.top = e
		} else {
			t.children = append(t.children, e)
		}
	}
	var all []tree
	for _, root := range slices.Sorted(maps.Keys(byRoot)) {
		all = append(all, *byRoot[root])
	}
	return all
}

// fold makes a query of a tree; ok is false for trees that touch no user table, and for
// upkeep.
func (x *extractor) fold(t tree) (q Query, ok bool) {
	all := t.all()
	user := slices.ContainsFunc(all, func(e *execution) bool { return e.digested.user })
	if !user || isUpkeep(t.top.digested.top) {
		return Query{}, false
	}
	q = Query{App: x.app, Execution: t.root, Query: t.top.description, Fingerprint: fingerprintOf(t),
		Start: cmp.Or(t.top.started, t.top.begun), Status: t.status(), Scans: []Scan{}, Joins: []Join{}}
	q.WallMS, q.SQL = t.wallMS(), x.sqlOf(t)
	q.TaskMS, q.TasksMeasured = x.taskTime(all, q.WallMS)
	ids := make([]int64, len(all))
	for i, e := range all {
		ids[i] = e.id
	}
	read := x.addScans(&q, all, ids)
	x.addJoins(&q, t, read)
	x.addWrites(&q, all, ids)
	return q, true
}

func fingerprintOf(t tree) string {
	shapes := []string{}
	for _, e := range t.all() {
		if e.digested.user || e == t.top {
			shapes = append(shapes, e.digested.shape)
		}
	}
	return fingerprint(shapes)
}

func (t tree) status() Status {
	switch root := t.top; {
	case root.id != t.root || !root.over:
		return Unfinished
	case root.failure != "", !root.told && t.lastFailed():
		return Failed
	}
	return Succeeded
}

// lastFailed is whether a tree failed by its jobs: those of the root itself come last.
func (t tree) lastFailed() bool {
	if t.top.jobs > 0 {
		return t.top.lastFailed
	}
	for _, e := range slices.Backward(t.children) {
		if e.jobs > 0 {
			return e.lastFailed
		}
	}
	return false
}

// wallMS is the root's own time: that of nested executions lies inside it.
func (t tree) wallMS() int64 {
	start := cmp.Or(t.top.started, t.top.begun)
	if t.top.id != t.root || !t.top.over || start.IsZero() {
		return 0
	}
	return max(0, t.top.ended.Sub(start).Milliseconds())
}

// taskTime is the run time of the tree's tasks together. A tree with jobs of which no
// stage's total was seen has wall time × cores instead.
func (x *extractor) taskTime(all []*execution, wallMS int64) (ms int64, measured bool) {
	jobs := 0
	for _, e := range all {
		ms += e.taskMS
		jobs += e.jobs
		measured = measured || e.measured
	}
	if measured || jobs == 0 {
		return ms, true
	}
	return wallMS * int64(max(1, x.cores)), false
}

// filled is a cached relation that an execution filled.
type filled struct {
	execution int64
	cache     cacheID
}

// addScans measures the tree's scans. A cached relation that no execution of the tree
// filled was read from memory: its scans are no reads, and it is not in read.
func (x *extractor) addScans(q *Query, all []*execution, ids []int64) (read map[filled]bool) {
	read = map[filled]bool{}
	seen := map[metricIDs]bool{}
	for _, e := range all {
		q.Lost.Predicates += e.digested.lost.Predicates
		q.Lost.Joins += e.digested.lost.Joins
		for _, n := range e.digested.passed {
			x.noting(e, n)
		}
		for _, s := range e.digested.scans {
			x.measure(&s, ids)
			if s.Measured && s.cache != 0 {
				read[filled{e.id, s.cache}] = true
			}
			if reason := s.unread(seen); reason != "" {
				x.noting(e, s.note.left(reason))
				continue
			}
			x.noting(e, s.note.taken(takenScan))
			seen[s.metrics] = s.metrics != noMetrics
			q.Scans = append(q.Scans, s.Scan)
		}
	}
	return read
}

// unread is why a scan of a plan is no scan of its query, empty where it is one.
func (s foundScan) unread(seen map[metricIDs]bool) string {
	switch {
	case seen[s.metrics]:
		return leftScanAgain
	case !s.Measured && s.cache != 0:
		return leftFilled
	case !s.Measured && !s.certain:
		return leftUnsure
	}
	return ""
}

// mostCounted is more than one scan reads, in bytes (a petabyte has 2^50) or in rows: a damaged log
// may say anything, and one such scan would drown all others.
const mostCounted = 1 << 52

func believable(count int64) bool { return 0 <= count && count <= mostCounted }

func (x *extractor) measure(s *foundScan, ids []int64) {
	files, okFiles := x.meter.value(ids, s.metrics.files)
	bytes, okBytes := x.meter.value(ids, s.metrics.bytes)
	if !okFiles || !okBytes {
		return
	}
	rows, _ := x.meter.value(ids, s.metrics.rows)
	if !believable(files) || !believable(bytes) || !believable(rows) {
		return
	}
	s.Measured, s.FilesRead, s.BytesRead, s.Rows = true, files, unit.Bytes(bytes), rows
}

// addJoins takes the joins of every execution of the tree, those of cached relations only
// where they were filled here. A MERGE runs its join once to find the files and again to
// write them: it is one join, the one that ran first.
func (x *extractor) addJoins(q *Query, t tree, read map[filled]bool) {
	merge := isMerge(t.top.digested.top)
	counted := map[string]int{}
	for _, e := range t.all() {
		here := map[string]int{}
		for _, j := range e.digested.joins {
			if j.cache != 0 && !read[filled{e.id, j.cache}] {
				x.noting(e, j.note.left(leftFilled))
				continue
			}
			edge := j.edge()
			here[edge]++
			if merge && here[edge] <= counted[edge] {
				x.noting(e, j.note.left(leftMerged))
				continue
			}
			x.noting(e, j.note)
			q.Joins = append(q.Joins, j.Join)
		}
		for edge, n := range here {
			counted[edge] = max(counted[edge], n)
		}
	}
}
