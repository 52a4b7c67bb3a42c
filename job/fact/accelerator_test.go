package fact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/eventlog"
	"ajlo/job/table"
)

func TestSparkName(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"Spark's own", "SortMergeJoin(skew=true) Inner", "SortMergeJoin(skew=true) Inner"},
		{"RAPIDS, a join", "GpuShuffledHashJoin", "ShuffledHashJoin"},
		{"RAPIDS, a scan", "GpuScan parquet spark_catalog.d.t", "Scan parquet spark_catalog.d.t"},
		{"RAPIDS, an older scan", "GpuFileGpuScan parquet ", "Scan parquet"},
		{"RAPIDS, a V2 scan", "GpuBatchScan lake.d.t", "BatchScan lake.d.t"},
		{"Comet, a scan with its variant", "CometScan [native_iceberg_compat] parquet spark_catalog.d.t", "Scan parquet spark_catalog.d.t"},
		{"Comet, a native scan", "CometNativeScan parquet d.t", "Scan parquet d.t"},
		{"Comet, a hash join", "CometHashJoin", "ShuffledHashJoin"},
		{"Comet, a broadcast join", "CometBroadcastHashJoin", "BroadcastHashJoin"},
		{"Photon, a scan", "PhotonScan parquet main.d.t", "Scan parquet main.d.t"},
		{"Photon, an aggregate", "PhotonGroupingAgg", "HashAggregate"},
		{"Gluten, a join", "^(2) ShuffledHashJoinExecTransformer Inner", "ShuffledHashJoin Inner"},
		{"Gluten, a scan", "FileSourceScanExecTransformer parquet spark_catalog.d.t", "Scan parquet spark_catalog.d.t"},
		{"Gluten, an older scan", "NativeFileScan parquet ", "Scan parquet"},
		{"Gluten, an aggregate", "FlushableHashAggregateExecTransformer", "HashAggregate"},
		{"Gluten, Iceberg", "IcebergScanTransformer lake.d.t", "BatchScan lake.d.t"},
		{"only a beginning", "Photonic", "Photonic"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := sparkName(test.text); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Plans in the shapes that the accelerators' own documents and tests show.
func TestAcceleratorPlans(t *testing.T) { comparePlans(t, "testdata/accelerators/*.txt", 4) }

// The same operators as trees, where a mode has no text for them.
func TestAcceleratorTrees(t *testing.T) {
	leaf := func(name, simple string) *eventlog.PlanNode {
		return &eventlog.PlanNode{Name: name, Simple: simple}
	}
	tests := []struct {
		name        string
		join        string
		left, right *eventlog.PlanNode
	}{
		{"RAPIDS", "GpuShuffledHashJoin [a#1L], [b#2L], Inner, GpuBuildRight, false",
			leaf("GpuScan parquet d.x", "GpuFileGpuScan parquet d.x[a#1L] Batched: true, Location: InMemoryFileIndex[file:/lake/x]"),
			leaf("GpuScan parquet d.y", "GpuFileGpuScan parquet d.y[b#2L] Batched: true, Location: InMemoryFileIndex[file:/lake/y]")},
		{"Gluten", "^(3) ShuffledHashJoinExecTransformer [a#1L], [b#2L], Inner, BuildRight",
			leaf("FileSourceScanExecTransformer parquet d.x", "FileFileSourceScanExecTransformer parquet d.x[a#1L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/x]"),
			leaf("NativeFileScan parquet d.y", "NativeFileScan parquet d.y[b#2L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/y]")},
		{"Comet", "CometSortMergeJoin [a#1L], [b#2L], Inner",
			leaf("CometScan [native_comet] parquet d.x", "CometScan [native_comet] parquet d.x[a#1L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/x]"),
			leaf("CometNativeScan parquet d.y", "CometNativeScan parquet d.y[b#2L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/lake/y]")},
		{"Photon", "PhotonShuffledHashJoin [a#1L], [b#2L], Inner, BuildRight",
			leaf("PhotonScan parquet d.x", "PhotonScan parquet d.x[a#1L] Batched: true, Location: PreparedDeltaFileIndex(1 paths)[s3://lake/x]"),
			leaf("PhotonScan parquet d.y", "PhotonScan parquet d.y[b#2L] Batched: true, Location: PreparedDeltaFileIndex(1 paths)[s3://lake/y]")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			word, _, _ := strings.Cut(acceleratorMark.ReplaceAllString(test.join, ""), " ")
			root := &eventlog.PlanNode{Name: word, Simple: test.join, Children: []*eventlog.PlanNode{test.left, test.right}}
			d := digestPlans(plan{}, plan{info: root}, zones{})
			if len(d.joins) != 1 || len(d.scans) != 2 {
				t.Fatalf("%d joins of %d scans, want 1 of 2", len(d.joins), len(d.scans))
			}
			j := d.joins[0].Join
			j.Strategy = NoStrategy
			want := Join{Left: []table.Ref{{Table: "d.x", Column: "a"}}, Right: []table.Ref{{Table: "d.y", Column: "b"}}, Type: Inner}
			if strings.Contains(test.join, "BuildRight") {
				want.Build = RightSide
			}
			if diff := cmp.Diff(want, j); diff != "" {
				t.Errorf("join (-want +got)\n%s", diff)
			}
			if d.scans[0].Location == "" || d.lost != (Lost{}) {
				t.Errorf("scan %+v, lost %+v", d.scans[0].Scan, d.lost)
			}
		})
	}
}
