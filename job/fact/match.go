package fact

import (
	"iter"
	"strings"

	"ajlo/job/eventlog"
)

// metricIDs are the accumulators that measure one scan, −1 where the plan names none.
type metricIDs struct{ files, bytes, rows int64 }

func (m metricIDs) all() []int64 { return []int64{m.files, m.bytes, m.rows} }

// noMetrics is a scan that the plan's tree does not have.
var noMetrics = metricIDs{files: -1, bytes: -1, rows: -1}

// scanMetrics are the names under which sources report; Iceberg's planning has its own.
func (m *metricIDs) set(name string, id int64) bool {
	switch name {
	case "number of files read", "number of result data files":
		m.files = id
	case "size of files read", "total data file size (bytes)":
		m.bytes = id
	case "number of output rows":
		m.rows = id
	default:
		return false
	}
	return true
}

// infoScans gives the scans of the tree beside the plan's text, in pre-order. What hangs
// below a reused node is drawn again there and is no scan of its own.
func infoScans(root *eventlog.PlanNode) iter.Seq[*eventlog.PlanNode] {
	return func(yield func(*eventlog.PlanNode) bool) {
		stack := []*eventlog.PlanNode{root}
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if n == nil {
				continue
			}
			if strings.Contains(n.Name, "Scan") && len(n.Metrics) > 0 && !yield(n) {
				return
			}
			if strings.HasPrefix(n.Name, "Reused") || n.Name == "CommandResult" {
				continue
			}
			for i := len(n.Children) - 1; i >= 0; i-- {
				stack = append(stack, n.Children[i])
			}
		}
	}
}

// metricTable finds the metrics of a text's scans in the tree beside it: by name, and by
// the ids of what they put out, which no two scans of one plan share unless they are drawn
// twice.
type metricTable struct {
	scans []infoScan
}

type infoScan struct {
	name   string
	output []int64
	ids    metricIDs
	taken  bool
}

func newMetricTable(root *eventlog.PlanNode) *metricTable {
	t := &metricTable{}
	for n := range infoScans(root) {
		s := infoScan{name: sparkName(n.Name), output: outputIDs(n), ids: noMetrics}
		for _, m := range n.Metrics {
			s.ids.set(m.Name, m.ID)
		}
		t.scans = append(t.scans, s)
	}
	return t
}

// find gives the first scan that fits and was not given before, else the last that fits.
func (t *metricTable) find(n *node) metricIDs {
	f, _ := n.field("Output")
	output, _ := attributesOf(f)
	found := noMetrics
	for i := range t.scans {
		s := &t.scans[i]
		if s.name != n.name || !s.puts(output) {
			continue
		}
		found = s.ids
		if !s.taken {
			s.taken = true
			break
		}
	}
	return found
}

// puts reports whether the ids agree as far as the shorter list goes: the tree's may be
// cut.
func (s infoScan) puts(output []attribute) bool {
	if (len(s.output) == 0) != (len(output) == 0) {
		return false
	}
	for i := range min(len(s.output), len(output)) {
		if s.output[i] != output[i].id {
			return false
		}
	}
	return true
}

// listEnd is where the list of a scan's output ends in its one-line form, −1 where it does not:
// what follows the bracket begins a word.
func listEnd(list string) int {
	for i := range len(list) {
		if list[i] == ']' && (i+1 == len(list) || list[i+1] == ' ' || list[i+1] == ',') {
			return i
		}
	}
	return -1
}

func outputIDs(n *eventlog.PlanNode) []int64 {
	_, list, ok := strings.Cut(n.Simple, "[")
	if !ok {
		return nil
	}
	if end := listEnd(list); end >= 0 {
		list = list[:end]
	}
	var ids []int64
	for _, item := range splitOutput(list) {
		if a, ok := parseAttribute(item); ok {
			ids = append(ids, a.id)
		}
	}
	return ids
}

