//go:build airflow

package airflow_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ajlo/dags/dagtest"
)

// night is one run of the DAG, as testdata/nights.py takes it.
type night struct {
	Date       string         `json:"date"`
	Parameters map[string]any `json:"parameters"`
	Approver   string         `json:"approver,omitempty"`
}

// came is what became of it.
type came struct {
	State string
	Tasks map[string]struct {
		State string
		Tries int
		Value json.RawMessage
	}
}

// states tells each task's state, with its tries where there was more than one.
func (c came) states() map[string]string {
	states := map[string]string{}
	for name, task := range c.Tasks {
		states[name] = task.State
		if task.Tries > 1 {
			states[name] += fmt.Sprintf(" at the %d. try", task.Tries)
		}
	}
	return states
}

// nightOf runs the DAG on a site.
func nightOf(s dagtest.Site, binary, date string) night {
	return night{Date: date + "T02:30:00+00:00", Parameters: map[string]any{
		"config": s.Config(), "binary": binary, "facts": filepath.Join(s.Folder, "facts"), "shards": 2,
	}}
}

// airflow is an Airflow with nothing but the DAG.
type airflow struct{ venv, home string }

func newAirflow(t *testing.T) airflow {
	t.Helper()
	a := airflow{venv: os.Getenv("AJLO_AIRFLOW"), home: t.TempDir()}
	if a.venv == "" {
		t.Fatal("AJLO_AIRFLOW names no Airflow: scripts/test sets it")
	}
	dag, err := os.ReadFile("ajlo_night.py")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(a.home, "dags"), 0o755); err != nil {
		t.Fatal(err)
	}
	dagtest.Write(t, filepath.Join(a.home, "dags/ajlo_night.py"), string(dag), 0o644)
	a.run(t, nil, "airflow", "db", "migrate")
	return a
}

func (a airflow) run(t *testing.T, in []byte, program string, args ...string) (out []byte) {
	t.Helper()
	cmd := exec.Command(filepath.Join(a.venv, "bin", program), args...)
	cmd.Env = append(os.Environ(), "AIRFLOW_HOME="+a.home, "AIRFLOW__CORE__LOAD_EXAMPLES=False", "AJLO_RETRY_SECONDS=1")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return out
}

// nights runs the DAG again and again and gives what became of it, and all that was said.
func (a airflow) nights(t *testing.T, nights []night) (became []came, said string) {
	t.Helper()
	asked, err := json.Marshal(nights)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.TrimSpace(a.run(t, asked, "python", "testdata/nights.py", filepath.Join(a.home, "dags")))
	last := out[bytes.LastIndexByte(out, '\n')+1:]
	if err := json.Unmarshal(last, &became); err != nil || len(became) != len(nights) {
		t.Fatalf("%v\n%s", err, out)
	}
	return became, string(out)
}

func TestNights(t *testing.T) {
	a, binary := newAirflow(t), dagtest.Build(t)
	embedded := "engine: {target_file_size: 64KiB}\n"
	asking, none := dagtest.NewSite(t, embedded+"approval: required\n"), dagtest.NewSite(t, embedded)
	failing := dagtest.NewSite(t, embedded)
	failing.Damage(t)
	drift := nightOf(asking, asking.KilledOnce(t, binary), "2026-11-30")
	drift.Approver = "Ada"
	cases := []struct {
		name    string
		night   night
		site    dagtest.Site
		state   string
		tasks   map[string]string // that do not succeed at the first try
		version int               // of the table in the end of all nights
		audit   []string
	}{
		{"drift, a person's leave, and a kill while it applies", drift, asking, "success",
			map[string]string{"apply": "success at the 2. try"}, 2, []string{"approved  Ada", " interrupted ", " applied "}},
		{"quiet", nightOf(asking, binary, "2026-12-01"), asking, "success",
			map[string]string{"approve": "skipped", "apply": "skipped", "verify": "skipped"}, 2, []string{" no_drift "}},
		{"the engine cannot read the table", nightOf(failing, binary, "2026-11-30"), failing, "failed",
			map[string]string{"approve": "skipped", "apply": "failed", "verify": "upstream_failed", "report": "upstream_failed"}, 1, []string{" refused "}},
		{"without the program", nightOf(none, "no-such-ajlo", "2026-11-30"), none, "failed", map[string]string{
			"facts[0]": "failed", "facts[1]": "failed", "plan": "upstream_failed", "drifted": "upstream_failed",
			"approve": "upstream_failed", "apply": "upstream_failed", "verify": "upstream_failed", "report": "upstream_failed"}, 1, nil},
	}
	words := []string{"ajlo ended with 5, refused before anything ran: ", "ajlo ended with 137, killed", "ajlo cannot be started", "put it on the workers"}
	if os.Getenv("AJLO_SOAK") == "" { // a task takes Airflow seconds; what fails is told apart in Dagster's test, too
		cases, words = cases[:2], words[1:2]
	}
	asked := make([]night, len(cases))
	for i, c := range cases {
		asked[i] = c.night
	}
	became, said := a.nights(t, asked)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := map[string]string{}
			for _, task := range []string{"shards", "facts[0]", "facts[1]", "plan", "drifted", "approve", "apply", "verify", "report"} {
				want[task] = cmp.Or(c.tasks[task], "success")
			}
			if diff := gocmp.Diff(want, became[i].states()); diff != "" || became[i].State != c.state {
				t.Errorf("the run is %s, want %s\n%s", became[i].State, c.state, diff)
			}
			if v := c.site.Version(t); v != c.version {
				t.Errorf("the table is at version %d, want %d", v, c.version)
			}
			told := c.site.Audit(t, binary)
			for _, words := range c.audit {
				if !strings.Contains(told, words) {
					t.Errorf("%q is not in\n%s", words, told)
				}
			}
		})
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%q was not said", word)
		}
	}
	figuresOf(t, became[0])
	if t.Failed() {
		t.Log(said[max(0, len(said)-20_000):])
	}
}

// figuresOf holds that tasks hand on what the program said.
func figuresOf(t *testing.T, c came) {
	t.Helper()
	var plan struct {
		Outcome string   `json:"outcome"`
		Planned []string `json:"planned"`
		Saved   int64    `json:"saved_bytes_per_window"`
		Rewrite int64    `json:"rewrite_bytes"`
		Hash    string   `json:"plan_sha256"`
	}
	var done []struct {
		Table string `json:"table_name"`
		Rows  int64  `json:"row_count"`
	}
	for task, into := range map[string]any{"plan": &plan, "verify": &done} {
		if err := json.Unmarshal(c.Tasks[task].Value, into); err != nil {
			t.Fatalf("%s: %v", task, err)
		}
	}
	if plan.Outcome != "dry_run" || !gocmp.Equal(plan.Planned, []string{"tpch.orders"}) || plan.Saved < 10e6 || plan.Rewrite != 2_694_694 || len(plan.Hash) != 64 {
		t.Errorf("the plan's figures are %+v", plan)
	}
	if len(done) != 1 || done[0].Table != "tpch.orders" || done[0].Rows != 75_000 {
		t.Errorf("what was measured is %+v", done)
	}
	shards := 0
	for _, name := range []string{"facts[0]", "facts[1]"} {
		var facts struct{ Queries int }
		if err := json.Unmarshal(c.Tasks[name].Value, &facts); err != nil {
			t.Fatal(err)
		}
		shards += facts.Queries
	}
	if shards != 46 {
		t.Errorf("the shards have %d queries, want 46", shards)
	}
}
