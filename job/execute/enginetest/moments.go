package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// moments draws n whole numbers from 0 to below total, the same in every run.
func moments(total, n int) []int {
	random := rand.New(rand.NewPCG(7, uint64(total)))
	all := make([]int, n)
	for i := range all {
		all[i] = random.IntN(total)
	}
	return all
}

// text is the row as the independent reader writes it.
func (i item) text() string {
	var b strings.Builder
	b.WriteString("{id=")
	writeOr(&b, i.ID, func(v int64) string { return fmt.Sprint(v) })
	b.WriteString(";price=")
	writeOr(&b, i.Price, func(v float64) string { return fmt.Sprintf("%016x", math.Float64bits(v)) })
	b.WriteString(";name=")
	writeOr(&b, i.Name, func(v string) string { return fmt.Sprintf("%q", v) })
	b.WriteString(";}")
	return b.String()
}

func writeOr[T any](b *strings.Builder, v *T, text func(T) string) {
	if v == nil {
		b.WriteString("NULL")
		return
	}
	b.WriteString(text(*v))
}
