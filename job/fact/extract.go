package fact

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"ajlo/job/eventlog"
)

// Facts is what one application's log says.
type Facts struct {
	App string `json:"app"`
	// Queries are sorted by start, then by execution.
	Queries []Query `json:"queries"`
	// Executions counts the SQL executions seen; those that are no user query (the
	// engine's own reads, DDL, upkeep of tables) are in no query.
	Executions int `json:"executions"`
	// Cores is the application's number of cores, 0 where the log does not say.
	Cores int `json:"cores"`
}

// Extract folds the events of one application into facts. An error ends the stream: what
// it held until then is in the facts beside it.
func Extract(events iter.Seq2[eventlog.Event, error]) (Facts, error) {
	return newExtractor().read(events)
}

func (x *extractor) read(events iter.Seq2[eventlog.Event, error]) (Facts, error) {
	for event, err := range events {
		if err != nil {
			return x.facts(), fmt.Errorf("facts of application %s: %w", x.app, err)
		}
		x.take(event)
	}
	return x.facts(), nil
}

// extractor gathers what belongs to each execution.
type extractor struct {
	app         string
	cores       int
	executions  map[int64]*execution
	stages      map[int64]int64 // stage → execution
	jobs        map[int64]int64 // job that runs → execution
	meter       *meter
	names       interner
	environment eventlog.Environment
	shell       bool // descriptions are SQL
	statements  statements
	made        map[int64]map[int64]named // columns that children put out, by root
	tops        map[int64]int64           // the first execution whose plans were read, by root
	zones       map[string]*time.Location // by name, as far as they were asked for
	explains    bool                      // notes are taken on the query explained
	explained   int64
	notes       []Note
	settling
}

func newExtractor() *extractor {
	return &extractor{executions: map[int64]*execution{}, stages: map[int64]int64{}, jobs: map[int64]int64{}, meter: newMeter(), names: interner{},
		made: map[int64]map[int64]named{}, tops: map[int64]int64{}, zones: map[string]*time.Location{},
		settling: settling{after: settleAfter, settled: map[int64]bool{}}}
}

func (x *extractor) take(event eventlog.Event) {
	switch e := event.(type) {
	case eventlog.ApplicationStart:
		x.name(e)
	case eventlog.Environment:
		x.environment, x.cores = e, e.Cores
	case eventlog.ExecutionStart:
		x.start(e)
	case eventlog.PlanUpdate:
		x.update(e)
	case eventlog.MetricUpdate:
		x.meter.wantMetrics(e.Metrics)
	case eventlog.ExecutionEnd:
		x.end(e)
	case eventlog.DriverUpdates:
		if !x.settled[e.Execution] {
			x.meter.record(e.Execution, e.Values)
		}
	case eventlog.JobStart:
		x.job(e)
	case eventlog.JobEnd:
		x.jobEnd(e)
	case eventlog.StageCompleted:
		x.stage(e)
	case eventlog.Statement:
		x.statement(e)
	}
}

// name is the application's id, with its attempt where there are several.
func (x *extractor) name(e eventlog.ApplicationStart) {
	x.shell = x.shell || runsStatements(e.Name)
	if e.ID == "" {
		return
	}
	x.app = e.ID
	if e.Attempt != "" {
		x.app += "_" + e.Attempt
	}
}

// execution finds an execution, or begins one that the log says something of before, or
// without, its start. ok is false for one that is settled: nothing more is learnt of it.
func (x *extractor) execution(id int64) (e *execution, ok bool) {
	e, ok = x.executions[id]
	if !ok {
		e = &execution{id: id, root: id}
		if !x.settled[id] {
			x.executions[id] = e
		}
	}
	return e, !x.settled[id]
}

func (x *extractor) start(s eventlog.ExecutionStart) {
	e, ok := x.execution(s.Execution)
	if !ok {
		return
	}
	e.root, e.description, e.started = s.Root, s.Description, s.Time
	e.zone = s.SessionZone
	x.runsFor(e, s.Statements)
	e.first = plan{text: s.PlanText, info: s.Plan}
	x.meter.want(s.Plan)
	if e.over {
		x.digest(e) // the end came before the start
	}
}

