package plan

import (
	"fmt"
	"slices"

	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/unit"
)

// bucketedShare is the part of a window's task time that joins have to take before buckets are advised
// for them: others have to be told, and every session that is to gain has to be set.
const bucketedShare = 0.1

// Buckets are powers of two, so that tables of other numbers of them can still be joined by the lesser.
const mostBuckets = 512

// advise says of the heaviest joins of Iceberg tables what buckets of both sides would do: Spark 4.0.2
// with Iceberg 1.10.1 then joins them without a shuffle (storage-partitioned join), of 94 MB before none
// after, once both tables are rewritten. No saving is foretold, since facts hold no shuffled bytes, and
// no step of ajlo's does it: it changes where all later writes go.
func (in Input) advise() (list []string) {
	for _, e := range in.Graph.Edges {
		if text := in.bucketed(e); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// bucketed is the advice for one edge, "" for none. Of edges with several pairs and tables with
// partitions of another kind Spark wants more settings, which were not tried.
func (in Input) bucketed(e joingraph.Edge) string {
	if e.CostShare < bucketedShare || e.Self || e.Expression || len(e.Pairs) != 1 {
		return ""
	}
	left := slices.IndexFunc(in.Tables, func(t TableInput) bool { return t.scannedAs(e.Left) })
	right := slices.IndexFunc(in.Tables, func(t TableInput) bool { return t.scannedAs(e.Right) })
	if left < 0 || right < 0 || left == right {
		return ""
	}
	a, b := in.Tables[left].Snapshot, in.Tables[right].Snapshot
	one, known := a.Column(e.Pairs[0].Left)
	other, too := b.Column(e.Pairs[0].Right)
	if !known || !too || one.Type != other.Type || !hashable(one.Type) || !plainIceberg(a) || !plainIceberg(b) {
		return ""
	}
	n := in.buckets(max(a.Bytes(), b.Bytes()))
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("joins on %s take %.0f %% of the window's task time; ALTER TABLE … ADD PARTITION FIELD bucket(%d, …) by their columns on both tables, then rewrite_data_files with rewrite-all, which rewrites %s, "+
		"lets Spark join them without a shuffle in sessions with spark.sql.sources.v2.bucketing.enabled=true and spark.sql.iceberg.planning.preserve-data-grouping=true; "+
		"what that saves is not known, since logs are not read for shuffled bytes, and ajlo does not do it: all later writes would lie by buckets",
		e.Key, 100*e.CostShare, n, a.Bytes()+b.Bytes())
}

// buckets are so many that one of the larger table is about a file.
func (in Input) buckets(larger unit.Bytes) int {
	files, n := layout.FileCount(larger, in.Settings.TargetFile), 1
	for 2*n <= min(files, mostBuckets) {
		n *= 2
	}
	return n
}

func plainIceberg(s lake.Snapshot) bool {
	return s.Format == lake.Iceberg && len(s.Layout.Partition) == 0
}

// hashable reports whether Iceberg makes buckets of a type.
func hashable(kind string) bool {
	return !slices.Contains([]string{"boolean", "float", "double"}, kind)
}
