package table_test

import (
	"testing"

	"ajlo/job/table"
)

func TestRefNamesOneColumnOnly(t *testing.T) {
	for _, tc := range []struct {
		name string
		ref  table.Ref
		want string
	}{
		{"plain", table.Ref{Table: "tpch.orders", Column: "o_orderkey"}, "tpch.orders.o_orderkey"},
		{"a dot in the column", table.Ref{Table: "tpch.orders", Column: "a.b"}, "tpch.orders.`a.b`"},
		{"a backtick in the column", table.Ref{Table: "t", Column: "a`b"}, "t.`a``b`"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.ref.String(); got != tc.want {
				t.Errorf("String = %s, want %s", got, tc.want)
			}
		})
	}
}

func TestCompareOrdersByTableFirst(t *testing.T) {
	a, b := table.Ref{Table: "a", Column: "z"}, table.Ref{Table: "b", Column: "a"}
	if a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 {
		t.Error("refs are not ordered by table")
	}
}
