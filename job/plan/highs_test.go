//go:build highs

package plan

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"ajlo/job/unit"
)

// Our own search finds what HiGHS finds. scripts/install-highs installs it; AJLO_HIGHS names
// its venv.
func TestExactEqualsHiGHS(t *testing.T) {
	const n = 200
	problems := make([]problem, n)
	for seed := range problems {
		problems[seed] = randomGraph(uint64(seed))
	}
	worst, sum := 1.0, 0.0
	for i, picks := range solveByHiGHS(t, problems) {
		p, got, greedy := problems[i], choose(problems[i], Exact), choose(problems[i], Greedy)
		npv, rewrite, storage := p.worth(picks)
		if rewrite > p.budget || storage > p.storage {
			t.Fatalf("graph %d: HiGHS rewrites %d of %d, keeps %d of %d", i, rewrite, p.budget, storage, p.storage)
		}
		if got.npv != npv || got.bound != npv {
			t.Errorf("graph %d of %d tables and %d edges: NPV %d with bound %d, HiGHS finds %d", i, len(p.options), len(p.pairs), got.npv, got.bound, npv)
		}
		ratio := float64(greedy.npv) / float64(max(npv, 1))
		worst, sum = min(worst, ratio), sum+ratio
	}
	t.Logf("%d join graphs: exact equals HiGHS; the greedy reaches %.3f of it in the mean, %.3f at worst", n, sum/float64(n), worst)
}

type solvedOption struct {
	NPV     unit.Bytes `json:"npv"`
	Rewrite unit.Bytes `json:"rewrite"`
	Storage unit.Bytes `json:"storage"`
}

type solvedTerm struct {
	A     int        `json:"a"`
	B     int        `json:"b"`
	PickA int        `json:"pick_a"`
	PickB int        `json:"pick_b"`
	NPV   unit.Bytes `json:"npv"`
}

func solveByHiGHS(t *testing.T, problems []problem) (picks [][]int) {
	t.Helper()
	venv := os.Getenv("AJLO_HIGHS")
	if venv == "" {
		t.Fatal("AJLO_HIGHS names no venv with HiGHS: run scripts/install-highs and set it to .cache/highs-VERSION")
	}
	var in bytes.Buffer
	for _, p := range problems {
		line, err := json.Marshal(map[string]any{"tables": solvedOptions(p), "terms": solvedTerms(p), "rewrite": p.budget, "storage": p.storage})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	command := exec.CommandContext(t.Context(), venv+"/bin/python", "testdata/highs.py")
	command.Stdin, command.Stderr = &in, os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var one []int
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		picks = append(picks, one)
	}
	if len(picks) != len(problems) {
		t.Fatalf("HiGHS solved %d of %d problems", len(picks), len(problems))
	}
	return picks
}

func solvedOptions(p problem) [][]solvedOption {
	tables := make([][]solvedOption, len(p.options))
	for i, options := range p.options {
		tables[i] = []solvedOption{}
		for _, o := range options {
			tables[i] = append(tables[i], solvedOption{o.npv, o.rewrite, o.storage})
		}
	}
	return tables
}

func solvedTerms(p problem) []solvedTerm {
	terms := []solvedTerm{}
	for _, two := range p.pairs {
		for _, one := range two.terms {
			terms = append(terms, solvedTerm{two.a, two.b, one.a, one.b, one.npv})
		}
	}
	return terms
}
