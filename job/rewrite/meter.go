package rewrite

import (
	"sync"

	"ajlo/job/unit"
)

// meter adds up progress from several goroutines and tells it on, one at a time.
type meter struct {
	mu          sync.Mutex
	done, total unit.Bytes
	tell        func(done, total unit.Bytes)
}

func (m *meter) add(bytes unit.Bytes) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = min(m.done+bytes, m.total)
	m.tell(m.done, m.total)
}
