package signal

import (
	"time"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// Run is what is told of a run.
type Run struct {
	ID      string       `json:"run"`
	Night   string       `json:"night"`
	Purpose string       `json:"purpose"` // night, or rollback
	Engine  string       `json:"engine"`
	Started time.Time    `json:"started"`
	Window  [2]time.Time `json:"window"`

	// What follows is known at its end.
	Ended    time.Time `json:"ended"`
	Outcome  string    `json:"outcome"`
	ExitCode int       `json:"exit_code"`
	Error    string    `json:"error,omitempty"`
	// Decided holds where a plan was made; nil for none.
	Decided *Decided `json:"decided,omitempty"`
	Steps   []Step   `json:"steps"`
}

// Decided are the figures of a plan.
type Decided struct {
	PlanHash       string             `json:"plan_sha256"`
	Trigger        string             `json:"trigger"`
	Drift          map[string]float64 `json:"drift"` // by reference; those without one are left out
	Applications   int                `json:"applications"`
	Queries        int                `json:"queries"`
	Unreadable     int                `json:"unreadable_logs"`
	Scanned        unit.Bytes         `json:"scanned_bytes"`
	Unresolved     unit.Bytes         `json:"unresolved_bytes"`
	Budget         unit.Bytes         `json:"budget_bytes"`
	Rewrite        unit.Bytes         `json:"planned_rewrite_bytes"`
	Saved          unit.Bytes         `json:"saved_bytes_per_window"` // foretold
	AwaitsApproval bool               `json:"awaits_approval,omitempty"`
}

// Step is what is told of one step.
type Step struct {
	Number   int            `json:"step"` // from 0
	Table    table.Name     `json:"table"`
	Location table.Location `json:"location"`
	Kind     string         `json:"kind"`
	Layout   string         `json:"layout"` // without cut points, which are literals
	Started  time.Time      `json:"started"`

	// What follows is known at its end.
	Ended        time.Time  `json:"ended"`
	Status       string     `json:"status"` // applied, failed, refused or pending
	Error        string     `json:"error,omitempty"`
	Changed      bool       `json:"changed"`
	Version      int64      `json:"version"`
	Rows         int64      `json:"rows"`
	FilesRemoved int        `json:"files_removed"`
	FilesAdded   int        `json:"files_added"`
	BytesRemoved unit.Bytes `json:"bytes_removed"`
	BytesAdded   unit.Bytes `json:"bytes_added"`
	// Scanned are the bytes that the window's queries read of the table: before, as foretold, and
	// as measured afterwards; −1 where that is not known.
	Scanned [3]unit.Bytes `json:"-"`
}

// done reports whether the step did what it was to do.
func (s Step) done() bool { return s.Status == "applied" }
