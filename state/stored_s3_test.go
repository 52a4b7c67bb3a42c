//go:build s3

package state

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
)

// openAnywhere opens the state of a child.
func openAnywhere(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	if !strings.Contains(path, "://") {
		return Open(ctx, path, now)
	}
	at, name := path[:strings.LastIndexByte(path, '/')], path[strings.LastIndexByte(path, '/')+1:]
	objects, err := bucket.Open(at)
	if err != nil {
		return nil, err
	}
	return OpenStored(ctx, Stored{Objects: objects, Name: name}, now)
}

func TestOfEightPodsOneRuns(t *testing.T) { buckettest.Each(t, testOfEightPodsOneRuns) }

func testOfEightPodsOneRuns(t *testing.T, server buckettest.Server) {
	t.Setenv("TMPDIR", t.TempDir())
	at := server.Bucket + "/state/night.db"
	won := winner(t, startRuns(t, at, "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"))
	must(t, won.stdin.Close())
	must(t, won.Wait())
	s, err := openAnywhere(t.Context(), at, newClock().now)
	must(t, err)
	defer s.Close()
	if got := cell(t, s, oneFinished); got != won.id+" failed" {
		t.Errorf("runs %q, want %s alone", got, won.id)
	}
}

const (
	rounds   = 12 // 60 in a soak
	starters = 8
	// latestKill is a little more than a run takes from its start to its last record here.
	latestKill = 600 * time.Millisecond
)

// kills are who is killed in a round: each at a moment of its own, or the one that has begun.
// What anybody is told to have done by then may be its end.
var kills = []string{"nobody", "anybody", "the winner"}

// In each round eight pods start at once and some are killed at random: whoever was told to
// have begun is in the history, once, and no two of a round are.
func TestPodsThatAreKilledLoseNoRun(t *testing.T) {
	server := buckettest.Start(t)
	t.Setenv("TMPDIR", t.TempDir())
	at := server.Bucket + "/state/night.db"
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("AJLO_SEED"), "1"), 10, 64)
	must(t, err)
	random, n := rand.New(rand.NewPCG(seed, 0)), rounds
	if os.Getenv("AJLO_SOAK") != "" {
		n *= 5
	}
	won := map[string]string{} // the outcome of each run that said so
	for round := range n {
		who := kills[round%len(kills)]
		for id := range startRound(t, at, round, who, random) {
			won[id] = map[string]string{"nobody": "failed", "anybody": "", "the winner": "interrupted"}[who]
		}
	}
	c := newClock()
	c.advance(time.Duration(n) * 2 * lease)
	s, err := openAnywhere(t.Context(), at, c.now)
	must(t, err)
	defer s.Close()
	finish(t, begin(t, s, beginning("last", 1)), NothingToDo)
	for id, outcome := range won {
		got := cell(t, s, `SELECT coalesce(group_concat(outcome), 'lost') FROM audit_runs WHERE run = ?`, id)
		if got != outcome && (outcome != "" || got != "failed" && got != "interrupted") {
			t.Errorf("run %s, which began, is %q in the history, want %q", id, got, outcome)
		}
	}
	if got := cell(t, s, `SELECT count(*) FROM (SELECT substr(run, 1, 3) FROM audit_runs GROUP BY 1 HAVING count(*) > 1)`); got != "0" {
		t.Errorf("in %s rounds two runs began", got)
	}
	checkVersions(t, filepath.Join(server.Folder, "state", "night.db"))
}

// startRound starts a round's pods and gives those that said that they have begun. The clock of
// each round is beyond the leases of the one before.
func startRound(t *testing.T, at string, round int, who string, random *rand.Rand) map[string]bool {
	t.Helper()
	children, words := make([]child, starters), make(chan string, starters)
	for i := range children {
		c, says := startRun(t, at, fmt.Sprintf("%03d-%d", round, i), time.Duration(round)*2*lease)
		children[i] = c
		go func() {
			word, _ := says.ReadString('\n') // nothing where it is killed before
			words <- c.id + " " + strings.TrimSpace(word)
		}()
		if who == "anybody" {
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(latestKill))), func() { _ = c.Process.Kill() })
			defer timer.Stop()
		}
	}
	won := map[string]bool{}
	for range children {
		if id, word, _ := strings.Cut(<-words, " "); word == "won" {
			won[id] = true
		}
	}
	if len(won) > 1 || len(won) == 0 && who != "anybody" {
		t.Errorf("round %d: %d pods began, want one", round, len(won))
	}
	for _, c := range children {
		if who == "the winner" && won[c.id] {
			must(t, c.Process.Kill())
		}
		_ = c.stdin.Close()
		if err := c.Wait(); err != nil && who == "nobody" {
			t.Errorf("pod %s: %v", c.id, err)
		}
	}
	return won
}

// checkVersions holds that the storage has the newest versions without a gap.
func checkVersions(t *testing.T, folder string) {
	t.Helper()
	v, last := versions{Stored: Stored{Name: "night.db"}}, int64(0)
	for _, name := range names(t, folder) {
		version, ok := v.parse("night.db/" + name)
		if !ok {
			t.Errorf("%s in the state's folder", name)
		}
		if last > 0 && version != last+1 {
			t.Errorf("version %d follows %d", version, last)
		}
		last = version
	}
	if last < rounds {
		t.Errorf("the newest version is %d", last)
	}
}
