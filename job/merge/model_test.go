package merge_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"ajlo/job/merge"
	"ajlo/job/table"
)

// errAmbiguous is the model's word for several rows of the source that want to update one.
var errAmbiguous = errors.New("ambiguous")

// always is one clause without a condition, or none.
func always(a merge.Action, set ...table.Column) []merge.Clause {
	if a == merge.Keep {
		return nil
	}
	c := merge.Clause{Action: a}
	for _, column := range set {
		c.Set = append(c.Set, merge.Assignment{Column: column})
	}
	return []merge.Clause{c}
}

// model merges by comparing every row with every row.
func model(r merge.Request, m meanings, target, source []row) (out []row, counts merge.Counts, err error) {
	counts.Source = int64(len(source))
	hit := make([]bool, len(source))
	sure := len(r.Matched) == 1 && r.Matched[0].Action == merge.Delete && r.Matched[0].Condition == ""
	for _, old := range target {
		var of []int
		for i, s := range source {
			if matches(r.On, old, s) && m.met(r.Condition, &old, &s) {
				of, hit[i] = append(of, i), true
			}
		}
		if len(of) > 1 && len(r.Matched) > 0 && !sure {
			return nil, counts, errAmbiguous
		}
		clause, from := m.first(r.NotMatchedBySource, &old, nil), row{}
		updates, deletes := &counts.UpdatedUnmatched, &counts.DeletedUnmatched
		if len(of) > 0 {
			from = source[of[0]]
			clause = m.first(r.Matched, &old, &from)
			updates, deletes = &counts.Updated, &counts.Deleted
			counts.Matched++
		}
		switch clause.Action {
		case merge.Delete:
			*deletes++
			continue
		case merge.Update:
			*updates++
			old = updated(clause, old, from)
		}
		out = append(out, old)
	}
	for i, s := range source {
		if clause := m.first(r.NotMatched, nil, &s); !hit[i] && clause.Action == merge.Insert {
			counts.Inserted++
			out = append(out, updated(clause, row{}, s))
		}
	}
	return out, counts, nil
}

func matches(on []table.Column, a, b row) bool {
	return !slices.ContainsFunc(on, func(c table.Column) bool { return !equalIn(string(c), a, b) })
}

// equalIn is SQL's equality of one column.
func equalIn(c string, a, b row) bool {
	switch strings.ToLower(c) {
	case "id":
		return equal(a.ID, b.ID)
	case "code":
		return equal(a.Code, b.Code)
	case "amount":
		return equal(a.Amount, b.Amount)
	case "price":
		return equal(a.Price, b.Price) || a.Price != nil && b.Price != nil && math.IsNaN(*a.Price) && math.IsNaN(*b.Price)
	case "day":
		return equal(a.Day, b.Day)
	case "at":
		return equal(a.At, b.At)
	case "small":
		return equal(a.Small, b.Small)
	case "flag":
		return equal(a.Flag, b.Flag)
	case "part":
		return equal(a.Part, b.Part)
	}
	panic(c)
}

func equal[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }

var allColumns = []table.Column{"id", "code", "amount", "price", "day", "at", "small", "flag", "part"}

func updated(clause merge.Clause, old, from row) row {
	set := clause.Set
	if len(set) == 0 {
		set = always(merge.Update, allColumns...)[0].Set
	}
	for _, a := range set {
		from := from
		if a.Value != "" {
			given[a.Value](&from)
		}
		switch a.Column {
		case "id":
			old.ID = from.ID
		case "code":
			old.Code = from.Code
		case "amount":
			old.Amount = from.Amount
		case "price":
			old.Price = from.Price
		case "day":
			old.Day = from.Day
		case "at":
			old.At = from.At
		case "small":
			old.Small = from.Small
		case "flag":
			old.Flag = from.Flag
		case "part":
			old.Part = from.Part
		}
	}
	return old
}

// given are values, as what they do to the source's row before its columns are taken.
var given = map[string]func(from *row){
	"'given'":           func(from *row) { from.Code, from.Part = p("given"), p("given") },
	"NULL":              func(from *row) { *from = row{} },
	"-1.5":              func(from *row) { from.Amount, from.Price = p(int64(-150)), p(-1.5) },
	"7":                 func(from *row) { from.ID, from.Small = p(int64(7)), p(int32(7)) },
	"DATE '1970-01-03'": func(from *row) { from.Day = p(int32(2)) },
	"true":              func(from *row) { from.Flag = p(true) },
	"s.part":            func(from *row) { from.Code = from.Part },
}

// Rows are drawn from few values, so that many match.

func maybe[T any](g *rapid.Generator[T]) *rapid.Generator[*T] {
	return rapid.Custom(func(t *rapid.T) *T {
		if rapid.IntRange(0, 7).Draw(t, "null") == 0 {
			return nil
		}
		v := g.Draw(t, "value")
		return &v
	})
}

func rowGenerator(keys int) *rapid.Generator[row] {
	id, code := maybe(rapid.Int64Range(0, int64(keys))), maybe(rapid.SampledFrom([]string{"", "a", "b", "quo\"te,\nline", "é", "NULL"}))
	amount, price := maybe(rapid.Int64Range(-3, 3)), maybe(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1.5, -2e300, math.NaN(), math.Inf(1)}))
	day, at := maybe(rapid.Int32Range(-2, 20000)), maybe(rapid.SampledFrom([]int64{0, 1, -1, 1_700_000_000_123_456}))
	small, flag := maybe(rapid.Int32Range(-3, 3)), maybe(rapid.Bool())
	part := maybe(rapid.SampledFrom([]string{"a", "b c", "x/y=%z", "é"}))
	return rapid.Custom(func(t *rapid.T) row {
		return row{body{
			ID: id.Draw(t, "id"), Code: code.Draw(t, "code"), Amount: amount.Draw(t, "amount"), Price: price.Draw(t, "price"),
			Day: day.Draw(t, "day"), At: at.Draw(t, "at"), Small: small.Draw(t, "small"), Flag: flag.Draw(t, "flag"),
		}, part.Draw(t, "part")}
	})
}

