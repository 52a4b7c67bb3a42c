//go:build spark

package sparktest

import (
	"cmp"
	"os"
	"strings"
)

// pinnedName is what tests and AJLO_ENGINES call the pinned Spark with Delta Lake.
const pinnedName = "pinned"

// everyDelta are all versions of Spark with Delta Lake that scripts/versions.env lists.
const everyDelta = pinnedName + ",3.5.7,4.1.0"

// String is the engine's name in tests and in AJLO_ENGINES.
func (e Engine) String() string { return cmp.Or(string(e), pinnedName) }

// Engines are those that a test of Delta Lake runs on: the pinned one, in a soak all versions.
// AJLO_ENGINES names others, apart by commas.
func Engines() (list []Engine) {
	named := pinnedName
	if os.Getenv("AJLO_SOAK") != "" {
		named = everyDelta
	}
	for name := range strings.SplitSeq(cmp.Or(os.Getenv("AJLO_ENGINES"), named), ",") {
		list = append(list, Engine(strings.TrimPrefix(name, pinnedName)))
	}
	return list
}
