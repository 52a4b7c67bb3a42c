package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/dialect"
	"ajlo/job/table"
)

// statement is the merge as Spark's SQL has it.
func (t *target) statement(r Request, f Format) string {
	var on []string
	for _, c := range r.On {
		on = append(on, fmt.Sprintf("t.%s = s.%s", dialect.Quote(string(c)), dialect.Quote(r.nameOf(string(c)))))
	}
	if r.Condition != "" {
		on = append(on, "("+r.Condition+")")
	}
	var text strings.Builder
	with := ""
	if r.Evolve {
		with = "WITH SCHEMA EVOLUTION "
	}
	source := fmt.Sprintf("%s.%s", f, dialect.Quote(r.Source))
	if r.Query != "" {
		source = "(" + r.Query + ")"
	}
	fmt.Fprintf(&text, "MERGE %sINTO delta.%s t USING %s s ON %s", with, dialect.Quote(string(r.Location)), source, strings.Join(on, " AND "))
	for _, kind := range []struct {
		when    string
		clauses []Clause
	}{{"MATCHED", r.Matched}, {"NOT MATCHED", r.NotMatched}, {"NOT MATCHED BY SOURCE", r.NotMatchedBySource}} {
		for _, c := range kind.clauses {
			fmt.Fprintf(&text, " WHEN %s%s THEN %s", kind.when, c.when(), t.spell(r, c))
		}
	}
	return text.String()
}

func (c Clause) when() string {
	if c.Condition == "" {
		return ""
	}
	return " AND (" + c.Condition + ")"
}

// spell is what a clause does.
func (t *target) spell(r Request, c Clause) string {
	set := c.Set
	switch {
	case c.Action == Delete:
		return "DELETE"
	case len(set) == 0 && len(r.Map) == 0:
		return strings.ToUpper(string(c.Action)) + map[Action]string{Update: " SET *", Insert: " *"}[c.Action]
	case len(set) == 0:
		for column, f := range t.schema {
			if t.has(column) {
				set = append(set, Assignment{Column: table.Column(f.Name)})
			}
		}
	}
	var names, values, pairs []string
	for _, a := range set {
		name, value := dialect.Quote(string(a.Column)), cmp.Or(a.Value, "s."+dialect.Quote(r.nameOf(string(a.Column))))
		names, values, pairs = append(names, name), append(values, value), append(pairs, name+" = "+value)
	}
	if c.Action == Insert {
		return fmt.Sprintf("INSERT (%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
	}
	return "UPDATE SET " + strings.Join(pairs, ", ")
}

// nameOf is what a column of the table is called in the source.
func (r Request) nameOf(column string) string {
	if i := slices.IndexFunc(r.Map, func(m Rename) bool { return strings.EqualFold(string(m.Column), column) }); i >= 0 {
		return r.Map[i].Source
	}
	return column
}
