// Package unit holds the measured quantities that every stage speaks of, so that a
// number of bytes is never taken for a number of rows.
package unit

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size in bytes: of a file, a scan, a budget.
type Bytes int64

// Decimal multiples, as storage is billed and as Spark's log viewers show sizes.
const (
	KB Bytes = 1_000
	MB       = 1_000 * KB
	GB       = 1_000 * MB
	TB       = 1_000 * GB
)

// Binary multiples, as file-size settings of the engines are written (1 GiB = 1073741824).
const (
	KiB Bytes = 1 << 10
	MiB       = KiB << 10
	GiB       = MiB << 10
	TiB       = GiB << 10
)

// suffixes are the accepted units, longest first so that "MiB" is not read as "B".
var suffixes = []struct {
	text string
	size Bytes
}{
	{"kib", KiB}, {"mib", MiB}, {"gib", GiB}, {"tib", TiB},
	{"kb", KB}, {"mb", MB}, {"gb", GB}, {"tb", TB}, {"b", 1},
}

// ParseBytes reads "500MB", "1.5 GiB" or a bare count of bytes. The size must not be
// negative and must fit in 63 bits.
func ParseBytes(text string) (Bytes, error) {
	number, size := strings.ToLower(strings.TrimSpace(text)), Bytes(1)
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(number, s.text); ok {
			number, size = strings.TrimSpace(rest), s.size
			break
		}
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil && whole >= 0 && whole <= int64(maxBytes/size) {
		return Bytes(whole) * size, nil
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) || value*float64(size) >= float64(maxBytes) {
		return 0, fmt.Errorf("size %q: want a number with a unit, such as 500MB, 20GB or 64MiB", text)
	}
	return Bytes(value * float64(size)), nil
}

const maxBytes = Bytes(1<<63 - 1)

// String gives three significant digits in decimal units: "12.3 MB".
func (b Bytes) String() string {
	sign, value := "", float64(b)
	if b < 0 {
		sign, value = "-", -value
	}
	if value < 1000 {
		return fmt.Sprintf("%s%d B", sign, int64(value))
	}
	names := []string{"kB", "MB", "GB", "TB", "PB", "EB"}
	unit := -1
	for value >= 999.5 && unit < len(names)-1 {
		value /= 1000
		unit++
	}
	digits := 2
	if value >= 99.95 {
		digits = 0
	} else if value >= 9.995 {
		digits = 1
	}
	return fmt.Sprintf("%s%.*f %s", sign, digits, value, names[unit])
}
