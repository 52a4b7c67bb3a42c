package condition

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/predicate"
)

// mostDigits is the most digits of a decimal that has a predicate.Value, see delta.Type.HasValues.
const mostDigits = 18

// decimal is a number without an exponent: 12, 1.50, .5, 3.
var decimal = regexp.MustCompile(`^(\d*)\.?(\d*)$`)

// value reads a literal.
func (p *parser) value() (Expr, error) {
	t := p.peek()
	switch {
	case t.is("-") && p.tokens[p.at+1].kind == number:
		p.at += 2
		return literalOf(numberOf("-" + p.tokens[p.at-1].text))
	case t.kind == number:
		p.at++
		return literalOf(numberOf(t.text))
	case t.kind == text:
		p.at++
		return literalOf(literal{predicate.StringValue(t.text), delta.Type{Kind: delta.String, Text: "string"}}, nil)
	case t.is("TRUE") || t.is("FALSE"):
		p.at++
		return literalOf(literal{predicate.BoolValue(t.is("TRUE")), delta.Type{Kind: delta.Boolean, Text: "boolean"}}, nil)
	case t.is("NULL"):
		p.at++
		return literalOf(literal{}, nil)
	case t.kind == word && p.tokens[p.at+1].kind == text:
		p.at += 2
		return literalOf(typed(t.text, p.tokens[p.at-1].text))
	}
	return Expr{}, p.unknown()
}

func literalOf(l literal, err error) (Expr, error) {
	return Expr{op: isLiteral, literal: l}, err
}

// typed reads DATE '…' and its like.
func typed(kind, text string) (l literal, err error) {
	switch strings.ToUpper(kind) {
	case "DATE":
		l.typ = delta.Type{Kind: delta.Date, Text: "date"}
	case "TIMESTAMP":
		l.typ = delta.Type{Kind: delta.Timestamp, Text: "timestamp"}
	case "TIMESTAMP_NTZ":
		l.typ = delta.Type{Kind: delta.TimestampNTZ, Text: "timestamp_ntz"}
	default:
		return literal{}, fmt.Errorf("%s '…' is not known here", kind)
	}
	l.value, err = delta.ParseValue(text, l.typ)
	return l, err
}

// numberOf reads a number as Spark types it: whole ones, decimals with a point, doubles with an
// exponent.
func numberOf(text string) (literal, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return literal{predicate.IntValue(i), delta.Type{Kind: delta.Long, Text: "long"}}, nil
	}
	digits := strings.TrimPrefix(text, "-")
	if m := decimal.FindStringSubmatch(digits); m != nil {
		whole := strings.TrimLeft(m[1], "0")
		if len(whole)+len(m[2]) > mostDigits {
			return literal{}, fmt.Errorf("%s has more than %d digits", text, mostDigits)
		}
		unscaled, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
		scale := len(m[2])
		return literal{predicate.DecimalValue(unscaled, int8(scale)), delta.Type{
			Kind: delta.Decimal, Precision: max(len(whole)+scale, 1), Scale: scale, Text: fmt.Sprintf("decimal(%d,%d)", max(len(whole)+scale, 1), scale),
		}}, err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, "eE") || strings.ContainsAny(text, "xXpP_") {
		return literal{}, fmt.Errorf("%s is no number that is known here", text)
	}
	return literal{predicate.FloatValue(f), delta.Type{Kind: delta.Double, Text: "double"}}, nil
}
