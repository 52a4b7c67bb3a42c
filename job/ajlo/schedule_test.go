package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"ajlo/job"
	"ajlo/job/schedule"
)

// quietConfig is a config whose log folder is empty.
func quietConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "ajlo.yaml")
	if err := os.WriteFile(config, []byte("sources: [{logs: logs}]\nbudget: {rewrite: 1GB}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// kept keeps a schedule with a clock that is moved on by waiting, from one time to another.
func kept(t *testing.T, config, from, until string) (said string) {
	t.Helper()
	now, end := must(time.Parse(time.RFC3339, from))(t), must(time.Parse(time.RFC3339, until))(t)
	var out, errs bytes.Buffer
	w := world{out: &out, errs: &errs, clock: func() time.Time { return now }, log: slog.New(slog.NewTextHandler(&errs, nil))}
	k := must(scheduleCommand{Config: config, Cron: "30 2 * * *", Zone: "Europe/Berlin", JSON: true}.keeper(w))(t)
	ctx, stop := context.WithCancel(t.Context())
	k.Wait = func(ctx context.Context, d time.Duration) error {
		if now = now.Add(d); !now.Before(end) {
			stop()
		}
		return ctx.Err()
	}
	if err := k.Keep(ctx); err != nil {
		t.Error(err)
	}
	return errs.String()
}

// A schedule runs each night once, over a day on which clocks are set and over a missed night,
// and goes on where a night cannot be run.
func TestScheduleRunsNights(t *testing.T) {
	config := quietConfig(t)
	kept(t, config, "2026-03-27T12:00:00Z", "2026-03-30T12:00:00Z")
	kept(t, config, "2026-04-02T12:00:00Z", "2026-04-03T12:00:00Z")
	if said := kept(t, config, "2026-04-03T13:00:00Z", "2026-04-03T14:00:00Z"); strings.Contains(said, "is due") {
		t.Errorf("a night that was run is run again: %s", said)
	}
	if err := os.Rename(filepath.Join(filepath.Dir(config), "logs"), filepath.Join(filepath.Dir(config), "gone")); err != nil {
		t.Fatal(err)
	}
	if said := kept(t, config, "2026-04-03T14:00:00Z", "2026-04-05T12:00:00Z"); strings.Count(said, "the night did not end well") != 2 || !strings.Contains(said, "there is no folder") {
		t.Errorf("nights without logs: %s", said)
	}
	got := []string{}
	listed := ask("audit", "runs", "--config", config, "--json")
	var runs []struct {
		Night   string
		Outcome string
	}
	if err := json.Unmarshal([]byte(listed.out), &runs); err != nil {
		t.Fatalf("%v: %+v", err, listed)
	}
	for _, r := range runs {
		got = append(got, r.Night+" "+r.Outcome)
	}
	want := []string{
		"2026-03-28 no_evidence", "2026-03-29 no_evidence", "2026-03-30 no_evidence",
		"2026-04-02 no_evidence", "2026-04-03 no_evidence", "2026-04-04 failed", "2026-04-05 failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A schedule that waits ends well when it is told to.
func TestScheduleStops(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ajlo")
	if err := os.Symlink(must(os.Executable())(t), program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "schedule", "--config", quietConfig(t), "--cron", "30 2 * * *")
	errs := must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	if !lines.Scan() || !strings.Contains(lines.Text(), "waiting for the next night") {
		t.Errorf("it says %s", lines.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
		t.Errorf("it says %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestScheduleRefuses(t *testing.T) {
	config := quietConfig(t)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no expression", []string{"--config", config}, "--cron"},
		{"a wrong expression", []string{"--config", config, "--cron", "at night"}, "30 2 * * *"},
		{"a zone that is none", []string{"--config", config, "--cron", "30 2 * * *", "--zone", "Berlin"}, "Europe/Berlin"},
		{"no config", []string{"--cron", "30 2 * * *"}, "no config"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(append([]string{"schedule"}, tt.args...)...)
			if got.code != job.ExitUsage || !strings.Contains(got.errs, tt.want) {
				t.Errorf("exit code %d, want 2 and %q, said %s", got.code, tt.want, got.errs)
			}
		})
	}
}

// What systemd and Kubernetes are told to run is a command line of this program, at the same
// time of the night.
func TestUnits(t *testing.T) {
	service := string(must(os.ReadFile("../../scripts/systemd/ajlo.service"))(t))
	_, line, _ := strings.Cut(service, "ExecStart=/usr/local/bin/ajlo ")
	line, _, _ = strings.Cut(line, "\n")
	understood(t, strings.Fields(line))
	if timer := string(must(os.ReadFile("../../scripts/systemd/ajlo.timer"))(t)); !strings.Contains(timer, "OnCalendar=*-*-* 02:30:00 UTC\nPersistent=true\n") {
		t.Errorf("the timer is %s", timer)
	}
	var cron struct {
		Spec struct {
			Schedule    string
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct{ Containers []struct{ Args []string } }
					}
				}
			} `yaml:"jobTemplate"`
			Zone   string `yaml:"timeZone"`
			Policy string `yaml:"concurrencyPolicy"`
		}
	}
	if err := yaml.Unmarshal(must(os.ReadFile("../../scripts/kubernetes/cronjob.yaml"))(t), &cron); err != nil {
		t.Fatal(err)
	}
	zone := must(time.LoadLocation(cron.Spec.Zone))(t)
	due := must(schedule.Parse(cron.Spec.Schedule, zone))(t).Next(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	if due.End.Format(time.RFC3339) != "2026-11-30T02:30:00Z" || cron.Spec.Policy != "Forbid" {
		t.Errorf("%+v is due at %v", cron.Spec, due.End)
	}
	containers := cron.Spec.JobTemplate.Spec.Template.Spec.Containers
	if len(containers) != 1 {
		t.Fatalf("%d containers", len(containers))
	}
	understood(t, containers[0].Args)
}

func understood(t *testing.T, args []string) {
	t.Helper()
	var c commands
	parser := must(kong.New(&c, kong.Exit(func(int) {}), kong.Vars{"version": "test"}))(t)
	if _, err := parser.Parse(args); err != nil || len(args) == 0 {
		t.Errorf("%q: %v", args, err)
	}
}
