package eventlog

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-json"
)

// decode turns a line into its event. The shapes follow Spark's JsonProtocol and, for the
// SQL events, Jackson's view of their case classes; fields that a version lacks stay at
// their zero, unless absence means something.
func decode(k kind, line []byte) (Event, error) {
	switch k {
	case applicationStart:
		return decodeAs(line, startFields.event)
	case applicationEnd:
		return decodeAs(line, endFields.event)
	case environmentUpdate:
		return decodeAs(line, environmentFields.event)
	case executionStart:
		return decodeKept(line, executionFields.event)
	case adaptiveUpdate:
		return decodeKept(line, updateFields.event)
	case adaptiveMetrics:
		return decodeKept(line, metricFields.event)
	case executionEnd:
		return decodeAs(line, executionEndFields.event)
	case driverUpdates:
		return decodeAs(line, driverFields.event)
	case jobStart:
		return decodeAs(line, jobFields.event)
	case jobEnd:
		return decodeAs(line, jobEndFields.event)
	case stageCompleted:
		return decodeAs(line, stageFields.event)
	case taskEnd:
		return decodeAs(line, taskFields.event)
	case thriftStatement, connectStatement:
		return decodeAs(line, statementFields.event)
	}
	return nil, fmt.Errorf("event kind %d has no decoder", k)
}

// decodeAs decodes a line whose memory is lent: strings without escapes are parts of it, and
// event clones those that the event keeps.
func decodeAs[T any](line []byte, event func(T) Event) (Event, error) {
	var fields T
	if err := json.UnmarshalOf(line, &fields, json.DecodeNoCopyString()); err != nil {
		return nil, err
	}
	return event(fields), nil
}

// decodeKept decodes a line into an event that keeps what was decoded: the decoder copies.
func decodeKept[T any](line []byte, event func(T) Event) (Event, error) {
	var fields T
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	return event(fields), nil
}

func millis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

type startFields struct {
	Name      string `json:"App Name"`
	ID        string `json:"App ID"`
	Attempt   string `json:"App Attempt ID"`
	Timestamp int64  `json:"Timestamp"`
}

func (f startFields) event() Event {
	return ApplicationStart{ID: strings.Clone(f.ID), Attempt: strings.Clone(f.Attempt), Name: strings.Clone(f.Name),
		Time: millis(f.Timestamp)}
}

type endFields struct {
	Timestamp int64 `json:"Timestamp"`
}

func (f endFields) event() Event { return ApplicationEnd{Time: millis(f.Timestamp)} }

type environmentFields struct {
	Spark struct {
		Zone          string `json:"spark.sql.session.timeZone"`
		Master        string `json:"spark.master"`
		Executors     string `json:"spark.executor.instances"`
		ExecutorCores string `json:"spark.executor.cores"`
	} `json:"Spark Properties"`
	System struct {
		Zone string `json:"user.timezone"`
	} `json:"System Properties"`
}

func (f environmentFields) event() Event {
	return Environment{SessionZone: strings.Clone(f.Spark.Zone), JVMZone: strings.Clone(f.System.Zone), Cores: f.cores()}
}

// localMaster is a master inside one JVM: local, local[4], local[4,2].
var localMaster = regexp.MustCompile(`^local(?:\[(\d+)(?:,\s*\d+)?\])?$`)

func (f environmentFields) cores() int {
	if m := localMaster.FindStringSubmatch(f.Spark.Master); m != nil {
		return max(1, wholeOr0(m[1]))
	}
	return wholeOr0(f.Spark.Executors) * wholeOr0(f.Spark.ExecutorCores)
}

// maxCores keeps a mistyped setting from becoming a cost.
const maxCores = 1 << 20

func wholeOr0(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxCores {
		return 0
	}
	return n
}

type executionFields struct {
	Execution   int64     `json:"executionId"`
	Root        *int64    `json:"rootExecutionId"`
	Description string    `json:"description"`
	PlanText    string    `json:"physicalPlanDescription"`
	Plan        *PlanNode `json:"sparkPlanInfo"`
	Time        int64     `json:"time"`
	Group       string    `json:"jobGroupId"`
	Tags        []string  `json:"jobTags"`
	Changed     struct {
		Zone string `json:"spark.sql.session.timeZone"`
	} `json:"modifiedConfigs"`
}

func (f executionFields) event() Event {
	root := f.Execution
	if f.Root != nil {
		root = *f.Root
	}
	return ExecutionStart{Execution: f.Execution, Root: root, Description: strings.Clone(f.Description), Time: millis(f.Time),
		PlanText: f.PlanText, Plan: f.Plan, SessionZone: strings.Clone(f.Changed.Zone), Statements: statementKeys(f.Group, f.Tags)}
}

type updateFields struct {
	Execution int64     `json:"executionId"`
	PlanText  string    `json:"physicalPlanDescription"`
	Plan      *PlanNode `json:"sparkPlanInfo"`
}

func (f updateFields) event() Event { return PlanUpdate(f) }

type metricFields struct {
	Execution int64    `json:"executionId"`
	Metrics   []Metric `json:"sqlPlanMetrics"`
}

func (f metricFields) event() Event { return MetricUpdate(f) }

