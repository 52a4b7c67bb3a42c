package predicate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/table"
)

// scope has one column of each type, named by it, with ids 1, 2, …; JVM and session are in
// different zones, as in no sane cluster and many real ones.
func scope(t testing.TB) *Scope {
	t.Helper()
	jvm, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	session, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	return &Scope{JVM: jvm, Session: session, Fields: []Field{
		{"k", "k#1L", "bigint"}, {"s", "s#2", "string"}, {"dec", "dec#3", "decimal(12,3)"},
		{"dt", "dt#4", "date"}, {"ts", "ts#5", "timestamp"}, {"tn", "tn#6", "timestamp_ntz"},
		{"b", "b#7", "boolean"}, {"dbl", "dbl#8", "double"}, {"fl", "fl#9", "float"},
		{"i", "i#20", "int"}, {"st", "st#10", "struct<x:bigint,y:string>"}, {"p, q#9L", "p, q#9L#11L", "bigint"},
		{"a.b", "a.b#12L", "bigint"}, {"p", "p#13", ""}, {"lc", "lc#14", "string collate UTF8_LCASE"},
	}}
}

func pred(op Op, column table.Column, values ...Value) Predicate {
	return Predicate{Op: op, Column: column, Values: values}
}

func nest(op Op, args ...Predicate) Predicate { return Predicate{Op: op, Args: args} }

// march is 2020-03-01 00:00 in Tokyo.
var march = TimestampValue(time.Date(2020, 2, 29, 15, 0, 0, 0, time.UTC).UnixMicro())

func TestParsePushed(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Predicate
		lost       int
	}{
		{"nothing", "[]", nil, 0},
		{"range", "[IsNotNull(k), GreaterThanOrEqual(k,120000), LessThan(k,165000)]", []Predicate{
			pred(NotNull, "k"), pred(Ge, "k", IntValue(120000)), pred(Lt, "k", IntValue(165000))}, 0},
		{"date without quotes", "[GreaterThan(dt,1998-07-01)]", []Predicate{pred(Gt, "dt", DateValue(10408))}, 0},
		{"old date is in another calendar", "[GreaterThan(dt,1500-07-01)]", []Predicate{pred(Unknown, "dt")}, 0},
		{"timestamp in the JVM's zone", "[GreaterThanOrEqual(ts,2020-02-29 10:00:00.0)]", []Predicate{pred(Ge, "ts", march)}, 0},
		{"timestamp as an instant", "[GreaterThanOrEqual(ts,2020-02-29T15:00:00Z)]", []Predicate{pred(Ge, "ts", march)}, 0},
		{"timestamp without zone", "[LessThan(tn,2020-03-01T00:00)]", []Predicate{
			pred(Lt, "tn", LocalTimeValue(time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC).UnixMicro()))}, 0},
		{"stars of sources that apply filters whole", "[*IsNotNull(k), *GreaterThan(k,5)]", []Predicate{
			pred(NotNull, "k"), pred(Gt, "k", IntValue(5))}, 0},
		{"nested fields have no bounds", "[IsNotNull(st.x), GreaterThan(st.x,5)]", []Predicate{pred(Unknown, ""), pred(Unknown, "")}, 0},
		{"numbers", "[GreaterThan(dec,12.500), LessThan(fl,0.1), GreaterThan(dbl,-1.5E300), EqualTo(b,true)]", []Predicate{
			pred(Gt, "dec", DecimalValue(12500, 3)), pred(Lt, "fl", FloatValue(float64(float32(0.1)))),
			pred(Gt, "dbl", FloatValue(-1.5e300)), pred(Eq, "b", BoolValue(true))}, 0},
		{"strings that look like filters", "[Or(Or(EqualTo(s,x (#12) AND y, z]),EqualTo(s,its)),Or(EqualTo(s,),EqualTo(s,null)))]", []Predicate{
			nest(Or, nest(Or, pred(Eq, "s", StringValue("x (#12) AND y, z]")), pred(Eq, "s", StringValue("its"))),
				nest(Or, pred(Eq, "s", StringValue("")), pred(Eq, "s", StringValue("null"))))}, 0},
		{"a string that begins another filter", "[EqualTo(s,a, IsNotNull(k), IsNotNull(s)]", []Predicate{
			pred(Eq, "s", StringValue("a, IsNotNull(k")), pred(NotNull, "s")}, 0},
		{"lists", "[In(k, [1,2,3]), In(dt, [2020-01-05,2020-02-05]), In(s, [MED BOX,b])]", []Predicate{
			pred(In, "k", IntValue(1), IntValue(2), IntValue(3)), pred(In, "dt", DateValue(18266), DateValue(18297)),
			pred(In, "s", StringValue("MED BOX"), StringValue("b"))}, 0},
		{"a list of strings that hold separators", "[In(s, [q],x,y, z])]", []Predicate{pred(Unknown, "s")}, 0},
		{"null-safe", "[EqualNullSafe(k,5), EqualNullSafe(k,null)]", []Predicate{
			pred(EqNullSafe, "k", IntValue(5)), pred(IsNull, "k")}, 0},
		{"negation", "[Not(EqualTo(k,3)), Not(In(k, [1])), Not(StringEndsWith(s,5)), Not(IsNull(k))]", []Predicate{
			pred(Ne, "k", IntValue(3)), nest(Not, pred(In, "k", IntValue(1))), pred(Unknown, ""), pred(NotNull, "k")}, 0},
		{"texts", "[StringStartsWith(s,12), StringContains(s,3)]", []Predicate{
			pred(Prefix, "s", StringValue("12")), pred(Unknown, "")}, 0},
		{"nested fields have no bounds here", "[IsNotNull(st.x), GreaterThan(st.x,5)]", []Predicate{
			pred(Unknown, ""), pred(Unknown, "")}, 0},
		{"odd names", "[GreaterThan(`p, q#9L`,0), LessThan(`a.b`,9), GreaterThan(p, q#9L,1)]", []Predicate{
			pred(Gt, "p, q#9L", IntValue(0)), pred(Lt, "a.b", IntValue(9)), pred(Gt, "p, q#9L", IntValue(1))}, 0},
		{"a subquery's value is not known", "[GreaterThan(k,ScalarSubquery#3693), EqualTo(s,ScalarSubquery#3)]", []Predicate{
			pred(Unknown, "k"), pred(Unknown, "s")}, 0},
		{"other collations compare otherwise", "[EqualTo(lc,a)]", []Predicate{pred(Unknown, "lc")}, 0},
		{"fields left out", "[IsNotNull(k), ... 3 more fields]", []Predicate{pred(NotNull, "k")}, 1},
		{"cut at a length", "[IsNotNull(k), GreaterThan(k...", []Predicate{pred(NotNull, "k")}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, lost := scope(t).ParsePushed(test.text)
			if diff := cmp.Diff(test.want, got); diff != "" || lost != test.lost {
				t.Errorf("lost %d, want %d; (-want +got)\n%s", lost, test.lost, diff)
			}
		})
	}
}

