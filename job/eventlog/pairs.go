package eventlog

import (
	"cmp"
	"maps"
	"slices"
)

// pairs finds ends whose start the log does not have: the listener bus drops events under
// load, and a log's first parts may be gone. Starts may also come behind their ends, so an end
// waits for its start.
type pairs struct {
	open    map[pairKey]bool
	waiting map[pairKey]place
	seen    int64 // ends that waited so far, which orders them
	blind   bool  // too much is open to be followed: nothing can be said of further ends
}

// pairKey is an execution (kind executionEnd) or a job (kind jobEnd).
type pairKey struct {
	kind kind
	id   int64
}

// place is where an end stood.
type place struct {
	file  string
	line  int64
	order int64
}

// Bounds of what is remembered of starts and of ends that wait; a start that comes late
// follows its end closely.
const (
	maxOpen    = 1 << 16
	maxWaiting = 1 << 12
)

func newPairs() *pairs {
	return &pairs{open: map[pairKey]bool{}, waiting: map[pairKey]place{}}
}

func (p *pairs) start(key pairKey) {
	if _, ended := p.waiting[key]; ended {
		delete(p.waiting, key)
		return
	}
	if p.blind = p.blind || len(p.open) >= maxOpen; !p.blind {
		p.open[key] = true
	}
}

// end takes note of an end; r is told of those that have waited in vain.
func (p *pairs) end(key pairKey, file string, line int64, r *Reading) {
	if p.open[key] {
		delete(p.open, key)
		return
	}
	if p.blind {
		return
	}
	p.seen++
	p.waiting[key] = place{file, line, p.seen}
	if len(p.waiting) >= maxWaiting {
		p.tell(r)
	}
}

// tell names the ends that wait.
func (p *pairs) tell(r *Reading) {
	for _, key := range slices.SortedFunc(maps.Keys(p.waiting), p.inOrder) {
		at := p.waiting[key]
		r.add(at.file, at.line, unstarted(key.kind))
	}
	clear(p.waiting)
}

func (p *pairs) inOrder(a, b pairKey) int {
	return cmp.Compare(p.waiting[a].order, p.waiting[b].order)
}

func unstarted(k kind) string {
	if k == jobEnd {
		return "job ends without a start"
	}
	return "execution ends without a start"
}
