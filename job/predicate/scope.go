package predicate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"ajlo/job/table"
)

// Field is one column of a scan, as the engines' filter texts speak of it.
type Field struct {
	Name table.Column
	// Attribute is how Catalyst's expressions name it: "o_orderkey#5637L".
	Attribute string
	// Type is Spark's spelling ("bigint", "decimal(15,2)", "timestamp_ntz"). Where the log
	// does not say it is empty, and literals are told by their shape.
	Type string
}

// Scope is what the filters of one scan are read with. Literals stand in filters without
// quotes and without their type, so the columns have to be known first.
type Scope struct {
	Fields []Field
	// JVM and Session are the zones in which timestamps are printed, by PushedFilters and
	// by Catalyst (rule 11). Nil is a zone that is not known: such timestamps stay unread.
	JVM, Session *time.Location

	fuel int
}

// A parse may walk over so many bytes. Literals that look like filters make the parsers
// try again and again; ordinary texts, chains of thousands of conditions included, take
// some tens of times their length.
const (
	baseFuel    = 1 << 19
	fuelPerByte = 64
	callFuel    = 64 // what a look costs however short the text is
)

func (s *Scope) refuel(text string) { s.fuel = baseFuel + fuelPerByte*len(text) }

// burn takes the fuel for one more look at text; false stops the parse there.
func (s *Scope) burn(text string) bool {
	s.fuel -= len(text) + callFuel
	return s.fuel > 0
}

// field finds a column by name.
func (s *Scope) field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if string(f.Name) == name || quoted(f.Name) == name {
			return f, true
		}
	}
	return Field{}, false
}

// quoted is how Spark writes a column whose name is no plain identifier.
func quoted(c table.Column) string {
	return "`" + strings.ReplaceAll(string(c), "`", "``") + "`"
}

// leadingField finds the column that text begins with, followed by next; the longest name
// wins, since names may be "p" and "p, q".
func (s *Scope) leadingField(text, next string) (f Field, rest string, ok bool) {
	best := -1
	for _, candidate := range s.Fields {
		for _, name := range []string{string(candidate.Name), quoted(candidate.Name)} {
			after, found := strings.CutPrefix(text, name)
			if found && strings.HasPrefix(after, next) && len(name) > best {
				best, f, rest, ok = len(name), candidate, after[len(next):], true
			}
		}
	}
	return f, rest, ok
}

// leadingAttribute finds the column whose attribute text begins with, followed by next.
func (s *Scope) leadingAttribute(text, next string) (f Field, rest string, ok bool) {
	best := -1
	for _, candidate := range s.Fields {
		after, found := strings.CutPrefix(text, candidate.Attribute)
		if found && candidate.Attribute != "" && strings.HasPrefix(after, next) && len(candidate.Attribute) > best {
			best, f, rest, ok = len(candidate.Attribute), candidate, after[len(next):], true
		}
	}
	return f, rest, ok
}

// unknown stands for a filter that cannot be read. It names its column where it has only
// one.
func (s *Scope) unknown(text string) Predicate {
	var only table.Column
	for _, f := range s.Fields {
		if f.Attribute == "" || !strings.Contains(text, f.Attribute) {
			continue
		}
		if only != "" && only != f.Name {
			return Predicate{Op: Unknown, Unread: text}
		}
		only = f.Name
	}
	return Predicate{Op: Unknown, Column: only, Unread: text}
}

// negate is NOT p, in the simplest form.
func negate(p Predicate) Predicate {
	switch p.Op {
	case Unknown:
		return p
	case Eq:
		p.Op = Ne
		return p
	case IsNull:
		p.Op = NotNull
		return p
	case NotNull:
		p.Op = IsNull
		return p
	}
	return Predicate{Op: Not, Args: []Predicate{p}}
}

// Conjuncts takes an AND apart, however deep it is nested; any other predicate is its only
// conjunct.
func (p Predicate) Conjuncts() []Predicate {
	if p.Op != And {
		return []Predicate{p}
	}
	var all []Predicate
	for _, arg := range p.Args {
		all = append(all, arg.Conjuncts()...)
	}
	return all
}

// Shape is p without its literals: "and(ge(o_orderkey),le(o_orderkey))". Arguments are in
// the order of the text, save those of AND and OR, which are sorted.
func (p Predicate) Shape() string {
	var b strings.Builder
	p.shape(&b)
	return b.String()
}

func (p Predicate) shape(b *strings.Builder) {
	b.WriteString(string(p.Op))
	b.WriteByte('(')
	b.WriteString(string(p.Column))
	args := make([]string, len(p.Args))
	for i, a := range p.Args {
		args[i] = brief(a.Shape())
	}
	if p.Op == And || p.Op == Or {
		slices.Sort(args)
	}
	b.WriteString(strings.Join(args, ","))
	b.WriteByte(')')
}

// maxShape bounds what is repeated of an argument: a chain of thousands of ORs leans to one side, and
// each would hold all those below it once more.
const maxShape = 4 << 10 // characters

// brief is a shape, or where it is long a digest of it.
func brief(shape string) string {
	if len(shape) <= maxShape {
		return shape
	}
	sum := sha256.Sum256([]byte(shape))
	return hex.EncodeToString(sum[:])
}

// Equal reports whether two predicates are the same, literals included.
func (p Predicate) Equal(o Predicate) bool {
	return p.Op == o.Op && p.Column == o.Column && slices.Equal(p.Values, o.Values) &&
		slices.EqualFunc(p.Args, o.Args, Predicate.Equal)
}

// comparison builds "column op value"; the value NULL has a comparison with <=> only.
func comparison(op Op, c table.Column, v Value) Predicate {
	if v.IsNull() {
		return Predicate{Op: cmp.Or(map[Op]Op{EqNullSafe: IsNull}[op], Unknown), Column: c}
	}
	return Predicate{Op: op, Column: c, Values: []Value{v}}
}
