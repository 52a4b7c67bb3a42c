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

// model merges by comparing every row with every row.
func model(r merge.Request, target, source []row) (out []row, counts merge.Counts, err error) {
	counts.Source = int64(len(source))
	hit := make([]bool, len(source))
	for _, old := range target {
		var of []int
		for i, s := range source {
			if matches(r.On, old, s) {
				of, hit[i] = append(of, i), true
			}
		}
		switch {
		case len(of) == 0 && r.NotMatchedBySource == merge.Delete:
			counts.DeletedUnmatched++
			continue
		case len(of) > 0 && r.Matched == merge.Delete:
			counts.Deleted++
			counts.Matched++
			continue
		case len(of) > 1 && r.Matched == merge.Update:
			return nil, counts, errAmbiguous
		case len(of) > 0 && r.Matched == merge.Update:
			counts.Updated++
			old = updated(r, old, source[of[0]])
		}
		if len(of) > 0 {
			counts.Matched++
		}
		out = append(out, old)
	}
	for i, s := range source {
		if r.NotMatched == merge.Insert && !hit[i] {
			counts.Inserted++
			out = append(out, s)
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

func updated(r merge.Request, old, from row) row {
	set := r.Set
	if len(set) == 0 {
		set = allColumns
	}
	for _, c := range set {
		switch c {
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

// requestGenerator draws conditions and clauses of every kind.
func requestGenerator() *rapid.Generator[merge.Request] {
	on := rapid.SampledFrom([][]table.Column{{"id"}, {"id", "code"}, {"part", "id"}, {"price"}, {"amount", "small"}, {"day", "flag"}, {"at", "ID"}, {"part"}})
	set := rapid.SampledFrom([][]table.Column{nil, {"code"}, {"amount", "price"}, {"part"}, {"id"}, {"at", "flag", "day", "small"}})
	return rapid.Custom(func(t *rapid.T) merge.Request {
		r := merge.Request{
			On:                 on.Draw(t, "on"),
			Matched:            rapid.SampledFrom([]merge.Action{merge.Keep, merge.Update, merge.Update, merge.Delete}).Draw(t, "matched"),
			NotMatched:         rapid.SampledFrom([]merge.Action{merge.Keep, merge.Insert}).Draw(t, "not matched"),
			NotMatchedBySource: rapid.SampledFrom([]merge.Action{merge.Keep, merge.Keep, merge.Delete}).Draw(t, "not matched by source"),
		}
		if r.Matched == merge.Update {
			r.Set = set.Draw(t, "set")
		}
		if r.Matched == merge.Keep && r.NotMatchedBySource == merge.Keep {
			r.NotMatched = merge.Insert
		}
		return r
	})
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
