//go:build dagster

package dagster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/dags/dagtest"
)

// night is one run of the job, as testdata/nights.py takes it.
type night struct {
	Partition string         `json:"partition"`
	Resource  map[string]any `json:"resource"`
	RunConfig map[string]any `json:"run_config,omitempty"`
	Only      []string       `json:"only,omitempty"`
}

// came is what became of it.
type came struct {
	Success  bool
	Steps    map[string]string
	Metadata map[string]map[string]any
	Checks   map[string]struct {
		Passed   bool
		Metadata map[string]any
	}
	Failures []string
	Retries  int
}

func nightOf(s dagtest.Site, binary, partition string) night {
	return night{Partition: partition, Resource: map[string]any{
		"config": s.Config(), "binary": binary, "facts": filepath.Join(s.Folder, "facts"), "shards": 2,
	}}
}

// run runs the nights one after the other and gives what became of them, and all that was said.
func run(t *testing.T, nights []night) (became []came, said string) {
	t.Helper()
	venv := os.Getenv("AJLO_DAGSTER")
	if venv == "" {
		t.Fatal("AJLO_DAGSTER names no Dagster: scripts/test sets it")
	}
	asked, err := json.Marshal(nights)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(venv, "bin/python"), "testdata/nights.py", ".", filepath.Join(t.TempDir(), "instance"))
	cmd.Env = append(os.Environ(), "AJLO_RETRY_SECONDS=1", "DAGSTER_DISABLE_TELEMETRY=1", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(asked)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out = bytes.TrimSpace(out)
	if err := json.Unmarshal(out[bytes.LastIndexByte(out, '\n')+1:], &became); err != nil || len(became) != len(nights) {
		t.Fatalf("%v\n%s", err, out)
	}
	return became, string(out)
}

func TestNights(t *testing.T) {
	binary, embedded := dagtest.Build(t), "engine: {target_file_size: 64KiB}\n"
	asking, none := dagtest.NewSite(t, embedded+"approval: required\n"), dagtest.NewSite(t, embedded)
	failing := dagtest.NewSite(t, embedded)
	failing.Damage(t)
	allowed := nightOf(asking, asking.KilledOnce(t, binary), "2026-11-29")
	allowed.Only = []string{"layout"}
	allowed.RunConfig = map[string]any{"ops": map[string]any{"layout": map[string]any{"config": map[string]any{"approved_by": "Ada", "approved_until": "2999-01-01"}}}}
	cases := []struct {
		name    string
		night   night
		site    dagtest.Site
		layout  string // what became of the step
		laid    int    // tables that were laid
		checks  int    // that were evaluated
		version int    // of the table in the end of all nights
		retries int
		failure string
	}{
		{"drift, and nobody's leave", nightOf(asking, binary, "2026-11-29"), asking, "success", 0, 1, 2, 0, ""},
		{"a person's leave, and a kill while it applies", allowed, asking, "success", 1, 2, 2, 1, ""},
		{"quiet", nightOf(asking, binary, "2026-11-30"), asking, "success", 0, 1, 2, 0, ""},
		{"the engine cannot read the table", nightOf(failing, binary, "2026-11-29"), failing, "failure", 0, 1, 1, 0, "ajlo ended with 5, refused before anything ran: "},
		{"without the program", nightOf(none, "no-such-ajlo", "2026-11-29"), none, "", 0, 0, 1, 0, "ajlo cannot be started"},
	}
	asked := make([]night, len(cases))
	for i, c := range cases {
		asked[i] = c.night
	}
	became, said := run(t, asked)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := became[i]
			if b.Success != (c.failure == "") || b.Retries != c.retries || c.layout != "" && b.Steps["layout"] != c.layout {
				t.Errorf("success %v, %d retries, steps %v, failures %v", b.Success, b.Retries, b.Steps, b.Failures)
			}
			if all := strings.Join(b.Failures, "\n"); !strings.Contains(all, c.failure) {
				t.Errorf("%q is not in\n%s", c.failure, all)
			}
			if v := c.site.Version(t); v != c.version {
				t.Errorf("the table is at version %d, want %d", v, c.version)
			}
			laid := 0
			if b.Metadata["layout"] != nil {
				laid = 1
			}
			if laid != c.laid || len(b.Checks) != c.checks {
				t.Errorf("%d tables were laid, want %d, with %d checks, want %d", laid, c.laid, len(b.Checks), c.checks)
			}
			for name, check := range b.Checks {
				if !check.Passed {
					t.Errorf("check %s did not pass: %v", name, check.Metadata)
				}
			}
		})
	}
	if !strings.Contains(said, "waits for a person's leave") {
		t.Error("nobody was asked for leave")
	}
	figures(t, became)
}

// figures holds that metadata are what the program said.
func figures(t *testing.T, became []came) {
	t.Helper()
	drift, laid, quiet := became[0], became[1], became[2]
	got := []any{
		drift.Metadata["facts"]["applications"], drift.Metadata["plan"]["outcome"], drift.Metadata["plan"]["rewrite_bytes"],
		laid.Metadata["layout"]["rewritten_bytes"], quiet.Metadata["plan"]["outcome"], quiet.Metadata["plan"]["drift_last"],
	}
	if diff := cmp.Diff([]any{1.0, "dry_run", 2_694_694.0, 2_694_694.0, "no_drift", 0.0}, got); diff != "" {
		t.Error(diff)
	}
	outcomes := fmt.Sprint(laid.Checks["verified"].Metadata)
	if !strings.Contains(outcomes, "interrupted") || !strings.Contains(outcomes, "applied") {
		t.Errorf("the killed night's runs are %s", outcomes)
	}
	if told := fmt.Sprint(laid.Metadata["layout"]["report"]); !strings.Contains(told, "approved  Ada") {
		t.Errorf("the report is %s", told)
	}
	if told := fmt.Sprint(laid.Checks["measured"].Metadata["tpch.orders"]); !strings.Contains(told, "scanned_bytes 86230208 to ") {
		t.Errorf("what was measured is %s", told)
	}
}
