package rewrite

import (
	"strconv"

	"github.com/zeebo/xxh3"

	"ajlo/job/delta"
)

// seedOf stands for names and types of a schema, so that rows of different schemas never
// have comparable sums.
func seedOf(schema delta.Schema) uint64 {
	return xxh3.Hash(appendFields(nil, schema))
}

func appendFields(text []byte, fields []delta.Field) []byte {
	text = strconv.AppendInt(text, int64(len(fields)), 10)
	for _, f := range fields {
		text = strconv.AppendQuote(text, f.Name)
		text = appendType(text, f.Type)
	}
	return text
}

func appendType(text []byte, t delta.Type) []byte {
	text = strconv.AppendQuote(text, t.Text)
	switch t.Kind {
	case delta.Struct:
		text = appendFields(text, t.Fields)
	case delta.Array:
		text = appendType(text, *t.Element)
	case delta.Map:
		text = appendType(appendType(text, *t.Key), *t.Element)
	}
	return text
}