// requestGenerator draws conditions and clauses of every kind; what conditions mean goes to m.
func requestGenerator(m meanings) *rapid.Generator[merge.Request] {
	on := rapid.SampledFrom([][]table.Column{{"id"}, {"id", "code"}, {"part", "id"}, {"price"}, {"amount", "small"}, {"day", "flag"}, {"at", "ID"}, {"part"}})
	return rapid.Custom(func(t *rapid.T) merge.Request {
		both, table, source := []string{"t.", "s."}, []string{"t."}, []string{"s."}
		r := merge.Request{
			On:                 on.Draw(t, "on"),
			Matched:            m.clauses(t, both, merge.Update, merge.Update, merge.Delete),
			NotMatched:         m.clauses(t, source, merge.Insert),
			NotMatchedBySource: m.clauses(t, table, merge.Delete, merge.Update),
		}
		if rapid.IntRange(0, 2).Draw(t, "conditional") == 0 {
			r.Condition = m.draw(t, both, 2)
		}
		if len(r.Matched)+len(r.NotMatched)+len(r.NotMatchedBySource) == 0 {
			r.NotMatched = always(merge.Insert)
		}
		return r
	})
}

// clauses draws up to three of the actions; all but the last have conditions.
func (m meanings) clauses(t *rapid.T, sides []string, actions ...merge.Action) (clauses []merge.Clause) {
	of := rapid.SampledFrom([][]table.Column{nil, {"code"}, {"amount", "price"}, {"part"}, {"id"}, {"at", "flag", "day", "small"}})
	n := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3}).Draw(t, "clauses")
	for i := range n {
		c := merge.Clause{Action: rapid.SampledFrom(actions).Draw(t, "action")}
		if c.Action != merge.Delete {
			for _, column := range of.Draw(t, "set") {
				a := merge.Assignment{Column: column}
				if !slices.Contains(sides, "s.") || rapid.IntRange(0, 3).Draw(t, "given") == 0 {
					a.Value = rapid.SampledFrom(values(column, sides)).Draw(t, "value")
				}
				c.Set = append(c.Set, a)
			}
			if len(c.Set) == 0 && !slices.Contains(sides, "s.") {
				c.Set = []merge.Assignment{{Column: "code", Value: "'given'"}}
			}
		}
		if i < n-1 || rapid.Bool().Draw(t, "conditional") {
			c.Condition = m.draw(t, sides, 2)
		}
		clauses = append(clauses, c)
	}
	return clauses
}

// values are those that a column may be given.
func values(column table.Column, sides []string) []string {
	of := map[table.Column][]string{
		"code": {"'given'", "s.part"}, "part": {"'given'"}, "amount": {"-1.5"}, "price": {"-1.5"}, "id": {"7"}, "small": {"7"},
		"day": {"DATE '1970-01-03'"}, "flag": {"true"},
	}[column]
	return slices.DeleteFunc(append(of, "NULL"), func(v string) bool { return strings.HasPrefix(v, "s.") && !slices.Contains(sides, "s.") })
}

// Sources, in every form.

const (
	asParquet = "parquet"
	asFolder  = "folder"
	asDelta   = "delta"
	asParted  = "parted delta"
	asCSV     = "csv"
)

// writeSource gives the path of the rows in a form.
func writeSource(t fataler, dir, form string, rows []row) string {
	t.Helper()
	switch form {
	case asFolder:
		dir = filepath.Join(dir, "files")
		must(t, os.MkdirAll(filepath.Join(dir, "more"), 0o755))
		writeParquet(t, filepath.Join(dir, "1.parquet"), rows[:len(rows)/2])
		writeParquet(t, filepath.Join(dir, "more", "2.parquet"), rows[len(rows)/2:])
		return dir
	case asDelta:
		dir = filepath.Join(dir, "delta")
		makeTable(t, dir, made{}, rows[:len(rows)/3], rows[len(rows)/3:])
		return dir
	case asParted:
		dir = filepath.Join(dir, "delta")
		makeTable(t, dir, made{parted: true}, rows)
		return dir
	case asCSV:
		path := filepath.Join(dir, "rows.csv")
		must(t, os.WriteFile(path, []byte(csvOf(rows)), 0o644))
		return path
	}
	path := filepath.Join(dir, "rows.parquet")
	writeParquet(t, path, rows)
	return path
}

func csvOf(rows []row) string {
	text := "part,id,code,amount,price,day,at,small,flag\r\n"
	for _, r := range rows {
		text += strings.Join([]string{
			field(r.Part, quoted), field(r.ID, func(v int64) string { return strconv.FormatInt(v, 10) }), field(r.Code, quoted),
			field(r.Amount, func(v int64) string {
				sign := ""
				if v < 0 {
					sign, v = "-", -v
				}
				return fmt.Sprintf("%s%d.%02d", sign, v/100, v%100)
			}),
			field(r.Price, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }),
			field(r.Day, func(v int32) string { return time.Unix(int64(v)*86400, 0).UTC().Format(time.DateOnly) }),
			field(r.At, func(v int64) string { return time.UnixMicro(v).UTC().Format("2006-01-02T15:04:05.000000Z") }),
			field(r.Small, func(v int32) string { return strconv.Itoa(int(v)) }), field(r.Flag, strconv.FormatBool),
		}, ",") + "\n"
	}
	return text
}

func field[T any](v *T, text func(T) string) string {
	if v == nil {
		return ""
	}
	return text(*v)
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
