//go:build spark || s3

package sparktest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// DeltaRS runs a Python program that uses delta-rs, a reader and writer of Delta tables that
// shares no code with Spark or ajlo, and gives what it wrote to its output. delta-rs is
// installed beside the pinned Spark, whichever is being tested.
func DeltaRS(ctx context.Context, t testing.TB, program string, arguments ...string) ([]byte, error) {
	t.Helper()
	root := moduleRoot(t)
	at := installation{root: root, python: filepath.Join(root, ".cache", "spark-"+pinned(t, root, "SPARK"), "bin", "python")}
	return at.run(ctx, t, append([]string{program}, arguments...))
}

// run gives what the program wrote to its output, in a folder of its own.
func (i installation) run(ctx context.Context, t testing.TB, arguments []string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(ctx, i.python, arguments...)
	said := &tail{}
	cmd.Dir, cmd.Env, cmd.Stderr = t.TempDir(), i.environment(), said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", arguments[0], err, said)
	}
	return out, nil
}
