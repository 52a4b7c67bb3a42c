package dialect

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ajlo/job/iceberg"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// SparkIceberg is Spark with Iceberg 1.10. Layouts are made by its procedures, which never
// change how later writes are spread (WRITE ORDERED BY would range-shuffle them all). They take
// a table by its name in a catalog, not by its place.
type SparkIceberg struct{}

// IcebergBoundChars is how many characters of a string Iceberg keeps in a file's bounds where
// the table does not say (write.metadata.metrics.default, truncate(16)).
const IcebergBoundChars = 16

// Rewrite is what a statement says beside the layout.
type Rewrite struct {
	TargetFile int64 // bytes of the files that it makes
	// Within are the periods whose partitions are rewritten; none for the whole table.
	Within []layout.Period
}

// Name is the dialect's name in plan and state.
func (d SparkIceberg) Name() string { return string(OnIceberg) + "-" + d.Can().Format }

// Can is what every release can do.
func (SparkIceberg) Can() Capabilities { return Of(OnIceberg) }

// Rekey gives the statements that lay the table, or periods of it, by new keys, each ending in
// ";". The keys are put down as a property, since nothing else in Iceberg tells a z-ordered file
// from one in no order; statistics of distinct values go by the new keys.
func (d SparkIceberg) Rekey(t Target, l layout.Layout, r Rewrite) []string {
	return []string{
		fmt.Sprintf("ALTER TABLE %s SET TBLPROPERTIES (%s = %s);", t.reference(), Literal(iceberg.LayoutKey), Literal(l.Keys())),
		d.Upkeep(t, l, r),
		fmt.Sprintf("CALL %s.system.compute_table_stats(table => %s, columns => array(%s));", t.catalog(), Literal(t.withinCatalog()), literals(l.Clustering)),
	}
}

// Upkeep gives the statement that puts the table, or periods of it, in the order of its keys.
// Without rewrite-all the procedure leaves files of a healthy size as they are.
func (SparkIceberg) Upkeep(t Target, l layout.Layout, r Rewrite) string {
	order := "zorder(" + columns(l.Clustering) + ")"
	if l.Order == layout.Sort {
		order = columns(l.Clustering)
	}
	arguments := []string{
		"table => " + Literal(t.withinCatalog()), "strategy => 'sort'", "sort_order => " + Literal(order),
		"options => map('rewrite-all', 'true', 'target-file-size-bytes', " + Literal(strconv.FormatInt(r.TargetFile, 10)) + ")",
	}
	if len(r.Within) > 0 {
		arguments = append(arguments, "where => "+Literal(where(r.Within)))
	}
	return fmt.Sprintf("CALL %s.system.rewrite_data_files(%s);", t.catalog(), strings.Join(arguments, ", "))
}

// Undo goes back to a snapshot; it also drops every row written since, so it is right only while
// no later data commit stands in the table's history.
func (SparkIceberg) Undo(t Target, snapshot int64) string {
	return fmt.Sprintf("CALL %s.system.rollback_to_snapshot(table => %s, snapshot_id => %d);", t.catalog(), Literal(t.withinCatalog()), snapshot)
}

// Deadline says until when the way back is open.
func (SparkIceberg) Deadline(snapshot int64) string {
	return fmt.Sprintf("until expire_snapshots takes snapshot %d: five days unless history.expire.max-snapshot-age-ms says otherwise", snapshot)
}

// Stamp gives the statements that put a stamp and a layout's keys into the summary of whatever
// the session commits next, and the one that ends it. The procedures take no properties of
// their own: the summary takes what Iceberg holds about the program, where a static method puts
// an entry. VALUES makes Spark's optimizer call it, on the driver.
func (SparkIceberg) Stamp(stamp string, l layout.Layout) (begin, end string) {
	const class = "'org.apache.iceberg.EnvironmentContext'"
	begin = fmt.Sprintf("SELECT java_method(%[1]s, 'put', %[2]s, %[3]s), java_method(%[1]s, 'put', %[4]s, %[5]s) FROM VALUES (1);",
		class, Literal(iceberg.StampKey), Literal(stamp), Literal(iceberg.LayoutKey), Literal(l.Keys()))
	end = fmt.Sprintf("SELECT java_method(%[1]s, 'remove', %[2]s), java_method(%[1]s, 'remove', %[3]s) FROM VALUES (1);",
		class, Literal(iceberg.StampKey), Literal(iceberg.LayoutKey))
	return begin, end
}

// Describe gives statements whose answers are the versions of Spark and Iceberg, one a line, and
// then what Spark knows of the table.
func (SparkIceberg) Describe(t Target) string {
	return "SELECT version();\nSELECT java_method('org.apache.iceberg.IcebergBuild', 'version') FROM VALUES (1);\nDESCRIBE TABLE EXTENDED " + t.reference() + ";"
}

// where is the condition of periods, which holds for whole partitions.
func where(periods []layout.Period) string {
	texts := make([]string, len(periods))
	for i, p := range periods {
		texts[i] = fmt.Sprintf("(%[1]s >= %[2]s AND %[1]s < %[3]s)", Quote(string(p.Column)), moment(p.Type, p.From), moment(p.Type, p.To))
	}
	return strings.Join(texts, " OR ")
}

// moment is a literal of one of the types of time.
func moment(kind string, t time.Time) string {
	const seconds = "2006-01-02 15:04:05"
	switch kind {
	case "date":
		return "DATE '" + t.Format(time.DateOnly) + "'"
	case "timestamp_ntz":
		return "TIMESTAMP_NTZ '" + t.Format(seconds) + "'"
	}
	return "TIMESTAMP '" + t.UTC().Format(seconds) + "Z'"
}

// named is the table by its name, whatever the address: there is none by place.
func (t Target) named() string { return dotted(strings.Split(string(t.Name), ".")) }

// reference is the table by its name, as a literal where spark-sql would not get to the end of
// it.
func (t Target) reference() string {
	if Cuttable(string(t.Name)) {
		return "IDENTIFIER(" + Literal(t.named()) + ")"
	}
	return t.named()
}

// Cuttable reports whether spark-sql takes a part of an identifier for a quote, a comment or the
// end of a statement: it looks for those in backticks, too.
func Cuttable(name string) bool {
	return strings.ContainsAny(name, ";'\"") || strings.Contains(name, "--") || strings.Contains(name, "/*")
}

// sessionCatalog is what names without a catalog are of.
const sessionCatalog = "spark_catalog"

// catalog is the catalog that a name begins with, quoted; the session's for a name of two parts.
func (t Target) catalog() string {
	parts := strings.Split(string(t.Name), ".")
	if len(parts) < 3 {
		return Quote(sessionCatalog)
	}
	return Quote(parts[0])
}

// withinCatalog is the rest of the name, quoted.
func (t Target) withinCatalog() string {
	parts := strings.Split(string(t.Name), ".")
	if len(parts) >= 3 {
		parts = parts[1:]
	}
	return dotted(parts)
}

func literals(columns []table.Column) string { return joined(table.Texts(columns), Literal, ", ") }

// Literal makes one string literal of any text, on one line.
func Literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}
