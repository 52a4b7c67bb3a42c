//go:build spark

package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"ajlo/job/sparktest"
)

// readByDeltaRS holds that delta-rs reads after the rewrite what it read before. Tables that
// it cannot read at all tell nothing.
func (s *suite) readByDeltaRS() {
	// delta-rs takes INT96 for nanoseconds of 64 bits and reads other times than Spark wrote
	// before 1677 and after 2262; it reads the rewritten ones right.
	tables := slices.DeleteFunc(slices.Clone(s.tables), func(m made) bool { return m.asks("int96") })
	read := 0
	for i, a := range s.compareInDeltaRS(tables) {
		switch {
		case a.Before != "":
			s.Logf("%s: delta-rs does not read it as it was: %s", tables[i].Name, a.Before)
		case a.After != "":
			s.Errorf("%s: delta-rs no longer reads it: %s", tables[i].Name, a.After)
		case !a.Equal:
			s.Errorf("%s: delta-rs reads other rows than the %d before", tables[i].Name, a.Rows)
		default:
			read++
		}
	}
	if read < len(tables)/2 {
		s.Errorf("delta-rs reads %d of %d tables", read, len(tables))
	}
	s.Logf("delta-rs reads equal rows of %d tables", read)
}

// comparison is what delta-rs finds in a table before and after: errors, or rows.
type comparison struct {
	Before, After string
	Rows          int
	Equal         bool
}

func (s *suite) compareInDeltaRS(tables []made) (answers []comparison) {
	var pairs [][2]string
	for _, m := range tables {
		pairs = append(pairs, [2]string{m.before, m.after})
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		s.Fatal(err)
	}
	file := filepath.Join(s.TempDir(), "pairs.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.Fatal(err)
	}
	out, err := sparktest.DeltaRS(s.Context(), s.T, absolute(s.T, "deltars.py"), "compare", file)
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil || len(answers) != len(tables) {
		s.Fatalf("%d answers for %d tables: %v", len(answers), len(tables), err)
	}
	return answers
}