func (x *extractor) update(u eventlog.PlanUpdate) {
	x.meter.want(u.Plan)
	e, ok := x.execution(u.Execution)
	e.last = plan{text: u.PlanText, info: u.Plan}
	if ok && e.over {
		x.digest(e)
	}
}

func (x *extractor) end(end eventlog.ExecutionEnd) {
	e, ok := x.execution(end.Execution)
	if !ok {
		return
	}
	e.over, e.ended, e.failure, e.told = true, end.Time, end.Error, end.Told
	x.digest(e)
	if e.root == e.id {
		x.settle(e.id)
	}
}

// digest reads an execution's plans. What a child puts out is kept until its root ends: a
// MERGE puts its source down in one child and reads it in others.
func (x *extractor) digest(e *execution) {
	r := reader{zones: x.zonesOf(e), given: x.made[e.root], top: x.mayBeTop(e), hands: e.root != e.id}
	e.digest(r, x.names, x.explains && e.root == x.explained)
	if e.root == e.id {
		delete(x.made, e.id)
		return
	}
	if e.digested == nil || len(e.digested.made) == 0 {
		return
	}
	if x.made[e.root] == nil {
		x.made[e.root] = map[int64]named{}
	}
	maps.Copy(x.made[e.root], e.digested.made)
	e.digested.made = nil
}

// mayBeTop tells roots, and the first children of those whose start may be missing.
func (x *extractor) mayBeTop(e *execution) bool {
	first, known := x.tops[e.root]
	if !known || e.id <= first {
		x.tops[e.root] = e.id
		return true
	}
	return e.id == e.root
}

// zonesOf are the zones in which an execution's plans print times: the session's own where
// it has one, else the application's, else the JVM's.
func (x *extractor) zonesOf(e *execution) zones {
	session := cmp.Or(e.zone, x.environment.SessionZone, x.environment.JVMZone)
	return zones{jvm: x.zone(x.environment.JVMZone), session: x.zone(session)}
}

// zone finds a zone once.
func (x *extractor) zone(name string) *time.Location {
	l, known := x.zones[name]
	if !known {
		l = zone(name)
		x.zones[name] = l
	}
	return l
}

func (x *extractor) job(j eventlog.JobStart) {
	if !j.SQL {
		return
	}
	e, ok := x.execution(j.Execution)
	if !ok {
		return
	}
	e.jobs++
	x.jobs[j.Job] = j.Execution
	if e.zone == "" {
		e.zone = j.SessionZone
	}
	if len(e.statements) == 0 {
		x.runsFor(e, j.Statements)
	}
	if e.started.IsZero() {
		e.root = j.Root
		e.begun = j.Time
	}
	for _, s := range j.Stages {
		if _, known := x.stages[s]; !known {
			x.stages[s] = j.Execution
		}
	}
}

// jobEnd tells how the last of an execution's jobs ended so far. Jobs that adaptive
// execution has no more use for are cancelled, which is no failure of the query: others
// come after them.
func (x *extractor) jobEnd(j eventlog.JobEnd) {
	if id, ok := x.jobs[j.Job]; ok {
		e, _ := x.execution(id)
		e.lastFailed = j.Failed
		delete(x.jobs, j.Job)
	}
}

// stage adds one attempt's totals; every attempt has run its time.
func (x *extractor) stage(s eventlog.StageCompleted) {
	id, ok := x.stages[s.Stage]
	if !ok {
		return
	}
	e, ok := x.execution(id)
	if !ok {
		return
	}
	if s.RunTimeMS >= 0 {
		e.taskMS += s.RunTimeMS
		e.measured = true
	}
	x.meter.record(id, s.Values)
}

func (x *extractor) facts() Facts {
	x.foldAll(func(*execution) bool { return true })
	f := Facts{App: x.app, Executions: len(x.settled), Cores: x.cores, Queries: []Query{}}
	f.Queries = append(f.Queries, x.queries...)
	slices.SortFunc(f.Queries, func(a, b Query) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Execution, b.Execution))
	})
	return f
}
