package plan

import (
	"ajlo/job/dialect"
	"ajlo/job/drift"
	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/window"
)

// Input is all that a plan is made from. Make reads nothing else.
type Input struct {
	Window   window.Window
	Graph    joingraph.Graph
	Queries  []fact.Query
	Drift    []drift.Score
	Trigger  drift.Trigger
	Coverage Coverage
	// Readers names the engine that ran an application; nil where all are open-source Spark.
	Readers func(app string) prune.Reader
	// Sketched is true where samples were made out of bounds: their values are no table's.
	Sketched bool
	// Reach is what NewReach finds once the tables have their samples.
	Reach    Reach
	Tables   []TableInput
	Settings Settings
}

// TableInput is one table of the lake that the window read.
type TableInput struct {
	Snapshot lake.Snapshot
	// Sample holds the columns that Columns asked for; empty where nothing is to be planned.
	Sample lake.Sample
	// Harmed is what later queries say of the table's keys where they read more by them.
	Harmed *Harm
	// Correction is what foretold bytes are multiplied by, learnt from earlier steps; 0 for none.
	Correction float64
	// Mends are those that Mends names, with samples of their files.
	Mends []Mend
	// Unsupported names the features that the engine does not handle; any one of them keeps
	// the table as it is.
	Unsupported []string
	// Unreadable says why the table, or its rows, cannot be read; empty where they can. There
	// is then nothing to weigh.
	Unreadable string
	// TakenBack is the rollback that was the last to change the table, where no plan is in force
	// that could keep it so; empty where it does not stand in the way of new keys.
	TakenBack string
	// Scans are the names and places under which facts know the table.
	Names []table.Name
}

// Settings are the owner's limits and weights.
type Settings struct {
	Threshold float64    // drift above which a plan is made, δ
	Budget    unit.Bytes // of rewrites for new keys
	Upkeep    unit.Bytes // of rewrites that keep the keys
	Storage   unit.Bytes
	Horizon   int     // windows that a saving is counted for, H
	Rate      float64 // discount of a window, r
	// StorageWeight is the price of a byte kept for a week beside a byte rewritten.
	StorageWeight float64
	// Margin is the part of its rewrite that a change must win beyond the rewrite itself.
	Margin float64
	// MaxLoss is the part of its gains that a layout's losing query classes may lose together:
	// beyond it the layout trades one team's reads for another's.
	MaxLoss    float64
	TargetFile unit.Bytes
	// Estimator and Choice are ByWhatIf and Exact where they are empty.
	Estimator Estimator
	Choice    Choosing
	// Protect names classes by fingerprint or by the description of their executions.
	Protect []string
	Prices  Prices
	// Policy is the SHA-256 of all that the config wants and allows.
	Policy  string
	Engine  string
	Dialect dialect.SparkDelta
	// Repartition is the owner's leave to change tables' partition columns.
	Repartition bool
	Address     dialect.Address
	// Writable reports whether a table may be rewritten. With none at all the plan is advice
	// over every table and is not executed.
	Writable func(table.Name, table.Location) bool
}

// scannedAs reports whether facts speak of this table by the given name.
func (t TableInput) scannedAs(name table.Name) bool {
	for _, known := range t.Names {
		if known == name {
			return true
		}
	}
	return false
}
