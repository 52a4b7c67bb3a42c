package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/predicate"
	"ajlo/job/unit"
)

// Explanation is one query as its log has it and as it was understood.
type Explanation struct {
	Query fact.Query
	// Plans are those of the query's executions, its own first.
	Plans []ExecutedPlan
	// Notes say what became of each operator that reads or joins.
	Notes []fact.Note
}

// ExecutedPlan is the plan of one execution that ran last.
type ExecutedPlan struct {
	Execution int64
	Root      int64
	Text      string
}

// Write renders the explanation for people: what was taken of scans and joins, what was not
// and why, and the plans to hold it against.
func (e Explanation) Write(w io.Writer) error {
	p, q := &page{}, e.Query
	p.line("query     %s", printable(q.Query))
	if q.SQL != "" {
		p.line("sql       %s", printable(q.SQL))
	}
	p.line("known as  %s/%d, fingerprint %s", printable(q.App), q.Execution, q.Fingerprint)
	p.line("ran       %s, %s, %d ms, %s", q.Start.Format(stamp), q.Status, q.WallMS, taskTime(q))
	p.line("lost      %d predicates, %d joins and %d writes, which the log does not show whole", q.Lost.Predicates, q.Lost.Joins, q.Lost.Writes)
	for _, s := range q.Scans {
		p.explainScan(s)
	}
	for _, j := range q.Joins {
		p.line("join      %s %s: %s", j.Type, printable(keysText(j)), joinVerdict(q, j))
		for _, x := range j.Expression {
			p.line("          a key is the expression %s; it stands for the column it is made of", printable(x))
		}
	}
	for _, w := range q.Writes {
		p.explainWrite(w)
	}
	p.notes(e.Notes)
	for _, plan := range e.Plans {
		p.line("")
		p.line("plan of execution %d%s", plan.Execution, rootText(plan))
		for _, line := range strings.Split(strings.TrimSpace(plan.Text), "\n") {
			p.line("    %s", printable(line))
		}
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// notes tell operator by operator what the plans draw and what became of it.
func (p *page) notes(all []fact.Note) {
	for _, n := range all {
		p.line("operator  %s of execution %d: %s", printable(n.Operator), n.Execution, n.Reason)
		if n.Said != "" {
			p.line("          %s", printable(n.Said))
		}
	}
}

func taskTime(q fact.Query) string {
	if q.TasksMeasured {
		return fmt.Sprintf("%d ms of tasks", q.TaskMS)
	}
	return fmt.Sprintf("%d ms of tasks, as wall time × cores: the log has no totals", q.TaskMS)
}

func rootText(p ExecutedPlan) string {
	if p.Root == p.Execution {
		return ""
	}
	return ", which belongs to it"
}

func (p *page) explainScan(s fact.Scan) {
	read := "the log has no metrics of it"
	if s.Measured {
		read = s.BytesRead.String() + " read"
	}
	p.line("scan      %s (%s): %s", printable(string(s.Table)), printable(s.Format), read)
	if s.Predicate == nil {
		p.line("          no predicate reached it: every file is read")
		return
	}
	for _, c := range conjuncts(s.Predicate) {
		p.line("          %s", conjunctVerdict(c))
	}
}

func (p *page) explainWrite(w fact.Write) {
	by := ""
	for i, key := range w.Keys {
		by += []string{" by ", ", "}[min(i, 1)] + string(key)
	}
	p.line("write     %s of %s%s: the log counts %s files added and %s removed",
		w.Operation, printable(string(w.Table)), printable(by), countText(w.FilesAdded), countText(w.FilesRemoved))
	t := w.Touched
	if t == nil {
		p.line("          the table's own history was not asked (no --config), not found, or does not tell which commit it was")
		return
	}
	p.line("          version %d of the table: %d files added (%s) and %d removed (%s), %d marked", t.Version,
		t.FilesAdded, t.BytesAdded, t.FilesRemoved, bytesText(t.BytesRemoved), t.FilesMarked)
	p.line("          rows: %s written, of them %s copied; %s inserted, %s updated, %s deleted", countText(t.RowsWritten),
		countText(t.RowsCopied), countText(t.RowsInserted), countText(t.RowsUpdated), countText(t.RowsDeleted))
}

// unsaid stands for a count that nobody made.
const unsaid = "?"

func countText(n *int64) string {
	if n == nil {
		return unsaid
	}
	return strconv.FormatInt(*n, 10)
}

func bytesText(b *unit.Bytes) string {
	if b == nil {
		return unsaid
	}
	return b.String()
}

func conjuncts(p *predicate.Predicate) []predicate.Predicate {
	if p.Op == predicate.And {
		return p.Args
	}
	return []predicate.Predicate{*p}
}

func conjunctVerdict(c predicate.Predicate) string {
	if c.Op == predicate.Unknown {
		return "not taken, no bound of a file can decide it: " + printable(c.Unread)
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "not taken: " + err.Error()
	}
	if holdsUnknown(c) {
		return "taken in part: " + printable(string(text))
	}
	return "taken: " + printable(string(text))
}

func holdsUnknown(p predicate.Predicate) bool {
	if p.Op == predicate.Unknown {
		return true
	}
	for _, arg := range p.Args {
		if holdsUnknown(arg) {
			return true
		}
	}
	return false
}

// joinVerdict says whether a join scores, and if not, why.
func joinVerdict(q fact.Query, j fact.Join) string {
	switch {
	case len(j.Left) == 0:
		return "not an edge: it compares no columns for equality"
	case j.Strategy == fact.NoStrategy:
		return "an edge that does not score: it was planned and removed at run time"
	case !joingraph.Scores(j.Strategy):
		return "an edge that does not score: it ran as " + string(j.Strategy) + ", without a shuffle of both sides"
	case q.Status != fact.Succeeded:
		return "an edge that does not score: the query is " + string(q.Status)
	}
	return "an edge that scores: it ran as " + string(j.Strategy)
}
