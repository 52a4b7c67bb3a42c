package condition_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/merge/condition"
	"ajlo/job/predicate"
)

// columns are those of both sides, in their order.
var columns = []struct {
	name string
	typ  delta.Type
}{
	{"n", delta.Type{Kind: delta.Integer, Text: "integer"}},
	{"empty", delta.Type{Kind: delta.Long, Text: "long"}},
	{"amount", delta.Type{Kind: delta.Decimal, Precision: 12, Scale: 2, Text: "decimal(12,2)"}},
	{"wide", delta.Type{Kind: delta.Decimal, Precision: 38, Scale: 2, Text: "decimal(38,2)"}},
	{"ratio", delta.Type{Kind: delta.Float, Text: "float"}},
	{"price", delta.Type{Kind: delta.Double, Text: "double"}},
	{"name", delta.Type{Kind: delta.String, Text: "string"}},
	{"a b", delta.Type{Kind: delta.String, Text: "string"}},
	{"flag", delta.Type{Kind: delta.Boolean, Text: "boolean"}},
	{"day", delta.Type{Kind: delta.Date, Text: "date"}},
	{"at", delta.Type{Kind: delta.Timestamp, Text: "timestamp"}},
	{"raw", delta.Type{Kind: delta.Binary, Text: "binary"}},
}

func find(c condition.Column) (condition.Bound, error) {
	for i, known := range columns {
		if known.name == c.Name {
			return condition.Bound{Name: c.Name, Type: known.typ, At: i}, nil
		}
	}
	return condition.Bound{}, delta.ErrNoTable // any error
}

// aRow has one value in each column; n and name as given.
func aRow(n int32, name string) condition.Row {
	one := func(b array.Builder, add func()) arrow.Array {
		add()
		return b.NewArray()
	}
	m := memory.DefaultAllocator
	n32, empty, amount := array.NewInt32Builder(m), array.NewInt64Builder(m), array.NewDecimal128Builder(m, &arrow.Decimal128Type{Precision: 12, Scale: 2})
	wide, ratio, price := array.NewDecimal128Builder(m, &arrow.Decimal128Type{Precision: 38, Scale: 2}), array.NewFloat32Builder(m), array.NewFloat64Builder(m)
	text, other, flag := array.NewStringBuilder(m), array.NewStringBuilder(m), array.NewBooleanBuilder(m)
	day, at, raw := array.NewDate32Builder(m), array.NewTimestampBuilder(m, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}), array.NewBinaryBuilder(m, arrow.BinaryTypes.Binary)
	return condition.Row{Columns: []arrow.Array{
		one(n32, func() { n32.Append(n) }), one(empty, empty.AppendNull), one(amount, func() { _ = amount.AppendValueFromString("1.50") }),
		one(wide, wide.AppendNull), one(ratio, func() { ratio.Append(0.1) }), one(price, func() { price.Append(0.1) }),
		one(text, func() { text.Append(name) }), one(other, func() { other.Append("it's") }), one(flag, func() { flag.Append(true) }),
		one(day, func() { day.Append(20787) }), one(at, func() { at.Append(1_700_000_000_000_000) }), one(raw, raw.AppendNull),
	}}
}

func TestConditions(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"t.n = 1", true}, {"T.n == 1 AND s.n = 2", true}, {"t.n <> s.n", true}, {"t.n != 1", false}, {"t.n < s.n", true}, {"-1 < t.n", true},
		{"t.n >= 1.0", true}, {"t.n > 0.999", true}, {"t.n = 1e0", true},
		{"t.empty = 1", false}, {"NOT t.empty = 1", false}, {"t.empty IS NULL", true}, {"t.n is not null", true}, {"t.empty <=> NULL", true},
		{"t.empty <=> s.empty", true}, {"t.n <=> s.n", false}, {"t.empty = 1 OR t.n = 1", true}, {"t.empty = 1 AND t.n = 1", false},
		{"NOT (t.empty = 1 AND t.n = 2)", true}, {"t.n IN (3, 1)", true}, {"t.n NOT IN (3, NULL)", false}, {"t.n NOT IN (3, 4)", true},
		{"t.n BETWEEN 0 AND s.n", true}, {"t.n NOT BETWEEN 0 AND s.n", false}, {"t.n = 2 OR t.n = 1 AND s.n = 2", true},
		{"t.amount = 1.5", true}, {"t.amount < 2", true}, {"t.amount > t.n", true}, {"t.amount = 1.5e0", true},
		{"t.ratio = 0.1", false}, {"t.price = 0.1", true}, {"t.ratio > t.price", true}, {"t.ratio < 1", true},
		{"t.name = 'one'", true}, {`t.name < "two"`, true}, {"t.name = s.name", false}, {"t.`a b` = \"it's\"", true}, {"t.name = 'ONE'", false},
		{"t.flag", true}, {"NOT s.flag", false}, {"t.flag = true", true}, {"t.flag AND NULL", false}, {"true", true}, {"NULL", false},
		{"t.day = DATE '2026-11-30'", true}, {"t.day >= '2026-12-01'", false}, {"t.at = TIMESTAMP '2023-11-14T22:13:20Z'", true},
		{"t.at < TIMESTAMP '2023-11-14 22:13:20+01:00'", false}, {"t.raw IS NULL", true}, {"t.wide IS NOT NULL", false},
		{"((t.n = 1))", true}, {"t.n=1 and(s.n=2)", true},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			e, err := condition.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			c, err := condition.Bind(e, find)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Holds(aRow(1, "one"), aRow(2, "two"))
			if got != tt.want || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// What is not known, or is decided by settings of Spark, is refused by name.
