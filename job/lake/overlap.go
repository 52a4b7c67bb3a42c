package lake

import (
	"ajlo/job/prune"
	"ajlo/job/table"
)

// BoundsOf gives the bounds of one column in each live file, in the order of Files; a file
// without bounds of it gives the zero value with unknown counts.
func (s Snapshot) BoundsOf(c table.Column) []prune.Bounds {
	bounds := make([]prune.Bounds, len(s.Files))
	for i, f := range s.Files {
		b, ok := f.Bounds[c]
		if !ok {
			b = prune.Bounds{Nulls: -1, Rows: f.Rows}
		}
		bounds[i] = b
	}
	return bounds
}
