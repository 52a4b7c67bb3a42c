// Package dagtest gives the tests of the schedulers' DAGs what they run on: the program, and
// lakes with real logs and tables. Only tests import it.
package dagtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds the program and gives its path. The test's own folder is two below the top.
func Build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "ajlo")
	if said, err := exec.Command("go", "build", "-o", binary, "../../job/ajlo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return binary
}

// Write writes a file.
func Write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Site is a lake with its config, in which tpch.orders may be rewritten.
type Site struct{ Folder string }

// NewSite copies the fixture; more is what its config has beside.
func NewSite(t *testing.T, more string) Site {
	t.Helper()
	s := Site{t.TempDir()}
	if err := os.CopyFS(s.Folder, os.DirFS("../../testdata/spark40-delta")); err != nil {
		t.Fatal(err)
	}
	Write(t, s.Config(), `
sources: [{logs: eventlogs, path_map: {/lake/warehouse: warehouse}}]
write: [tpch.orders]
budget: {rewrite: 50MB}
sample: bounds
`+more, 0o600)
	return s
}

// Config is the path of the config.
func (s Site) Config() string { return filepath.Join(s.Folder, "ajlo.yaml") }

// Version is that of the table; the fixture has it at 1.
func (s Site) Version(t *testing.T) int {
	t.Helper()
	commits, err := filepath.Glob(filepath.Join(s.Folder, "warehouse/tpch.db/orders/_delta_log/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(commits) - 1
}

// Damage cuts the data files of the table short, so that the engine cannot read them.
func (s Site) Damage(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Folder, "warehouse/tpch.db/orders/*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d data files, %v", len(files), err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 10_000); err != nil {
			t.Fatal(err)
		}
	}
}

// Audit is what the program says of the site; nothing where nothing ran.
func (s Site) Audit(t *testing.T, binary string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.Folder, "ajlo.db")); err != nil {
		return ""
	}
	told, err := exec.Command(binary, "audit", "--config", s.Config()).CombinedOutput()
	if err != nil {
		t.Errorf("audit: %v\n%s", err, told)
	}
	return string(told)
}

// killsApply is a program that is killed the first time it applies, once it has written a file.
const killsApply = `#!/bin/sh
if [ "$1" = apply ] && [ ! -e "$0.killed" ]; then
  touch "$0.killed"
  %[1]s "$@" &
  while kill -0 $! 2>/dev/null && [ -z "$(find %[2]s/warehouse -name '*.parquet' -newer "$0.killed")" ]; do :; done
  kill -9 $!
  wait $!
  exit 137
fi
exec %[1]s "$@"
`

// KilledOnce is the program for a site on which the first apply is killed in its middle.
func (s Site) KilledOnce(t *testing.T, binary string) string {
	t.Helper()
	path := filepath.Join(s.Folder, "ajlo.sh")
	Write(t, path, fmt.Sprintf(killsApply, binary, s.Folder), 0o755)
	return path
}
