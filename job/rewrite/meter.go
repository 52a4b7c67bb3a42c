package rewrite

import (
	"sync"

	"ajlo/job/unit"
)

// meter adds up progress from several goroutines and tells it on, one at a time.
type meter struct {
	mu    sync.Mutex
	done  float64 // bytes; shares of files are no whole numbers
	total unit.Bytes
	tell  func(done, total unit.Bytes)
}

func (m *meter) add(bytes float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += bytes
	m.tell(min(unit.Bytes(m.done), m.total), m.total)
}

// finish tells that all is done, whatever was lost to rounding.
func (m *meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell(m.total, m.total)
}
