package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ajlo/job/prune"
	"ajlo/job/table"
)

// RunTime is a join by which scans of a table may be left part of it unread at run time, and
// whether the plan counts on that.
type RunTime struct {
	Column table.Column `json:"column"` // of the table
	From   string       `json:"from"`   // the other table's key, where the values are found
	Reader prune.Reader `json:"reader"`
	Scans  int64        `json:"scans"`
	// Counted is true where the bytes foretold hold what the reader leaves unread by it, as the
	// table is or by the chosen layout.
	Counted bool   `json:"counted"`
	Reason  string `json:"reason"`
}

// tellRunTime writes into a table what reaches its scans at run time and what of that counts.
func (w *weighed) tellRunTime() {
	places := map[string]int{}
	for _, r := range w.what.reads {
		for _, a := range r.arrivals {
			told := a.tell(w.table)
			id := string(told.Column) + "\x00" + told.From + "\x00" + told.Reader.String() + "\x00" + told.Reason
			at, known := places[id]
			if !known {
				at, places[id] = len(w.table.RunTime), len(w.table.RunTime)
				w.table.RunTime = append(w.table.RunTime, told)
			}
			w.table.RunTime[at].Scans += r.weight
		}
	}
	slices.SortStableFunc(w.table.RunTime, func(a, b RunTime) int {
		return cmp.Or(cmp.Compare(b.Scans, a.Scans), cmp.Compare(a.Column, b.Column), cmp.Compare(a.From, b.From), cmp.Compare(a.Reason, b.Reason))
	})
}

// tell says what becomes of an arrival.
func (a arrival) tell(t Table) RunTime {
	told := RunTime{Column: a.column, From: a.from.String(), Reader: a.reader}
	told.Counted = a.applies(t.Current.Partition) || a.applies(t.Chosen.Partition)
	switch {
	case a.values == nil:
		told.Reason = "not counted: " + a.unknown
	case a.files:
		told.Reason = fmt.Sprintf("counted: %s leaves files unread at run time by the values of %s that the query's predicates leave", a.reader, a.from)
	case told.Counted:
		told.Reason = fmt.Sprintf("counted: %s leaves partitions unread at run time by the values of %s that the query's predicates leave", a.reader, a.from)
	case a.reader == prune.Databricks:
		told.Reason = fmt.Sprintf("not counted: %s leaves files unread at run time only of tables of 10 GB and 10 files", a.reader)
	default:
		told.Reason = fmt.Sprintf("not counted: at run time %s leaves only whole partitions unread, and the table is not partitioned by %s; a clustering key on it leaves no file unread there", a.reader, a.column)
	}
	return told
}
