package lake

import (
	"math"
	"slices"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// Sketch makes a sample out of the bounds alone, for tables whose data may not be read: as
// many rows of each file as it has of the table's, the values of a column spread evenly from
// its least to its greatest, and those of different columns as if they had nothing to do with
// one another inside a file. Strings are the least or the greatest. A column without bounds in
// a file is NULL there. What is foretold from it is as good as the bounds are: orders that rows
// have inside files are not seen.
func Sketch(s Snapshot, columns []table.Column, rows int) Sample {
	sample := Sample{Columns: slices.Clone(columns), Values: make([][]predicate.Value, len(columns))}
	files := slices.Clone(s.Files)
	for i := range files {
		files[i].Rows = max(files[i].Rows, 1)
		sample.Population += files[i].Rows
	}
	if len(columns) == 0 || rows <= 0 {
		return sample
	}
	for _, share := range shares(files, rows) {
		for i, c := range columns {
			sample.Values[i] = append(sample.Values[i], sketched(share, c, i)...)
		}
	}
	return sample
}

// sketched are the values of a column in one file; number tells the columns apart.
func sketched(s share, c table.Column, number int) []predicate.Value {
	values := make([]predicate.Value, s.rows)
	b, ok := s.file.Bounds[c]
	if !ok || b.Min.IsNull() || b.Max.IsNull() || b.Min.Kind != b.Max.Kind {
		return values
	}
	nulls := int64(0)
	if b.Nulls > 0 && b.Rows > 0 {
		nulls = scale(min(b.Nulls, b.Rows), s.rows, b.Rows)
	}
	n := s.rows - nulls
	for i := range n {
		values[i] = between(b.Min, b.Max, i, n)
	}
	return scattered(values, number)
}

// between is the i-th of n values spread evenly from low to high, both included where n > 1.
func between(low, high predicate.Value, i, n int64) predicate.Value {
	part := 0.5
	if n > 1 {
		part = float64(i) / float64(n-1)
	}
	switch low.Kind {
	case predicate.Float:
		low.F += part * (high.F - low.F)
	case predicate.String, predicate.Bool:
		if 2*i >= n {
			return high
		}
	default:
		// In parts, since the distance of two words may not fit one; rounding may leave them.
		at := math.Round(float64(low.I)*(1-part) + float64(high.I)*part)
		low.I = min(max(int64(at), low.I), high.I)
	}
	return low
}

// scattered puts values in an order that has nothing to do with that of another column: steps
// of a part of their number that is as irrational as can be, and another for each column.
func scattered(values []predicate.Value, number int) []predicate.Value {
	n := len(values)
	if n < 3 {
		return values
	}
	_, part := math.Modf(float64(number+1) * math.Phi)
	step := max(1, int(part*float64(n)))
	for gcd(step, n) != 1 {
		step++
	}
	out := make([]predicate.Value, n)
	for i := range values {
		out[i*step%n] = values[i]
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
