package layout

import (
	"time"

	"ajlo/job/predicate"
)

// grain is a scale on which the constants of a column recur: calendar boundaries of days,
// round numbers. index counts its marks at or below a value; value is the mark of an index.
type grain struct {
	index func(v predicate.Value) int64
	value func(index int64) predicate.Value
}

// hundredYears, in months, keep the indices of days before 1970 positive.
const hundredYears = 1200

// monthsGrain marks every so many months.
func monthsGrain(months int64) grain {
	return grain{
		index: func(v predicate.Value) int64 {
			day := time.Unix(v.I*secondsPerDay, 0).UTC()
			return (int64(day.Year()-epochYear)*12 + int64(day.Month()) - 1 + hundredYears) / months
		},
		value: func(index int64) predicate.Value {
			month := index*months - hundredYears
			return predicate.DateValue(time.Date(epochYear, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
		},
	}
}

const (
	secondsPerDay = 86_400
	epochYear     = 1970
)

// roundGrain marks the multiples of a unit, in the kind and scale of a value.
func roundGrain(like predicate.Value, unit int64) grain {
	return grain{
		index: func(v predicate.Value) int64 { return predicate.FloorDivide(v.I, unit) },
		value: func(index int64) predicate.Value {
			like.I = index * unit
			return like
		},
	}
}

// grainOf finds the coarsest scale that all cut points of a column lie on; ok is false where
// there are too few to tell, or they lie on none.
func grainOf(cuts []predicate.Value) (g grain, ok bool) {
	if len(cuts) < minGrainCuts {
		return grain{}, false
	}
	for _, g := range grainsFor(cuts[0]) {
		if g.holds(cuts) {
			return g, true
		}
	}
	return grain{}, false
}

// minGrainCuts is how many different constants have to lie on a scale before it is believed.
const minGrainCuts = 2

// Units of round numbers are powers of ten; ten itself is met by chance too often.
const (
	minUnit = 100
	maxUnit = 1_000_000_000
)

// grainsFor lists the scales of a kind of values, the coarsest first.
func grainsFor(like predicate.Value) (list []grain) {
	switch like.Kind {
	case predicate.Date:
		for _, months := range []int64{12, 3, 1} {
			list = append(list, monthsGrain(months))
		}
	case predicate.Int, predicate.Decimal:
		for unit := int64(maxUnit); unit >= minUnit; unit /= 10 {
			list = append(list, roundGrain(like, unit))
		}
	case predicate.Timestamp, predicate.LocalTime:
		for _, unit := range []int64{secondsPerDay * microsPerSecond, secondsPerDay / 24 * microsPerSecond} {
			list = append(list, roundGrain(like, unit))
		}
	}
	return list
}

// holds reports whether every value is a mark, and they are not all the same one.
func (g grain) holds(values []predicate.Value) bool {
	several := false
	for _, v := range values {
		if v.Kind != values[0].Kind || g.value(g.index(v)) != v {
			return false
		}
		several = several || v != values[0]
	}
	return several
}
