package delta

import (
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/predicate"
)

// FuzzCommit holds that any bytes are either a commit or an error, and that a commit that
// was read and written again says the same.
func FuzzCommit(f *testing.F) {
	logs, err := filepath.Glob("testdata/tables/*/_delta_log/*.json")
	if err != nil || len(logs) < 50 {
		f.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, name := range logs {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		actions, err := decodeCommit(data)
		if err != nil {
			return
		}
		s := newState()
		s.applyCommit(actions, 0)
		if s.protocol != nil && s.metadata != nil {
			first, firstErr := s.snapshot(segment{})
			again := replayEncoded(t, actions)
			second, secondErr := again.snapshot(segment{})
			if (firstErr == nil) != (secondErr == nil) || len(first.Files) != len(second.Files) {
				t.Errorf("written again: %d files, %v; was %d files, %v", len(second.Files), secondErr, len(first.Files), firstErr)
			}
			if firstErr == nil {
				_ = Unsupported(first)
			}
		}
	})
}

func replayEncoded(t *testing.T, actions []action) *state {
	t.Helper()
	data, err := encodeLines(actions)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	again, err := decodeCommit(data)
	if err != nil {
		t.Fatalf("decode what was encoded: %v\n%s", err, data)
	}
	s := newState()
	s.applyCommit(again, 0)
	return s
}

// FuzzStats holds that bounds of any statistics are of the column's kind.
func FuzzStats(f *testing.F) {
	schema, err := ParseSchema(`{"type":"struct","fields":[{"name":"a","type":"long"},{"name":"b","type":"decimal(18,10)"},
		{"name":"c","type":"timestamp"},{"name":"d","type":"date"},{"name":"e","type":"string"},{"name":"f","type":"double"},{"name":"g","type":"timestamp_ntz"}]}`)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"numRecords":2,"minValues":{"a":1,"b":1E-10,"c":"1969-12-31T23:59:59.999Z","d":"-0044-03-15","e":"x","f":"NaN","g":"+12345-01-01T00:00:00.000"},"nullCount":{"a":0}}`)
	f.Add(`{"numRecords":2,"maxValues":{"a":1,"b":-99999999.9999999999,"c":"2020-06-07T05:39:10.123-02:30","d":"+12345-01-01","e":"\u007f","f":1e300},"tightBounds":false}`)
	kinds := map[string]predicate.Kind{"a": predicate.Int, "b": predicate.Decimal, "c": predicate.Timestamp, "d": predicate.Date,
		"e": predicate.String, "f": predicate.Float, "g": predicate.LocalTime}
	f.Fuzz(func(t *testing.T, text string) {
		_, bounds, err := ParseStats(text, schema)
		if err != nil {
			return
		}
		for column, b := range bounds {
			for _, v := range []predicate.Value{b.Min, b.Max} {
				if v.Kind != predicate.Null && v.Kind != kinds[string(column)] {
					t.Errorf("column %s: %+v", column, v)
				}
			}
		}
	})
}
