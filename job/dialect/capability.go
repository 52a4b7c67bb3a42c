package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Flavour is a product whose SQL lays tables.
type Flavour string

// The flavours.
const (
	OpenSource Flavour = "spark-delta" // open-source Spark with Delta Lake
	Databricks Flavour = "databricks"
	Fabric     Flavour = "fabric" // Microsoft Fabric's Spark
	OnIceberg  Flavour = "spark-iceberg"
)

// Cost is what it takes to put in order what came into a table since it was laid.
type Cost string

// The costs: the open cube whole, which is all of a table below 100 GiB; the new files; the
// partitions that have any.
const (
	OpenCube   Cost = "open_cube"
	NewFiles   Cost = "new_files"
	Partitions Cost = "partitions"
)

// Capabilities are what one release of a flavour can say about layout and what it costs. Those of
// open-source Spark were tried on Spark 3.5.7, 4.0.2 and 4.1.0 with Delta Lake 3.3.2, 4.0.1 and
// 4.3.0 and Iceberg 1.10.1; those of Databricks and Fabric are by their manuals.
type Capabilities struct {
	Flavour Flavour
	// Spark and Format are the oldest releases of Spark and of the table format with these
	// capabilities; empty where the platform does not say.
	Spark, Format string
	// Declares is the clause that gives a table keys, Follow the one that makes OPTIMIZE take old
	// files, too; plain OPTIMIZE leaves them as they are.
	Declares, Follow string
	// Analyze is what follows ANALYZE TABLE and the table; empty where it fails. Bounds of files
	// are renewed by the rewrite itself.
	Analyze string
	// AnalyzesPaths is true where ANALYZE takes a table by its place.
	AnalyzesPaths bool
	// LowShuffle is the setting by which MERGE keeps rows that it only copies in their order.
	LowShuffle string
	// MaxKeys is how many keys a table may declare, BoundChars how many characters of a text are
	// kept in bounds, StatsColumns how many leaf columns have any where the table does not say; 0
	// for all.
	MaxKeys, BoundChars, StatsColumns int
	// Undo is the statement that goes back to a version; it drops what was written since.
	Undo   string
	Upkeep Cost
	// OneWay is what declaring keys does that cannot be undone; empty for nothing.
	OneWay string
	// CatalogManaged is false where OPTIMIZE is refused on tables whose commits a catalog makes.
	CatalogManaged bool
}

const clusteringDoor = "CLUSTER BY raises the writer version to 7 with the features clustering and domainMetadata"

// releases are the known ones, the oldest of each flavour first.
func releases() []Capabilities {
	delta := Capabilities{
		Flavour: OpenSource, Spark: "3.5", Format: "3.3", Declares: "CLUSTER BY", Follow: "FULL",
		MaxKeys: MaxClusteringKeys, BoundChars: BoundChars, StatsColumns: 32,
		OneWay: clusteringDoor, Undo: "RESTORE", Upkeep: OpenCube, CatalogManaged: true,
	}
	newer := delta
	newer.Spark, newer.Format, newer.CatalogManaged = "4.1", "4.2", false
	databricks := delta
	databricks.Flavour, databricks.Spark, databricks.Format = Databricks, "", ""
	databricks.Analyze, databricks.LowShuffle = "COMPUTE DELTA STATISTICS", "spark.databricks.delta.merge.enableLowShuffle"
	fabric := delta
	fabric.Flavour, fabric.Spark, fabric.Format = Fabric, "", ""
	fabric.Analyze, fabric.AnalyzesPaths, fabric.LowShuffle = "COMPUTE STATISTICS", true, "spark.microsoft.delta.merge.lowShuffle.enabled"
	iceberg := Capabilities{
		Flavour: OnIceberg, Spark: "3.5", Format: "1.10", MaxKeys: MaxClusteringKeys, BoundChars: IcebergBoundChars, StatsColumns: 100,
		Undo: "rollback_to_snapshot", Upkeep: Partitions, CatalogManaged: true,
	}
	return []Capabilities{delta, newer, databricks, fabric, iceberg}
}

// FlavourOf is the flavour of a dialect by its name in a plan; open source where it is none.
func FlavourOf(name string) Flavour {
	for _, c := range releases() {
		if name == string(c.Flavour) || strings.HasPrefix(name, string(c.Flavour)+"-") {
			return c.Flavour
		}
	}
	return OpenSource
}

// Of are the capabilities of a flavour whose release is not known: those of its oldest.
func Of(f Flavour) Capabilities {
	all := releases()
	return all[max(0, slices.IndexFunc(all, func(c Capabilities) bool { return c.Flavour == f }))]
}

// Probed are the capabilities of the releases that a running engine says it has. The error says
// which would do.
func Probed(f Flavour, spark, format string) (found Capabilities, err error) {
	oldest := Of(f)
	for _, c := range releases() {
		if c.Flavour == f && atLeast(spark, c.Spark) && atLeast(format, c.Format) {
			found = c
		}
	}
	if found.Flavour == "" {
		return found, fmt.Errorf("this is Spark %.40q with %.40q of the table format; old files follow new keys from Spark %s with %s on", spark, format, oldest.Spark, oldest.Format)
	}
	return found, nil
}

// atLeast compares releases by their first two numbers.
func atLeast(version, oldest string) bool {
	number := func(v string) (major, minor int) {
		parts := append(strings.Split(v, "."), "", "")
		major, _ = strconv.Atoi(parts[0])
		minor, _ = strconv.Atoi(parts[1])
		return major, minor
	}
	major, minor := number(version)
	oldMajor, oldMinor := number(oldest)
	return major > oldMajor || major == oldMajor && minor >= oldMinor
}