func TestParseCatalyst(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Predicate
	}{
		{"always true", "true", nil},
		{"range", "((isnotnull(k#1L) AND (k#1L >= 120000)) AND (k#1L <= 165000))", []Predicate{
			pred(NotNull, "k"), pred(Ge, "k", IntValue(120000)), pred(Le, "k", IntValue(165000))}},
		{"literal on the left", "(5 < k#1L)", []Predicate{pred(Gt, "k", IntValue(5))}},
		{"timestamp in the session's zone", "(ts#5 >= 2020-03-01 00:00:00)", []Predicate{pred(Ge, "ts", march)}},
		{"timestamp with a fraction", "(ts#5 < 2020-03-01 00:00:00.5)", []Predicate{pred(Lt, "ts", TimestampValue(march.I+500_000))}},
		{"old date", "(dt#4 > 1500-07-01)", []Predicate{pred(Gt, "dt", DateValue(-171483))}},
		{"string that holds AND and brackets", "(((s#2 = x (#12) AND y, z]) OR (s#2 = its)) OR ((s#2 = ) OR (s#2 = null)))", []Predicate{
			nest(Or, nest(Or, pred(Eq, "s", StringValue("x (#12) AND y, z]")), pred(Eq, "s", StringValue("its"))),
				nest(Or, pred(Eq, "s", StringValue("")), pred(Eq, "s", StringValue("null"))))}},
		{"string with an odd bracket", "(isnotnull(k#1L) AND (s#2 = a) b))", []Predicate{
			pred(NotNull, "k"), pred(Eq, "s", StringValue("a) b"))}},
		{"lists", "((k#1L IN (1,2,3) AND NOT k#1L IN (7)) AND k#1L INSET 10, 2, 30)", []Predicate{
			pred(In, "k", IntValue(1), IntValue(2), IntValue(3)), nest(Not, pred(In, "k", IntValue(7))),
			pred(In, "k", IntValue(2), IntValue(10), IntValue(30))}},
		{"texts", "((((isnotnull(s#2) AND StartsWith(s#2, 12)) AND NOT EndsWith(s#2, 5)) AND Contains(s#2, 3)) AND s#2 LIKE 1_2)", []Predicate{
			pred(NotNull, "s"), pred(Prefix, "s", StringValue("12")), pred(Unknown, "s"), pred(Unknown, "s"), pred(Unknown, "s")}},
		{"functions and casts", "(((year(dt#4) = 2021) AND (cast(k#1L as string) = 5)) AND ((k#1L + 1) > 10))", []Predicate{
			pred(Unknown, "dt"), pred(Unknown, "k"), pred(Unknown, "k")}},
		{"or with a function", "((k#1L < 5) OR (length(s#2) = 2))", []Predicate{
			nest(Or, pred(Lt, "k", IntValue(5)), pred(Unknown, "s"))}},
		{"Spark 2.4: its signs, days and microseconds", "(((dt#4 >= 10409) && (ts#5 < 1583020800000000)) && ((k#1L = 1) || (k#1L = 2)))", []Predicate{
			pred(Ge, "dt", DateValue(10409)), pred(Lt, "ts", TimestampValue(1583020800000000)), nest(Or, pred(Eq, "k", IntValue(1)), pred(Eq, "k", IntValue(2)))}},
		{"column against column", "(k#1L > p#13)", []Predicate{pred(Unknown, "")}},
		{"booleans", "(b#7 AND NOT b#7)", []Predicate{pred(Eq, "b", BoolValue(true)), pred(Ne, "b", BoolValue(true))}},
		{"null-safe", "((k#1L <=> 5) AND isnull(s#2))", []Predicate{pred(EqNullSafe, "k", IntValue(5)), pred(IsNull, "s")}},
		{"subqueries", "((k#1L > Subquery subquery#2934, [id=#816]) AND (s#2 = ReusedSubquery Subquery scalar-subquery#1, [id=#2]))", []Predicate{
			pred(Unknown, "k"), pred(Unknown, "s")}},
		{"types by their shape", "((((p#13 >= 1995-03-01) AND (p#13 > 5)) AND (p#13 < 1.50)) AND (p#13 = SAUDI ARABIA))", []Predicate{
			pred(Ge, "p", DateValue(9190)), pred(Gt, "p", IntValue(5)), pred(Lt, "p", DecimalValue(150, 2)),
			pred(Eq, "p", StringValue("SAUDI ARABIA"))}},
		{"odd names", "((p, q#9L#11L > 0) AND (a.b#12L < 9))", []Predicate{
			pred(Gt, "p, q#9L", IntValue(0)), pred(Lt, "a.b", IntValue(9))}},
		{"no sense", "(((", []Predicate{pred(Unknown, "")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, lost := scope(t).ParseCatalyst(test.text)
			if diff := cmp.Diff(test.want, got); diff != "" || lost != 0 {
				t.Errorf("lost %d; (-want +got)\n%s", lost, diff)
			}
		})
	}
}

