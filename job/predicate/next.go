package predicate

import "math"

// Next is the least value above v of its kind, so that "at most v" and "below Next" are the
// same; ok is false where there is none.
func (v Value) Next() (next Value, ok bool) {
	switch v.Kind {
	case Int, Date, Timestamp, LocalTime, Decimal:
		next = v
		next.I++
		return next, v.I < math.MaxInt64
	case Float:
		next = v
		next.F = math.Nextafter(v.F, math.Inf(1))
		return next, v.F < math.Inf(1)
	case String:
		return StringValue(v.S + "\x00"), true
	}
	return Value{}, false
}
