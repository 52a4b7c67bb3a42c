package merge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ajlo/job/config"
	"ajlo/job/merge"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// The victim is this test's own binary, told by its environment where to work and at which step of
// its writes to die.
const (
	victimDir    = "AJLO_MERGETEST_DIR"
	victimSource = "AJLO_MERGETEST_SOURCE"
	victimStep   = "AJLO_MERGETEST_STEP"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		fmt.Println(beKilled(dir))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beKilled is the victim's life.
func beKilled(dir string) error {
	at, err := strconv.Atoi(os.Getenv(victimStep))
	if err != nil {
		return err
	}
	o := victimOptions()
	o.Open = watching(func(step int, _, _ string) error {
		if step == at {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	_, err = merge.New(o).Apply(context.Background(), victimRequest(table.Location(dir), os.Getenv(victimSource)))
	return fmt.Errorf("lived on: %w", err)
}

func victimOptions() merge.Options {
	o := options()
	o.TargetFile, o.Memory = 2*unit.KB, 500*unit.KB
	o.Commit = config.Conditional // for tables on S3
	return o
}

// victimRequest gives the same rows however often it is carried out.
func victimRequest(at table.Location, source string) merge.Request {
	return merge.Request{
		Table: "t", Location: at, Source: source, On: []table.Column{"id"},
		Matched: always(merge.Update), NotMatched: always(merge.Insert),
	}
}

// kills is how many moments are tried; a merge has about 150 steps.
func kills() int {
	switch {
	case os.Getenv("AJLO_SOAK") != "":
		return 300
	case testing.Short():
		return 10
	}
	return 30
}

// place gives an empty folder for a table, and where a merge finds it.
type place func(t *testing.T) (dir string, at table.Location)

func onDisk(t *testing.T) (string, table.Location) {
	dir := filepath.Join(t.TempDir(), "t")
	return dir, table.Location(dir)
}

func TestKilledMerges(t *testing.T) { killedMerges(t, onDisk, kills()) }

// killedMerges kills a process at so many moments of its merge. That leaves a table that reads as before
// or as after. Whoever merges next takes away what it left, and nothing else, and gives the rows that were
// wanted.
func killedMerges(t *testing.T, place place, moments int) {
	before, source := numbered(0, 300), numbered(250, 100)
	for i := range source {
		source[i].Amount, source[i].Part = p(int64(-1)), p("moved")
	}
	m := made{parted: true, keys: []string{"id"}}
	from := writeSource(t, t.TempDir(), asParquet, source)
	make := func(t *testing.T) (dir string, at table.Location) {
		dir, at = place(t)
		makeTable(t, dir, m, before[:150], before[150:])
		must(t, os.WriteFile(filepath.Join(dir, "foreign.parquet"), []byte("not ours"), 0o644))
		return dir, at
	}
	dir, at := make(t)
	steps := 0
	o := victimOptions()
	o.Open = watching(func(step int, _, _ string) error { steps = step + 1; return nil })
	if _, err := merge.New(o).Apply(t.Context(), victimRequest(at, from)); err != nil {
		t.Fatal(err)
	}
	after, was, n := rowsOf(t, dir), textsOf(t, m, before), min(moments, steps)
	for i := range n {
		last := i * (steps - 1) / max(1, n-1)
		t.Run(fmt.Sprintf("at step %d of %d", last, steps), func(t *testing.T) {
			dir, at := make(t)
			die(t, at, from, last)
			now := rowsOf(t, dir)
			if differences(was, now) != "" && differences(after, now) != "" {
				t.Errorf("it reads neither as before nor as after: %s", differences(was, now))
			}
			o := victimOptions()
			o.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
			if _, err := merge.New(o).Apply(t.Context(), victimRequest(at, from)); err != nil {
				t.Fatal(err)
			}
			if diff := differences(after, rowsOf(t, dir)); diff != "" {
				t.Error(diff)
			}
			must(t, os.Remove(filepath.Join(dir, "foreign.parquet")))
			noStrays(t, dir)
		})
	}
}

// die starts the victim and waits for its death.
func die(t *testing.T, at table.Location, source string, step int) {
	t.Helper()
	victim := exec.CommandContext(t.Context(), os.Args[0])
	victim.Env = append(os.Environ(), victimDir+"="+string(at), victimSource+"="+source, victimStep+"="+strconv.Itoa(step))
	out, err := victim.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the victim was not killed: %v\n%s", err, out)
	}
}

// An error at any step leaves the table as it was and nothing beside it.
func TestFailingStorage(t *testing.T) {
	full := errors.New("the disk is full")
	for at := 0; ; at++ {
		dir := filepath.Join(t.TempDir(), "t")
		makeTable(t, dir, made{}, numbered(0, 100), numbered(100, 100))
		o := options()
		o.Open = watching(func(step int, operation, _ string) error {
			if step >= at && operation != "delete" {
				return full
			}
			return nil
		})
		_, err := merge.New(o).Apply(t.Context(), victimRequest(table.Location(dir), writeSource(t, t.TempDir(), asParquet, numbered(190, 20))))
		if err == nil {
			if at < 10 {
				t.Errorf("%d steps only", at)
			}
			return
		}
		if !errors.Is(err, full) {
			t.Fatalf("step %d: %v", at, err)
		}
		if diff := differences(textsOf(t, made{}, numbered(0, 200)), rowsOf(t, dir)); diff != "" {
			t.Errorf("step %d: %s", at, diff)
		}
		noStrays(t, dir)
	}
}

// A merge that another took for dead finds out before it commits.
func TestSlowMergeFindsOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t")
	makeTable(t, dir, made{}, numbered(0, 100))
	source := writeSource(t, t.TempDir(), asParquet, numbered(90, 20))
	slow := options()
	swept := false
	slow.Open = watching(func(_ int, operation, key string) error {
		if operation != "create" || swept || !strings.HasSuffix(key, ".parquet") {
			return nil
		}
		swept = true
		fast := options()
		fast.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
		_, err := merge.New(fast).Apply(context.Background(), victimRequest(table.Location(dir), source))
		return err
	})
	_, err := merge.New(slow).Apply(t.Context(), victimRequest(table.Location(dir), source))
	if err == nil || !strings.Contains(err.Error(), "the write-ahead list is gone") {
		t.Errorf("got %v", err)
	}
	if got := len(rowsOf(t, dir)); got != 110 {
		t.Errorf("%d rows, want 110", got)
	}
	noStrays(t, dir)
}
