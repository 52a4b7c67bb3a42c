package prune

import "fmt"

// Reader is the engine that reads a table. It decides which predicates leave files unread:
// what literals leave unread is the same for all, what a join finds out at run time is not.
type Reader string

// The readers: Spark of the Apache project, Databricks, Microsoft Fabric's Spark, Trino.
const (
	OSSSpark   Reader = "oss-spark"
	Databricks Reader = "databricks"
	Fabric     Reader = "fabric"
	Trino      Reader = "trino"
)

// Readers are all of them.
func Readers() []Reader { return []Reader{OSSSpark, Databricks, Fabric, Trino} }

// String gives the reader's name.
func (r Reader) String() string { return string(r) }

// ParseReader reads the name of a reader; none is OSSSpark.
func ParseReader(text string) (Reader, error) {
	if text == "" {
		return OSSSpark, nil
	}
	for _, r := range Readers() {
		if text == string(r) {
			return r, nil
		}
	}
	return "", fmt.Errorf("reader %q: want one of %v", text, Readers())
}

// From this size on Databricks prunes a table's files at run time
// (spark.databricks.optimizer.deltaTableSizeThreshold and .deltaTableFilesThreshold).
const (
	leastRunTimeBytes = 10_000_000_000
	leastRunTimeFiles = 10
)

// FilesAtRunTime reports whether the reader leaves files of a table of so many bytes and files
// unread by the values of any column that a join has found at run time. All readers leave whole
// partitions unread so; open-source Spark nothing else, of Delta or Iceberg (tried on Spark 4.0
// with Delta 4.0 and Iceberg 1.10: 8 of 8 files of a clustered table were read).
func (r Reader) FilesAtRunTime(bytes int64, files int) bool {
	switch r {
	case Trino:
		return true
	case Databricks:
		return bytes >= leastRunTimeBytes && files >= leastRunTimeFiles
	}
	return false
}

// NeedsBroadcast reports whether the reader works values out at run time only where the side
// they come from is read whole first and sent to all tasks. Trino sends them along with the
// hash table of any join.
func (r Reader) NeedsBroadcast() bool { return r != Trino }
