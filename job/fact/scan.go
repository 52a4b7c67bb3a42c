package fact

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// source is what a scan operator reads.
type source struct {
	name     table.Name
	location table.Location
	format   string
}

// sourceOf reads a scan's name and location. ok is false for operators that scan no user
// table: the engine's own reads are told by what they read, never by a description.
func sourceOf(n *node) (source, bool) {
	if n.block == nil {
		return source{}, false
	}
	if rest, ok := strings.CutPrefix(n.name, "BatchScan"); ok {
		return batchSource(n, rest)
	}
	if rest, ok := strings.CutPrefix(n.name, "Scan "); ok {
		return fileSource(n, rest)
	}
	return source{}, false
}

// fileFormats are the sources whose tables are files. Others (existing RDDs, JDBC, rows
// held in memory) have no layout.
var fileFormats = []string{"parquet", "orc", "avro", "csv", "json", "text", "hive"}

// fileSource reads "parquet spark_catalog.tpch.orders" with its Location; the name is
// missing for tables read by path.
func fileSource(n *node, rest string) (source, bool) {
	format, name, _ := strings.Cut(rest, " ")
	if !slices.Contains(fileFormats, format) {
		return source{}, false
	}
	index, location := locationOf(n)
	switch {
	case index == "DeltaLogFileIndex" || isDeltaLog(location):
		return source{}, false
	case isDeltaIndex(index):
		format = "delta"
	}
	s := source{name: tableName(name), location: location, format: format}
	if s.name == "" {
		s.name = table.Name(location)
	}
	return s, s.name != ""
}

// isUnplaced reports a scan of somebody's files whose table cannot be told: read by a path
// that the text cut.
func isUnplaced(n *node) bool {
	rest, ok := strings.CutPrefix(n.name, "Scan ")
	format, name, _ := strings.Cut(rest, " ")
	location, placed := n.field("Location")
	return ok && name == "" && placed && slices.Contains(fileFormats, format) && strings.HasSuffix(location.text, "[]") &&
		!strings.HasPrefix(location.text, "DeltaLogFileIndex")
}

// isDeltaIndex tells Delta's scans from Parquet's: nothing else in the plan does.
func isDeltaIndex(class string) bool {
	return strings.HasPrefix(class, "Tahoe") || strings.HasPrefix(class, "PreparedDelta") || strings.HasPrefix(class, "Cdc")
}

func isDeltaLog(l table.Location) bool { return strings.Contains(string(l), "/_delta_log") }

// locationOf reads "PreparedDeltaFileIndex [file:/lake/orders]"; the list may be cut, and may
// count its paths before it: "InMemoryFileIndex(2 paths)[…".
func locationOf(n *node) (class string, location table.Location) {
	f, _ := n.field("Location")
	end := 0
	for end < len(f.text) && (isLetter(f.text[end]) || strings.IndexByte("_.$", f.text[end]) >= 0) {
		end++
	}
	list, ok := strings.CutPrefix(strings.TrimPrefix(withoutCount(f.text[end:]), " "), "[")
	if !ok || end == 0 {
		return "", ""
	}
	if first := strings.IndexAny(list, ",]"); first >= 0 {
		list = list[:first]
	}
	return f.text[:end], cleanLocation(list)
}

// withoutCount takes "(2 paths)" off.
func withoutCount(text string) string {
	rest, ok := strings.CutPrefix(text, "(")
	digits, after, counted := strings.Cut(rest, " path")
	after, closed := strings.CutPrefix(strings.TrimPrefix(after, "s"), ")")
	if ok && counted && closed && isNumber(digits) {
		return after
	}
	return text
}

// cleanLocation drops what Hadoop puts before a local path, and a trailing slash.
func cleanLocation(path string) table.Location {
	if local, ok := strings.CutPrefix(path, "file:"); ok {
		path = "/" + strings.TrimLeft(local, "/")
	}
	if len(path) > 1 {
		path = strings.TrimRight(path, "/")
	}
	return table.Location(path)
}

func tableName(text string) table.Name {
	return table.Name(strings.TrimPrefix(strings.TrimSpace(text), "spark_catalog."))
}

// icebergLine is how an Iceberg scan describes itself: "lake.d.t (branch=null) [filters=a = 5,
// groupedBy=]". Older versions have neither the branch nor groupedBy.
var (
	icebergLine    = regexp.MustCompile(`^([^ \[]+)(?: \(branch=[^)]*\))? \[filters=(.*), groupedBy=`)
	oldIcebergLine = regexp.MustCompile(`^([^ \[]+)(?: \(branch=[^)]*\))? \[filters=(.*?)\](?: RuntimeFilters: |$)`)
)