func TestRefusals(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "its end is not understood"},
		{"n = 1", `"n" is not understood: columns are t.name`},
		{"x.n = 1", "rows are called t"},
		{"t.n.a = 1", "fields of structs"},
		{"t. = 1", "where the name of a column is wanted"},
		{"t.n = ", "its end is not understood"},
		{"t.n = 1 t.n", `"t" is not understood`},
		{"upper(t.name) = 'A'", "upper(…): functions are not known here"},
		{"t.n + 1 = 2", "+ is not known here"},
		{"t.name LIKE 'a%'", "LIKE is not known here"},
		{"t.name NOT LIKE 'a%'", "LIKE is not known here"},
		{"(t.n = 1) = true", "only columns and values are compared"},
		{"t.n IN (SELECT 1)", "SELECT is not known here"},
		{"t.n IN ()", "not understood"},
		{"t.n IS 1", "where NULL is wanted"},
		{"(t.n = 1", `where ) is wanted`},
		{`t.name = 'a\n'`, "backslash"},
		{"t.name = 'it''s'", "twice in a row"},
		{"t.name = 'a", "not closed"},
		{"t.n = 1L", "no number that is known"},
		{"t.n = 12345678901234567890", "more than 18 digits"},
		{"t.n ~ 1", `'~' is not known here`},
		{"t.at > TIMESTAMP '2026-11-30 08:00:00'", "a zone is missing"},
		{"t.day = DATE '2026-02-30'", "no such day"},
		{"t.n = INTERVAL '1'", "INTERVAL '…' is not known here"},
		{strings.Repeat("(", 300) + "t.flag" + strings.Repeat(")", 300), "too many brackets"},
	}
	for _, tt := range tests {
		t.Run(tt.text[:min(len(tt.text), 30)], func(t *testing.T) {
			if _, err := condition.Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTypesThatAreNotCompared(t *testing.T) {
	tests := []struct{ text, want string }{
		{"t.n = '1'", "write numbers without quotes"},
		{"t.at > '2026-11-30'", "with its zone"},
		{"t.at > t.day", "cast one in the source"},
		{"t.flag = 1", "column t.flag of type boolean is not compared with the long 1"},
		{"t.ratio = t.n", "Spark's settings"},
		{"t.ratio = 16777217", "Spark's settings"},
		{"t.day = 'today'", "write DATE"},
		{"t.wide = 1", "column t.wide of type decimal(38,2) cannot be compared"},
		{"t.raw = 'a'", "cannot be compared"},
		{"t.n", "not true or false"},
		{"NOT 'a'", "not true or false"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			e, err := condition.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := condition.Bind(e, find); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// What a condition says of the table's row alone is what files are left unread by.
func TestWhatIsSaidOfTheTable(t *testing.T) {
	one := []predicate.Value{predicate.IntValue(1)}
	unknown := predicate.Predicate{Op: predicate.Unknown}
	tests := []struct {
		text string
		want predicate.Predicate
	}{
		{"1 < t.n", predicate.Predicate{Op: predicate.Gt, Column: "n", Values: one}},
		{"s.n = 1", unknown},
		{"t.n = s.n", unknown},
		{"t.price > 1", unknown}, // NaN is in no bounds of some writers
		{"t.n = 1e0", unknown},
		{"t.n IS NULL", predicate.Predicate{Op: predicate.IsNull, Column: "n"}},
		{"t.n = 1 OR s.flag", predicate.Predicate{Op: predicate.Or, Args: []predicate.Predicate{{Op: predicate.Eq, Column: "n", Values: one}, unknown}}},
		{"NOT t.n IN (1)", predicate.Predicate{Op: predicate.Not, Args: []predicate.Predicate{
			{Op: predicate.Or, Args: []predicate.Predicate{{Op: predicate.Eq, Column: "n", Values: one}}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			e, err := condition.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			c, err := condition.Bind(e, find)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.OfTable); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No text makes the parser fail, and what it takes can be decided of any rows.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"t.n = 1 AND NOT (s.name IN ('a', \"b\") OR t.day BETWEEN DATE '2026-01-01' AND s.day)", "t.`a b` <=> NULL", "-.5e-3 < t.price", "((t.flag", "s."} {
		f.Add(text)
	}
	of, from := aRow(1, "one"), aRow(2, "two")
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := condition.ParseValue(text); err == nil {
			e.Value()
		}
		e, err := condition.Parse(text)
		if err != nil {
			return
		}
		c, err := condition.Bind(e, find)
		if err != nil {
			return
		}
		is, err := c.Holds(of, from)
		if err != nil {
			t.Fatal(err)
		}
		no, err := condition.Parse("NOT (" + text + ")")
		if err != nil {
			return // at the limit of brackets
		}
		opposite, err := condition.Bind(no, find)
		if err != nil {
			t.Fatal(err)
		}
		if not, _ := opposite.Holds(of, from); is && not {
			t.Error("it is true, and so is its opposite")
		}
	})
}
