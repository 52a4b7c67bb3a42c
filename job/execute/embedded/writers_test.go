//go:build spark || s3

package embedded_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// A writer is a process of this test's own binary. Its environment tells which table it puts
// in order, again and again, until its input ends, and how long it rests at most once others
// have written: who put it in order without a pause would keep every merge from its commit.
const (
	writerTable = "AJLO_WRITER_TABLE"
	writerSeed  = "AJLO_WRITER_SEED"
	writerRest  = "AJLO_WRITER_REST"
)

func TestMain(m *testing.M) {
	if os.Getenv(writerTable) == "" {
		os.Exit(m.Run())
	}
	done, err := write(context.Background())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(done)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tally is what a writer did: rewrites that it committed, and those it gave up since others
// were faster every time.
type tally struct{ Rewrites, Lost int }

// write is a writer's life.
func write(ctx context.Context) (done tally, err error) {
	url := os.Getenv(writerTable)
	seed, seedErr := strconv.ParseUint(os.Getenv(writerSeed), 10, 64)
	rest, restErr := time.ParseDuration(os.Getenv(writerRest))
	store, storeErr := bucket.Open(url)
	if err := errors.Join(seedErr, restErr, storeErr); err != nil {
		return tally{}, err
	}
	ended := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		ended <- err
	}()
	random, last := rand.New(rand.NewPCG(seed, 0)), ""
	for round := int(seed); ; round++ {
		changed, err := reorder(ctx, url, store, round)
		switch {
		case err != nil:
			return done, err
		case changed:
			done.Rewrites++
		default:
			done.Lost++
		}
		pause := time.Duration(random.Float64() * float64(rest))
		for others := false; !others; pause = glance {
			select {
			case err := <-ended:
				return atLeastOnce(ctx, url, store, done, err)
			case <-time.After(pause):
			}
			if others, last, err = othersWrote(ctx, store, last); err != nil {
				return done, err
			}
		}
	}
}

// atLeastOnce has a writer that lost every time so far try again, now that others rest:
// a loss may not keep it from its next commit.
func atLeastOnce(ctx context.Context, url string, store object.Store, done tally, err error) (tally, error) {
	if err != nil || done.Rewrites > 0 {
		return done, err
	}
	for try := 0; err == nil && done.Rewrites == 0 && try < lastTries; try++ {
		var changed bool
		if changed, err = reorder(ctx, url, store, 0); changed {
			done.Rewrites++
		}
	}
	return done, err
}

// lastTries are more than the other writer has left to come between.
const lastTries = 5

// glance is the time between two looks for others' commits.
const glance = 100 * time.Millisecond

// othersWrote reports whether someone committed anything but a rewrite after a commit, and
// gives the newest one.
func othersWrote(ctx context.Context, store object.Store, after string) (others bool, newest string, err error) {
	newest = after
	for info, err := range store.List(ctx, "_delta_log/0", after) {
		if err != nil {
			return false, "", err
		}
		if !strings.HasSuffix(info.Key, ".json") {
			continue
		}
		what, err := operation(ctx, store, info.Key)
		if err != nil {
			return false, "", err
		}
		others, newest = others || what != rewrites, info.Key
	}
	return others, newest, nil
}

// rewrites is the operation of a commit by ajlo.
const rewrites = "OPTIMIZE"

// reorder sorts the table by one of its columns. That others were faster each time is no error,
// nor that the other writer's keys came meanwhile, which are left to a new plan.
func reorder(ctx context.Context, url string, store object.Store, round int) (changed bool, err error) {
	key := []table.Column{"k", "id"}[round%2]
	step, err := stepOn(ctx, url, store, layout.ClusteredBy(layout.Sort, key))
	if err != nil {
		return false, err
	}
	r, err := engineWith(config.Conditional).Apply(ctx, step, allowing{})
	var conflict *delta.Conflict
	var refusal *execute.Refusal
	if errors.As(err, &conflict) || errors.As(err, &refusal) && strings.Contains(refusal.Reason, "its keys changed") {
		return false, nil
	}
	return r.Changed, err
}

// writer is a process that was started.
type writer struct {
	cmd       *exec.Cmd
	in        io.Closer
	out, said bytes.Buffer
}

