package factcache_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/factcache"
)

// The digest keeps damage away from the Parquet library; nodes are what is left to be wrong.
// Each byte is one node with that many arguments.
func FuzzTree(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{2, 0, 1, 0})
	f.Add([]byte{1, 1})
	f.Fuzz(func(t *testing.T, args []byte) {
		var nodes []factcache.Node
		for _, n := range args {
			nodes = append(nodes, factcache.Node{Op: "and", Args: int32(int8(n))})
		}
		p, err := factcache.Tree(nodes)
		if err != nil {
			return
		}
		if d := cmp.Diff(nodes, factcache.Flatten(p)); d != "" {
			t.Error(d)
		}
	})
}
