package unit_test

import (
	"testing"

	"pgregory.net/rapid"

	"ajlo/job/unit"
)

func TestParseBytes(t *testing.T) {
	for _, tc := range []struct {
		text string
		want unit.Bytes
	}{
		{"0", 0}, {"512", 512}, {"500MB", 500 * unit.MB}, {"1.5 GiB", 1536 * unit.MiB}, {" 64 kib ", 64 * unit.KiB},
		{"20gb", 20 * unit.GB}, {"7B", 7}, {"9223372036854775807", 1<<63 - 1}, {"8TiB", 8 * unit.TiB},
	} {
		if got, err := unit.ParseBytes(tc.text); err != nil || got != tc.want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", tc.text, got, err, tc.want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "ten", "1e99", "9223372036854775808", "NaN", "inf GB", "1 2", "10000000000 GB"} {
		if got, err := unit.ParseBytes(text); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", text, got)
		}
	}
}

func TestString(t *testing.T) {
	for _, tc := range []struct {
		b    unit.Bytes
		want string
	}{
		{0, "0 B"}, {999, "999 B"}, {1000, "1.00 kB"}, {12_345_678, "12.3 MB"}, {999_999, "1.00 MB"}, {-2_500, "-2.50 kB"},
		{123_456_789_012, "123 GB"}, {1<<63 - 1, "9.22 EB"},
	} {
		if got := tc.b.String(); got != tc.want {
			t.Errorf("%d = %q, want %q", int64(tc.b), got, tc.want)
		}
	}
}

// A size that is printed reads back within the half per cent that three digits leave out.
func TestStringReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := unit.Bytes(rapid.Int64Range(0, 1<<49).Draw(t, "bytes"))
		back, err := unit.ParseBytes(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(back-b) / float64(max(b, 1)); off > 0.006 || off < -0.006 {
			t.Fatalf("%d prints as %q and reads back as %d", b, b, back)
		}
	})
}
