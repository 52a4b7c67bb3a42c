package predicate

import "fmt"

// kindNames are the kinds of values as files spell them.
var kindNames = [...]string{
	Null: "null", Bool: "bool", Int: "int", Decimal: "decimal", Float: "float",
	String: "string", Date: "date", Timestamp: "timestamp", LocalTime: "local_time",
}

// String gives the name that ParseKind reads.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseKind reads the name of a kind.
func ParseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if known == name {
			return Kind(kind), nil
		}
	}
	return Null, fmt.Errorf("predicate: no kind of literal is called %q", name)
}
