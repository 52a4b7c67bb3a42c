package job

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"ajlo/job/factcache"
)

// Shard is one of Of equal parts of all applications; the zero value is the whole. An
// application is in exactly one of them, whichever machine asks, and stays there when it
// ends or when its log is compacted.
type Shard struct{ Part, Of int }

// ParseShard reads "2/4". Parts count round: 0/4 is 4/4, so that schedulers that count from
// 0 and those that count from 1 both get the whole.
func ParseShard(text string) (Shard, error) {
	part, of, ok := strings.Cut(text, "/")
	i, iErr := strconv.Atoi(part)
	n, nErr := strconv.Atoi(of)
	if !ok || iErr != nil || nErr != nil || n < 1 || n > factcache.MaxShards || i < 0 || i > n {
		return Shard{}, fmt.Errorf("shard %q: want i/n, such as 2/4, with n up to %d", text, factcache.MaxShards)
	}
	return Shard{Part: i % n, Of: n}, nil
}

// String gives the shard as ParseShard reads it.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Part, max(s.Of, 1)) }

// Has reports whether the application whose log is at place belongs to the shard.
func (s Shard) Has(place string) bool {
	if s.Of <= 1 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(place)) // never fails
	return h.Sum64()%uint64(s.Of) == uint64(s.Part)
}
