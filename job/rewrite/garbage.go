package rewrite

import "runtime"

// garbage has what wide pages leave behind collected whenever about one page went by. The
// runtime lets garbage grow up to the soft memory limit and then notices a page too late.
type garbage struct {
	every  int64 // bytes of the widest page, 0 where none is wide
	passed int64
}

func (g *garbage) pass(bytes int64) {
	if g.every == 0 {
		return
	}
	if g.passed += bytes; g.passed >= g.every {
		runtime.GC()
		g.passed = 0
	}
}
