package plan

import (
	"ajlo/job/drift"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/window"
)

// Kind is why a step rewrites: Rekey gives a table new keys, Upkeep keeps the keys, Rollback takes
// back what a step of an earlier run did.
type Kind string

// The kinds of steps.
const (
	Rekey    Kind = "rekey"
	Upkeep   Kind = "upkeep"
	Rollback Kind = "rollback"
)

// Plan is the decision of one run, whole: every renderer, engine and store works from it.
type Plan struct {
	Window    window.Window `json:"window"`
	Coverage  Coverage      `json:"coverage"`
	Drift     []drift.Score `json:"drift"`
	Threshold float64       `json:"threshold"`
	// Trigger says in words why a plan was made, or why none was.
	Trigger string `json:"trigger"`
	// Triggered is false where layouts were not chosen anew; the plan then holds upkeep only.
	Triggered           bool       `json:"triggered"`
	Budget              unit.Bytes `json:"budget_bytes"`
	StorageBudget       unit.Bytes `json:"storage_budget_bytes"`
	Rewrite             unit.Bytes `json:"rewrite_bytes"`
	UpkeepBudget        unit.Bytes `json:"upkeep_budget_bytes"`
	Upkeep              unit.Bytes `json:"upkeep_bytes"`     // that upkeep rewrites
	UpkeepNPV           unit.Bytes `json:"upkeep_npv_bytes"` // beside NPV, which is of new keys
	SavedBytesPerWindow unit.Bytes `json:"saved_bytes_per_window"`
	NPV                 unit.Bytes `json:"npv_bytes"`
	UpperBound          unit.Bytes `json:"upper_bound"` // on NPV of any choice within the budgets
	Gap                 float64    `json:"gap"`         // (UpperBound − NPV) / UpperBound, 0 when proven best
	// Money is what that is worth at the config's prices; nil without any.
	Money *Money `json:"money,omitempty"`
	// Choice is how layouts were chosen across tables, Estimator how saved bytes were foretold.
	Choice    Choosing  `json:"choice"`
	Estimator Estimator `json:"estimator"`
	Engine    string    `json:"engine"`
	Dialect   string    `json:"dialect"`
	// Policy is the SHA-256 of what the owner wants and allows: where it changes, so may the
	// choice, whatever the workload does.
	Policy string `json:"policy_sha256"`
	// Deferred are tables whose best layout the budgets did not hold, by name. While there are
	// any, the next night goes on with them.
	Deferred []table.Name `json:"deferred"`
	Tables   []Table      `json:"tables"`
	Steps    []Step       `json:"steps"`
	// Graph is the scored workload the plan was made from: the reference for later drift.
	Graph joingraph.Graph `json:"graph"`
	// Advice is what no step of ajlo's does, in words.
	Advice []string `json:"advice,omitempty"`
}

// Coverage is what was seen of the workload and what was not (rule 6).
type Coverage struct {
	Applications     int        `json:"applications"`
	Unreadable       []string   `json:"unreadable"` // log files that could not be read, by name
	Queries          int        `json:"queries"`
	Succeeded        int        `json:"succeeded"`
	Failed           int        `json:"failed"`
	Unfinished       int        `json:"unfinished"`
	Scans            int        `json:"scans"`
	ScannedBytes     unit.Bytes `json:"scanned_bytes"`
	UnresolvedBytes  unit.Bytes `json:"unresolved_bytes"` // scanned from tables that were not found
	UnresolvedTables []string   `json:"unresolved_tables"`
	LostPredicates   int        `json:"lost_predicates"`
	LostJoins        int        `json:"lost_joins"`
	UnmeasuredScans  int        `json:"unmeasured_scans"`
	TaskMS           int64      `json:"task_ms"` // of succeeded queries
	// Usual is what windows before this one showed; nil where there was none.
	Usual *Usual `json:"usual,omitempty"`
}

