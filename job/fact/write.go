package fact

import (
	"regexp"
	"slices"
	"strings"

	"ajlo/job/eventlog"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Operation is what a write does to its table.
type Operation string

// The operations.
const (
	Append    Operation = "append"
	Overwrite Operation = "overwrite"
	Merge     Operation = "merge"
	Update    Operation = "update"
	Delete    Operation = "delete"
	CTAS      Operation = "ctas" // a table is created, or replaced, with the rows of a query
)

// Write is what one query did to one table.
type Write struct {
	Table     table.Name     `json:"table"`
	Location  table.Location `json:"location"` // empty where the log does not say
	Operation Operation      `json:"operation"`
	// Keys are the target's columns that a MERGE compares for equality, sorted.
	Keys []table.Column `json:"keys,omitempty"`
	// FilesAdded and FilesRemoved are nil where the log does not measure them.
	FilesAdded   *int64 `json:"files_added,omitempty"`
	FilesRemoved *int64 `json:"files_removed,omitempty"`
	// Touched is what the table's own history says of the write; nil until somebody who can
	// reach the table has looked, and where the history does not tell which of its commits
	// it was. No log has it.
	Touched *Touched `json:"touched,omitempty"`
}

// Touched is one commit to a table, counted by the table's own history. Counts are nil where
// it does not say.
type Touched struct {
	Version      int64 `json:"version"` // of a Delta table; the snapshot's id of an Iceberg table
	FilesAdded   int64 `json:"files_added"`
	FilesRemoved int64 `json:"files_removed"`
	// FilesMarked counts what hides rows of files that stay: deletion vectors, delete files.
	FilesMarked  int64       `json:"files_marked"`
	BytesAdded   unit.Bytes  `json:"bytes_added"`
	BytesRemoved *unit.Bytes `json:"bytes_removed,omitempty"`
	RowsWritten  *int64      `json:"rows_written,omitempty"` // into new files
	RowsCopied   *int64      `json:"rows_copied,omitempty"`  // written again as they were
	RowsInserted *int64      `json:"rows_inserted,omitempty"`
	RowsUpdated  *int64      `json:"rows_updated,omitempty"`
	RowsDeleted  *int64      `json:"rows_deleted,omitempty"`
	Partitions   *int64      `json:"partitions,omitempty"` // that it changed
}

// foundWrite is a write of a plan with what is needed to finish it once the tree of
// executions is whole.
type foundWrite struct {
	Write
	pairs          [][2]attribute // compared for equality by a MERGE
	added, removed int64          // ids of metrics, −1 for none
}

// operations by the beginning of the operator's name.
var operations = []operation{
	{command + "MergeInto", Merge, false}, {command + "UpdateCommand", Update, false},
	{command + "DeleteCommand", Delete, false}, {command + "InsertInto", Append, true},
	{command + "SaveIntoDataSource", Append, true}, {command + "WriteIntoDelta", Append, true},
	{command + "CreateDataSourceTableAsSelect", CTAS, false}, {command + "CreateHiveTableAsSelect", CTAS, false},
	{"AtomicCreateTableAsSelect", CTAS, false}, {"AtomicReplaceTableAsSelect", CTAS, false},
	{"CreateTableAsSelect", CTAS, false}, {"ReplaceTableAsSelect", CTAS, false},
	{"AppendData", Append, false}, {"Overwrite", Overwrite, false},
	{"DeleteFromTable", Delete, false},
	{"ReplaceData", Update, false}, {"WriteDelta", Update, false},
}

// operation is an operator's meaning; modal ones say in their arguments whether they
// overwrite.
type operation struct {
	prefix string
	op     Operation
	modal  bool
}

// writeOf reads the write of a plan, nil where there is none or where its table is not
// named. below are the operators of the plan.
func writeOf(root *node, below []*node, arguments string, metrics []eventlog.Metric) *foundWrite {
	at := slices.IndexFunc(operations, func(o operation) bool { return strings.HasPrefix(root.name, o.prefix) })
	if at < 0 {
		return nil
	}
	w := &foundWrite{Write: Write{Operation: operations[at].op}, added: -1, removed: -1}
	if operations[at].modal && overwrites.MatchString(arguments) {
		w.Operation = Overwrite
	}
	if strings.HasPrefix(root.name, "ReplaceData") || strings.HasPrefix(root.name, "WriteDelta") {
		w.Operation = rowLevel(below)
	}
	w.Table, w.Location = targetOf(arguments)
	if w.Table == "" && strings.HasPrefix(root.name, "WriteDelta") {
		w.Table = markedTarget(below)
	}
	if w.Table == "" {
		return nil
	}
	if w.Operation == Merge {
		w.pairs = equalities(arguments)
	}
	w.measure(metrics)
	return w
}

// overwrites is how a command's mode is printed.
var overwrites = regexp.MustCompile(`, Overwrite(?:, |$)|, true, false$`)

// rowLevel tells Iceberg's MERGE and DELETE from its UPDATE: they rewrite files alike.
func rowLevel(below []*node) Operation {
	updates := false
	for _, n := range below {
		switch {
		case n.operator() == "MergeRows":
			return Merge
		case n.operator() == "Project":
			f, _ := n.field("Output")
			updates = updates || strings.Contains(rowOperation.ReplaceAllString(f.text, ""), " AS ")
		case n.operator() == "Expand": // a row that is marked and one that is written in its place
			f, _ := n.field("Arguments")
			updates = updates || strings.Contains(f.text, "__row_operation#")
		}
	}
	if updates {
		return Update
	}
	return Delete
}

// rowOperation is how Spark says for each row what is to become of it.
var rowOperation = regexp.MustCompile(`\d+ AS __row_operation#`)

// markedTarget is the one table of which a plan reads the rows' places, which it takes to mark
// them. Iceberg 1.10 prints no table where it marks rows.
func markedTarget(below []*node) (target table.Name) {
	for _, n := range below {
		output, _ := n.field("Output")
		s, ok := sourceOf(n)
		if !ok || !strings.Contains(output.text, "_file#") || !strings.Contains(output.text, "_pos#") {
			continue
		}
		if target != "" && target != s.name {
			return ""
		}
		target = s.name
	}
	return target
}

// The ways in which writers name their tables: Delta's commands and Spark's catalog in
// backticks, Iceberg's writes, creators after their catalog, and Delta's place in between.
var (
	icebergWrite  = regexp.MustCompile(`\bIceberg(?:Write|BatchWrite|PositionDeltaWrite)\w*\(table=([^,)]+)`)
	deltaLocation = regexp.MustCompile(`\bDelta\[version=\d+, ([^\]]+)\]|\bDeltaTableV2\([^,]*,([^,]+),`)
)

func targetOf(arguments string) (table.Name, table.Location) {
	var location table.Location
	if m := deltaLocation.FindStringSubmatch(arguments); m != nil {
		location = cleanLocation(m[1] + m[2])
	}
	switch {
	case icebergWrite.MatchString(arguments):
		return tableName(icebergWrite.FindStringSubmatch(arguments)[1]), location
	case backticked.MatchString(arguments):
		return tableName(strings.ReplaceAll(backticked.FindString(arguments), "`", "")), location
	case created.MatchString(arguments):
		return tableName(created.FindStringSubmatch(arguments)[1]), location
	}
	return table.Name(location), location
}

// equalities are the conjuncts of the first condition among arguments that compare two
// attributes.
func equalities(arguments string) (pairs [][2]attribute) {
	for _, item := range cutOutside(arguments) {
		if !strings.HasPrefix(item, "(") || !strings.Contains(item, "#") {
			continue
		}
		for _, c := range conjunctsOf(item) {
			left, right, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(c, "("), ")"), " = ")
			a, okA := parseAttribute(left)
			b, okB := parseAttribute(right)
			if ok && okA && okB && isPlain(a) && isPlain(b) {
				pairs = append(pairs, [2]attribute{a, b})
			}
		}
		return pairs
	}
	return nil
}