// splitOutput takes an output list apart: an item ends with an id before a comma. V1 scans
// put no blank after the comma, V2 scans do.
func splitOutput(list string) []string {
	var items []string
	for from := 0; from < len(list); {
		_, at, end := idMark(list[from:])
		if at < 0 {
			break // "... 3 more fields"
		}
		from += end
		rest, comma := strings.CutPrefix(list[from:], ",")
		if comma || rest == "" {
			items = append(items, list[:from])
			list, from = strings.TrimPrefix(rest, " "), 0
		}
	}
	return items
}

// meter keeps the values of the metrics that plans name. A value belongs to the execution
// that measured it: a cached relation's scan has the same metrics in every plan that shows
// it, and ran once.
type meter struct {
	wanted map[int64]bool
	values readings
	// early holds values that came before a plan that names them; only so many are kept.
	early readings
	held  int // values in early
}

// readings are values by execution and metric.
type readings map[int64]map[int64]int64

// put keeps the greatest value of a metric, and reports whether it is the first.
func (r readings) put(execution int64, v eventlog.Accumulator) (first bool) {
	of := r[execution]
	if of == nil {
		of = map[int64]int64{}
		r[execution] = of
	}
	known, ok := of[v.ID]
	of[v.ID] = max(known, v.Value)
	return !ok
}

// maxEarly bounds the values kept for plans that may still come; each takes about 50 bytes.
const maxEarly = 1 << 16

func newMeter() *meter {
	return &meter{wanted: map[int64]bool{}, values: readings{}, early: readings{}}
}

// want takes note of the scans' metrics in a plan.
func (m *meter) want(root *eventlog.PlanNode) {
	for n := range infoScans(root) {
		m.wantMetrics(n.Metrics)
	}
	if root == nil || !writes(root.Name) {
		return
	}
	w := foundWrite{added: -1, removed: -1}
	w.measure(root.Metrics)
	m.wanted[w.added], m.wanted[w.removed] = true, true
}

func (m *meter) wantMetrics(metrics []eventlog.Metric) {
	var ids metricIDs
	for _, metric := range metrics {
		if ids.set(metric.Name, metric.ID) {
			m.wanted[metric.ID] = true
		}
	}
}

// record takes values in; they are cumulative, so the greatest is the last, and a stage
// that ran again does not count twice.
func (m *meter) record(execution int64, values []eventlog.Accumulator) {
	for _, v := range values {
		if m.wanted[v.ID] {
			m.values.put(execution, v)
			continue
		}
		if m.held >= maxEarly {
			clear(m.early)
			m.held = 0
		}
		if m.early.put(execution, v) {
			m.held++
		}
	}
}

// value is the greatest that any of the executions measured.
func (m *meter) value(executions []int64, id int64) (value int64, ok bool) {
	for _, e := range executions {
		for _, from := range []readings{m.values, m.early} {
			if v, has := from[e][id]; has {
				value, ok = max(value, v), true
			}
		}
	}
	return value, ok
}

// forget drops what was measured for an execution.
func (m *meter) forget(execution int64) {
	m.forgetEarly(execution)
	delete(m.values, execution)
}

// forgetEarly drops what was measured for an execution that none of its plans has named, and
// keeps what one named later: broadcasts may run before the event that tells of their plan,
// since Spark generates code for it to print it.
func (m *meter) forgetEarly(execution int64) {
	for id, value := range m.early[execution] {
		if m.wanted[id] {
			m.values.put(execution, eventlog.Accumulator{ID: id, Value: value})
		}
	}
	m.held -= len(m.early[execution])
	delete(m.early, execution)
}

// wantScans takes note of the metrics of scans.
func (m *meter) wantScans(scans []foundScan) {
	for _, s := range scans {
		for _, id := range s.metrics.all() {
			m.wanted[id] = true
		}
	}
}

// unwant drops the metrics of scans. A later plan that shows them again asks for them again.
func (m *meter) unwant(scans []foundScan) {
	for _, s := range scans {
		for _, id := range s.metrics.all() {
			delete(m.wanted, id)
		}
	}
}
