package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// maxKeyColumns bounds the columns that are tried as keys of one table: eight make 8 single
// layouts and 28 pairs, which weigh in well under a second.
const maxKeyColumns = 8

// Columns names the columns whose values a plan needs sampled: those that may become keys,
// those that predicates name, and those whose values may reach scans of other tables.
func Columns(t TableInput, in Input) ([]table.Column, error) {
	var others []table.Column // that what-ifs of other tables need
	if in.Trigger.Fired {
		others = in.runTimeColumns(t)
	}
	if in.keep(t) != "" {
		return others, nil
	}
	rs, err := reads(t, in.Queries, in.Reach)
	if err != nil {
		return nil, err
	}
	keys, _ := keyColumns(t, rs, in.Graph, in.Trigger.First)
	wanted := slices.Clone(keys)
	if back, ok := in.back(t); ok {
		for _, c := range back.Columns() {
			if !slices.Contains(wanted, c) {
				wanted = append(wanted, c)
			}
		}
	}
	wanted = union(wanted, in.partsAlone(t, rs))
	for _, c := range union(predicateColumns(rs), writes(t, in.Queries).columnsOfChanges()) {
		if unfit(t.Snapshot, c) == "" && !slices.Contains(wanted, c) {
			wanted = append(wanted, c)
		}
	}
	if len(wanted) > 0 {
		wanted = union(wanted, partitionColumns(t.Snapshot))
	}
	return union(wanted, others), nil
}

// Sampling: enough rows for a file's bounds to be drawn from about a thousand, never more
// than a million (40 bytes a value).
const (
	sampleRowsPerFile = 1_000
	minSampleRows     = 200_000
	maxSampleRows     = 1_000_000
)

// SampleRows is how many rows of the table a plan wants to see.
func SampleRows(s lake.Snapshot, target unit.Bytes) int {
	wanted := sampleRowsPerFile * layout.FileCount(s.Bytes(), target)
	return min(max(wanted, minSampleRows), maxSampleRows)
}

// keep says why a table is left as it is without weighing anything; empty means weigh.
func (in Input) keep(t TableInput) string {
	switch {
	case !in.Trigger.Fired && t.Harmed == nil:
		return "kept: " + in.Trigger.Reason
	case t.Unreadable != "":
		return "kept: it cannot be read: " + t.Unreadable
	case len(t.Snapshot.Files) == 0:
		return "kept: the table holds no file"
	}
	sc := in.scope(t)
	switch bytes := sc.inside.Bytes(); {
	case sc.none != "":
		return "kept: " + sc.none
	case in.maker(t.Snapshot).FileCount(bytes, in.Settings.TargetFile) < 2:
		return fmt.Sprintf("kept: %s would make one file of the target size %s, and one file is read whole", bytes, in.Settings.TargetFile)
	}
	return ""
}

// barred says why a table may not be rewritten whatever it would save; it is weighed all the
// same, as advice. Empty means that nothing stands in the way.
func (in Input) barred(t TableInput) string {
	switch {
	case len(t.Unsupported) > 0:
		return "the engine cannot rewrite it: " + strings.Join(t.Unsupported, "; ")
	case t.TakenBack != "":
		return fmt.Sprintf("rollback %s took its layout back, and no plan is in force that was made since: plan --force weighs it anew", t.TakenBack)
	case t.Snapshot.Format == lake.Iceberg && t.Snapshot.Table.IsPlace():
		return "it is known by its place only, and Iceberg's procedures go by a name"
	case t.Snapshot.Owner == delta.OwnerPlatform:
		return "the platform chooses its keys itself (CLUSTER BY AUTO) and would undo others: " + t.Snapshot.Layout.String()
	case t.Snapshot.Owner == delta.OwnerUser:
		return "its keys were set by its owner: " + t.Snapshot.Layout.String()
	case t.Snapshot.Declared && in.Settings.Engine == EmbeddedEngine:
		return "its keys are declared for Spark's OPTIMIZE, which would undo others: " + t.Snapshot.Layout.String()
	}
	return ""
}

// keyColumns gives the columns fit to be keys, those of edges first seen before all, then
// join keys in JIS order, then filter columns by the number of scans that use them; refused
// ones with the reason.
func keyColumns(t TableInput, rs []read, g joingraph.Graph, first []joingraph.EdgeKey) (fit []table.Column, refused []Candidate) {
	for _, c := range wantedKeys(t, rs, g, first) {
		reason := unfit(t.Snapshot, c)
		if reason == "" && len(fit) == maxKeyColumns {
			reason = fmt.Sprintf("not weighed: %d columns with more joins or scans come first", maxKeyColumns)
		}
		if reason != "" {
			refused = append(refused, refusal(layout.ClusteredBy(layout.Sort, c), "%s", reason))
			continue
		}
		fit = append(fit, c)
	}
	return fit, refused
}

