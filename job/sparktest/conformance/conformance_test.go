//go:build spark

package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/sparktest"
)

// least is how many tables delta-rs makes.
const least = 12

func TestTablesOfDeltaRS(t *testing.T) {
	folder := t.TempDir()
	if _, err := sparktest.DeltaRS(t.Context(), t, script(t, "deltars.py"), "make", folder); err != nil {
		t.Fatal(err)
	}
	conform(t, folder)
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// conform rewrites every table of a folder and asks delta-rs of them.
func conform(t *testing.T, folder string) {
	tables := load(t, folder)
	if len(tables) < least {
		t.Fatalf("%d tables, want %d", len(tables), least)
	}
	var rewritten []made
	t.Run("rewrite", func(t *testing.T) {
		for _, m := range tables {
			t.Run(m.Name, func(t *testing.T) {
				if m.rewrite(t) {
					rewritten = append(rewritten, m)
				}
			})
		}
	})
	t.Logf("%d tables, %d rewritten, %d refused as they must be", len(tables), len(rewritten), len(tables)-len(rewritten))
	t.Run("delta-rs", func(t *testing.T) { compareInDeltaRS(t, rewritten) })
}

// compareInDeltaRS holds that delta-rs reads after the rewrite what it read before. Tables
// that it cannot read at all tell nothing.
func compareInDeltaRS(t *testing.T, tables []made) {
	pairs := [][2]string{}
	for _, m := range tables {
		pairs = append(pairs, [2]string{m.before, m.after})
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pairs.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, script(t, "deltars.py"), "compare", file)
	if err != nil {
		t.Fatal(err)
	}
	var answers []struct {
		Before, After string
		Rows          int
		Equal         bool
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(tables) {
		t.Fatalf("%d answers for %d tables", len(answers), len(tables))
	}
	read := 0
	for i, a := range answers {
		switch {
		case a.Before != "":
			t.Logf("%s: delta-rs does not read it as it was: %s", tables[i].Name, a.Before)
		case a.After != "":
			t.Errorf("%s: delta-rs no longer reads it: %s", tables[i].Name, a.After)
		case !a.Equal:
			t.Errorf("%s: delta-rs reads other rows than the %d before", tables[i].Name, a.Rows)
		default:
			read++
		}
	}
	if read < len(tables)/2 {
		t.Errorf("delta-rs reads %d of %d tables", read, len(tables))
	}
}
