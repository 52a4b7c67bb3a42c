package delta

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestInt96Micros(t *testing.T) {
	int96 := func(day int32, nanos uint64) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, nanos), uint32(day))
	}
	tests := []struct {
		name string
		in   []byte
		want int64
		bad  bool
	}{
		{"the epoch", int96(2_440_588, 0), 0, false},
		{"a microsecond before", int96(2_440_587, 86_399_999_999_000), -1, false},
		{"finer than a microsecond is dropped, as Spark does", int96(2_440_588, 1_999), 1, false},
		{"the year 1", int96(1_721_426, 0), -62_135_596_800_000_000, false},
		{"the end of 9999", int96(5_373_484, 86_399_999_999_000), 253_402_300_799_999_999, false},
		{"more than a day", int96(0, 86_400_000_000_000), 0, true},
		{"a day beyond 64 bits", int96(math.MaxInt32, 0), 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Int96Micros(tt.in)
			if (err != nil) != tt.bad || got != tt.want {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
}
