package predicate

// Order is Compare for sorting the values of one column: those without a common order count
// as equal.
func Order(a, b Value) int {
	order, _ := Compare(a, b)
	return order
}

// FloorDivide rounds towards the past, also before 1970.
func FloorDivide(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