// Casts that keep the order of values are the column; all others are unknown.
func TestParseCatalystCasts(t *testing.T) {
	tests := []struct {
		name, text string
		want       Predicate
	}{
		{"int as bigint", "(cast(i#20 as bigint) > 5)", pred(Gt, "i", IntValue(5))},
		{"literal on the left", "(5 < cast(i#20 as bigint))", pred(Gt, "i", IntValue(5))},
		{"int as double", "(cast(i#20 as double) <= 2.5)", pred(Le, "i", FloatValue(2.5))},
		{"int as decimal", "(cast(i#20 as decimal(12,1)) = 2.5)", pred(Eq, "i", DecimalValue(25, 1))},
		{"bigint as decimal", "(cast(k#1L as decimal(20,0)) = 7)", pred(Eq, "k", DecimalValue(7, 0))},
		{"wider decimal", "(cast(dec#3 as decimal(16,4)) >= 1.0000)", pred(Ge, "dec", DecimalValue(10000, 4))},
		{"float as double", "(cast(fl#9 as double) < 0.5)", pred(Lt, "fl", FloatValue(0.5))},
		{"a list", "cast(i#20 as bigint) IN (1,2)", pred(In, "i", IntValue(1), IntValue(2))},
		{"no NULL", "isnotnull(cast(i#20 as bigint))", pred(NotNull, "i")},
		{"bigint as double loses digits", "(cast(k#1L as double) = 2.5)", pred(Unknown, "k")},
		{"bigint as int", "(cast(k#1L as int) = 2)", pred(Unknown, "k")},
		{"int as a narrow decimal", "(cast(i#20 as decimal(5,2)) = 2.50)", pred(Unknown, "i")},
		{"narrower decimal", "(cast(dec#3 as decimal(12,2)) >= 1.00)", pred(Unknown, "dec")},
		{"as string", "(cast(i#20 as string) = 12)", pred(Unknown, "i")},
		{"timestamp as date", "(cast(ts#5 as date) = 2020-03-01)", pred(Unknown, "ts")},
		{"string as date", "(cast(s#2 as date) = 2020-03-01)", pred(Unknown, "s")},
		{"against another column's expression", "(s#2 = cast(i#20 as string))", pred(Unknown, "")},
		{"against a function of a column", "(s#2 = upper(s#2))", pred(Unknown, "")},
		{"a nested field", "(st#10.x > 5)", pred(Unknown, "st")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, lost := scope(t).ParseCatalyst(test.text)
			if diff := cmp.Diff([]Predicate{test.want}, got); diff != "" || lost != 0 {
				t.Errorf("lost %d (-want +got)\n%s", lost, diff)
			}
		})
	}
}

