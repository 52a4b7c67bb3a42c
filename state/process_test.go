package state

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// childVar tells the test binary to be a run of its own: its value is the path or URL of the
// state, the run's id and by how long its clock is ahead of twoInTheMorning, with tabs between.
const childVar = "AJLO_STATE_TEST_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childVar); task != "" {
		if err := beRun(strings.Split(task, "\t")); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beRun begins a run, records a plan, a step and a file it is about to write, says so, and
// works until its input ends, or until it is killed.
func beRun(task []string) error {
	ctx, path, id, c := context.Background(), task[0], task[1], newClock()
	ahead, err := time.ParseDuration(task[2])
	if err != nil {
		return err
	}
	c.advance(ahead)
	s, err := openAnywhere(ctx, path, c.now)
	if err != nil {
		return err
	}
	r, err := s.Begin(ctx, beginning(id, 1))
	var held *LeaseHeld
	if errors.As(err, &held) {
		fmt.Println("held")
		return s.Close()
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(decided(1))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	if err := r.RecordPlan(ctx, decided(1), text, hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	if err := r.StepStarted(ctx, 0); err != nil {
		return err
	}
	if err := r.Intend(ctx, 0, "/lake/lineitem", []string{"part-of-" + id}); err != nil {
		return err
	}
	fmt.Println("won")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return errors.Join(r.Finish(ctx, Failed, nil), s.Close())
}

// child is a started run and the word it said.
type child struct {
	id    string
	word  string
	stdin io.Closer
	*exec.Cmd
}

// startRun starts a run in a process of its own, ahead of the others' clock.
func startRun(t *testing.T, path, id string, ahead time.Duration) (c child, says *bufio.Reader) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), fmt.Sprintf("%s=%s\t%s\t%s", childVar, path, id, ahead))
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	must(t, err)
	stdout, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	return child{id: id, stdin: stdin, Cmd: command}, bufio.NewReader(stdout)
}

// startRuns starts runs at once in processes of their own and waits for the word of each.
func startRuns(t *testing.T, path string, ids ...string) []child {
	t.Helper()
	children := make([]child, len(ids))
	outputs := make([]*bufio.Reader, len(ids))
	for i, id := range ids {
		children[i], outputs[i] = startRun(t, path, id, 0)
	}
	for i, output := range outputs {
		word, err := output.ReadString('\n')
		if err != nil {
			t.Errorf("run %s says nothing: %v", ids[i], err)
		}
		children[i].word = strings.TrimSpace(word)
	}
	return children
}

func winner(t *testing.T, children []child) (won child) {
	t.Helper()
	words := map[string]int{}
	for _, c := range children {
		words[c.word]++
		if c.word == "won" {
			won = c
			continue
		}
		must(t, c.stdin.Close())
		if err := c.Wait(); err != nil {
			t.Errorf("run %s: %v, said %q", c.id, err, c.word)
		}
	}
	if words["won"] != 1 || words["held"] != len(children)-1 {
		t.Fatalf("%d runs say %v, want one to have won and the others to be held off", len(children), words)
	}
	return won
}

func TestOfEightProcessesOneRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "state.db")
	ids := []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"}
	won := winner(t, startRuns(t, path, ids...))

	must(t, won.Process.Kill()) // SIGKILL: no deferred call, no signal handler
	if err := won.Wait(); err == nil {
		t.Fatal("the winner ended by itself")
	}
	c := newClock()
	s := openStore(t, path, c)
	c.advance(lease - time.Microsecond)
	var held *LeaseHeld
	if _, err := s.Begin(t.Context(), beginning("after", 1)); !errors.As(err, &held) || held.Run != won.id {
		t.Fatalf("got %v, want the dead run's lease to hold until it runs out", err)
	}
	c.advance(time.Microsecond)
	next := begin(t, s, beginning("after", 1))
	if !slices.Equal(next.Interrupted, []string{won.id}) {
		t.Errorf("interrupted %v, want %s", next.Interrupted, won.id)
	}
	left, err := s.Leftovers(t.Context())
	must(t, err)
	if len(left) != 1 || left[0].Run != won.id || !slices.Equal(left[0].Paths, []string{"part-of-" + won.id}) {
		t.Errorf("leftovers %+v: what was intended must outlive a kill", left)
	}
}

// The same runs one after the other: each gives the lease back as it ends.
func TestProcessesFollowEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	for _, id := range []string{"p0", "p1"} {
		won := winner(t, startRuns(t, path, id))
		must(t, won.stdin.Close())
		must(t, won.Wait())
	}
	s := openStore(t, path, newClock())
	if got := cell(t, s, `SELECT group_concat(run || ' ' || outcome) FROM audit_runs`); got != "p0 failed,p1 failed" {
		t.Errorf("runs %s", got)
	}
}
