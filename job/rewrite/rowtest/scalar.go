package rowtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// scalarText writes a value so that two texts are equal only if the values are, however the
// files store them.
func scalarText(out *strings.Builder, v parquet.Value, c *parquet.Column, name string) error {
	switch {
	case strings.HasPrefix(name, "decimal"):
		decimal, ok := c.Type().LogicalType().Value.(*format.DecimalType)
		if !ok {
			return fmt.Errorf("column %s of type %s is stored as %s", c.Name(), name, c.Type())
		}
		fmt.Fprintf(out, "%de-%d", unscaled(v), decimal.Scale)
		return nil
	case strings.HasPrefix(name, "timestamp"):
		return timestampText(out, v, c)
	}
	switch name {
	case "byte", "short", "integer", "date":
		fmt.Fprint(out, v.Int32())
	case "long":
		fmt.Fprint(out, wide(v))
	case "float":
		fmt.Fprintf(out, "%08x", math.Float32bits(v.Float()))
	case "double":
		fmt.Fprintf(out, "%016x", math.Float64bits(v.Double()))
	case "string", "binary":
		fmt.Fprintf(out, "%q", v.ByteArray())
	case "boolean":
		fmt.Fprint(out, v.Boolean())
	default:
		return fmt.Errorf("type %q is not known to this reader", name)
	}
	return nil
}

func wide(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func unscaled(v parquet.Value) *big.Int {
	if v.Kind() == parquet.Int32 || v.Kind() == parquet.Int64 {
		return big.NewInt(wide(v))
	}
	digits := v.ByteArray()
	n := new(big.Int).SetBytes(digits)
	if len(digits) > 0 && digits[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
	}
	return n
}

// timestampText writes microseconds since 1970. INT96 is nanoseconds of the day and the
// Julian day.
func timestampText(out *strings.Builder, v parquet.Value, c *parquet.Column) error {
	if v.Kind() == parquet.Int96 {
		words := v.Int96()
		raw := slices.Concat(word(words[0]), word(words[1]))
		nanos := new(big.Int).SetUint64(binary.LittleEndian.Uint64(raw))
		days := new(big.Int).SetInt64(int64(int32(words[2])) - 2_440_588)
		micros := new(big.Int).Add(new(big.Int).Mul(days, big.NewInt(86_400_000_000)), nanos.Div(nanos, big.NewInt(1000)))
		fmt.Fprint(out, micros)
		return nil
	}
	stored, ok := c.Type().LogicalType().Value.(*format.TimestampType)
	if !ok || stored.Unit.Value.Duration() < time.Microsecond {
		return fmt.Errorf("timestamp column %s is stored as %s", c.Name(), c.Type())
	}
	each := big.NewInt(int64(stored.Unit.Value.Duration() / time.Microsecond))
	fmt.Fprint(out, each.Mul(each, big.NewInt(v.Int64())))
	return nil
}

func word(w uint32) []byte { return binary.LittleEndian.AppendUint32(nil, w) }
