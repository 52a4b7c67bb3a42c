package execute_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ajlo/job/execute"
	"ajlo/job/object"
)

const checkpoint = "../delta/testdata/tables/checkpointed/_delta_log/00000000000000000010.checkpoint.parquet"

// A checkpoint that is damaged anywhere is an error or is read, never a panic: what dead runs
// left is looked for on every night.
func TestDamagedCheckpointsAreErrors(t *testing.T) {
	whole, err := os.ReadFile(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, execute.LogFolder)
	if err := os.Mkdir(log, 0o755); err != nil {
		t.Fatal(err)
	}
	store, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := 0; at < len(whole); at += max(1, len(whole)/500) {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0xff
		if err := os.WriteFile(filepath.Join(log, filepath.Base(checkpoint)), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := execute.FindNamed(t.Context(), store, []string{"part-00000-none.parquet"}); err != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}
