package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"ajlo/job/fact"
	"ajlo/job/unit"
)

// Facts renders query facts as a table, one line for each join and scan.
func Facts(w io.Writer, queries []fact.Query) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "execution", "query", "status", "task time", "what", "files", "bytes", "predicate or strategy")
	for _, q := range queries {
		at, name := executionText(q), shorten(q.Query, shownDescription)
		for _, s := range q.Scans {
			row(t, at, name, q.Status, fmt.Sprint(q.TaskMS, " ms"), "scan "+s.Table, s.FilesRead, s.BytesRead, predicateText(s))
		}
		for _, j := range q.Joins {
			row(t, at, name, q.Status, fmt.Sprint(q.TaskMS, " ms"), fmt.Sprintf("%s join %s", j.Type, keysText(j)), "", "", j.Strategy)
		}
		for _, w := range q.Writes {
			files, bytes, rows := writeTexts(w)
			row(t, at, name, q.Status, fmt.Sprint(q.TaskMS, " ms"), fmt.Sprintf("%s of %s", w.Operation, w.Table), files, bytes, rows)
		}
	}
	return t.Flush()
}

// FactsByQuery renders query facts as a table, one line for each query.
func FactsByQuery(w io.Writer, queries []fact.Query) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "execution", "fingerprint", "start", "status", "task time", "scans", "bytes", "joins", "query")
	for _, q := range queries {
		bytes := unit.Bytes(0)
		for _, s := range q.Scans {
			bytes += s.BytesRead
		}
		row(t, executionText(q), q.Fingerprint, q.Start.UTC().Format(time.RFC3339), q.Status, fmt.Sprint(q.TaskMS, " ms"),
			len(q.Scans), bytes, len(q.Joins), shorten(q.Query, shownDescription))
	}
	return t.Flush()
}

// executionText is a query as facts --explain takes it.
func executionText(q fact.Query) string { return fmt.Sprintf("%s/%d", q.App, q.Execution) }

// writeTexts are the files and bytes that a write added, and the rows it only copied, as the
// table's history has them, else as the log has them.
func writeTexts(w fact.Write) (files, bytes, rows string) {
	t := w.Touched
	if t == nil {
		return countText(w.FilesAdded), unsaid, ""
	}
	if t.RowsCopied != nil {
		rows = fmt.Sprintf("%d of %s rows copied", *t.RowsCopied, countText(t.RowsWritten))
	}
	return countText(&t.FilesAdded), t.BytesAdded.String(), rows
}

// FactsJSON writes one JSON object a line, one for each query.
func FactsJSON(w io.Writer, queries []fact.Query) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, q := range queries {
		if err := enc.Encode(q); err != nil {
			return fmt.Errorf("write facts of %s execution %d: %w", q.App, q.Execution, err)
		}
	}
	return nil
}

// shownDescription is how many characters of a query's description a line shows.
const shownDescription = 30

func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

func predicateText(s fact.Scan) string {
	if s.Predicate == nil {
		return "none"
	}
	text, err := json.Marshal(s.Predicate)
	if err != nil {
		return "?"
	}
	return string(text)
}

func keysText(j fact.Join) string {
	if len(j.Left) == 0 {
		return "without keys"
	}
	pairs := make([]string, len(j.Left))
	for i := range j.Left {
		pairs[i] = j.Left[i].String() + " = " + j.Right[i].String()
	}
	return strings.Join(pairs, " and ")
}
