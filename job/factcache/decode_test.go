package factcache

import (
	"testing"
	"time"
)

// A file may have the digest of its content and still be none that encode writes: that is an
// error, and nothing worse.
func FuzzDecode(f *testing.F) {
	rows := []Row{{App: "a", Execution: 7, Start: 5, Status: "succeeded", Scans: []Scan{{Table: "t", Predicate: []Node{{Op: "eq", Column: "c"}}}},
		Joins: []Join{{Left: []Column{{Table: "t", Column: "c"}}, Type: "inner"}}}}
	for _, a := range []Application{{App: "a"}, {App: "a", Rows: rows}} {
		file, err := encode(Key{Place: "p", Modified: time.Unix(1, 0).UTC(), Code: "1"}, a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := decode(file)
		if err == nil && h.Format != Format {
			t.Errorf("format %d was read", h.Format)
		}
	})
}
