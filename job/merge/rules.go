package merge

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
	"ajlo/job/merge/condition"
	"ajlo/job/predicate"
	"ajlo/job/rewrite"
)

// parsed is a request whose texts were read.
type parsed struct {
	on      *condition.Expr   // beside the equal columns; nil where none
	when    []*condition.Expr // of each clause; nil where it has no condition
	values  []map[int]condition.Expr
	columns []condition.Column // of all of them
}

// parse reads conditions and values; columns are not looked for yet.
func (r Request) parse() (p parsed, err error) {
	if p.on, err = p.condition(r.Condition, condition.Table, condition.Source); err != nil {
		return p, fmt.Errorf("the condition: %w", err)
	}
	for i, c := range r.clauses() {
		sides := []condition.Side{condition.Table, condition.Source}
		if i >= len(r.Matched)+len(r.NotMatched) {
			sides = sides[:1]
		} else if i >= len(r.Matched) {
			sides = sides[1:]
		}
		when, err := p.condition(c.Condition, sides...)
		if err != nil {
			return p, fmt.Errorf("the condition of %s: %w", c.Action, err)
		}
		values, err := p.assigned(c, sides)
		if err != nil {
			return p, fmt.Errorf("what %s sets: %w", c.Action, err)
		}
		p.when, p.values = append(p.when, when), append(p.values, values)
	}
	return p, nil
}

func (p *parsed) condition(text string, sides ...condition.Side) (*condition.Expr, error) {
	if text == "" {
		return nil, nil
	}
	e, err := condition.Parse(text)
	if err != nil {
		return nil, err
	}
	return &e, p.note(e, sides)
}

// note keeps the columns of a text, which may be of some sides only.
func (p *parsed) note(e condition.Expr, sides []condition.Side) (err error) {
	e.Columns(func(c condition.Column) bool {
		if !slices.Contains(sides, c.Side) {
			err = fmt.Errorf("%s.%s: a row that matches nothing has no %s", c.Side, c.Name, c.Side)
			return false
		}
		p.columns = append(p.columns, c)
		return true
	})
	return err
}

// noteValue keeps the column that a value is; only rows that have a row of the source can have its.
func (p *parsed) noteValue(e condition.Expr, sourced bool) error {
	if !sourced {
		if err := p.note(e, nil); err != nil {
			return fmt.Errorf("values are literals here: %w", err)
		}
		return nil
	}
	if err := p.note(e, []condition.Side{condition.Source}); err != nil {
		return fmt.Errorf("values are columns of the source and literals: %w", err)
	}
	return nil
}

// assigned are the values of a clause that are not the source's column of the same name.
func (p *parsed) assigned(c Clause, sides []condition.Side) (map[int]condition.Expr, error) {
	values := map[int]condition.Expr{}
	for i, a := range c.Set {
		if a.Value == "" && slices.Contains(sides, condition.Source) {
			continue
		}
		if a.Value == "" {
			return nil, fmt.Errorf("column %s: a row that matches nothing has no values of the source; give one, as in %s='closed'", a.Column, a.Column)
		}
		e, err := condition.ParseValue(a.Value)
		if err != nil {
			return nil, err
		}
		if err := p.noteValue(e, slices.Contains(sides, condition.Source)); err != nil {
			return nil, fmt.Errorf("column %s: %w", a.Column, err)
		}
		values[i] = e
	}
	if len(c.Set) == 0 && c.Action == Update && !slices.Contains(sides, condition.Source) {
		return nil, fmt.Errorf("a row that matches nothing has no values of the source: name columns and values")
	}
	return values, nil
}

// own is what a rule gives a column that it does not set.
const own = -1

// rule is a clause whose columns are known.
type rule struct {
	Clause
	when *condition.Condition // nil where all rows meet it
	// from is where each column of the table gets its value: a provider of that column, or own,
	// which is NULL for inserted rows.
	from  []int
	homes []int          // clustering keys that an update takes from the source
	views []rewrite.Keys // those of each chunk of the source
	// adrift is true where an update may change a clustering key otherwise: rows then leave
	// their place.
	adrift bool
}

// provider is where values of a column come from: a slot of the source, or a literal, which is an
// array of one.
type provider struct {
	slot    int
	literal arrow.Array
}

