package delta

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ajlo/job/predicate"
)

// errNoValue is what ParseValue says of types whose values ajlo does not compare.
var errNoValue = errors.New("type has no comparable values here")

// ParseValue reads a value as statistics and partition values spell it. Types without a
// predicate.Value (binary, nested, decimals of more than 18 digits) are an error, and so is
// text that is no value of the type.
func ParseValue(text string, t Type) (predicate.Value, error) {
	v, err := parseValue(text, t)
	if err != nil {
		return predicate.Value{}, fmt.Errorf("%s value %q: %w", t.Text, text, err)
	}
	return v, nil
}

func parseValue(text string, t Type) (predicate.Value, error) {
	switch t.Kind {
	case Byte, Short, Integer, Long:
		i, err := strconv.ParseInt(text, 10, 64)
		return predicate.IntValue(i), err
	case Float:
		f, err := strconv.ParseFloat(text, 32)
		return predicate.FloatValue(f), err
	case Double:
		f, err := strconv.ParseFloat(text, 64)
		return predicate.FloatValue(f), err
	case Decimal:
		return parseDecimal(text, t)
	case String:
		return predicate.StringValue(text), nil
	case Boolean:
		b, err := strconv.ParseBool(text)
		return predicate.BoolValue(b), err
	case Date:
		days, err := parseDate(text)
		return predicate.DateValue(days), err
	case Timestamp:
		micros, err := parseTime(text, zoned)
		return predicate.TimestampValue(micros), err
	case TimestampNTZ:
		micros, err := parseTime(text, local)
		return predicate.LocalTimeValue(micros), err
	}
	return predicate.Value{}, errNoValue
}

// wideDigits is the most digits of a decimal that always fit in 64 bits.
const wideDigits = 18

// decimalText is a JSON number; the exponent is short so that it cannot blow up.
var decimalNumber = regexp.MustCompile(`^-?\d{1,80}(\.\d{1,80})?([eE][+-]?\d{1,3})?$`)

func parseDecimal(text string, t Type) (predicate.Value, error) {
	if t.Precision > wideDigits {
		return predicate.Value{}, errNoValue
	}
	if !decimalNumber.MatchString(text) {
		return predicate.Value{}, errors.New("not a decimal number")
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return predicate.Value{}, errors.New("not a decimal number")
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)))
	if !r.IsInt() || !r.Num().IsInt64() {
		return predicate.Value{}, errors.New("more digits than the type has")
	}
	return predicate.DecimalValue(r.Num().Int64(), int8(t.Scale)), nil
}

// dateText is a date of the proleptic Gregorian calendar; Spark puts a sign before years
// that have more than four digits or lie before year 0.
const dateText = `([+-]?\d{4,9})-(\d{2})-(\d{2})`

var (
	dateOnly = regexp.MustCompile(`^` + dateText + `$`)
	dateTime = regexp.MustCompile(`^` + dateText + `[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)?$`)
)

const secondsPerDay = 86_400

func parseDate(text string) (days int64, err error) {
	m := dateOnly.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("not a date")
	}
	midnight, err := civil(m[1], m[2], m[3])
	return midnight / secondsPerDay, err
}

// civil is midnight of a date in seconds since the epoch.
func civil(year, month, day string) (int64, error) {
	y, err := strconv.Atoi(year)
	if err != nil {
		return 0, err
	}
	m, d := twoDigits(month), twoDigits(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(m) || t.Day() != d {
		return 0, errors.New("no such day")
	}
	return t.Unix(), nil
}

func twoDigits(text string) int {
	n, _ := strconv.Atoi(text) // two digits by the pattern
	return n
}

// clock says whether a time names its zone.
type clock int

const (
	zoned clock = iota
	local
)

// parseTime reads an ISO 8601 time in microseconds since the epoch; digits beyond
// microseconds are dropped. A zoned time must name its zone and a local one must not:
// guessing a session's zone would make bounds that enclose nothing.
func parseTime(text string, c clock) (micros int64, err error) {
	m := dateTime.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("not a time")
	}
	if (m[8] == "") != (c == local) {
		return 0, errors.New("a zone is missing or too much")
	}
	seconds, err := civil(m[1], m[2], m[3])
	if err != nil {
		return 0, err
	}
	hour, minute, second := twoDigits(m[4]), twoDigits(m[5]), twoDigits(m[6])
	if hour > 23 || minute > 59 || second > 59 {
		return 0, errors.New("no such time of day")
	}
	seconds += int64(hour*3600+minute*60+second) - zoneSeconds(m[8])
	if seconds > maxSeconds || seconds < -maxSeconds {
		return 0, errors.New("beyond what microseconds in 64 bits reach")
	}
	fraction, _ := strconv.Atoi((m[7] + "000000")[:6])
	return seconds*1_000_000 + int64(fraction), nil
}

// maxSeconds keeps microseconds, and one millisecond more, within 64 bits.
const maxSeconds = 9_223_372_036_000

// zoneSeconds reads "+05:30", "-07:52:58" or "Z".
func zoneSeconds(zone string) int64 {
	if zone == "" || zone == "Z" {
		return 0
	}
	parts := strings.Split(zone[1:], ":")
	seconds := twoDigits(parts[0])*3600 + twoDigits(parts[1])*60
	if len(parts) > 2 {
		seconds += twoDigits(parts[2])
	}
	if zone[0] == '-' {
		return -int64(seconds)
	}
	return int64(seconds)
}
