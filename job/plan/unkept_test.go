package plan

import (
	"testing"

	"ajlo/job/lake"
)

// A column without statistics is refused with what keeps them away.
func TestWhyNoStatisticsAreKept(t *testing.T) {
	for _, tc := range []struct {
		name       string
		format     lake.Format
		properties map[string]string
		want       string
	}{
		{"nothing says why", lake.Delta, nil, "refused: no statistics are kept of it"},
		{"others are listed", lake.Delta, map[string]string{"delta.dataSkippingStatsColumns": "a"},
			`refused: no statistics are kept of it: delta.dataSkippingStatsColumns has "a"; add it there and have the files written anew`},
		{"too few are indexed", lake.Delta, map[string]string{"delta.dataSkippingNumIndexedCols": "1"},
			"refused: no statistics are kept of it: it is column 2, and they are kept of the first 1; move it forward or raise delta.dataSkippingNumIndexedCols, and have the files written anew"},
		{"all are indexed", lake.Delta, map[string]string{"delta.dataSkippingNumIndexedCols": "-1"}, "refused: no statistics are kept of it"},
		{"Iceberg", lake.Iceberg, nil, "refused: no statistics are kept of it: set write.metadata.metrics.column.b and have the files written anew"},
	} {
		s := lake.Snapshot{Format: tc.format, Properties: tc.properties, Columns: []lake.Column{{Name: "a", Type: "long"}, {Name: "b", Type: "long"}}}
		if got := unfit(s, "b"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
