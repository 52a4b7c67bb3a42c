package factcache

// Row is one query. Its columns are the contract in schema/facts.parquet.md; a change of
// them is a new Format. What is absent is an empty list or text; only the counts that logs
// may lack are optional.
type Row struct {
	App           string  `parquet:"app"`
	Execution     int64   `parquet:"execution"`
	Query         string  `parquet:"query"`
	SQL           string  `parquet:"sql"`
	Fingerprint   string  `parquet:"fingerprint"`
	Start         int64   `parquet:"start,timestamp(microsecond)"` // µs since the epoch, UTC
	WallMS        int64   `parquet:"wall_ms"`
	TaskMS        int64   `parquet:"task_ms"`
	TasksMeasured bool    `parquet:"tasks_measured"`
	Status        string  `parquet:"status"`
	Scans         []Scan  `parquet:"scans,list"`
	Joins         []Join  `parquet:"joins,list"`
	Lost          Lost    `parquet:"lost"`
	Writes        []Write `parquet:"writes,list"`
}

// Scan is one read of one table.
type Scan struct {
	Table     string `parquet:"table"`
	Location  string `parquet:"location"`
	Format    string `parquet:"format"`
	FilesRead int64  `parquet:"files_read"`
	BytesRead int64  `parquet:"bytes_read"`
	Rows      int64  `parquet:"rows"`
	Measured  bool   `parquet:"measured"`
	// Predicate is the tree in prefix order, each node before its arguments; empty for none.
	Predicate []Node `parquet:"predicate,list"`
	// RunTime are columns.
	RunTime []string `parquet:"run_time,list"`
}

// Node is one node of a predicate.
type Node struct {
	Op     string  `parquet:"op"`
	Column string  `parquet:"column"`
	Values []Value `parquet:"values,list"`
	Args   int32   `parquet:"args"` // how many of the following trees are its arguments
}

// Value is one literal: its kind says which of the other fields holds it.
type Value struct {
	Kind  string  `parquet:"kind"`  // null, bool, int, decimal, float, string, date, timestamp, local_time
	Int   int64   `parquet:"int"`   // 0 or 1; the number; days or µs since the epoch; a decimal's digits
	Scale int32   `parquet:"scale"` // of a decimal
	Float float64 `parquet:"float"`
	Text  string  `parquet:"text"`
}

// Join is one join; Left and Right are parallel.
type Join struct {
	Left       []Column `parquet:"left,list"`
	Right      []Column `parquet:"right,list"`
	Type       string   `parquet:"type"`
	Strategy   string   `parquet:"strategy"` // empty: planned, then removed at run time
	Build      string   `parquet:"build"`    // left, right, or empty
	Expression []string `parquet:"expression,list"`
}

// Column is a column of a table.
type Column struct {
	Table  string `parquet:"table"`
	Column string `parquet:"column"`
}

// Write is what the query did to one table.
type Write struct {
	Table        string   `parquet:"table"`
	Location     string   `parquet:"location"`
	Operation    string   `parquet:"operation"`
	Keys         []string `parquet:"keys,list"`
	FilesAdded   *int64   `parquet:"files_added,optional"`
	FilesRemoved *int64   `parquet:"files_removed,optional"`
}

// Lost counts what could not be read of the query's plans.
type Lost struct {
	Predicates int64 `parquet:"predicates"`
	Joins      int64 `parquet:"joins"`
	Writes     int64 `parquet:"writes"`
}
