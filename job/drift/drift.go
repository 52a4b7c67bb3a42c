package drift

import "ajlo/job/joingraph"

// Reference names the earlier window that the present one is held against.
type Reference string

// The two references: the last run's window, and the window that the plan in force was
// made from, which catches slow creep.
const (
	Last Reference = "last"
	Plan Reference = "plan"
)

// Edge is how much one edge moved between two windows.
type Edge struct {
	Key    joingraph.EdgeKey `json:"key"`
	Before joingraph.JIS     `json:"before"` // 0 where the edge was absent
	After  joingraph.JIS     `json:"after"`
	Change float64           `json:"change"` // |Before − After| / max, 0 to 1
	// FirstSeen is true where the reference window did not have the edge.
	FirstSeen bool `json:"first_seen"`
	// CostShare is the edge's part of the present window's cost, 0 to 1.
	CostShare float64 `json:"cost_share"`
}

// Score is the drift of the present window from one reference. Score and ScorePaper are nil
// where there is no reference yet (first run) or no edge to compare.
type Score struct {
	Reference  Reference `json:"reference"`
	Score      *float64  `json:"score"`
	ScorePaper *float64  `json:"score_paper"`
	// Incomparable says why a reference that is there is compared with nothing; empty where it is
	// compared, and where there is none.
	Incomparable string `json:"incomparable,omitempty"`
	// SpeedFactor is the median of C now / C then over common edges; it was taken out.
	SpeedFactor float64 `json:"speed_factor"`
	// TaskTimeShift is half the sum of |cost share now − cost share then|, 0 to 1.
	TaskTimeShift float64 `json:"task_time_shift"`
	// Edges are sorted by Change, greatest first, then by key.
	Edges []Edge `json:"edges"`
}
