package delta

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Int96Bytes is the length of a timestamp as Spark stores it by default: nanoseconds of the day
// in 8 bytes and the Julian day in 4, both little-endian. Unlike 64 bits of nanoseconds, which
// end in the years 1677 and 2262, it reaches all of Spark's years, 1 to 9999.
const Int96Bytes = 12

const (
	julianEpoch   = 2_440_588 // Julian day of 1970-01-01
	microsPerDay  = 86_400_000_000
	maxInt96Days  = math.MaxInt64/microsPerDay - 1 // either side of the epoch
	nanosPerMicro = 1_000                          // Spark drops what is finer
)

// Int96Micros gives microseconds since 1970 as Spark reads them.
func Int96Micros(b []byte) (int64, error) {
	nanos := int64(binary.LittleEndian.Uint64(b))
	day := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - julianEpoch
	if day > maxInt96Days || day < -maxInt96Days || nanos < 0 || nanos >= microsPerDay*nanosPerMicro {
		return 0, fmt.Errorf("INT96 timestamp of day %d and %d ns is no point in time", day, nanos)
	}
	return day*microsPerDay + nanos/nanosPerMicro, nil
}
