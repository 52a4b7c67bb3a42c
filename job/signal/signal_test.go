package signal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"ajlo/job/table"
	"ajlo/job/unit"
)

var at = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

func step(n int, status string) Step {
	return Step{
		Number: n, Table: `sales."odd"` + "\n", Location: "s3://lake/sales.db/odd", Kind: "rekey", Layout: "hilbert(a, b)", Started: at.Add(time.Minute),
		Ended: at.Add(2 * time.Minute), Status: status, Error: map[bool]string{true: "the disk is full"}[status == "failed"], Changed: status == "applied",
		Version: 8, Rows: 100, FilesRemoved: 2, FilesAdded: 3, BytesRemoved: 1000, BytesAdded: 990, Scanned: [3]unit.Bytes{9000, 4000, -1},
	}
}

func night() Run {
	return Run{
		ID: "0b6c9e8a-6f0c-4a55-9c53-0a3a4a1f2d10", Night: "2026-11-30", Purpose: "night", Engine: "embedded", Started: at,
		Window: [2]time.Time{at.Add(-7 * 24 * time.Hour), at}, Ended: at.Add(time.Hour), Outcome: "applied_in_part", ExitCode: 3, Error: "one failed",
		Decided: &Decided{PlanHash: "ff", Trigger: "drift", Drift: map[string]float64{"last": 0.25}, Applications: 4, Queries: 40, Budget: 5000, Rewrite: 2000, Saved: 7000},
		Steps:   []Step{step(0, "applied"), step(1, "failed")},
	}
}