// rules are a request as it is carried out on one version of the table.
type rules struct {
	on  *condition.Condition // nil where none
	all []rule               // of rows that match, of rows to insert, and of rows that match nothing
	// matched and inserts end where rules of the next kind begin.
	matched, inserts int
	providers        [][]provider // by column of the table
	read             []int        // columns of the table that are read to decide
}

// compile finds the columns that conditions and values name.
func compile(r Request, t *target, s *source) (*rules, error) {
	p, err := r.parse()
	if err != nil {
		return nil, r.refuse("%v", err)
	}
	c := &rules{matched: len(r.Matched), inserts: len(r.Matched) + len(r.NotMatched), providers: make([][]provider, len(t.schema)), read: slices.Clone(t.on)}
	if c.on, err = c.bind(p.on, t, s); err != nil {
		return nil, r.refuse("the condition: %v", err)
	}
	for i, clause := range r.clauses() {
		rule := rule{Clause: clause}
		if rule.when, err = c.bind(p.when[i], t, s); err != nil {
			return nil, r.refuse("the condition of %s: %v", clause.Action, err)
		}
		if rule.from, err = c.values(t, s, clause, p.values[i]); err != nil {
			return nil, r.refuse("what %s sets: %v", clause.Action, err)
		}
		c.all = append(c.all, rule)
	}
	return c, c.settleHomes(t, s)
}

func (c *rules) bind(e *condition.Expr, t *target, s *source) (*condition.Condition, error) {
	if e == nil {
		return nil, nil
	}
	return condition.Bind(*e, func(column condition.Column) (condition.Bound, error) {
		if column.Side == condition.Source {
			slot := t.slotOf(column.Name)
			return condition.Bound{Name: column.Name, Type: s.types[slot], At: slot}, nil
		}
		at, err := columnNamed(t.schema, column.Name)
		if err != nil {
			return condition.Bound{}, err
		}
		place := slices.Index(c.read, at)
		if place < 0 {
			place = len(c.read)
			c.read = append(c.read, at)
		}
		return condition.Bound{Name: t.schema[at].Name, Type: t.schema[at].Type, At: place}, nil
	})
}

// values says where a clause takes the columns of the table from.
func (c *rules) values(t *target, s *source, clause Clause, given map[int]condition.Expr) ([]int, error) {
	from := slices.Repeat([]int{own}, len(t.schema))
	if clause.Action == Delete {
		return from, nil
	}
	if len(clause.Set) == 0 {
		for column := range from {
			if t.has(column) {
				from[column] = c.provide(column, provider{slot: column})
			}
		}
	}
	for i, a := range clause.Set {
		column, err := columnNamed(t.schema, string(a.Column))
		if err != nil {
			return nil, err
		}
		if from[column] != own {
			return nil, fmt.Errorf("column %s is named twice", a.Column)
		}
		p := provider{slot: column}
		if e, ok := given[i]; ok {
			if p, err = provided(t, s, t.schema[column], e); err != nil {
				return nil, fmt.Errorf("column %s: %w", a.Column, err)
			}
		}
		from[column] = c.provide(column, p)
	}
	return from, nil
}

// provide numbers the providers of a column.
func (c *rules) provide(column int, p provider) int {
	same := func(o provider) bool { return p.literal == nil && o.literal == nil && p.slot == o.slot }
	if n := slices.IndexFunc(c.providers[column], same); n >= 0 {
		return n
	}
	c.providers[column] = append(c.providers[column], p)
	return len(c.providers[column]) - 1
}

// provided finds what a value that is given stands for.
func provided(t *target, s *source, column delta.Field, e condition.Expr) (provider, error) {
	name, v, of := e.Value()
	if name != "" {
		slot := t.slotOf(name)
		if slot >= len(t.schema) && !same(s.types[slot], column.Type) || slot < len(t.schema) && !same(t.schema[slot].Type, column.Type) {
			return provider{}, fmt.Errorf("s.%s is %s and the column %s: cast it in the source", name, spelt(s.types[slot]), spelt(column.Type))
		}
		return provider{slot: slot}, nil
	}
	b, err := builderFor(column.Type)
	if err != nil {
		return provider{}, err
	}
	if v, err = assigned(v, of, column.Type); err == nil {
		err = delta.AppendValue(b, v)
	}
	if err != nil {
		return provider{}, err
	}
	return provider{literal: b.NewArray()}, nil
}

