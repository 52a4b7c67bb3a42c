package fact

import (
	"iter"
	"strings"

	"ajlo/job/eventlog"
	"ajlo/job/predicate"
)

// Note says what became of one operator that a plan draws.
type Note struct {
	Execution int64
	Operator  string // "SortMergeJoin Inner", under Spark's name
	// Said is what the plan prints of it: a join's keys. Empty where that adds nothing.
	Said  string
	Taken bool // it is a join or a scan of the query
	// Reason is why it was not taken, or what was made of it.
	Reason string
}

// Explain is Extract with notes on one query: what was made of each join and scan of its
// plans, in the order in which they are drawn, as extraction itself decided it.
func Explain(events iter.Seq2[eventlog.Event, error], root int64) (Facts, []Note, error) {
	x := newExtractor()
	x.explained, x.explains = root, true
	facts, err := x.read(events)
	return facts, x.notes, err
}

// What becomes of operators, in words for people.
const (
	takenWhole    = "its keys were followed to these columns"
	takenNoColumn = "kept without keys: they come from no column of a table"
	takenKeyless  = "kept without keys: it compares no columns for equality"
	takenScan     = "read"
	takenRemoved  = "planned, and removed when the query ran: kept without a strategy, not scored"
	lostInputs    = "lost: the plan does not show its two inputs"
	lostKeys      = "lost: the log cut its keys off"
	lostUnshown   = "lost: the log does not show its keys"
	lostGap       = "lost: this explain mode does not say what a key is made of"
	leftSide      = "not taken: one side reads no table of a user"
	leftAgain     = "not taken: drawn again below another read of the same cached relation"
	leftFilled    = "not taken: it filled a cached relation in another query, and was read from memory here"
	leftMerged    = "not taken: the MERGE ran this join before, and counts once"
	leftScanAgain = "not taken: the same read is drawn twice"
	leftUnsure    = "not taken: the plan changed before it ran"
	leftUnplaced  = "lost: the log cut off the path that says which table it reads"
	leftNoTable   = "not taken: it reads no files of a user's table"
)

// noteOn is the note on a join, as its plan shows it.
func noteOn(n *node) Note {
	left, _ := n.field("Left keys")
	right, _ := n.field("Right keys")
	said := ""
	if left.text != "" || right.text != "" {
		said = left.text + " = " + right.text
	} else if condition, _ := n.field("Join condition"); condition.text != "None" {
		said = condition.text
	}
	return Note{Operator: n.name, Said: said}
}

// taken is a note on what stays.
func (n Note) taken(reason string) Note {
	n.Taken, n.Reason = true, reason
	return n
}

// left is a note on what goes.
func (n Note) left(reason string) Note {
	n.Taken, n.Reason = false, reason
	return n
}

func isRead(n *node) bool {
	return strings.HasPrefix(n.name, "Scan") || strings.HasPrefix(n.name, "BatchScan") || n.operator() == "LocalTableScan"
}

// noting tells the notebook what became of an operator of one of the query's executions.
func (x *extractor) noting(e *execution, n Note) {
	if x.explains && e.root == x.explained {
		n.Execution = e.id
		x.notes = append(x.notes, n)
	}
}

// forgetNotes lets go of what only an explanation needs.
func (d *digest) forgetNotes() {
	d.passed = nil
	for i := range d.joins {
		d.joins[i].note = Note{}
	}
	for i := range d.scans {
		d.scans[i].note = Note{}
		forgetText(d.scans[i].Predicate)
	}
}

func forgetText(p *predicate.Predicate) {
	if p == nil {
		return
	}
	p.Unread = ""
	for i := range p.Args {
		forgetText(&p.Args[i])
	}
}
