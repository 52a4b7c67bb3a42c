package enginetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/execute"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// sweep holds rule 8: only named files are deleted, and none that a version refers to.
func (s suite) sweep(t *testing.T) {
	const stray = "part-00000-00000000-0000-4000-8000-000000000001-c000.snappy.parquet"
	tests := []struct {
		name  string
		build func(t *testing.T, dir string)
		paths []string
		want  execute.Swept
	}{
		{"a named file and one that never came to be", func(t *testing.T, dir string) {
			write(t, dir, stray)
			write(t, dir, "foreign.parquet")
		}, []string{stray, "never.parquet"}, execute.Swept{Gone: []string{stray, "never.parquet"}}},
		{"nothing named", func(t *testing.T, dir string) { write(t, dir, stray) }, nil, execute.Swept{}},
		{"a live file", func(*testing.T, string) {}, []string{"b.parquet"}, execute.Swept{Committed: true, Version: 0}},
		{"a file that was removed", func(t *testing.T, dir string) {
			commit(t, dir, 1, addItems(t, dir, stray, items(300, 1)))
			commit(t, dir, 2, remove(stray))
		}, []string{stray}, execute.Swept{Committed: true, Version: 1}},
		{"a file that only a checkpoint knows", func(t *testing.T, dir string) {
			write(t, dir, stray)
			checkpoint(t, dir, 9, "", stray)
		}, []string{stray}, execute.Swept{Committed: true, Version: -1}},
		{"a checkpoint of other files", func(t *testing.T, dir string) {
			write(t, dir, stray)
			checkpoint(t, dir, 9, "other.parquet", "more.parquet")
		}, []string{stray}, execute.Swept{Gone: []string{stray}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := itemTable(t)
			tt.build(t, dir)
			want := contents(t, dir)
			for _, p := range tt.want.Gone {
				delete(want, p)
			}
			got, err := s.plain().Sweep(t.Context(), table.Location(dir), tt.paths)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			unchanged(t, dir, want)
		})
	}
	s.sweepNothing(t)
	t.Run("a real attempt that committed", s.sweepCommitted)
}

// sweepNothing holds what is never deleted, whatever a list says.
func (s suite) sweepNothing(t *testing.T) {
	names := []string{
		"_delta_log/00000000000000000000.json", "_delta_log/" + checkpointName(9), "../outside.parquet", "/outside.parquet",
		"sub/../../outside.parquet", "./b.parquet", "notes.txt", "", ".", "sub\\..\\b.parquet",
	}
	for _, name := range names {
		t.Run("never "+name, func(t *testing.T) {
			dir := itemTable(t)
			checkpoint(t, dir, 9, "other.parquet") // a sound file, so that only its place protects it
			write(t, filepath.Dir(dir), "outside.parquet")
			write(t, dir, "notes.txt")
			write(t, dir, "stray.parquet")
			before := contents(t, filepath.Dir(dir))
			if _, err := s.plain().Sweep(t.Context(), table.Location(dir), []string{"stray.parquet", name}); err == nil {
				t.Error("want an error")
			}
			unchanged(t, filepath.Dir(dir), before)
		})
	}
	t.Run("a log that cannot be read", func(t *testing.T) {
		dir := itemTable(t)
		write(t, dir, "stray.parquet")
		write(t, dir, "_delta_log/00000000000000000005.checkpoint.parquet")
		before := contents(t, dir)
		if _, err := s.plain().Sweep(t.Context(), table.Location(dir), []string{"stray.parquet"}); err == nil {
			t.Error("want an error")
		}
		unchanged(t, dir, before)
	})
	t.Run("a table that is gone", func(t *testing.T) {
		got, err := s.plain().Sweep(t.Context(), table.Location(filepath.Join(t.TempDir(), "gone")), []string{"stray.parquet"})
		if diff := cmp.Diff(execute.Swept{}, got); diff != "" || err != nil {
			t.Errorf("%v, %s", err, diff)
		}
	})
}

func (s suite) sweepCommitted(t *testing.T) {
	dir := itemTable(t)
	step, rec := stepFor(t, dir, byPrice, 2*unit.KB), &recorder{}
	if _, err := s.plain().Apply(t.Context(), step, rec); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	got, err := s.plain().Sweep(t.Context(), step.Location, rec.intended)
	if diff := cmp.Diff(execute.Swept{Committed: true, Version: 1}, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	unchanged(t, dir, before)
}

func write(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.WriteFile(path, []byte("no Parquet"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkpoint writes a checkpoint that holds one live file, if any, and removed ones.
func checkpoint(t *testing.T, dir string, version int, added string, removed ...string) {
	t.Helper()
	type file struct {
		Path *string `parquet:"path,optional,dict"`
	}
	type line struct {
		Add    *file `parquet:"add,optional"`
		Remove *file `parquet:"remove,optional"`
	}
	var lines []line
	if added != "" {
		lines = append(lines, line{Add: &file{&added}})
	}
	for i := range removed {
		lines = append(lines, line{Remove: &file{&removed[i]}})
	}
	addRows(t, filepath.Join(dir, "_delta_log"), checkpointName(version), lines, parquet.Compression(&parquet.Snappy))
}
