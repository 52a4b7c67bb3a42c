package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxDepth is how deep brackets and NOT may stand in each other.
const maxDepth = 200

// Parse reads a condition.
func Parse(source string) (Expr, error) {
	return whole(source, func(p *parser) (Expr, error) { return p.or() })
}

// ParseValue reads a column or a literal.
func ParseValue(source string) (Expr, error) {
	return whole(source, func(p *parser) (Expr, error) { return p.operand() })
}

func whole(source string, read func(*parser) (Expr, error)) (Expr, error) {
	tokens, err := lex(source)
	if err != nil {
		return Expr{}, fmt.Errorf("%q: %w", source, err)
	}
	p := &parser{tokens: tokens}
	e, err := read(p)
	if err == nil && p.peek().kind != end {
		err = p.unknown()
	}
	if err != nil {
		return Expr{}, fmt.Errorf("%q: %w", source, err)
	}
	return e, nil
}

type parser struct {
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

// take goes past the next token if it is that sign or word.
func (p *parser) take(what string) bool {
	if !p.peek().is(what) {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(what string) error {
	if !p.take(what) {
		return fmt.Errorf("%s stands where %s is wanted", p.peek(), what)
	}
	return nil
}

// unknown is the refusal of what comes next.
func (p *parser) unknown() error {
	t := p.peek()
	if t.kind == word && p.at+1 < len(p.tokens) && p.tokens[p.at+1].is("(") {
		return fmt.Errorf("%s(…): functions are not known here", t.text)
	}
	if t.is("LIKE") || t.is("RLIKE") || t.is("ILIKE") || t.is("EXISTS") || t.is("CASE") || t.is("SELECT") || t.is("+") || t.is("-") {
		return fmt.Errorf("%s is not known here", t.text)
	}
	return fmt.Errorf("%s is not understood: columns are t.name and s.name, values 12, 1.50, 'text', true, NULL, DATE '2026-11-30'", t)
}

func (p *parser) or() (Expr, error) { return p.chain(or, (*parser).and) }

func (p *parser) and() (Expr, error) { return p.chain(and, (*parser).not) }

func (p *parser) chain(o op, part func(*parser) (Expr, error)) (Expr, error) {
	first, err := part(p)
	if err != nil || !p.peek().is(string(o)) {
		return first, err
	}
	e := Expr{op: o, args: []Expr{first}}
	for p.take(string(o)) {
		arg, err := part(p)
		if err != nil {
			return Expr{}, err
		}
		e.args = append(e.args, arg)
	}
	return e, nil
}

func (p *parser) not() (Expr, error) {
	if p.depth++; p.depth > maxDepth {
		return Expr{}, errors.New("too many brackets")
	}
	defer func() { p.depth-- }()
	if p.take("NOT") {
		e, err := p.not()
		return negated(e), err
	}
	if p.take("(") {
		e, err := p.or()
		if err == nil {
			err = p.want(")")
		}
		if err == nil && p.test() {
			err = errors.New("only columns and values are compared, not conditions")
		}
		return e, err
	}
	left, err := p.operand()
	if err != nil {
		return Expr{}, err
	}
	return p.tests(left)
}

// test reports whether a comparison comes next.
func (p *parser) test() bool {
	_, compares := comparisons[p.peek().text]
	return compares && p.peek().kind == sign || slices.ContainsFunc([]string{"IS", "IN", "BETWEEN", "NOT"}, p.peek().is)
}

// tests reads what is asked of a value: nothing, of one that is true or false by itself.
func (p *parser) tests(left Expr) (Expr, error) {
	if o, ok := comparisons[p.peek().text]; ok && p.peek().kind == sign {
		p.at++
		right, err := p.operand()
		return Expr{op: op(o), args: []Expr{left, right}}, err
	}
	if p.take("IS") {
		no := p.take("NOT")
		return reversed(Expr{op: isNull, args: []Expr{left}}, no), p.want("NULL")
	}
	no := p.take("NOT")
	switch {
	case p.take("IN"):
		e, err := p.list(left)
		return reversed(e, no), err
	case p.take("BETWEEN"):
		e, err := p.span(left)
		return reversed(e, no), err
	case no:
		return Expr{}, p.unknown()
	}
	return left, nil
}

func (p *parser) list(left Expr) (Expr, error) {
	e := Expr{op: in, args: []Expr{left}}
	if err := p.want("("); err != nil {
		return Expr{}, err
	}
	for {
		arg, err := p.operand()
		if err != nil {
			return Expr{}, err
		}
		if e.args = append(e.args, arg); !p.take(",") {
			return e, p.want(")")
		}
	}
}

func (p *parser) span(left Expr) (Expr, error) {
	low, err := p.operand()
	if err != nil {
		return Expr{}, err
	}
	if err := p.want("AND"); err != nil {
		return Expr{}, err
	}
	high, err := p.operand()
	return Expr{op: between, args: []Expr{left, low, high}}, err
}

func negated(e Expr) Expr { return Expr{op: not, args: []Expr{e}} }

func reversed(e Expr, is bool) Expr {
	if is {
		return negated(e)
	}
	return e
}

// operand reads a column or a literal.
func (p *parser) operand() (Expr, error) {
	if t := p.peek(); t.kind == word && p.tokens[p.at+1].is(".") {
		return p.columnOf()
	}
	return p.value()
}

func (p *parser) columnOf() (Expr, error) {
	c := Column{}
	switch side := p.peek().text; strings.ToLower(side) {
	case "t":
		c.Side = Table
	case "s":
		c.Side = Source
	default:
		return Expr{}, fmt.Errorf("%s.%s: rows are called t (the table's) and s (the source's)", side, p.tokens[p.at+2].text)
	}
	name := p.tokens[p.at+2] // at worst the end, which comes after the dot
	if name.kind != word && name.kind != quotedName {
		return Expr{}, fmt.Errorf("%s stands where the name of a column is wanted", name)
	}
	if p.tokens[p.at+3].is(".") {
		return Expr{}, fmt.Errorf("%s.%s.…: fields of structs are not known here", c.Side, name.text)
	}
	c.Name = name.text
	p.at += 3
	return Expr{op: isColumn, column: c}, nil
}
