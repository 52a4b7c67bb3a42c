package delta

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"ajlo/job/predicate"
)

// The spellings below are those of Spark's JSON writer, found by running Spark 4.0.2 with
// Delta 4.0.1 and kept as tests on the files it wrote.

// floatText is Java's spelling of a float (32 bits) or double: plain from 0.001 up to
// 10,000,000, else with an exponent, always with a decimal point. Not-a-number and the
// infinities are JSON strings.
func floatText(v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return []byte(`"NaN"`)
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`)
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`)
	}
	if a := math.Abs(v); a == 0 || a >= 1e-3 && a < 1e7 {
		text := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return []byte(text)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'E', -1, bits), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	number, _ := strconv.Atoi(exponent) // strconv wrote it
	return fmt.Appendf(nil, "%sE%d", mantissa, number)
}

// decimalText is Java's BigDecimal.toString: plain unless the first digit lies beyond the
// sixth place after the point, so a zero of scale 10 is 0E-10.
func decimalText(unscaled *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(unscaled).String()
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	exponent := len(digits) - 1 - scale
	switch {
	case scale == 0:
		return []byte(sign + digits)
	case exponent < -6:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return fmt.Appendf(nil, "%s%sE%d", sign, digits, exponent)
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return []byte(sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:])
}

// dateOf spells a day: four digits of year at least, a sign before years that have more or
// lie before year 0.
func dateOf(days int64) string {
	return spellDate(time.Unix(days*secondsPerDay, 0).UTC())
}

func spellDate(t time.Time) string {
	year, month, day := t.Date()
	switch {
	case year < 0:
		return fmt.Sprintf("-%04d-%02d-%02d", -year, month, day)
	case year > 9999:
		return fmt.Sprintf("+%d-%02d-%02d", year, month, day)
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

// timeOf spells microseconds since the epoch cut to milliseconds, towards the past for both
// bounds as Spark does: readers add a millisecond to the greatest.
func timeOf(micros int64) string {
	t := time.UnixMilli(predicate.FloorDivide(micros, microsPerMilli)).UTC()
	return fmt.Sprintf("%sT%02d:%02d:%02d.%03d", spellDate(t), t.Hour(), t.Minute(), t.Second(), t.Nanosecond()/1_000_000)
}

// Delta's tie-breakers: what a cut maximum ends in, so that it is not below what was cut.
const (
	asciiMax = '\u007F'
	utf8Max  = '\U0010FFFF'
)

// cutMin is the start of a string, in characters, and still not above it.
func cutMin(text string, prefix int) (string, bool) {
	if prefix <= 0 {
		return "", false
	}
	for i := range text {
		if prefix == 0 {
			return text[:i], true
		}
		prefix--
	}
	return text, true
}

// cutMax is a short string that is not below the given one in the order of UTF-8 bytes: a
// start of it and a tie-breaker that is above the first character cut off. Characters that
// are the tie-breaker themselves are kept; where they go on for another prefix there is no
// such string (ok is false). As in Java, length counts UTF-16 units and a surrogate pair is
// not split.
func cutMax(text string, prefix int) (cut string, ok bool) {
	if prefix <= 0 {
		return "", false
	}
	units := 0
	for i, r := range text {
		if units < prefix || r == utf8Max && units <= 2*prefix {
			units += utf16.RuneLen(r)
			continue
		}
		if units > 2*prefix {
			return "", false
		}
		if r < asciiMax {
			return text[:i] + string(asciiMax), true
		}
		return text[:i] + string(utf8Max), true
	}
	return text, units <= 2*prefix
}
