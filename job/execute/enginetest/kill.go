package enginetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/unit"
)

// The victim is this test's own binary, told by its environment where to work and at which
// step of its writes to die.
const (
	victimDir  = "AJLO_ENGINETEST_DIR"
	victimStep = "AJLO_ENGINETEST_STEP"
	victimList = "AJLO_ENGINETEST_LIST"
	// victimSpill is a folder; the victim's memory is so small that it spills.
	victimSpill = "AJLO_ENGINETEST_SPILL"
)

const victimMemory = 100 * unit.KB

// kills is how many moments are drawn; a rewrite of the table has about 150 steps.
func kills() int {
	switch {
	case os.Getenv("AJLO_SOAK") != "":
		return 300
	case testing.Short():
		return 10
	}
	return 30
}

func isVictim() bool { return os.Getenv(victimDir) != "" }

func checkpointName(version int) string { return fmt.Sprintf("%020d.checkpoint.parquet", version) }

// victimLayout is what the victim is doing when it dies.
func victimLayout() layout.Layout {
	return layout.ClusteredBy(layout.Hilbert, "c_custkey", "c_acctbal")
}

const victimTarget = 32 * unit.KB

// kill holds that a process killed at any moment, at the start of any step of its
// writes, leaves a table that reads as before or as after, and that a sweep takes away what it left
// and nothing else. Of rows that it spilled nothing is left at once.
func (s suite) kill(t *testing.T) {
	steps := s.writeSteps(t)
	for i, at := range append(moments(steps, kills()-1), steps-1) {
		t.Run(fmt.Sprintf("%d: at step %d of %d", i, at, steps), func(t *testing.T) {
			dir, spill := fixture(t, "customer"), t.TempDir()
			list := filepath.Join(t.TempDir(), "list")
			write(t, dir, "foreign.parquet")
			rows, before := rowsOf(t, dir), contents(t, dir)
			die(t, dir, list, spill, at)
			if left := contents(t, spill); len(left) > 0 {
				t.Errorf("spilled rows were left: %v", left)
			}
			sameRows(t, rows, rowsOf(t, dir))
			s.sweepAfterDeath(t, dir, list, before)
			sameRows(t, rows, rowsOf(t, dir))
			s.applyAfterDeath(t, dir, rows)
		})
	}
}

// writeSteps counts the steps of a whole rewrite.
func (s suite) writeSteps(t *testing.T) int {
	t.Helper()
	c := counter{at: func(_, _ string, _, _ int) error { return nil }}
	dir := fixture(t, "customer")
	if _, err := s.victim(c.wrap, t.TempDir()).Apply(t.Context(), stepFor(t, dir, victimLayout(), victimTarget), &recorder{}); err != nil {
		t.Fatal(err)
	}
	return c.steps
}

// victim is an engine with little memory.
func (s suite) victim(wrap func(object.Store) object.Store, spill string) execute.Engine {
	small := setup(func(location string) (object.Store, error) {
		store, err := object.Open(location)
		if err != nil {
			return nil, err
		}
		return wrap(store), nil
	})
	small.Memory, small.Spill = victimMemory, spill
	return s.newEngine(small)
}

// die starts the victim and waits for its death.
func die(t *testing.T, dir, list, spill string, step int) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+name+"$", "-test.count=1")
	victim.Env = append(os.Environ(), victimDir+"="+dir, victimStep+"="+strconv.Itoa(step), victimList+"="+list, victimSpill+"="+spill)
	out, err := victim.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the victim was not killed: %v\n%s", err, out)
	}
}

// beKilled is the victim's life.
func beKilled(t *testing.T, newEngine Make) {
	at, err := strconv.Atoi(os.Getenv(victimStep))
	if err != nil {
		t.Fatal(err)
	}
	c := counter{at: func(_, _ string, _, steps int) error {
		if steps == at {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}}
	dir := os.Getenv(victimDir)
	rec := &recorder{keep: func(paths []string) error {
		return os.WriteFile(os.Getenv(victimList), []byte(strings.Join(paths, "\n")), 0o644)
	}}
	_, err = suite{newEngine}.victim(c.wrap, os.Getenv(victimSpill)).Apply(t.Context(), stepFor(t, dir, victimLayout(), victimTarget), rec)
	t.Fatalf("lived on: %v", err)
}

func (s suite) sweepAfterDeath(t *testing.T, dir, list string, before map[string]int64) {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatalf("the victim died before it said what it would do: %v", err)
	}
	if _, err := s.plain().Sweep(t.Context(), leftIn(dir, strings.Split(string(text), "\n")...)); err != nil {
		t.Fatal(err)
	}
	left := contents(t, dir)
	for name, size := range before {
		if left[name] != size {
			t.Errorf("%s had %d bytes and has %d", name, size, left[name])
		}
	}
	noStrays(t, dir, before)
}

// applyAfterDeath holds that the step can be done after all.
func (s suite) applyAfterDeath(t *testing.T, dir string, rows []string) {
	t.Helper()
	if _, err := s.plain().Apply(t.Context(), stepFor(t, dir, victimLayout(), victimTarget), &recorder{}); err != nil {
		t.Fatal(err)
	}
	sameRows(t, rows, rowsOf(t, dir))
}
