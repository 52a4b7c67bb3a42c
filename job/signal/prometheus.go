package signal

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// metrics are the families of one run or merge, in the order of their names.
type metrics struct {
	lake     string
	families map[string]*dto.MetricFamily
}

func newMetrics(lake string) metrics { return metrics{lake, map[string]*dto.MetricFamily{}} }

// Metrics is the run in Prometheus' text format, each series with the label lake.
func Metrics(lake string, r Run) ([]byte, error) {
	m := newMetrics(lake)
	m.gauge("ajlo_run_info", "The latest run: its outcome, night and engine.", 1, "outcome", r.Outcome, "night", r.Night, "engine", r.Engine, "purpose", r.Purpose)
	m.gauge("ajlo_run_exit_code", "Exit code of the latest run, 0 where it ended well.", float64(r.ExitCode))
	m.gauge("ajlo_run_start_timestamp_seconds", "When the latest run began.", seconds(r.Started))
	m.gauge("ajlo_run_end_timestamp_seconds", "When the latest run ended.", seconds(r.Ended))
	m.gauge("ajlo_window_end_timestamp_seconds", "End of the window that the latest run looked at.", seconds(r.Window[1]))
	if r.Decided != nil {
		m.decided(*r.Decided)
	}
	m.steps(r.Steps)
	return m.text()
}

func (m metrics) decided(d Decided) {
	m.gauge("ajlo_window_applications", "Applications with a query in the window.", float64(d.Applications))
	m.gauge("ajlo_window_queries", "Queries in the window that succeeded.", float64(d.Queries))
	m.gauge("ajlo_window_unreadable_logs", "Event logs that could not be read.", float64(d.Unreadable))
	m.gauge("ajlo_window_scanned_bytes", "Bytes that the window's queries scanned.", float64(d.Scanned))
	m.gauge("ajlo_window_unresolved_bytes", "Bytes scanned from tables that were not found.", float64(d.Unresolved))
	m.gauge("ajlo_plan_budget_bytes", "The most that the run might rewrite to give tables new keys.", float64(d.Budget))
	m.gauge("ajlo_plan_rewrite_bytes", "What the plan would rewrite for that.", float64(d.Rewrite))
	m.gauge("ajlo_plan_saved_bytes_per_window", "What the plan's layouts are foretold to save in each window.", float64(d.Saved))
	awaits := 0.
	if d.AwaitsApproval {
		awaits = 1
	}
	m.gauge("ajlo_plan_awaits_approval", "1 where a person has to approve the plan.", awaits)
	for _, reference := range []string{"last", "plan"} {
		if score, ok := d.Drift[reference]; ok {
			m.gauge("ajlo_drift_ratio", "How far the workload moved from a reference window, 0 to 1.", score, "reference", reference)
		}
	}
}

// steps counts them by status, and tells of each table that was changed.
func (m metrics) steps(steps []Step) {
	for _, status := range []string{"applied", "failed", "refused", "pending"} {
		n := 0
		for _, s := range steps {
			if s.Status == status {
				n++
			}
		}
		m.gauge("ajlo_run_steps", "Steps of the latest run by what became of them.", float64(n), "status", status)
	}
	for _, s := range steps {
		if !s.Changed {
			continue
		}
		labels := []string{"table", string(s.Table), "kind", s.Kind}
		m.gauge("ajlo_table_rewritten_bytes", "Bytes of the files that the latest run took out of a table.", float64(s.BytesRemoved), labels...)
		m.gauge("ajlo_table_written_bytes", "Bytes of the files that the latest run put into a table.", float64(s.BytesAdded), labels...)
		m.gauge("ajlo_table_rewritten_rows", "Rows that the latest run laid anew and proved equal.", float64(s.Rows), labels...)
		for i, when := range []string{"before", "foretold", "after"} {
			if s.Scanned[i] >= 0 {
				m.gauge("ajlo_table_scanned_bytes", "Bytes of a table that the window's queries read: before its step, as foretold, and after.", float64(s.Scanned[i]), append(labels, "when", when)...)
			}
		}
	}
}

// gauge adds a series; labels are names and values in turn. A series that is there already, which
// a table has that was laid twice, is replaced.
func (m metrics) gauge(name, help string, value float64, labels ...string) {
	f, ok := m.families[name]
	if !ok {
		kind := dto.MetricType_GAUGE
		f = &dto.MetricFamily{Name: &name, Help: &help, Type: &kind}
		m.families[name] = f
	}
	series := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for at := 0; at < len(labels); at += 2 {
		series.Label = append(series.Label, label(labels[at], labels[at+1]))
	}
	series.Label = append(series.Label, label("lake", m.lake))
	f.Metric = slices.DeleteFunc(f.Metric, func(o *dto.Metric) bool { return sameLabels(o, series) })
	f.Metric = append(f.Metric, series)
}

func label(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }

func sameLabels(a, b *dto.Metric) bool {
	return slices.EqualFunc(a.Label, b.Label, func(a, b *dto.LabelPair) bool {
		return a.GetName() == b.GetName() && a.GetValue() == b.GetValue()
	})
}

func (m metrics) text() ([]byte, error) {
	names := make([]string, 0, len(m.families))
	for name := range m.families {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	for _, name := range names {
		if _, err := expfmt.MetricFamilyToText(&out, m.families[name]); err != nil {
			return nil, fmt.Errorf("metrics: %s: %w", name, err)
		}
	}
	return out.Bytes(), nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