// Table is what was decided for one table and why.
type Table struct {
	Table      table.Name     `json:"table"`
	Location   table.Location `json:"location"`
	Format     lake.Format    `json:"format,omitempty"`
	Version    int64          `json:"version"` // of a Delta table; the snapshot's id of an Iceberg table
	SchemaHash string         `json:"schema_hash"`
	Protocol   lake.Protocol  `json:"protocol"`
	Owner      string         `json:"owner"`
	Declared   bool           `json:"declared,omitempty"` // the keys stand in the table itself
	Streaming  bool           `json:"streaming"`          // written by a stream in the last 30 days (rule 5)
	Current    layout.Layout  `json:"current"`
	Chosen     layout.Layout  `json:"chosen"`
	Reason     string         `json:"reason"`
	Bytes      unit.Bytes     `json:"bytes"`
	// Periods are the closed partitions that new keys are for; none where they are for all.
	Periods          []layout.Period `json:"periods,omitempty"`
	Rewrite          unit.Bytes      `json:"rewrite_bytes"`
	ScannedBytesNow  unit.Bytes      `json:"scanned_bytes_now"`  // per window, as the table is
	ScannedBytesThen unit.Bytes      `json:"scanned_bytes_then"` // per window, by the chosen layout
	// WrittenBytes are what the window's MERGE, UPDATE and DELETE rewrite, now and by the chosen
	// layout.
	WrittenBytesNow  unit.Bytes `json:"written_bytes_now"`
	WrittenBytesThen unit.Bytes `json:"written_bytes_then"`
	Money            *Money     `json:"money,omitempty"` // of the chosen layout
	// Correction is what foretold bytes were multiplied by; 0 where nothing was learnt yet.
	Correction float64 `json:"correction,omitempty"`
	// Harm is what later queries say of the table's present keys, nil unless they were harmed.
	Harm *Harm `json:"harm,omitempty"`
	// Decay is what came in since the table was laid; nil where nothing did.
	Decay      *Decay      `json:"decay,omitempty"`
	Candidates []Candidate `json:"candidates"`
	// Missing is what the decision was made without, in words.
	Missing []string `json:"missing"`
	// RunTime are the joins that let readers leave part of the table unread at run time, most
	// scans first.
	RunTime []RunTime `json:"run_time"`
	// Queries are the classes that read the table, sorted by fingerprint.
	Queries []Class `json:"queries"`
}

// Candidate is one layout that was weighed, chosen or not (rule 7).
type Candidate struct {
	Layout layout.Layout `json:"layout"`
	// Bytes is what the table's files would have: as now, unless a trial found out.
	Bytes        unit.Bytes `json:"bytes"`
	ScannedBytes unit.Bytes `json:"scanned_bytes"` // per window; meaningless where Refused
	// WrittenBytes is what the window's MERGE, UPDATE and DELETE would rewrite under it, and
	// Upkeep what its appends would make the next upkeep rewrite.
	WrittenBytes unit.Bytes `json:"written_bytes"`
	Upkeep       unit.Bytes `json:"upkeep_bytes"`
	NPV          unit.Bytes `json:"npv_bytes"`
	Rewrite      unit.Bytes `json:"rewrite_bytes"`
	// Gains and Losses are bytes per window over the query classes that read less and more.
	Gains   unit.Bytes `json:"gains_bytes"`
	Losses  unit.Bytes `json:"losses_bytes"`
	Losers  []string   `json:"losers"`  // fingerprints of the classes that read more, sorted
	Refused bool       `json:"refused"` // never weighed: the reason says why
	Reason  string     `json:"reason"`
}

// Step is one typed action on one table with its rendering in the plan's dialect.
type Step struct {
	Table     table.Name     `json:"table"`
	Kind      Kind           `json:"kind"`
	Statement string         `json:"statement"`
	Reason    string         `json:"reason"`
	Undo      string         `json:"undo"`
	Expected  Expected       `json:"expected"`
	Location  table.Location `json:"location"`
	Format    lake.Format    `json:"format,omitempty"`
	Layout    layout.Layout  `json:"layout"`
	// Version, SchemaHash, Protocol, Owner and Was are the table as planned: a step on a table
	// whose schema, protocol or keys have changed since is refused (rule 3).
	Version    int64         `json:"version"`
	SchemaHash string        `json:"schema_hash"`
	Protocol   lake.Protocol `json:"protocol"`
	Owner      string        `json:"owner"`
	Was        layout.Layout `json:"was"`
	// Declared is true where the keys that it had stood in the table itself.
	Declared   bool       `json:"declared,omitempty"`
	TargetFile unit.Bytes `json:"target_file_bytes"`
	// Files are those that the step replaces, relative to the table's location; where there are
	// none it takes all that are live when it runs.
	Files []string `json:"files,omitempty"`
	// Periods are those whose partitions the step rewrites, of an Iceberg table; none for all.
	Periods []layout.Period `json:"periods,omitempty"`
	// Repartition is set where the step gives the table the partition columns of Layout in the place of
	// those of Was; without it a table's partitions stay whatever Layout says.
	Repartition bool `json:"repartition,omitempty"`
	// Back is set where the step puts files back instead of making new ones.
	Back *Back `json:"back,omitempty"`
}

// Expected is what a step should do, foretold by the what-if.
type Expected struct {
	Files            int        `json:"files"`
	Rewrite          unit.Bytes `json:"rewrite_bytes"`
	ScannedBytesNow  unit.Bytes `json:"scanned_bytes_now"`
	ScannedBytesThen unit.Bytes `json:"scanned_bytes_then"`
}
