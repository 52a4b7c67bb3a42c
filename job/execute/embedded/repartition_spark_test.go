//go:build spark

package embedded_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// byDeltaRS has delta-rs do something to a table.
func byDeltaRS(t *testing.T, arguments ...string) string {
	t.Helper()
	program, err := filepath.Abs("testdata/repartition.py")
	if err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, program, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func newest(t *testing.T, dir string) int64 {
	t.Helper()
	store, err := object.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	version, err := delta.Newest(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// repartitioned has ajlo change the partition columns of a table.
func repartitioned(t *testing.T, dir string, keys []table.Column, by ...table.Column) {
	t.Helper()
	r, err := repartitioner(nil).Apply(t.Context(), partsStep(t, dir, 4*unit.KB, by, keys), books{"a run"})
	if err != nil || !r.Changed || r.Removed != r.Added {
		t.Fatalf("by %v: %+v, %v", by, r, err)
	}
}

// delta-rs reads and writes a table whose partition columns ajlo changes as it does its twin that
// nobody lays; it reads the version of before, and a writer that opened the table before is refused.
func TestDeltaRSGoesOnRepartitioned(t *testing.T) {
	laid, plain := filepath.Join(t.TempDir(), "laid"), filepath.Join(t.TempDir(), "plain")
	same := func(after string) {
		t.Helper()
		if got, want := byDeltaRS(t, "rows", laid), byDeltaRS(t, "rows", plain); got != want {
			t.Errorf("after %s: %d bytes of rows, want %d", after, len(got), len(want))
		}
	}
	for _, dir := range []string{laid, plain} {
		byDeltaRS(t, "make", dir)
	}
	before := byDeltaRS(t, "rows", laid)
	for i, by := range [][]table.Column{nil, {"day"}, {"kind"}} {
		read := newest(t, laid)
		repartitioned(t, laid, []table.Column{"n", "id"}, by...)
		same(fmt.Sprintf("partitioning by %v", by))
		if said := byDeltaRS(t, "stale", laid, fmt.Sprint(read)); !strings.HasPrefix(said, "refused") {
			t.Errorf("a writer that opened it before the change to %v: %s", by, said)
		}
		for _, dir := range []string{laid, plain} {
			byDeltaRS(t, "use", dir, fmt.Sprint(1000*(i+1)))
		}
		same(fmt.Sprintf("use by %v", by))
	}
	if got := byDeltaRS(t, "rows", laid, "0"); got != before {
		t.Errorf("version 0 has other rows: %d bytes, want %d", len(got), len(before))
	}
}
