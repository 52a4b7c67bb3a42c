package predicate

import (
	"math"
	"testing"
)

func TestNextIsJustAbove(t *testing.T) {
	tests := []struct {
		name    string
		v, want Value
		ok      bool
	}{
		{"int", IntValue(-1), IntValue(0), true},
		{"the greatest int has none", IntValue(math.MaxInt64), IntValue(math.MinInt64), false},
		{"date", DateValue(9131), DateValue(9132), true},
		{"decimal, by its last digit", DecimalValue(150, 2), DecimalValue(151, 2), true},
		{"float", FloatValue(0), FloatValue(math.SmallestNonzeroFloat64), true},
		{"nothing lies above infinity", FloatValue(math.Inf(1)), FloatValue(math.Inf(1)), false},
		{"nor above not-a-number", FloatValue(math.NaN()), FloatValue(math.NaN()), false},
		{"string", StringValue("a"), StringValue("a\x00"), true},
		{"truth values are not cut", BoolValue(false), Value{}, false},
		{"NULL", Value{}, Value{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := tt.v.Next()
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	}
}
