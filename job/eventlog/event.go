package eventlog

import "time"

// Event is one of the event types below. Times are UTC.
type Event interface{ event() }

// ApplicationStart opens an application. Events gives one with the zero time first, made
// from the log's names: a log without its first part still has an application.
type ApplicationStart struct {
	ID      string
	Attempt string
	Name    string
	Time    time.Time
}

// ApplicationEnd closes an application.
type ApplicationEnd struct {
	Time time.Time
}

// Environment says in which zones the application prints times, and how many cores it has.
type Environment struct {
	// SessionZone is spark.sql.session.timeZone, empty where it was not set: Spark then
	// uses the JVM's zone.
	SessionZone string
	// JVMZone is the zone of the driver's JVM (user.timezone).
	JVMZone string
	// Cores is the number of cores of a local master, or executors × cores; 0 where the
	// settings do not say.
	Cores int
}

// ExecutionStart begins one SQL execution.
type ExecutionStart struct {
	Execution int64
	// Root is the execution that this one belongs to: itself where the log does not say
	// (Spark before 3.4 has no rootExecutionId; absent is not 0).
	Root        int64
	Description string
	Time        time.Time
	PlanText    string
	Plan        *PlanNode
	// SessionZone is the session's zone where the session changed it, else empty.
	SessionZone string
	// Statements are keys of which one may be a Statement's.
	Statements []string
}

// PlanUpdate replaces the plan of an execution: the last one is what ran. Of several before
// the execution's end only the last is given, just before that end or, where the log has
// none, after all other events.
type PlanUpdate struct {
	Execution int64
	PlanText  string
	Plan      *PlanNode
}

// MetricUpdate names metrics of plans that are shown nowhere else (sub-plans).
type MetricUpdate struct {
	Execution int64
	Metrics   []Metric
}

// ExecutionEnd ends one SQL execution. Error is empty where it succeeded, and where the log
// does not say: before Spark 3.4 only the jobs tell.
type ExecutionEnd struct {
	Execution int64
	Time      time.Time
	Error     string
	Told      bool // the log says whether it succeeded
}

// DriverUpdates carries metric values that were measured on the driver.
type DriverUpdates struct {
	Execution int64
	Values    []Accumulator
}

// JobStart ties stages to an execution.
type JobStart struct {
	Job    int64
	Time   time.Time
	Stages []int64
	// Execution is the SQL execution the job runs for; it means nothing where SQL is
	// false, as for jobs over bare RDDs.
	Execution int64
	SQL       bool
	// Root is Execution's root where the job says so, else Execution.
	Root int64
	// Statements are keys of which one may be a Statement's.
	Statements []string
	// SessionZone is empty where the session has the application's.
	SessionZone string
}

// JobEnd ends one job.
type JobEnd struct {
	Job    int64
	Failed bool
}

// Statement is what a Thrift or Connect server was asked to run.
type Statement struct {
	Key string // the job group, or the job tag, of what it runs
	// Text is its SQL; empty for a DataFrame of Connect's.
	Text string
}

// StageCompleted carries the totals of one attempt of one stage. An attempt that the log
// does not complete has one too, at the end of all events, with what its last successful
// task says it had come to: tasks that failed, or ran twice, are in it once.
type StageCompleted struct {
	Stage   int64
	Attempt int64
	// RunTimeMS is the executor run time of the attempt's tasks together, in ms, −1 where
	// the log does not say.
	RunTimeMS int64
	// Values are cumulative over stages: of one id the greatest value counts.
	Values []Accumulator
	// Cut is set where the log has no completion of the attempt.
	Cut bool
}

// Accumulator is the value of one metric. Initial values (−1) and values that are no whole
// numbers are never in an event.
type Accumulator struct {
	ID    int64
	Value int64
}

// Metric is one metric of a plan node.
type Metric struct {
	Name string `json:"name"`
	ID   int64  `json:"accumulatorId"`
}

// PlanNode is a node of the plan tree that stands beside the plan's text (sparkPlanInfo).
type PlanNode struct {
	Name     string            `json:"nodeName"`
	Simple   string            `json:"simpleString"` // in one line, cut by the session's limits
	Children []*PlanNode       `json:"children"`
	Metadata map[string]string `json:"metadata"`
	Metrics  []Metric          `json:"metrics"`
}

func (ApplicationStart) event() {}
func (ApplicationEnd) event()   {}
func (Environment) event()      {}
func (ExecutionStart) event()   {}
func (PlanUpdate) event()       {}
func (MetricUpdate) event()     {}
func (ExecutionEnd) event()     {}
func (DriverUpdates) event()    {}
func (JobStart) event()         {}
func (JobEnd) event()           {}
func (StageCompleted) event()   {}
func (Statement) event()        {}
