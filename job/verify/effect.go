package verify

import (
	"ajlo/job/lake"
	"ajlo/job/plan"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Measure names what was measured of a step.
type Measure string

// The measures.
const (
	// ScannedBytes is what the window's queries have to read of the table, in bytes per
	// window: their real predicates held against the real bounds.
	ScannedBytes Measure = "scanned_bytes"
	// OverlapDepth is the mean number of files that a value of a key falls in.
	OverlapDepth Measure = "overlap_depth"
	// LookupShare is the share of all files that a look-up of one value of a key reads.
	LookupShare Measure = "lookup_share"
)

// Effect is one figure before a step, as it was foretold and as it is. A nil figure is not
// known.
type Effect struct {
	Step     int        `json:"step"`
	Table    table.Name `json:"table"`
	Measure  Measure    `json:"measure"`
	Subject  string     `json:"subject,omitempty"` // the key column; empty for the whole table
	Unit     string     `json:"unit"`
	Before   *float64   `json:"before"`
	Foretold *float64   `json:"foretold"`
	After    *float64   `json:"after"`
}

// Scanned is the effect on what the window's queries read of the table.
func Scanned(step int, name table.Name, foretold plan.Expected, after unit.Bytes) Effect {
	return Effect{
		Step: step, Table: name, Measure: ScannedBytes, Unit: "bytes",
		Before: figure(foretold.ScannedBytesNow), Foretold: figure(foretold.ScannedBytesThen), After: figure(after),
	}
}

// Bounds is the effect on how the files overlap on each of the given columns; columns
// without bounds on either side give none.
func Bounds(step int, before, after lake.Snapshot, columns []table.Column) []Effect {
	var effects []Effect
	for _, c := range columns {
		was, okWas := prune.OverlapOf(before.BoundsOf(c))
		is, okIs := prune.OverlapOf(after.BoundsOf(c))
		if !okWas || !okIs {
			continue
		}
		effects = append(effects,
			Effect{Step: step, Table: after.Table, Measure: OverlapDepth, Subject: string(c), Unit: "files", Before: &was.Depth, After: &is.Depth},
			Effect{Step: step, Table: after.Table, Measure: LookupShare, Subject: string(c), Unit: "share", Before: &was.LookupShare, After: &is.LookupShare})
	}
	return effects
}

func figure(b unit.Bytes) *float64 {
	value := float64(b)
	return &value
}