func TestParseCatalystList(t *testing.T) {
	text := "[isnotnull(k#1L), (k#1L = 2), s#2 IN (a,b), dynamicpruningexpression(k#1L IN dynamicpruning#4829)]"
	want := []Predicate{pred(NotNull, "k"), pred(Eq, "k", IntValue(2)), pred(In, "s", StringValue("a"), StringValue("b"))}
	got, lost := scope(t).ParseCatalystList(text)
	if diff := cmp.Diff(want, got); diff != "" || lost != 0 {
		t.Errorf("lost %d; (-want +got)\n%s", lost, diff)
	}
	if _, lost := scope(t).ParseCatalystList("[isnotnull(k#1L), (k#1L = 2..."); lost != 1 {
		t.Errorf("cut list: lost %d, want 1", lost)
	}
}

func TestParseIceberg(t *testing.T) {
	text := "k IS NOT NULL, dt >= 9190, s = 'a, k > 5', (k < 5 OR k IN (7, 8)), NOT (s LIKE 'x%'), k NOT IN (1, 2)"
	want := []Predicate{pred(NotNull, "k"), pred(Ge, "dt", IntValue(9190)), pred(Eq, "s", StringValue("a, k > 5")),
		nest(Or, pred(Lt, "k", IntValue(5)), pred(In, "k", IntValue(7), IntValue(8))),
		nest(Not, pred(Prefix, "s", StringValue("x"))), pred(Unknown, "k")}
	s := scope(t)
	got := s.ParseIceberg(text)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[table.Column]bool{"s": true}, s.TextColumns(got)); diff != "" {
		t.Errorf("text columns (-want +got)\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	five, six := IntValue(5), IntValue(6)
	tests := []struct {
		name            string
		some, all, want []Predicate
	}{
		{"only handed over", []Predicate{pred(Eq, "k", five)}, nil, []Predicate{pred(Eq, "k", five)}},
		{"said twice", []Predicate{pred(Eq, "k", five)}, []Predicate{pred(Eq, "k", five)}, []Predicate{pred(Eq, "k", five)}},
		{"two of one shape", []Predicate{pred(Ne, "k", five)}, []Predicate{pred(Ne, "k", five), pred(Ne, "k", six)},
			[]Predicate{pred(Ne, "k", five), pred(Ne, "k", six)}},
		{"unread by the source", []Predicate{pred(Unknown, "k")}, []Predicate{pred(Eq, "k", five)}, []Predicate{pred(Eq, "k", five)}},
		{"unread above it", []Predicate{pred(Eq, "s", StringValue("a AND b"))}, []Predicate{pred(Unknown, "s")},
			[]Predicate{pred(Eq, "s", StringValue("a AND b"))}},
		{"more above it", []Predicate{pred(NotNull, "k")}, []Predicate{pred(NotNull, "k"), pred(Unknown, "k")},
			[]Predicate{pred(NotNull, "k"), pred(Unknown, "k")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Merge(test.some, test.all)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
