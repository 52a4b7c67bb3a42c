package signal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// Merge is what is told of a merge.
type Merge struct {
	ID       string         `json:"merge"`
	Table    table.Name     `json:"table"`
	Location table.Location `json:"location"`
	Source   table.Location `json:"source,omitempty"` // empty for a query, whose text has literals
	Started  time.Time      `json:"started"`

	// What follows is known at its end.
	Ended        time.Time  `json:"ended"`
	ExitCode     int        `json:"exit_code"`
	Error        string     `json:"error,omitempty"`
	Changed      bool       `json:"changed"`
	Version      int64      `json:"version"`
	Updated      int64      `json:"rows_updated"`
	Deleted      int64      `json:"rows_deleted"`
	Inserted     int64      `json:"rows_inserted"`
	Copied       int64      `json:"rows_copied"` // written anew as they were
	FilesRemoved int        `json:"files_removed"`
	FilesAdded   int        `json:"files_added"`
	BytesRemoved unit.Bytes `json:"bytes_removed"`
	BytesAdded   unit.Bytes `json:"bytes_added"`
}

// MergeBegan tells that a merge is about to read its table.
func (s *Sender) MergeBegan(ctx context.Context, m Merge) {
	if s != nil {
		s.event(ctx, s.lineage.ofMerge(Start, m.Started, m))
	}
}

// MergeEnded tells what became of a merge, to all places. Its figures for Prometheus get a file of
// their own beside the one of runs, by the table's name.
func (s *Sender) MergeEnded(ctx context.Context, m Merge) {
	if s == nil {
		return
	}
	kind := Complete
	switch {
	case m.ExitCode != 0 && ctx.Err() != nil:
		kind = Abort
	case m.ExitCode != 0:
		kind = Fail
	}
	s.send(ctx, openLineage, s.places.OpenLineage, func(ctx context.Context) error { return s.put(ctx, s.lineage.ofMerge(kind, m.Ended, m)) })
	s.send(ctx, prometheus, s.places.Prometheus, func(context.Context) error {
		text, err := MergeMetrics(s.places.Lake, m)
		if err != nil {
			return err
		}
		return writeWhole(mergeFile(s.places.Prometheus, m.Table), text)
	})
	s.send(ctx, webhook, s.places.Webhook, func(ctx context.Context) error {
		return s.post(ctx, s.places.Webhook, "", mergeSummary(s.places.Lake, m))
	})
}

// longestName is how many bytes of a table's name a file is called by; file systems end at 255.
const longestName = 100

// mergeFile is the file of a table's merges: ajlo.prom gives ajlo-merge-sales.orders.prom.
func mergeFile(ofRuns string, of table.Name) string {
	name := url.PathEscape(string(of))
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(of))
		name = hex.EncodeToString(sum[:8])
	}
	return strings.TrimSuffix(ofRuns, ".prom") + "-merge-" + name + ".prom"
}

// MergeMetrics is the merge in Prometheus' text format, each series with the labels table and lake.
func MergeMetrics(lake string, merge Merge) ([]byte, error) {
	m, of := newMetrics(lake), []string{"table", string(merge.Table)}
	m.gauge("ajlo_merge_exit_code", "Exit code of the latest merge into a table, 0 where it ended well.", float64(merge.ExitCode), of...)
	m.gauge("ajlo_merge_start_timestamp_seconds", "When the latest merge into a table began.", seconds(merge.Started), of...)
	m.gauge("ajlo_merge_end_timestamp_seconds", "When the latest merge into a table ended.", seconds(merge.Ended), of...)
	m.gauge("ajlo_merge_rewritten_bytes", "Bytes of the files that the latest merge took out of a table.", float64(merge.BytesRemoved), of...)
	m.gauge("ajlo_merge_written_bytes", "Bytes of the files that the latest merge put into a table.", float64(merge.BytesAdded), of...)
	for _, change := range []struct {
		name string
		rows int64
	}{{"updated", merge.Updated}, {"deleted", merge.Deleted}, {"inserted", merge.Inserted}, {"copied", merge.Copied}} {
		m.gauge("ajlo_merge_rows", "Rows of the latest merge into a table, by what became of them.", float64(change.rows), "table", string(merge.Table), "change", change.name)
	}
	return m.text()
}

// mergeSummary is what a webhook gets of a merge, see Summary.
func mergeSummary(lake string, m Merge) any {
	text := fmt.Sprintf("ajlo %s: merge into %s", lake, m.Table)
	switch {
	case m.Error != "":
		text += " failed: " + m.Error
	case m.Changed:
		text += fmt.Sprintf(": %d rows updated, %d deleted, %d inserted", m.Updated, m.Deleted, m.Inserted)
	default:
		text += ": nothing to do"
	}
	return struct {
		Text string `json:"text"`
		Lake string `json:"lake"`
		Merge
	}{text, lake, m}
}

// ofMerge is an event of a merge: a job by itself, which reads a source and a table and writes the
// table.
func (l lineage) ofMerge(kind EventType, at time.Time, m Merge) event {
	e := l.event(kind, at, runID(m.ID), nightJob+".merge."+string(m.Table), "JOB")
	into := Step{Table: m.Table, Location: m.Location}
	out := l.dataset(into)
	switch {
	case kind == Fail, kind == Abort:
		e.Run.Facets["errorMessage"] = l.failure(m.Error)
	case kind == Complete && m.Changed:
		l.written(&out, m.Version, m.Updated+m.Inserted+m.Copied, m.BytesAdded, m.FilesAdded)
	}
	e.Inputs, e.Outputs = append(e.Inputs, l.dataset(into)), append(e.Outputs, out)
	if m.Source != "" {
		namespace, name := place(m.Source)
		e.Inputs = append(e.Inputs, dataset{Namespace: namespace, Name: name, Facets: facets{}})
	}
	return e
}
