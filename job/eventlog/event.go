package eventlog

import "time"

// Event is one of the event types below. Times are UTC.
type Event interface{ event() }

// ApplicationStart opens an application.
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
	// Cores is the number of cores of a local master or of executors × cores, 0 where the
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
}

// PlanUpdate replaces the plan of an execution: the last one is what ran.
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

// ExecutionEnd ends one SQL execution. Error is empty where it succeeded.
type ExecutionEnd struct {
	Execution int64
	Time      time.Time
	Error     string
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
	// Execution is the SQL execution the job runs for; ok is HasExecution.
	Execution    int64
	HasExecution bool
	// Root is Execution's root where the job says so, else Execution.
	Root int64
}

// StageCompleted carries the totals of one attempt of one stage.
type StageCompleted struct {
	Stage   int64
	Attempt int64
	// RunTime is the sum of the executor run time of the attempt's tasks; measured is
	// HasRunTime.
	RunTime    time.Duration
	HasRunTime bool
	// Values are cumulative: a later stage's value of the same id replaces an earlier one.
	Values []Accumulator
}

// Accumulator is the value of one metric.
type Accumulator struct {
	ID    int64
	Value int64
}

// Metric is one metric of a plan node.
type Metric struct {
	Name string
	ID   int64
}

// PlanNode is a node of the plan tree that stands beside the plan's text (sparkPlanInfo).
type PlanNode struct {
	Name     string
	Simple   string // the node in one line, cut by the session's limits
	Children []*PlanNode
	Metadata map[string]string
	Metrics  []Metric
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
func (StageCompleted) event()   {}
