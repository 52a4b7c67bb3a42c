package fact

import (
	"encoding/json"
	"time"

	"ajlo/job/predicate"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Status says how a query ended.
type Status string

// The ways a query ends. Only succeeded queries score.
const (
	Succeeded  Status = "succeeded"
	Failed     Status = "failed"
	Unfinished Status = "unfinished"
)

// JoinType is the kind of join in Spark's sense, in snake case.
type JoinType string

// The join types.
const (
	Inner      JoinType = "inner"
	LeftOuter  JoinType = "left_outer"
	RightOuter JoinType = "right_outer"
	FullOuter  JoinType = "full_outer"
	LeftSemi   JoinType = "left_semi"
	LeftAnti   JoinType = "left_anti"
	Existence  JoinType = "existence"
	Cross      JoinType = "cross"
)

// Strategy is the physical join operator; NoStrategy marks a join that was planned and then
// removed at run time. It is null in JSON.
type Strategy string

// The strategies, under open-source Spark's names.
const (
	NoStrategy              Strategy = ""
	SortMergeJoin           Strategy = "SortMergeJoin"
	ShuffledHashJoin        Strategy = "ShuffledHashJoin"
	BroadcastHashJoin       Strategy = "BroadcastHashJoin"
	BroadcastNestedLoopJoin Strategy = "BroadcastNestedLoopJoin"
	CartesianProduct        Strategy = "CartesianProduct"
)

// MarshalJSON writes NoStrategy as null.
func (s Strategy) MarshalJSON() ([]byte, error) {
	if s == NoStrategy {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

// Query is one user query: a root execution with its children folded in.
type Query struct {
	App       string `json:"app"`
	Execution int64  `json:"execution"`
	Query     string `json:"query"` // the root's description
	// SQL is the statement's text where the log has it: Thrift, Connect and spark-sql leave
	// it. Connect may cut a long one, and says so at its end.
	SQL         string    `json:"sql,omitempty"`
	Fingerprint string    `json:"fingerprint"`
	Start       time.Time `json:"start"`
	WallMS      int64     `json:"wall_ms"`
	TaskMS      int64     `json:"task_ms"`
	// TasksMeasured is false where the log had no task or stage totals for the query, so
	// that TaskMS is wall time × Cores (rule: never mixed within an edge).
	TasksMeasured bool   `json:"tasks_measured"`
	Status        Status `json:"status"`
	Scans         []Scan `json:"scans"`
	Joins         []Join `json:"joins"`
	Lost          Lost   `json:"lost"`
	// Writes is what the query did to tables: one entry, or none.
	Writes []Write `json:"writes,omitempty"`
}

// Scan is one read of one table.
type Scan struct {
	Table     table.Name     `json:"table"`
	Location  table.Location `json:"location"`
	Format    string         `json:"format"` // delta, iceberg, parquet, orc, …
	FilesRead int64          `json:"files_read"`
	BytesRead unit.Bytes     `json:"bytes_read"`
	Rows      int64          `json:"rows"`
	// Measured is false where the log holds no metrics for the scan; the three figures are
	// then 0 and mean nothing.
	Measured  bool                 `json:"measured"`
	Predicate *predicate.Predicate `json:"predicate"`
	// RunTime are the columns by which files were left unread at run time, by values that
	// another part of the plan found, sorted.
	RunTime []table.Column `json:"run_time,omitempty"`
}

// Join is one join operator with the columns its keys come from. Left and Right are
// parallel; both are empty for a join without equality keys.
type Join struct {
	Left     []table.Ref `json:"left"`
	Right    []table.Ref `json:"right"`
	Type     JoinType    `json:"type"`
	Strategy Strategy    `json:"strategy"`
	// Build is the side that a hash join reads whole first; NoSide for other joins, and where
	// the log does not say.
	Build Side `json:"build,omitempty"`
	// Expression lists the key expressions that are not bare columns, as the plan spells
	// them without ids.
	Expression []string `json:"expression,omitempty"`
}

// Lost counts what the plan's text does not hold: because it was cut, or because the explain
// mode does not print it.
type Lost struct {
	Predicates int `json:"predicates"`
	Joins      int `json:"joins"`
	// Writes is 1 where the query writes, and nothing says to which table.
	Writes int `json:"writes"`
}
