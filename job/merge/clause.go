package merge

import (
	"fmt"
	"slices"
	"strings"

	"ajlo/job/table"
)

// Action is what becomes of a row.
type Action string

// The actions. Keep leaves a row of the table as it is, and a row of the source out.
const (
	Keep   Action = "keep"
	Update Action = "update"
	Delete Action = "delete"
	Insert Action = "insert"
)

// Clause is one WHEN of a merge: what is done to the rows that meet its condition and that of no
// clause before it.
type Clause struct {
	Action Action `json:"action"`
	// Set are the columns that Update sets, and those that Insert gives values, the others NULL;
	// all of them, by the source's columns of their names, where empty.
	Set []Assignment `json:"set,omitempty"`
	// Condition is SQL over a row t of the table and a row s of the source; "" is met by all rows.
	Condition string `json:"condition,omitempty"`
}

// Assignment is a column of the table and its new value.
type Assignment struct {
	Column table.Column `json:"column"`
	// Value is a column of the source, "s.name", or a literal; the source's column of that name
	// where "".
	Value string `json:"value,omitempty"`
}

// Rename says that a column of the table is called otherwise in the source.
type Rename struct {
	Column table.Column `json:"column"`
	Source string       `json:"source"`
}

// ParseMatched reads what becomes of rows that match, each text one clause: "update",
// "update:a,b", "update:a=s.x,b='closed'" or "delete", and after it " if CONDITION" or nothing.
func ParseMatched(texts []string) ([]Clause, error) { return parseClauses(texts, Update, Delete) }

// ParseNotMatched reads "insert", "insert:a,b=s.x" and conditions in the same form.
func ParseNotMatched(texts []string) ([]Clause, error) { return parseClauses(texts, Insert) }

// ParseNotMatchedBySource reads "delete", "update:a='closed'" and conditions in the same form.
func ParseNotMatchedBySource(texts []string) ([]Clause, error) {
	return parseClauses(texts, Delete, Update)
}

func parseClauses(texts []string, known ...Action) (clauses []Clause, err error) {
	for _, text := range texts {
		c, err := parseClause(text, known)
		if err != nil {
			return nil, err
		}
		clauses = append(clauses, c)
	}
	return clauses, nil
}

func parseClause(text string, known []Action) (c Clause, err error) {
	what, condition, conditional := cutWord(text, "if")
	word, list, listed := strings.Cut(strings.TrimSpace(what), ":")
	c.Action, c.Condition = Action(strings.TrimSpace(word)), strings.TrimSpace(condition)
	switch {
	case !slices.Contains(known, c.Action):
		words := make([]string, len(known))
		for i, a := range known {
			words[i] = string(a)
		}
		return Clause{}, fmt.Errorf("%q: want %s", text, strings.Join(words, " or "))
	case conditional && c.Condition == "":
		return Clause{}, fmt.Errorf("%q: a condition is wanted after if", text)
	case !listed:
		return c, nil
	case c.Action == Delete:
		return Clause{}, fmt.Errorf("%q: delete sets no columns", text)
	}
	if c.Set, err = parseAssignments(list); err != nil || len(c.Set) == 0 {
		return Clause{}, fmt.Errorf("%q: want %s:COLUMN,COLUMN=s.COLUMN,COLUMN='value'", text, c.Action)
	}
	return c, nil
}

func parseAssignments(list string) (set []Assignment, err error) {
	for _, part := range splitOutside(list, ',') {
		sides := splitOutside(part, '=')
		name := bare(strings.TrimSpace(sides[0]))
		switch {
		case name == "" && len(sides) == 1:
			continue
		case name == "" || len(sides) > 2 || len(sides) == 2 && strings.TrimSpace(sides[1]) == "":
			return nil, fmt.Errorf("%q: want COLUMN or COLUMN=VALUE", part)
		}
		a := Assignment{Column: table.Column(name)}
		if len(sides) == 2 {
			a.Value = strings.TrimSpace(sides[1])
		}
		set = append(set, a)
	}
	return set, nil
}

// ParseRenames reads "COLUMN=SOURCE,COLUMN=SOURCE".
func ParseRenames(list string) (renames []Rename, err error) {
	for _, part := range splitOutside(list, ',') {
		if strings.TrimSpace(part) == "" {
			continue
		}
		sides := splitOutside(part, '=')
		if len(sides) != 2 || strings.TrimSpace(sides[0]) == "" || strings.TrimSpace(sides[1]) == "" {
			return nil, fmt.Errorf("%q: want COLUMN=SOURCE", part)
		}
		renames = append(renames, Rename{table.Column(bare(strings.TrimSpace(sides[0]))), bare(strings.TrimSpace(sides[1]))})
	}
	return renames, nil
}

// ParseColumns reads names with commas between them.
func ParseColumns(list string) (columns []table.Column) {
	for _, name := range splitOutside(list, ',') {
		if name = bare(strings.TrimSpace(name)); name != "" {
			columns = append(columns, table.Column(name))
		}
	}
	return columns
}

// bare takes the backticks off a name.
func bare(name string) string {
	if len(name) > 2 && name[0] == '`' && strings.IndexByte(name[1:], '`') == len(name)-2 {
		return name[1 : len(name)-1]
	}
	return name
}

// outside calls yield with the places of a text that no quotes enclose.
func outside(text string) func(yield func(at int) bool) {
	return func(yield func(at int) bool) {
		quote := byte(0)
		for i := range len(text) {
			switch c := text[i]; {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '\'' || c == '"' || c == '`':
				quote = c
			case !yield(i):
				return
			}
		}
	}
}

func splitOutside(text string, by byte) (parts []string) {
	from := 0
	for i := range outside(text) {
		if text[i] == by {
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// cutWord cuts a text around the first such word that stands by itself outside quotes.
func cutWord(text, word string) (before, after string, found bool) {
	blank := func(at int) bool { return at >= len(text) || text[at] == ' ' || text[at] == '\n' || text[at] == '\t' }
	for i := range outside(text) {
		end := i + len(word)
		if i > 0 && blank(i-1) && end <= len(text) && blank(end) && strings.EqualFold(text[i:end], word) {
			return text[:i], text[end:], true
		}
	}
	return text, "", false
}
