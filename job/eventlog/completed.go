package eventlog

// completed remembers which stages completed, by attempt: tasks that end after their stage
// follow it closely. Its size does not depend on the log's.
type completed map[int64]*recent

// maxAttempts is how many attempts of a stage are told apart: Spark gives a stage up after four,
// unless it is told to go on.
const maxAttempts = 16

func (c completed) add(stage, attempt int64) {
	r := c[attempt]
	if r == nil {
		if len(c) >= maxAttempts {
			return
		}
		r = &recent{newest: stage}
		c[attempt] = r
	}
	r.add(stage)
}

func (c completed) has(stage, attempt int64) bool {
	r := c[attempt]
	return r != nil && r.has(stage)
}

// recentStages is how far behind the newest stage one is still remembered: ids are given out
// in order.
const recentStages = 1 << 16

// recent is a set of the numbers from newest − recentStages, exclusive, to newest.
type recent struct {
	newest int64
	bits   [recentStages / 64]uint64
}

func (r *recent) add(id int64) {
	if id <= r.newest-recentStages {
		return
	}
	if id-r.newest >= recentStages {
		r.bits = [recentStages / 64]uint64{}
		r.newest = id
	}
	for ; r.newest < id; r.newest++ {
		r.clear(r.newest + 1)
	}
	word, bit := place64(id)
	r.bits[word] |= bit
}

func (r *recent) has(id int64) bool {
	word, bit := place64(id)
	return id <= r.newest && id > r.newest-recentStages && r.bits[word]&bit != 0
}

func (r *recent) clear(id int64) {
	word, bit := place64(id)
	r.bits[word] &^= bit
}

func place64(id int64) (word int, bit uint64) {
	at := uint64(id) % recentStages
	return int(at / 64), 1 << (at % 64)
}
