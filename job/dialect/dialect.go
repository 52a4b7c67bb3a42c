// Package dialect knows what an engine's SQL can say about layout: how names are quoted,
// which statement gives a table new keys, what undoes it, and what the engine cannot do.
// Everything in it was tried on the engine it speaks of.
package dialect

import (
	"fmt"
	"strings"

	"ajlo/job/layout"
	"ajlo/job/table"
)

// Address says how statements name a table.
type Address string

// The addresses: by its name in the session's catalog, or by the place of its files, which
// needs no catalog.
const (
	ByName Address = "name"
	ByPath Address = "path"
)

// Target is one table as statements name it.
type Target struct {
	Name     table.Name
	Location table.Location
	Address  Address
	// Streaming is true for a table with a live streaming writer: it gets no ALTER and no
	// RESTORE, either of which would break or rewind the stream (rule 5).
	Streaming bool
	// Clustered is true for a table that has the feature of declared keys already: giving it
	// others raises no protocol, and ZORDER BY is refused on it.
	Clustered bool
}

// SparkDelta is Delta Lake on Spark: open source from 3.3 on, or a platform's.
type SparkDelta struct {
	// Flavour is open source where empty.
	Flavour Flavour
	// MayRaiseProtocol allows ALTER … CLUSTER BY on a table that was not clustered before:
	// it raises the writer protocol to 7 for good. Without it keys are laid by ZORDER BY.
	MayRaiseProtocol ProtocolLeave
}

// ProtocolLeave is the owner's leave to raise a table's protocol, a one-way door (rule 5).
type ProtocolLeave string

// The two answers; the zero value means no.
const (
	KeepProtocol  ProtocolLeave = ""
	RaiseProtocol ProtocolLeave = "raise"
)

// Limits of clustering in Delta: ALTER … CLUSTER BY with a fifth column fails with
// DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS, and a column without statistics cannot be a key.
const (
	MaxClusteringKeys = 4
	// BoundChars is how many characters of a string Delta keeps in a file's bounds.
	BoundChars = 32
)

// Settings of a Spark session with Delta Lake: the size of the files that OPTIMIZE makes, in
// bytes (delta.targetFileSize is refused by open-source Delta), and what is kept with each
// commit.
const (
	FileSizeSetting = "spark.databricks.delta.optimize.maxFileSize"
	StampSetting    = "spark.databricks.delta.commitInfo.userMetadata"
)

// Name is the dialect's name in plan and state.
func (d SparkDelta) Name() string {
	can := d.Can()
	return strings.TrimSuffix(string(can.Flavour)+"-"+can.Format, "-")
}

// Can is what every release of the flavour can do.
func (d SparkDelta) Can() Capabilities { return Of(d.Flavour) }

// Clusters reports whether the table is given declared keys: where it has the feature already
// or there is leave to raise its protocol, and without a stream at work. A partitioned table
// cannot have any (DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED): its files are
// laid by ZORDER BY, partition by partition.
func (d SparkDelta) Clusters(t Target, l layout.Layout) bool {
	return (d.MayRaiseProtocol == RaiseProtocol || t.Clustered) && !t.Streaming && len(l.Partition) == 0
}

// Rekey gives the statements that lay a whole table by new keys, each ending in ";".
// OPTIMIZE alone would leave the old files as they are: FULL makes them follow. Statistics are
// renewed where the flavour has a statement for it that takes the table.
func (d SparkDelta) Rekey(t Target, l layout.Layout) []string {
	can, keys := d.Can(), columns(l.Clustering)
	list := []string{fmt.Sprintf("OPTIMIZE %s ZORDER BY (%s);", t.SQL(), keys)}
	if d.Clusters(t, l) {
		list = []string{
			fmt.Sprintf("ALTER TABLE %s %s (%s);", t.SQL(), can.Declares, keys),
			fmt.Sprintf("OPTIMIZE %s %s;", t.SQL(), can.Follow),
		}
	}
	if can.Analyze != "" && (can.AnalyzesPaths || !t.byPlace()) {
		list = append(list, fmt.Sprintf("ANALYZE TABLE %s %s;", t.SQL(), can.Analyze))
	}
	return list
}

// Repartition gives the statement that comes nearest to giving a table other partition columns: it
// writes the table anew from itself, by its name or place. What others append meanwhile is lost, as are
// the table's properties and comments, so that no engine of ajlo runs it.
func (d SparkDelta) Repartition(t Target, l layout.Layout) string {
	how := ""
	if len(l.Partition) > 0 {
		how = fmt.Sprintf("PARTITIONED BY (%s) ", columns(l.Partition))
	}
	return fmt.Sprintf("CREATE OR REPLACE TABLE %s USING delta %sAS SELECT * FROM %s;", t.SQL(), how, t.SQL())
}

// Upkeep gives the statement that puts what came in since in order: OPTIMIZE where the keys are
// declared, which takes the open cube whole, else the same order once more.
func (d SparkDelta) Upkeep(t Target, l layout.Layout) string {
	if d.Clusters(t, l) {
		return fmt.Sprintf("OPTIMIZE %s;", t.SQL())
	}
	return fmt.Sprintf("OPTIMIZE %s ZORDER BY (%s);", t.SQL(), columns(l.Clustering))
}

// Undo goes back to a version; it also drops every row written since, so it is right only
// while no later data commit stands in the table's history.
func (d SparkDelta) Undo(t Target, version int64) string {
	if t.Streaming {
		return "-- none: a streaming writer is at work on the table; its next layout replaces this one"
	}
	return fmt.Sprintf("%s TABLE %s TO VERSION AS OF %d;", d.Can().Undo, t.SQL(), version)
}

// Describe gives statements whose answers are the releases of Spark and Delta Lake, one a line, and
// then what Spark knows of the table.
func (SparkDelta) Describe(t Target) string {
	return "SELECT version();\nSELECT java_method('io.delta.package', 'VERSION');\nDESCRIBE DETAIL " + t.SQL() + ";"
}

// Deadline says until when the way back is open.
func (SparkDelta) Deadline() string {
	return "until VACUUM takes the files of before: seven days unless delta.deletedFileRetentionDuration says otherwise"
}

// SQL is the table as a statement names it, quoted so that nothing in the name is read as SQL.
func (t Target) SQL() string {
	if t.byPlace() {
		return "delta." + Quote(string(t.Location))
	}
	return t.named()
}

func (t Target) byPlace() bool { return t.Address == ByPath || t.Name.IsPlace() }

func dotted(parts []string) string { return joined(parts, Quote, ".") }

func columns(keys []table.Column) string { return joined(table.Texts(keys), Quote, ", ") }

// joined spells names one by one.
func joined(names []string, spell func(string) string, between string) string {
	spelt := make([]string, len(names))
	for i, name := range names {
		spelt[i] = spell(name)
	}
	return strings.Join(spelt, between)
}

// Quote makes one identifier of any text: backticks around, backticks within doubled.
func Quote(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// CommentLine makes any text safe to stand behind "-- ": line ends become spaces, so that no
// name or reason can start a statement of its own.
func CommentLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, text)
}