// assigned is a literal as a value of a column's type.
func assigned(v predicate.Value, of, to delta.Type) (predicate.Value, error) {
	number := v.Kind == predicate.Int || v.Kind == predicate.Decimal || v.Kind == predicate.Float
	switch {
	case v.IsNull() || of.Kind == to.Kind && to.Kind != delta.Decimal:
		return v, nil
	case number && v.Kind != predicate.Float && (slices.Contains(wholes, to.Kind) && v.Kind == predicate.Int || to.Kind == delta.Decimal), number && (to.Kind == delta.Double || to.Kind == delta.Float):
		return delta.ParseValue(v.Text(), to)
	}
	return predicate.Value{}, fmt.Errorf("the %s %s is no %s", of.Text, v.Text(), spelt(to))
}

// settleHomes finds the clustering keys that updates take from the source.
func (c *rules) settleHomes(t *target, s *source) error {
	for i := range c.all {
		u := &c.all[i]
		if u.Action != Update {
			continue
		}
		u.adrift = slices.ContainsFunc(t.loose, func(column int) bool { return column < 0 || u.from[column] != own })
		var slots []int
		for _, key := range t.keys {
			if u.from[key] == own {
				continue
			}
			p := c.providers[key][u.from[key]]
			if p.literal != nil {
				u.adrift = true
				continue
			}
			u.homes, slots = append(u.homes, key), append(slots, p.slot)
		}
		if err := u.view(s, slots); err != nil {
			return err
		}
	}
	return nil
}

func (u *rule) view(s *source, slots []int) error {
	for _, chunk := range s.chunks {
		columns := make([]arrow.Array, len(slots))
		for k, slot := range slots {
			columns[k] = chunk[slot]
		}
		keys, err := rewrite.ViewKeys(columns)
		if err != nil {
			return err
		}
		u.views = append(u.views, keys)
	}
	return nil
}

// first is the first of some rules that two rows meet, Keep where there is none.
func (c *rules) first(from, to int, of, by condition.Row) (int, error) {
	for i := from; i < to; i++ {
		if c.all[i].when == nil {
			return i, nil
		}
		if holds, err := c.all[i].when.Holds(of, by); holds || err != nil {
			return i, err
		}
	}
	return none, nil
}

// none is the number of no rule: a row stays as it is, or is left out.
const none = -1

// built is a row that is made of a row of a file, or of NULLs, and a row of the source.
type built struct {
	own, from rewrite.Pick
	rule      int
}

// chunks are those of a column: its own first, then those of its providers.
func (c *rules) chunks(s *source, column int, own arrow.Array) []arrow.Array {
	chunks := []arrow.Array{own}
	for _, p := range c.providers[column] {
		if p.literal != nil {
			chunks = append(chunks, p.literal)
			continue
		}
		for _, chunk := range s.chunks {
			chunks = append(chunks, chunk[p.slot])
		}
	}
	return chunks
}

// picks are the places of a column's values among its chunks.
func (c *rules) picks(s *source, column int, rows []built) []rewrite.Pick {
	begin := []uint32{}
	at := uint32(1)
	for _, p := range c.providers[column] {
		begin = append(begin, at)
		if p.literal != nil {
			at++
		} else {
			at += uint32(len(s.chunks))
		}
	}
	picks := make([]rewrite.Pick, len(rows))
	for i, row := range rows {
		if row.rule == none || c.all[row.rule].from[column] == own {
			picks[i] = row.own
			continue
		}
		n := c.all[row.rule].from[column]
		if c.providers[column][n].literal != nil {
			picks[i] = rewrite.Pick{Chunk: begin[n]}
			continue
		}
		picks[i] = rewrite.Pick{Chunk: begin[n] + row.from.Chunk - 1, Row: row.from.Row}
	}
	return picks
}

// of is the value of a column that a rule gives a row: an array and a place in it; nil where the
// rule gives none.
func (c *rules) of(s *source, rule, column int, row int32) (arrow.Array, int) {
	n := c.all[rule].from[column]
	if n == own {
		return nil, 0
	}
	if p := c.providers[column][n]; p.literal == nil {
		at := s.pick(row)
		return s.chunks[at.Chunk-1][p.slot], int(at.Row)
	}
	return c.providers[column][n].literal, 0
}