// metadataTables are Iceberg's tables about a table; they follow its name.
var metadataTables = []string{"files", "snapshots", "history", "manifests", "partitions", "entries", "refs",
	"all_data_files", "all_delete_files", "all_files", "all_manifests", "all_entries", "data_files", "delete_files",
	"metadata_log_entries", "position_deletes"}

// catalogDepth is the number of names in catalog.database.table; metadata tables have one
// more.
const catalogDepth = 3

func batchSource(n *node, rest string) (source, bool) {
	rest = strings.TrimSpace(rest)
	if name, _, ok := icebergScan(n); ok {
		if rest == "" {
			rest = name // Spark up to 3.2 names every such operator BatchScan
		}
		parts := strings.Split(rest, ".")
		if len(parts) > catalogDepth && slices.Contains(metadataTables, parts[len(parts)-1]) {
			return source{}, false
		}
		return source{name: tableName(rest), format: "iceberg"}, true
	}
	return fileSource(n, rest) // "parquet file:/lake/t" of the V2 file sources
}

func icebergScan(n *node) (name, filters string, ok bool) {
	for _, line := range n.block.rest {
		for _, form := range []*regexp.Regexp{icebergLine, oldIcebergLine} {
			if m := form.FindStringSubmatch(line); m != nil {
				return m[1], m[2], true
			}
		}
	}
	return "", "", false
}

func icebergFilters(n *node) (filters string, ok bool) {
	_, filters, ok = icebergScan(n)
	return filters, ok
}

// scanName is sourceOf for those who need no more than whether and what.
func scanName(n *node) (table.Name, bool) {
	s, ok := sourceOf(n)
	return s.name, ok
}

// zones are those an execution's timestamps are printed in; nil is unknown.
type zones struct{ jvm, session *time.Location }

// predicateOf is what the reader of a scan can prune by: what was pushed into it, the
// partition filters, and the condition of the Filter right above it, which repeats what
// was pushed and holds what was not. lost counts conjuncts cut from the text.
func predicateOf(at *visit, z zones) (p *predicate.Predicate, lost int) {
	s := scopeOf(at, z)
	above, lostAbove := conditionsAbove(at, s)
	partition, lostPartition := listField(at.node, "PartitionFilters", s.ParseCatalystList)
	var all []predicate.Predicate
	if text, ok := icebergFilters(at.node); ok {
		filters := unsaidByCondition(s.ParseIceberg(text), above)
		unread := len(above)
		above = predicate.Unsaid(above, filters)
		lostAbove = max(lostAbove-(unread-len(above)), 0)
		all = slices.Concat(above, filters)
	} else {
		pushed, lostPushed := listField(at.node, "PushedFilters", s.ParsePushed)
		for _, label := range []string{"DataFilters", "RequiredDataFilters"} { // Photon has no PushedFilters
			if _, has := at.field("PushedFilters"); !has && len(pushed) == 0 {
				pushed, lostPushed = listField(at.node, label, s.ParseCatalystList)
			}
		}
		if lostPushed > 0 && len(above) > 0 && lostAbove == 0 {
			lostPushed = 0 // the condition holds them all
		}
		all, lost = predicate.Merge(pushed, above), lostPushed
		if lostPushed == 0 && len(pushed) > 0 && !slices.ContainsFunc(all, predicate.Predicate.Undecided) {
			lostAbove = 0 // what was cut from the condition was pushed, too
		}
	}
	all = slices.DeleteFunc(append(all, partition...), engineOwn)
	return predicate.Conjunction(all), lost + lostAbove + lostPartition
}

func listField(n *node, label string, parse func(string) ([]predicate.Predicate, int)) ([]predicate.Predicate, int) {
	f, _ := n.field(label)
	return parse(f.text)
}

// engineOwn are conditions on columns the engine adds, such as Delta's mark of deleted
// rows.
func engineOwn(p predicate.Predicate) bool {
	return strings.HasPrefix(string(p.Column), "__delta_internal")
}

// unsaidByCondition leaves out the filters that a condition says too: Iceberg prints its
// values as numbers, so only the shapes can be compared.
func unsaidByCondition(filters, above []predicate.Predicate) []predicate.Predicate {
	said := map[string]int{}
	for _, p := range above {
		said[p.Shape()]++
	}
	return slices.DeleteFunc(filters, func(p predicate.Predicate) bool {
		said[p.Shape()]--
		return said[p.Shape()] >= 0
	})
}