type executionEndFields struct {
	Execution int64   `json:"executionId"`
	Time      int64   `json:"time"`
	Error     *string `json:"errorMessage"` // since 3.4, empty for success
}

func (f executionEndFields) event() Event {
	e := ExecutionEnd{Execution: f.Execution, Time: millis(f.Time), Told: f.Error != nil}
	if e.Told {
		e.Error = strings.Clone(*f.Error)
	}
	return e
}

type driverFields struct {
	Execution int64               `json:"executionId"`
	Updates   [][]json.RawMessage `json:"accumUpdates"` // pairs of id and value
}

func (f driverFields) event() Event {
	e := DriverUpdates{Execution: f.Execution}
	for _, u := range f.Updates {
		if len(u) != 2 {
			continue
		}
		id, okID := wholeNumber(u[0])
		value, ok := wholeNumber(u[1])
		if okID && ok {
			e.Values = append(e.Values, Accumulator{ID: id, Value: value})
		}
	}
	return e
}

type jobFields struct {
	Job        int64   `json:"Job ID"`
	Time       int64   `json:"Submission Time"`
	Stages     []int64 `json:"Stage IDs"`
	Properties struct {
		Execution string `json:"spark.sql.execution.id"`
		Root      string `json:"spark.sql.execution.root.id"`
		Group     string `json:"spark.jobGroup.id"`
		Tags      string `json:"spark.job.tags"`
		Zone      string `json:"spark.sql.session.timeZone"`
	} `json:"Properties"`
}

func (f jobFields) event() Event {
	e := JobStart{Job: f.Job, Time: millis(f.Time), Stages: f.Stages}
	id, err := strconv.ParseInt(f.Properties.Execution, 10, 64)
	e.Execution, e.SQL, e.Root = id, err == nil, id
	e.SessionZone = strings.Clone(f.Properties.Zone)
	if root, err := strconv.ParseInt(f.Properties.Root, 10, 64); err == nil {
		e.Root = root
	}
	if e.SQL {
		e.Statements = statementKeys(f.Properties.Group, strings.Split(f.Properties.Tags, ","))
	}
	return e
}

type jobEndFields struct {
	Job    int64 `json:"Job ID"`
	Result struct {
		Result string `json:"Result"`
	} `json:"Job Result"`
}

// jobSucceeded is the result of a job of which every task came through.
const jobSucceeded = "JobSucceeded"

func (f jobEndFields) event() Event {
	return JobEnd{Job: f.Job, Failed: f.Result.Result != "" && f.Result.Result != jobSucceeded}
}

// statementKeys are the names under which a server may have announced the statement that
// something runs for.
func statementKeys(group string, tags []string) (keys []string) {
	for _, key := range append([]string{group}, tags...) {
		if key != "" {
			keys = append(keys, strings.Clone(key))
		}
	}
	return keys
}

type statementFields struct {
	Group     string `json:"groupId"`       // Thrift
	Statement string `json:"statement"`     // Thrift
	Tag       string `json:"jobTag"`        // Connect
	Message   string `json:"statementText"` // Connect
}

func (f statementFields) event() Event {
	return Statement{Key: strings.Clone(f.Group + f.Tag), Text: strings.Clone(f.Statement + sqlOfMessage(f.Message))}
}

type stageFields struct {
	Info struct {
		Stage   int64  `json:"Stage ID"`
		Attempt int64  `json:"Stage Attempt ID"`
		Totals  totals `json:"Accumulables"`
	} `json:"Stage Info"`
}

func (f stageFields) event() Event {
	return f.Info.Totals.completed(StageCompleted{Stage: f.Info.Stage, Attempt: f.Info.Attempt})
}

// taskFields are what a task's end says of its stage: values are those of the attempt up to
// then, beside the task's own updates.
type taskFields struct {
	Stage   int64 `json:"Stage ID"`
	Attempt int64 `json:"Stage Attempt ID"`
	Info    struct {
		Totals totals `json:"Accumulables"`
	} `json:"Task Info"`
}

func (f taskFields) event() Event {
	return f.Info.Totals.completed(StageCompleted{Stage: f.Stage, Attempt: f.Attempt, Cut: true})
}

// totals are accumulators with their values up to the event.
type totals []struct {
	ID    int64           `json:"ID"`
	Name  string          `json:"Name"`
	Value json.RawMessage `json:"Value"`
}

// runTimeName is the accumulator of every stage that sums its tasks' executor run time in
// ms; each attempt has its own. No plan names the accumulators that begin like it.
const (
	runTimeName    = internalPrefix + "executorRunTime"
	internalPrefix = "internal.metrics."
)

func (t totals) completed(e StageCompleted) Event {
	e.RunTimeMS = -1
	for _, a := range t {
		value, ok := wholeNumber(a.Value)
		switch {
		case !ok:
		case a.Name == runTimeName:
			e.RunTimeMS = value
		case !strings.HasPrefix(a.Name, internalPrefix):
			e.Values = append(e.Values, Accumulator{ID: a.ID, Value: value})
		}
	}
	return e
}

// wholeNumber reads 12 or "12". Anything else, and a negative number, is no measurement:
// Spark starts some metrics at −1.
func wholeNumber(raw json.RawMessage) (int64, bool) {
	text := string(raw)
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}
