package lake

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/delta"
	"ajlo/job/iceberg"
	"ajlo/job/layout"
	"ajlo/job/predicate"
	"ajlo/job/table"
)

// A snapshot of ajlo's, one of an append, and one that was expired.
const ours, appended, expired = 11, 12, 5

func TestWhoLaidAnIcebergTable(t *testing.T) {
	keys := layout.ClusteredBy(layout.ZOrder, "a", "b")
	stamp := delta.Stamp{Run: "r", PlanHash: "h"}.Text()
	by := func(l layout.Layout) []iceberg.Commit {
		return []iceberg.Commit{
			{ID: ours, Operation: iceberg.Replace, Summary: map[string]string{iceberg.StampKey: stamp, iceberg.LayoutKey: l.Keys()}},
			{ID: appended, Operation: "append", Summary: map[string]string{iceberg.StampKey: stamp, iceberg.LayoutKey: l.Keys()}},
		}
	}
	files := func(snapshots ...int64) (list []iceberg.File) {
		for _, id := range snapshots {
			list = append(list, iceberg.File{Bytes: 10, Snapshot: id, Bounds: map[int]iceberg.Bounds{}, Partition: []predicate.Value{predicate.DateValue(3)}})
		}
		return list
	}
	property := map[string]string{iceberg.LayoutKey: keys.Keys()}
	for _, tc := range []struct {
		name  string
		table iceberg.Snapshot
		want  layout.Layout
		owner string
		laid  []bool
	}{
		{"laid, then appended to", iceberg.Snapshot{Properties: property, Commits: by(keys), Files: files(ours, appended, appended)}, keys, delta.OwnerUs, []bool{true, false, false}},
		{"what expired snapshots added counts as laid", iceberg.Snapshot{Properties: property, Commits: by(keys)[1:], Files: files(expired, appended)}, keys, delta.OwnerUs, []bool{true, false}},
		{"the property alone is no layout", iceberg.Snapshot{Properties: property, Commits: by(keys), Files: files(appended)}, layout.Unordered(), delta.OwnerNone, []bool{false}},
		{"laid by other keys before", iceberg.Snapshot{Properties: property, Commits: by(layout.ClusteredBy(layout.Sort, "c")), Files: files(ours)}, layout.Unordered(), delta.OwnerNone, []bool{false}},
		{"no property", iceberg.Snapshot{Commits: by(keys), Files: files(ours)}, layout.Unordered(), delta.OwnerNone, []bool{false}},
		{"a declared order is its owner's", iceberg.Snapshot{Properties: property, Commits: by(keys), Files: files(ours), Order: []iceberg.Key{{Field: "c", Transform: "identity"}}},
			layout.ClusteredBy(layout.Sort, "c"), delta.OwnerUser, []bool{true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.table.Partition = []iceberg.Part{{Field: "at", Transform: "day"}}
			got := OfIceberg(tc.table, "lake.t", "/t")
			tc.want.Partition = []table.Column{"day(at)"}
			if diff := cmp.Diff(tc.want, got.Layout); diff != "" || got.Owner != tc.owner {
				t.Errorf("owner %s, want %s; layout (-want +got):\n%s", got.Owner, tc.owner, diff)
			}
			var laid []bool
			for _, f := range got.Files {
				laid = append(laid, f.Laid)
				if b := f.Bounds["day(at)"]; b.Min != predicate.DateValue(3) || b.Max != b.Min {
					t.Errorf("its partition is %v", b)
				}
			}
			if diff := cmp.Diff(tc.laid, laid); diff != "" {
				t.Error(diff)
			}
		})
	}
}
