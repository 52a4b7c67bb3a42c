package layout

import "fmt"

// Orders lists every order, in the order they are offered to people.
func Orders() []Order { return []Order{None, Sort, ZOrder, Hilbert, LearntCuts} }

// String gives the name that ParseOrder reads.
func (o Order) String() string { return string(o) }

// ParseOrder reads the name of an order as configs, plans and table tags spell it.
func ParseOrder(text string) (Order, error) {
	for _, o := range Orders() {
		if text == string(o) {
			return o, nil
		}
	}
	return "", fmt.Errorf("order %q: want one of %v", text, Orders())
}
