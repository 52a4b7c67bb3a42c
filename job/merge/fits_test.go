package merge

import (
	"testing"

	"ajlo/job/delta"
)

func TestFits(t *testing.T) {
	plain := func(k delta.Kind) delta.Type { return delta.Type{Kind: k, Text: string(k)} }
	decimal := func(precision, scale int) delta.Type {
		return delta.Type{Kind: delta.Decimal, Precision: precision, Scale: scale}
	}
	structOf := func(name string, of delta.Type) delta.Type {
		return delta.Type{Kind: delta.Struct, Text: "struct", Fields: []delta.Field{{Name: name, Type: of}}}
	}
	listOf := func(of delta.Type) delta.Type { return delta.Type{Kind: delta.Array, Element: &of} }
	tests := []struct {
		name     string
		from, to delta.Type
		want     bool
	}{
		{"the same", plain(delta.Long), plain(delta.Long), true},
		{"wider", plain(delta.Byte), plain(delta.Long), true},
		{"narrower", plain(delta.Long), plain(delta.Integer), false},
		{"a number for a text", plain(delta.Long), plain(delta.String), false},
		{"a float for a double", plain(delta.Float), plain(delta.Double), false},
		{"a whole number for a decimal", plain(delta.Integer), decimal(12, 0), false},
		{"more digits", decimal(9, 2), decimal(12, 2), true},
		{"fewer digits", decimal(12, 2), decimal(9, 2), false},
		{"another scale", decimal(9, 1), decimal(12, 2), false},
		{"a time of no zone for an instant", plain(delta.TimestampNTZ), plain(delta.Timestamp), false},
		{"a date for an instant", plain(delta.Date), plain(delta.Timestamp), false},
		{"bytes for a text", plain(delta.Binary), plain(delta.String), false},
		{"the same struct", structOf("a", plain(delta.Date)), structOf("a", plain(delta.Date)), true},
		{"a struct of other fields", structOf("a", plain(delta.Date)), structOf("b", plain(delta.Date)), false},
		{"a wider field", structOf("a", plain(delta.Integer)), structOf("a", plain(delta.Long)), false},
		{"the same array", listOf(plain(delta.Date)), listOf(plain(delta.Date)), true},
		{"an array of others", listOf(plain(delta.Date)), listOf(plain(delta.Long)), false},
		{"what is not known", plain(delta.Other), plain(delta.Other), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fits(tt.from, tt.to); got != tt.want {
				t.Errorf("%s fits %s: %v", spelt(tt.from), spelt(tt.to), got)
			}
		})
	}
}