// What is written is read by Prometheus' own parser, with names that need quoting.
func TestMetrics(t *testing.T) {
	text, err := Metrics("north", night())
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	got := map[string]float64{}
	for name, f := range families {
		if f.GetHelp() == "" || f.GetType().String() != "GAUGE" {
			t.Errorf("%s: help %q, type %s", name, f.GetHelp(), f.GetType())
		}
		for _, m := range f.Metric {
			labels := ""
			for _, l := range m.Label {
				labels += "," + l.GetName() + "=" + l.GetValue()
			}
			got[name+strings.TrimSuffix(labels, ",lake=north")] = m.GetGauge().GetValue()
		}
	}
	table := `,table=sales."odd"` + "\n" + `,kind=rekey`
	want := map[string]float64{
		"ajlo_run_info,outcome=applied_in_part,night=2026-11-30,engine=embedded,purpose=night": 1, "ajlo_run_exit_code": 3,
		"ajlo_run_start_timestamp_seconds": 1796004000, "ajlo_run_end_timestamp_seconds": 1796007600, "ajlo_window_end_timestamp_seconds": 1796004000,
		"ajlo_window_applications": 4, "ajlo_window_queries": 40, "ajlo_window_unreadable_logs": 0, "ajlo_window_scanned_bytes": 0, "ajlo_window_unresolved_bytes": 0,
		"ajlo_plan_budget_bytes": 5000, "ajlo_plan_rewrite_bytes": 2000, "ajlo_plan_saved_bytes_per_window": 7000, "ajlo_plan_awaits_approval": 0,
		"ajlo_drift_ratio,reference=last": 0.25, "ajlo_run_steps,status=applied": 1, "ajlo_run_steps,status=failed": 1, "ajlo_run_steps,status=refused": 0, "ajlo_run_steps,status=pending": 0,
		"ajlo_table_rewritten_bytes" + table: 1000, "ajlo_table_written_bytes" + table: 990, "ajlo_table_rewritten_rows" + table: 100,
		"ajlo_table_scanned_bytes" + table + ",when=before": 9000, "ajlo_table_scanned_bytes" + table + ",when=foretold": 4000,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// collector keeps what was posted.
type collector struct {
	*httptest.Server
	bodies  [][]byte
	headers []http.Header
	status  int
}

func collect(t *testing.T, status int) *collector {
	c := &collector{status: status}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.bodies, c.headers = append(c.bodies, body), append(c.headers, r.Header)
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

func sender(t *testing.T, p Places, log *bytes.Buffer) *Sender {
	t.Helper()
	p.Lake = "north"
	if p.Limit == 0 {
		p.Limit = 5 * time.Second
	}
	return New(p, "v1 beta", slog.New(slog.NewTextHandler(log, nil)), func() time.Time { return at })
}

// tell sends what a run with two steps has to tell.
func tell(t *testing.T, s *Sender) {
	t.Helper()
	r := night()
	s.RunBegan(t.Context(), r)
	for _, step := range r.Steps {
		s.StepBegan(t.Context(), r, step)
		s.StepEnded(t.Context(), r, step)
	}
	s.RunEnded(t.Context(), r)
}

func TestOpenLineage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	var log bytes.Buffer
	web := collect(t, http.StatusCreated)
	tell(t, sender(t, Places{OpenLineage: file}, &log))
	tell(t, sender(t, Places{OpenLineage: web.URL + "/api/v1/lineage", Token: "token-1"}, &log))
	text, err := os.ReadFile(file)
	if err != nil || log.Len() > 0 {
		t.Fatalf("%v, %s", err, &log)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if diff := cmp.Diff(lines, web.bodies); diff != "" {
		t.Errorf("the file and the requests differ: %s", diff)
	}
	if got := web.headers[0].Get("Authorization"); got != "Bearer token-1" {
		t.Errorf("authorization %q", got)
	}
	var told []string
	for _, line := range lines {
		e := wellFormed(t, line)
		told = append(told, fmt.Sprintf("%s %s of %s", e.Type, e.Job.Name, e.Run.ID))
	}
	night, one, two := runID(night().ID), stepID(night().ID, 0), stepID(night().ID, 1)
	odd := `ajlo.sales."odd"` + "\n"
	want := []string{"START ajlo of " + night, "START " + odd + " of " + one, "COMPLETE " + odd + " of " + one, "START " + odd + " of " + two, "FAIL " + odd + " of " + two, "FAIL ajlo of " + night}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	var e event
	if err := json.Unmarshal(lines[2], &e); err != nil {
		t.Fatal(err)
	}
	if e.Outputs[0].Namespace != "s3://lake" || e.Outputs[0].Name != "sales.db/odd" || e.Outputs[0].Output["outputStatistics"]["rowCount"] != 100. {
		t.Errorf("output %+v", e.Outputs[0])
	}
	againstSpecification(t, lines)
}

// wellFormed holds an event against what the specification demands of a run event and its facets.
func wellFormed(t *testing.T, line []byte) (e event) {
	t.Helper()
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	if e.Time.IsZero() || e.Producer == "" || e.SchemaURL != eventSchema || e.Job.Namespace != "north" || e.Job.Name == "" {
		t.Errorf("event %s", line)
	}
	if _, err := uuid.Parse(e.Run.ID); err != nil {
		t.Errorf("run id %q: %v", e.Run.ID, err)
	}
	all := []facets{e.Run.Facets, e.Job.Facets}
	for _, d := range slices.Concat(e.Inputs, e.Outputs) {
		if all = append(all, d.Facets, d.Output); d.Namespace == "" || d.Name == "" {
			t.Errorf("dataset %+v", d)
		}
	}
	for _, some := range all {
		for name, f := range some {
			if url, ok := f["_schemaURL"].(string); !ok || f["_producer"] != e.Producer || !strings.HasPrefix(url, facetSchemas) || !strings.Contains(url, "#/$defs/") {
				t.Errorf("facet %s: %v", name, f)
			}
		}
	}
	return e
}

// againstSpecification holds events against the JSON schemas of OpenLineage, where
// AJLO_OPENLINEAGE names the folder spec of its repository.
func againstSpecification(t *testing.T, lines [][]byte) {
	t.Helper()
	folder := os.Getenv("AJLO_OPENLINEAGE")
	if folder == "" {
		t.Log("AJLO_OPENLINEAGE names no specification: events were held against its rules as this test has them")
		return
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	known := map[string]bool{}
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "tests" || d.Name() == "registry") {
			return skipped(err, d)
		}
		if d.IsDir() || !strings.HasSuffix(name, ".json") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		id := document.(map[string]any)["$id"].(string)
		known[id] = true
		return compiler.AddResource(id, document)
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(url string, value any) {
		schema, err := compiler.Compile(url)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		check(eventSchema, value)
		eachFacet(value, func(url string, facet any) {
			if id, _, _ := strings.Cut(url, "#"); !known[id] {
				t.Errorf("%s is no schema of this specification", id)
				return
			}
			check(url, facet)
		})
	}
}

func skipped(err error, d fs.DirEntry) error {
	if err != nil || !d.IsDir() {
		return err
	}
	return fs.SkipDir
}

// eachFacet finds the facets of an event, which name their own schema.
func eachFacet(value any, use func(url string, facet any)) {
	switch v := value.(type) {
	case map[string]any:
		if url, ok := v["_schemaURL"].(string); ok {
			use(url, v)
			return
		}
		for _, below := range v {
			eachFacet(below, use)
		}
	case []any:
		for _, below := range v {
			eachFacet(below, use)
		}
	}
}

func TestWebhook(t *testing.T) {
	web := collect(t, http.StatusOK)
	tell(t, sender(t, Places{Webhook: web.URL + "/secret"}, &bytes.Buffer{}))
	if len(web.bodies) != 1 {
		t.Fatalf("%d requests", len(web.bodies))
	}
	var got map[string]any
	if err := json.Unmarshal(web.bodies[0], &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"text": "ajlo north: night 2026-11-30 ended with applied_in_part, 1 tables laid anew: one failed", "outcome": "applied_in_part", "exit_code": 3., "night": "2026-11-30"}
	for name, value := range want {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Whatever goes wrong, nothing comes back, one warning is given for each place, and it holds no
// secret.
func TestSignalsThatCannotBeSent(t *testing.T) {
	over := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer hanging.Close()
	defer close(over)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	away := httptest.NewServer(http.RedirectHandler(hanging.URL+"/elsewhere", http.StatusTemporaryRedirect))
	defer away.Close()
	refusing := collect(t, http.StatusForbidden)
	for _, tt := range []struct {
		name   string
		places Places
		want   string
	}{
		{"nobody listens", Places{OpenLineage: gone.URL + "/hush", Token: "hush-token"}, "connection refused"},
		{"it hangs", Places{OpenLineage: hanging.URL + "/hush", Token: "hush-token", Limit: 10 * time.Millisecond}, "deadline exceeded"},
		{"it refuses", Places{OpenLineage: refusing.URL + "/hush", Token: "hush-token"}, "403"},
		{"it leads elsewhere", Places{Webhook: away.URL + "/hush"}, "307"},
		{"it hangs", Places{Webhook: hanging.URL + "/hush", Limit: 10 * time.Millisecond}, "deadline exceeded"},
		{"no URL", Places{Webhook: "https://hush:%zz"}, "no URL"},
		{"a folder that is not there", Places{Prometheus: filepath.Join(t.TempDir(), "no", "ajlo.prom")}, "no such file"},
		{"a file that cannot be written", Places{OpenLineage: t.TempDir()}, "is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			tell(t, sender(t, tt.places, &log))
			if said := log.String(); strings.Count(said, "level=WARN") != 1 || !strings.Contains(said, tt.want) || strings.Contains(said, "hush") {
				t.Errorf("want one warning of %q without a secret, have %s", tt.want, said)
			}
		})
	}
}

// A place that fails is left alone until the run's end, and a run that is told to stop tells so.
func TestRunThatIsStopped(t *testing.T) {
	web := collect(t, http.StatusServiceUnavailable)
	s := sender(t, Places{OpenLineage: web.URL}, &bytes.Buffer{})
	r := night()
	s.RunBegan(t.Context(), r)
	s.StepBegan(t.Context(), r, r.Steps[0])
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	web.status, r.Outcome = http.StatusOK, "interrupted"
	s.RunEnded(stopped, r)
	if len(web.bodies) != 2 {
		t.Fatalf("%d requests, want the first and the last", len(web.bodies))
	}
	if e := wellFormed(t, web.bodies[1]); e.Type != Abort {
		t.Errorf("the last event is %s", e.Type)
	}
}

func TestFileIsWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ajlo.prom")
	var log bytes.Buffer
	tell(t, sender(t, Places{Prometheus: name}, &log))
	tell(t, sender(t, Places{Prometheus: name}, &log))
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o644 || log.Len() > 0 {
		t.Errorf("%v, %v, %s: the collector is another user", info.Mode(), err, &log)
	}
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v", entries, err)
	}
}

func TestNoPlaceNoSender(t *testing.T) {
	s := New(Places{Lake: "north"}, "v1", slog.Default(), time.Now)
	if s != nil {
		t.Error("a sender of nothing")
	}
	tell(t, s)
}

func merged() Merge {
	return Merge{
		ID: "0b6c9e8a-6f0c-4a55-9c53-0a3a4a1f2d11", Table: `sales."odd"` + "\n", Location: "s3://lake/sales.db/odd", Source: "s3://feeds/today.csv", Started: at,
		Ended: at.Add(time.Minute), Changed: true, Version: 9, Updated: 3, Deleted: 2, Inserted: 5, Copied: 90, FilesRemoved: 1, FilesAdded: 2, BytesRemoved: 1000, BytesAdded: 1100,
	}
}

// A merge is told of as a run is: two events, figures in a file of its own, a sentence.
func TestMergeSignals(t *testing.T) {
	folder, web := t.TempDir(), collect(t, http.StatusOK)
	file := filepath.Join(folder, "events.jsonl")
	var log bytes.Buffer
	s := sender(t, Places{OpenLineage: file, Prometheus: filepath.Join(folder, "ajlo.prom"), Webhook: web.URL}, &log)
	failed := merged()
	failed.Changed, failed.ExitCode, failed.Error = false, 1, "the disk is full"
	idle := merged()
	idle.Changed = false
	gone, stop := context.WithCancel(t.Context())
	stop()
	s.MergeBegan(t.Context(), merged())
	s.MergeEnded(t.Context(), merged())
	s.MergeEnded(t.Context(), idle)
	s.MergeEnded(gone, failed)
	s.MergeEnded(t.Context(), failed)
	text, err := os.ReadFile(file)
	if err != nil || log.Len() > 0 {
		t.Fatalf("%v, %s", err, &log)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var told, said []string
	for _, line := range lines {
		e := wellFormed(t, line)
		told = append(told, fmt.Sprintf("%s %s from %s", e.Type, e.Job.Name, e.Inputs[1].Namespace+"/"+e.Inputs[1].Name))
	}
	odd := ` ajlo.merge.sales."odd"` + "\n from s3://feeds/today.csv"
	if diff := cmp.Diff([]string{"START" + odd, "COMPLETE" + odd, "COMPLETE" + odd, "ABORT" + odd, "FAIL" + odd}, told); diff != "" {
		t.Error(diff)
	}
	againstSpecification(t, lines)
	for _, body := range web.bodies {
		var got struct{ Text string }
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		said = append(said, strings.TrimPrefix(got.Text, `ajlo north: merge into sales."odd"`+"\n"))
	}
	if diff := cmp.Diff([]string{": 3 rows updated, 2 deleted, 5 inserted", ": nothing to do", " failed: the disk is full", " failed: the disk is full"}, said); diff != "" {
		t.Error(diff)
	}
	figures, err := os.ReadFile(filepath.Join(folder, "ajlo-merge-sales.%22odd%22%0A.prom"))
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(figures))
	if err != nil || len(families) != 6 || families["ajlo_merge_exit_code"].Metric[0].GetGauge().GetValue() != 1 {
		t.Errorf("%v: %s", err, figures)
	}
	long := mergeFile("a.prom", table.Name(strings.Repeat("x", 300)))
	if other := mergeFile("a.prom", table.Name(strings.Repeat("x", 301))); len(long) > 100 || long == other {
		t.Errorf("files %s and %s", long, other)
	}
}
