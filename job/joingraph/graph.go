package joingraph

import (
	"ajlo/job/fact"
	"ajlo/job/table"
	"ajlo/job/window"
)

// JIS is a Join Importance Score, from 0 to 1.
type JIS float64

// EdgeKey is the identity of an edge as text, the same for either order of the tables:
// "tpch.lineitem(l_orderkey) = tpch.orders(o_orderkey)".
type EdgeKey string

// Pair is one equality of an edge: a column of the left table and one of the right.
type Pair struct {
	Left  table.Column `json:"left"`
	Right table.Column `json:"right"`
}

// CardinalitySource says where an edge's D comes from.
type CardinalitySource string

// The sources of D, best first.
const (
	FromLake CardinalitySource = "lake" // row counts of the tables
	FromScan CardinalitySource = "scan" // the largest full scan seen in the window
	NoSource CardinalitySource = "none" // D̂ is 1
)

// CostSource says where an edge's C comes from.
type CostSource string

// The sources of C.
const (
	FromTasks CostSource = "tasks" // task run time
	FromWall  CostSource = "wall"  // wall time × cores, the log had no task totals
)

// Edge is an unordered pair of tables with the columns they are joined on. Left is the
// lesser name; Pairs are sorted.
type Edge struct {
	Key        EdgeKey    `json:"key"`
	Left       table.Name `json:"left"`
	Right      table.Name `json:"right"`
	Pairs      []Pair     `json:"pairs"`
	Self       bool       `json:"self"`
	Expression bool       `json:"expression"` // a key is an expression over its column

	F           int64             `json:"f"` // executions with the edge
	D           float64           `json:"d"` // mean product of both row counts
	DSource     CardinalitySource `json:"d_source"`
	C           float64           `json:"c"` // mean task time, ms
	CSource     CostSource        `json:"c_source"`
	CostShare   float64           `json:"cost_share"` // of the window's task time, 0 to 1
	JISPaper    JIS               `json:"jis_paper"`
	JIS         JIS               `json:"jis"`
	Fingerprint []string          `json:"fingerprints"` // of its queries, sorted
}

// Graph is the scored workload of one window.
type Graph struct {
	Window window.Window `json:"window"`
	// Edges are sorted by JIS, highest first, then by key.
	Edges []Edge `json:"edges"`
	// Unscored are edges that ran, in scope of no score (broadcast, removed at run time),
	// sorted by key. An edge that has any scored execution is in Edges only.
	Unscored []Edge `json:"unscored"`
	// Keyless counts joins without equality keys.
	Keyless int `json:"keyless"`
	// Queries counts succeeded user queries.
	Queries int `json:"queries"`
	// TaskMS is their task time together.
	TaskMS int64 `json:"task_ms"`
}

// Rows gives the number of rows of a table from the lake; ok is false where the lake does
// not know it.
type Rows func(table.Name) (rows int64, ok bool)

// Scores reports whether a join that ran with this strategy counts towards the score.
func Scores(s fact.Strategy) bool {
	return s == fact.SortMergeJoin || s == fact.ShuffledHashJoin
}
