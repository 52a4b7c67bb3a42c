package predicate

import "testing"

func TestKindsPrintAndParseBack(t *testing.T) {
	for k := Null; k <= LocalTime; k++ {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("%s: got %s, %v", k, got, err)
		}
	}
	for _, name := range []string{"", "Int", "kind 9"} {
		if _, err := ParseKind(name); err == nil {
			t.Errorf("%q, which is no kind, was read", name)
		}
	}
}
