package delta

import (
	"errors"
	"slices"
	"strings"
)

// Names of row tracking in features, properties and domains.
const (
	rowTrackingFeature = "rowTracking"
	rowTrackingDomain  = "delta.rowTracking"
	rowTrackingKey     = "delta.enableRowTracking"
	rowIDColumnKey     = "delta.rowTracking.materializedRowIdColumnName"
	rowVersionKey      = "delta.rowTracking.materializedRowCommitVersionColumnName"
)

// RowTracking says what a table asks of whoever writes its rows.
type RowTracking struct {
	// Supported: each new file gets row ids of its own. Commit sees to it.
	Supported bool
	// Enabled: rows keep their ids when they move to another file, in two columns that are
	// no part of the schema.
	Enabled bool
	// RowID and CommitVersion name those columns in data files; both hold longs or NULL. A
	// row without a value has the id Add.BaseRowID + its position in the file, and the commit
	// version Add.DefaultRowCommitVersion.
	RowID, CommitVersion string
}

// RowTracking reads the table's settings. One that is switched on without naming its columns
// is an error.
func (s Snapshot) RowTracking() (RowTracking, error) {
	settings := s.Metadata.Configuration
	t := RowTracking{Supported: slices.Contains(s.Protocol.WriterFeatures, rowTrackingFeature)}
	if !t.Supported || !strings.EqualFold(settings[rowTrackingKey], "true") {
		return t, nil
	}
	t.Enabled, t.RowID, t.CommitVersion = true, settings[rowIDColumnKey], settings[rowVersionKey]
	if t.RowID == "" || t.CommitVersion == "" {
		return RowTracking{}, errors.New("row tracking is on, but its columns have no names in the table's properties")
	}
	return t, nil
}

// Live is the number of rows that are not deleted, −1 where the log does not say.
func (a Add) Live() int64 {
	rows, _, err := ParseStats(a.Stats, nil)
	if err != nil || rows < 0 {
		return -1
	}
	if a.DeletionVector != nil {
		rows -= a.DeletionVector.Cardinality
	}
	return max(rows, -1)
}