// refusal is a candidate that is not weighed.
func refusal(l layout.Layout, format string, args ...any) Candidate {
	return Candidate{Layout: l, Refused: true, Reason: fmt.Sprintf(format, args...), Losers: []string{}}
}

func wantedKeys(t TableInput, rs []read, g joingraph.Graph, first []joingraph.EdgeKey) []table.Column {
	var wanted []table.Column
	add := func(c table.Column) {
		if !slices.Contains(wanted, c) {
			wanted = append(wanted, c)
		}
	}
	for _, e := range firstSeenFirst(g.Edges, first) {
		for _, p := range e.Pairs {
			if t.scannedAs(e.Left) {
				add(p.Left)
			}
			if t.scannedAs(e.Right) {
				add(p.Right)
			}
		}
	}
	columns, scans := filters(rs)
	slices.SortStableFunc(columns, func(a, b table.Column) int { return int(scans[b] - scans[a]) })
	for _, c := range columns {
		add(c)
	}
	return wanted
}

// firstSeenFirst moves the edges first seen to the front, in their own order: a new join must
// not be crowded out by the columns that were always there.
func firstSeenFirst(edges []joingraph.Edge, first []joingraph.EdgeKey) []joingraph.Edge {
	ordered := slices.Clone(edges)
	slices.SortStableFunc(ordered, func(a, b joingraph.Edge) int {
		return place(first, a.Key) - place(first, b.Key)
	})
	return ordered
}

func place(first []joingraph.EdgeKey, key joingraph.EdgeKey) int {
	if at := slices.Index(first, key); at >= 0 {
		return at
	}
	return len(first)
}

// unfit says why a column cannot be a key; empty means it can.
func unfit(s lake.Snapshot, c table.Column) string {
	column, known := s.Column(c)
	switch {
	case !known:
		return "refused: the table has no such column any more"
	case slices.Contains(s.Layout.Partition, c):
		return "refused: it is a partition column"
	case byTime(s, c) != "":
		return "refused: the table is parted by its time already: " + byTime(s, c)
	case !orderable(column.Type):
		return "refused: a column of type " + column.Type + " keeps no bounds that prune"
	case unbound(s, c) != "":
		return unbound(s, c)
	case !bounded(s, c):
		return unkept(s, c)
	case samePrefix(s, c):
		return sharedPrefix(s, c)
	}
	return ""
}

// byTime is the partition field that is made of a column of time; empty for none.
func byTime(s lake.Snapshot, c table.Column) string {
	if p, _, ok := s.TimePart(); ok && p.Source == c {
		return string(p.Name)
	}
	return ""
}

// orderable reports whether a Delta type has bounds that ajlo can compare. Decimals of more
// than 18 digits do not fit its values.
func orderable(deltaType string) bool {
	switch deltaType {
	case "byte", "short", "integer", "long", "float", "double", "string", "date", "timestamp", "timestamp_ntz":
		return true
	}
	inner, ok := strings.CutPrefix(deltaType, "decimal(")
	if !ok {
		return false
	}
	precision, err := strconv.Atoi(inner[:max(0, strings.IndexByte(inner, ','))])
	return err == nil && precision <= maxDecimalDigits
}

// maxDecimalDigits is how many decimal digits always fit 63 bits.
const maxDecimalDigits = 18

// samePrefix reports whether all strings of a column begin alike for as long as bounds are: no
// order of such a column prunes.
func samePrefix(s lake.Snapshot, c table.Column) bool {
	chars, first := boundChars(s, c), ""
	if chars == 0 {
		return false
	}
	for _, f := range s.Files {
		b, ok := f.Bounds[c]
		if !ok || b.Min.Kind != predicate.String || b.Max.Kind != predicate.String {
			return false
		}
		for _, v := range []string{b.Min.S, b.Max.S} {
			runes := []rune(v)
			if len(runes) < chars || first != "" && string(runes[:chars]) != first {
				return false
			}
			first = string(runes[:chars])
		}
	}
	return first != ""
}

func bounded(s lake.Snapshot, c table.Column) bool {
	for _, f := range s.Files {
		if b, ok := f.Bounds[c]; ok && b.Min.Kind != predicate.Null {
			return true
		}
	}
	return false
}
