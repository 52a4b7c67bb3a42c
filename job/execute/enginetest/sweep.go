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

// sweep holds rule 8: only named files are deleted that the dead run wrote, and none that a
// version refers to.
func (s suite) sweep(t *testing.T) {
	const stray = "part-00000-00000000-0000-4000-8000-000000000001-c000.snappy.parquet"
	const folded = "p=a b%3A0/" + stray
	tests := []struct {
		name  string
		build func(t *testing.T, dir string)
		paths []string
		want  execute.Swept
	}{
		{"a named file and one that never came to be", func(t *testing.T, dir string) {
			rewritten(t, dir, stray, aRun)
			rewritten(t, dir, "foreign.parquet", aRun)
		}, []string{stray, "never.parquet"}, execute.Swept{Gone: []string{stray, "never.parquet"}}},
		{"nothing named", func(t *testing.T, dir string) { rewritten(t, dir, stray, aRun) }, nil, execute.Swept{}},
		{"a file of another program", func(t *testing.T, dir string) {
			addItems(t, dir, "foreign.parquet", items(300, 1))
			rewritten(t, dir, stray, aRun)
		}, []string{"foreign.parquet", stray}, execute.Swept{Gone: []string{stray}, Foreign: []string{"foreign.parquet"}}},
		{"a file that another program is writing", func(t *testing.T, dir string) { write(t, dir, stray) },
			[]string{stray}, execute.Swept{Foreign: []string{stray}}},
		{"a file of another run", func(t *testing.T, dir string) { rewritten(t, dir, stray, "another run") },
			[]string{stray}, execute.Swept{Foreign: []string{stray}}},
		{"a live file in a folder that the log spells otherwise", func(t *testing.T, dir string) {
			commit(t, dir, 1, rewritten(t, dir, folded, aRun))
		}, []string{folded}, execute.Swept{Committed: true, Version: 1}},
		{"a live file", func(*testing.T, string) {}, []string{"b.parquet"}, execute.Swept{Committed: true, Version: 0}},
		{"a file that was removed", func(t *testing.T, dir string) {
			commit(t, dir, 1, rewritten(t, dir, stray, aRun))
			commit(t, dir, 2, remove(stray))
		}, []string{stray}, execute.Swept{Committed: true, Version: 1}},
		{"a file that only a checkpoint knows", func(t *testing.T, dir string) {
			rewritten(t, dir, stray, aRun)
			checkpoint(t, dir, 9, "", stray)
		}, []string{stray}, execute.Swept{Committed: true, Version: -1}},
		{"a checkpoint of other files", func(t *testing.T, dir string) {
			rewritten(t, dir, stray, aRun)
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
			got, err := s.plain().Sweep(t.Context(), leftIn(dir, tt.paths...))
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
			rewritten(t, dir, "stray.parquet", aRun)
			before := contents(t, filepath.Dir(dir))
			if _, err := s.plain().Sweep(t.Context(), leftIn(dir, "stray.parquet", name)); err == nil {
				t.Error("want an error")
			}
			unchanged(t, filepath.Dir(dir), before)
		})
	}
	t.Run("a log that cannot be read", func(t *testing.T) {
		dir := itemTable(t)
		rewritten(t, dir, "stray.parquet", aRun)
		write(t, dir, "_delta_log/00000000000000000005.checkpoint.parquet")
		before := contents(t, dir)
		if _, err := s.plain().Sweep(t.Context(), leftIn(dir, "stray.parquet")); err == nil {
			t.Error("want an error")
		}
		unchanged(t, dir, before)
	})
	t.Run("a table that is gone", func(t *testing.T) {
		got, err := s.plain().Sweep(t.Context(), leftIn(filepath.Join(t.TempDir(), "gone"), "stray.parquet"))
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
	got, err := s.plain().Sweep(t.Context(), leftIn(dir, rec.intended...))
	if diff := cmp.Diff(execute.Swept{Committed: true, Version: 1}, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	unchanged(t, dir, before)
}

// leftIn is what a dead step of aRun left in a table's folder.
func leftIn(dir string, paths ...string) execute.Leftover {
	return execute.Leftover{Run: aRun, Location: table.Location(dir), Paths: paths}
}

// rewritten writes a file as a run would, and gives the action that adds it.
func rewritten(t *testing.T, dir, name, run string) action {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	return addRows(t, dir, name, items(300, 1), parquet.KeyValueMetadata("ajlo.run", run))
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