// conditionsAbove reads the Filters that stand on a scan, with nothing between but the
// change from columns to rows.
func conditionsAbove(at *visit, s *predicate.Scope) (all []predicate.Predicate, lost int) {
	for condition := range filtersAbove(at) {
		conjuncts, l := s.ParseCatalyst(condition)
		all, lost = append(all, conjuncts...), lost+l
	}
	return all, lost
}

// scopeOf is what a scan's filters are read with, columns included that its cut list hides.
func scopeOf(at *visit, z zones) *predicate.Scope {
	s := filterScope(at.node, z)
	s.Fields = append(s.Fields, hiddenFields(at)...)
	return s
}

func filtersAbove(at *visit) iter.Seq[string] {
	return func(yield func(condition string) bool) {
		for up := at.parent; up != nil; up = up.parent {
			switch up.operator() {
			case "ColumnarToRow", "InputAdapter", "WholeStageCodegen", "CoalesceBatches", "ResizeBatches", "InputIterator":
			case "Filter":
				if f, _ := up.field("Condition"); !yield(f.text) {
					return
				}
			default:
				return
			}
		}
	}
}

// filterScope types the scan's columns: by its ReadSchema, by the mark of bigint, or, for
// Iceberg, by the quotes its own filters put around strings.
func filterScope(n *node, z zones) *predicate.Scope {
	output, _ := n.field("Output")
	attributes, _ := attributesOf(output)
	schema, _ := n.field("ReadSchema")
	types := schemaTypes(schema.text, attributes)
	s := &predicate.Scope{JVM: z.jvm, Session: z.session}
	for _, a := range attributes {
		f := predicate.Field{Name: table.Column(a.name), Attribute: a.text(), Type: types[a.name]}
		if f.Type == "" && a.long {
			f.Type = "bigint"
		}
		s.Fields = append(s.Fields, f)
	}
	if text, ok := icebergFilters(n); ok {
		quoted := s.TextColumns(s.ParseIceberg(text))
		for i := range s.Fields {
			if f := &s.Fields[i]; f.Type == "" && quoted[f.Name] {
				f.Type = "string"
			}
		}
	}
	return s
}

// hiddenFields are the columns that a scan's cut list does not show: the schema has their
// names and types, the conditions on the scan their ids. Iceberg's scans have no schema: there
// the conditions right above the scan have the names, too.
func hiddenFields(at *visit) (hidden []predicate.Field) {
	output, _ := at.field("Output")
	attributes, whole := attributesOf(output)
	if whole {
		return nil
	}
	schema, _ := at.field("ReadSchema")
	types := schemaTypes(schema.text, attributes)
	marks := map[string]string{}
	for up := at.parent; up != nil && len(up.children) == 1; up = up.parent {
		condition, _ := up.field("Condition")
		for name, mark := range marked(condition.text) {
			marks[name] = name + mark
		}
	}
	if _, ok := icebergFilters(at.node); ok {
		for condition := range filtersAbove(at) {
			for name, mark := range marked(condition) {
				types[name] = longType(mark)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !slices.ContainsFunc(attributes, func(a attribute) bool { return a.name == name }) {
			hidden = append(hidden, predicate.Field{Name: table.Column(name), Attribute: marks[name], Type: types[name]})
		}
	}
	return hidden
}

// longType is the type that an attribute's id tells of: "#7L" is a bigint, "#7" anything else.
func longType(mark string) string {
	if strings.HasSuffix(mark, "L") {
		return "bigint"
	}
	return ""
}

// schemaTypes reads "struct<a:bigint,b:struct<c:int>>". Names may hold any character, so
// each is looked for among the scan's attributes.
func schemaTypes(schema string, attributes []attribute) map[string]string {
	types := map[string]string{}
	rest, ok := strings.CutPrefix(schema, "struct<")
	if !ok {
		return types
	}
	rest = strings.TrimSuffix(rest, ">")
	for rest != "" {
		name, after := leadingName(rest, attributes)
		typ := leadingType(after)
		types[name] = typ
		rest = strings.TrimPrefix(after[len(typ):], ",")
	}
	return types
}

func leadingName(text string, attributes []attribute) (name, rest string) {
	for _, a := range attributes {
		for _, spelling := range []string{a.name, "`" + strings.ReplaceAll(a.name, "`", "``") + "`"} {
			if after, ok := strings.CutPrefix(text, spelling+":"); ok && len(a.name) >= len(name) {
				name, rest = a.name, after
			}
		}
	}
	if name == "" {
		name, rest, _ = strings.Cut(text, ":")
	}
	return name, rest
}

// leadingType is the text up to the comma that no bracket encloses.
func leadingType(text string) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}