// conjunctsOf takes "((a AND b) AND c)" apart.
func conjunctsOf(condition string) []string {
	inner, ok := strings.CutPrefix(condition, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return []string{condition}
	}
	depth := 0
	for i := range len(inner) {
		switch inner[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if rest, found := strings.CutPrefix(inner[i:], " AND "); found && depth == 0 {
			return append(conjunctsOf(inner[:i]), conjunctsOf(rest)...)
		}
	}
	return []string{condition}
}

// measure takes note of the metrics that count a command's files.
func (w *foundWrite) measure(metrics []eventlog.Metric) {
	for _, m := range metrics {
		switch m.Name {
		case "number of files added to target", "number of files added.":
			w.added = m.ID
		case "number of files removed to target", "number of files removed from target", "number of files removed.":
			w.removed = m.ID
		}
	}
}

// addWrites finishes the writes of a tree: the first execution that names its table tells;
// what runs below it is the same write.
func (x *extractor) addWrites(q *Query, all []*execution, ids []int64) {
	for _, e := range all {
		if e.digested.write == nil {
			continue
		}
		w := *e.digested.write
		w.Keys = targetKeys(w, all, q.Joins)
		w.FilesAdded, w.FilesRemoved = x.counted(ids, w.added), x.counted(ids, w.removed)
		for _, s := range q.Scans {
			if w.Location == "" && sameTable(s.Table, w.Table) {
				w.Table, w.Location = s.Table, s.Location
			}
		}
		q.Writes = []Write{w.Write}
		return
	}
	if slices.ContainsFunc(all, func(e *execution) bool { return e.digested.unnamed }) {
		q.Lost.Writes = 1
	}
}

func (x *extractor) counted(ids []int64, metric int64) *int64 {
	if metric < 0 {
		return nil
	}
	v, ok := x.meter.value(ids, metric)
	if !ok {
		return nil
	}
	return &v
}

// targetKeys are the compared attributes that a scan of the target puts out; where the plan
// prints no condition, the target's side of the joins.
func targetKeys(w foundWrite, all []*execution, joins []Join) []table.Column {
	if w.Operation != Merge {
		return nil
	}
	var keys []table.Column
	for _, pair := range w.pairs {
		for _, a := range pair {
			if readsTarget(w, all, a) {
				keys = append(keys, table.Column(a.name))
			}
		}
	}
	if len(w.pairs) == 0 {
		for _, j := range joins {
			for _, ref := range append(slices.Clone(j.Left), j.Right...) {
				if sameTable(ref.Table, w.Table) {
					keys = append(keys, ref.Column)
				}
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func readsTarget(w foundWrite, all []*execution, a attribute) bool {
	for _, e := range all {
		for _, s := range e.digested.scans {
			if (sameTable(s.Table, w.Table) || w.Location != "" && s.Location == w.Location) && slices.Contains(s.ids, a.id) {
				return true
			}
		}
	}
	return false
}

// sameTable compares names of which one may lack its catalog.
func sameTable(a, b table.Name) bool {
	return a == b || strings.HasSuffix(string(a), "."+string(b)) || strings.HasSuffix(string(b), "."+string(a))
}
