package predicate

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseLiteral reads one literal as the type of its column prints it. ok is false where
// the text is no such literal (a subquery, a type without a Value) or its zone is unknown.
func parseLiteral(typ, text string, zone *time.Location) (v Value, ok bool) {
	if isSubquery(text) {
		return Value{}, false
	}
	switch base, _, _ := strings.Cut(typ, "("); base {
	case "":
		return guessLiteral(text, zone)
	case "tinyint", "smallint", "int", "integer", "bigint":
		i, err := strconv.ParseInt(text, 10, 64)
		return IntValue(i), err == nil
	case "float":
		return parseFloat(text, 32)
	case "double":
		return parseFloat(text, 64)
	case "decimal":
		return parseDecimal(text)
	case "string", "varchar", "char", "string collate UTF8_BINARY":
		return StringValue(text), true
	case "boolean":
		return BoolValue(text == "true"), text == "true" || text == "false"
	case "date":
		return orNumber(DateValue, text, parseDate)
	case "timestamp":
		return orNumber(TimestampValue, text, func(text string) (Value, bool) { return parseTimestamp(text, zone) })
	case "timestamp_ntz":
		return parseLocalTime(text)
	}
	return Value{}, false
}

// subquery is how a value that is only known at run time is printed.
var subquery = regexp.MustCompile(`^(ScalarSubquery#\d+$|(Reused)?Subquery |scalar-subquery#|dynamicpruning#)`)

func isSubquery(text string) bool { return subquery.MatchString(text) }

// guessLiteral reads a literal whose type nobody names. A wrong guess is harmless: values
// of kinds that do not compare never prune.
func guessLiteral(text string, zone *time.Location) (Value, bool) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return IntValue(i), true
	}
	if v, ok := parseDecimal(text); ok {
		return v, true
	}
	if v, ok := parseDate(text); ok {
		return v, true
	}
	if v, ok := parseTimestamp(text, zone); ok {
		return v, true
	}
	if text == "true" || text == "false" {
		return BoolValue(text == "true"), true
	}
	return StringValue(text), true
}

// parseFloat reads what Java prints: 1.0, -1.5E300, NaN, Infinity. A float literal is taken
// to the nearest 32-bit value, which is what the column holds.
func parseFloat(text string, bits int) (Value, bool) {
	f, err := strconv.ParseFloat(text, bits)
	return FloatValue(f), err == nil
}

// decimalShape is a decimal as java.math.BigDecimal prints it: 12.500, -3, 0E-8.
var decimalShape = regexp.MustCompile(`^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$`)

// maxDigits is the number of digits of an unscaled value that always fits in an int64.
const maxDigits = 18

func parseDecimal(text string) (Value, bool) {
	m := decimalShape.FindStringSubmatch(text)
	if m == nil {
		return Value{}, false
	}
	digits, scale := m[2]+m[3], len(m[3])
	if m[4] != "" {
		exponent, err := strconv.Atoi(m[4])
		if err != nil {
			return Value{}, false
		}
		scale -= exponent
	}
	unscaled, ok := new(big.Int).SetString(m[1]+digits, 10)
	if !ok || len(strings.TrimLeft(digits, "0")) > maxDigits {
		return Value{}, false
	}
	if scale < -maxDigits || scale > 2*maxDigits {
		return Value{}, false
	}
	return DecimalValue(unscaled.Int64(), int8(scale)), true
}

// orNumber reads a date or an instant, which Catalyst before 3.0 prints as the number it
// holds.
func orNumber(of func(int64) Value, text string, parse func(string) (Value, bool)) (Value, bool) {
	if v, ok := parse(text); ok {
		return v, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return of(n), err == nil
}

func parseDate(text string) (Value, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Value{}, false
	}
	return DateValue(t.Unix() / secondsPerDay), true
}

// sqlTimestamp is a timestamp as Spark and java.sql.Timestamp print it; a fraction may
// follow.
const sqlTimestamp = "2006-01-02 15:04:05"

func parseTimestamp(text string, zone *time.Location) (Value, bool) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return TimestampValue(t.UnixMicro()), true // java.time.Instant
	}
	if zone == nil {
		return Value{}, false
	}
	t, err := time.ParseInLocation(sqlTimestamp, text, zone)
	return TimestampValue(t.UnixMicro()), err == nil
}

// parseLocalTime reads a timestamp without zone: 2020-03-01 00:00:00 in Catalyst,
// 2020-03-01T00:00 (seconds only where there are any) in PushedFilters.
func parseLocalTime(text string) (Value, bool) {
	for _, layout := range []string{sqlTimestamp, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return LocalTimeValue(t.UnixMicro()), true
		}
	}
	return Value{}, false
}

// hybridBefore is where java.sql's dates, which PushedFilters print, part from the
// calendar that Spark and everyone else counts in; local mean times lie before it too.
const hybridBefore = "1900"

// parsePushedLiteral reads a literal of PushedFilters. Old dates are left to the Filter's
// text.
func (s *Scope) parsePushedLiteral(typ, text string) (Value, bool) {
	if (typ == "date" || typ == "timestamp") && text < hybridBefore {
		return Value{}, false
	}
	return parseLiteral(typ, text, s.JVM)
}

// parseList reads the elements of an IN list. Strings that hold the separator cannot be
// told from two elements; where one is likely (a blank after a comma) the list stays
// unread.
func parseList(typ, text, separator string, read func(typ, text string) (Value, bool)) ([]Value, bool) {
	if isText(typ) && separator != "," {
		return nil, false
	}
	var values []Value
	for element := range strings.SplitSeq(text, separator) {
		v, ok := read(typ, element)
		if !ok || (v.Kind == String && strings.TrimSpace(element) != element) {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

func isText(typ string) bool {
	return typ == "" || strings.HasPrefix(typ, "string") || strings.HasPrefix(typ, "varchar") || strings.HasPrefix(typ, "char")
}
