package predicate

import "testing"

func TestCompareDecimals(t *testing.T) {
	tests := []struct {
		name string
		a, b Value
		want int
	}{
		{"scales differ", DecimalValue(150, 2), DecimalValue(15, 1), 0},
		{"an integer", DecimalValue(150, 2), IntValue(2), -1},
		{"a power of ten, as 1E+10 is", DecimalValue(1, -10), IntValue(10_000_000_000), 0},
		{"and one beyond it", DecimalValue(1, -10), IntValue(10_000_000_001), -1},
		{"two powers", DecimalValue(2, -10), DecimalValue(1, -11), -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := Compare(tt.a, tt.b); !ok || got != tt.want {
				t.Errorf("%d, %t, want %d", got, ok, tt.want)
			}
			if got, ok := Compare(tt.b, tt.a); !ok || got != -tt.want {
				t.Errorf("the other way: %d, %t, want %d", got, ok, -tt.want)
			}
		})
	}
}