func startWriter(t *testing.T, url string, seed int, rest time.Duration) *writer {
	t.Helper()
	w := &writer{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	w.cmd.Env = append(os.Environ(), writerTable+"="+url, writerSeed+"="+fmt.Sprint(seed), writerRest+"="+rest.String())
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.said
	in, err := w.cmd.StdinPipe()
	if err == nil {
		w.in = in
		err = w.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// stop ends the process after what it is at.
func (w *writer) stop(t *testing.T) (done tally) {
	t.Helper()
	err := errors.Join(w.in.Close(), w.cmd.Wait())
	if err == nil {
		err = json.Unmarshal(w.out.Bytes(), &done)
	}
	if err != nil {
		t.Errorf("a process of ajlo: %v\n%s", err, &w.said)
	}
	return done
}

// whileTwoReorder runs others beside two processes that put the table in order until they
// end, and gives how many rewrites these committed.
func whileTwoReorder(t *testing.T, url string, rest time.Duration, others func()) (committed int) {
	t.Helper()
	writers := []*writer{startWriter(t, url, 1, rest), startWriter(t, url, 2, rest)}
	others()
	for _, w := range writers {
		done := w.stop(t)
		if done.Rewrites == 0 {
			t.Errorf("a process of ajlo never committed and lost %d times", done.Lost)
		}
		t.Logf("a process of ajlo: %+v", done)
		committed += done.Rewrites
	}
	return committed
}

// writing is how long others write to the table.
func writing(sample time.Duration) time.Duration {
	if os.Getenv("AJLO_SOAK") != "" {
		return 2 * time.Minute
	}
	return sample
}

func engineWith(c config.Commit) *embedded.Engine {
	return embedded.New(embedded.Options{Open: bucket.Open, Commit: c, Version: "test", NewID: uuid.NewString, Now: time.Now})
}

type allowing struct{}

func (allowing) Intend(context.Context, table.Location, []string) error { return nil }
func (allowing) Spend(unit.Bytes) error                                 { return nil }
func (allowing) Progress(_, _ unit.Bytes)                               {}
func (allowing) Stamp() execute.Stamp                                   { return execute.Stamp{Run: "s3"} }

// madeByDeltaRS is a table of the rows 0 to 199.
func madeByDeltaRS(t *testing.T, at string) (url string, store object.Store) {
	t.Helper()
	deltaRS(t, "make", at)
	return at, opened(t, at)
}

func opened(t *testing.T, url string) object.Store {
	t.Helper()
	store, err := bucket.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func deltaRS(t *testing.T, arguments ...string) []byte {
	t.Helper()
	program, err := filepath.Abs("testdata/deltars.py")
	if err != nil {
		t.Fatal(err)
	}
	out, err := sparktest.DeltaRS(t.Context(), t, program, arguments...)
	if err != nil {
		t.Error(err)
	}
	return out
}

// objects lists what lies below the table's folder.
func objects(t *testing.T, store object.Store, prefix string) (keys []string) {
	t.Helper()
	for info, err := range store.List(t.Context(), prefix, "") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	return keys
}

// numbered are count ids from start on.
func numbered(start, count int) []int {
	ids := make([]int, count)
	for i := range ids {
		ids[i] = start + i
	}
	return ids
}

// checkRows reads the table with delta-rs: just these ids, each once, of which those below a
// hundred were counted up so many times.
func checkRows(t *testing.T, url string, ids []int, counted int) {
	t.Helper()
	var rows, want [][2]int
	if err := json.Unmarshal(deltaRS(t, "rows", url), &rows); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		row := [2]int{id, 0}
		if id < 100 {
			row[1] = counted
		}
		want = append(want, row)
	}
	slices.SortFunc(rows, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	if diff := gocmp.Diff(want, rows); diff != "" {
		t.Errorf("%d rows, want %d (-want +got):\n%s", len(rows), len(want), diff)
	}
	t.Logf("%d rows, each once", len(rows))
}

// checkVersions holds that no version of the table is missing, and that there are as many
// commits of each operation as its writers made.
func checkVersions(t *testing.T, store object.Store, want map[string]int) {
	t.Helper()
	got, version := map[string]int{}, 0
	for _, key := range objects(t, store, "_delta_log/0") {
		if !strings.HasSuffix(key, ".json") {
			continue
		}
		if next := fmt.Sprintf("_delta_log/%020d.json", version); key != next {
			t.Fatalf("version %s, want %s", key, next)
		}
		what, err := operation(t.Context(), store, key)
		if err != nil {
			t.Fatal(err)
		}
		got[what]++
		version++
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("commits by operation (-by the writers +in the log):\n%s", diff)
	}
	t.Logf("%d versions without a gap: %v", version, got)
}

// operation is what a commit says that it did.
func operation(ctx context.Context, store object.Store, key string) (string, error) {
	text, err := store.ReadAll(ctx, key)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		var action struct{ CommitInfo struct{ Operation string } }
		if err := json.Unmarshal(line, &action); err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		if action.CommitInfo.Operation != "" {
			return action.CommitInfo.Operation, nil
		}
	}
	return "", fmt.Errorf("%s says nothing of its operation", key)
}
