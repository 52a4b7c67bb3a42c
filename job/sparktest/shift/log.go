package shift

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// noQuery owns the lines that belong to no query: those of the application itself.
const noQuery = -1

// log is one application's events and the query that each belongs to.
type log struct {
	app    string
	parts  [][][]byte // lines, by part
	owners [][]int64  // the root execution of each line, or noQuery
	labels map[int64]string
	last   map[int64][2]int // part and line where a root's events end
}

// event has the fields that tie an event to a query.
type event struct {
	Event       string            `json:"Event"`
	App         string            `json:"App ID"`
	Execution   *int64            `json:"executionId"`
	Root        *int64            `json:"rootExecutionId"`
	Description string            `json:"description"`
	Job         *int64            `json:"Job ID"`
	Stages      []int64           `json:"Stage IDs"`
	Stage       *int64            `json:"Stage ID"`
	StageInfo   *stageInfo        `json:"Stage Info"`
	Properties  map[string]string `json:"Properties"`
}

type stageInfo struct {
	Stage int64 `json:"Stage ID"`
}

// ties leads from jobs and stages to executions, and from executions to their roots.
type ties struct {
	roots, jobs, stages map[int64]int64
}

// readLog reads all parts and finds which query each line belongs to. A child's events come
// before its root's, so owners are known only when all was read.
func readLog(parts []string) (log, error) {
	l := log{labels: map[int64]string{}, last: map[int64][2]int{}}
	t := ties{roots: map[int64]int64{}, jobs: map[int64]int64{}, stages: map[int64]int64{}}
	for _, path := range parts {
		lines, err := readPart(path)
		if err != nil {
			return log{}, err
		}
		owners := make([]int64, len(lines))
		for i, line := range lines {
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				return log{}, fmt.Errorf("%s line %d: %w", filepath.Base(path), i+1, err)
			}
			l.learn(e)
			owners[i] = t.execution(e)
		}
		l.parts, l.owners = append(l.parts, lines), append(l.owners, owners)
	}
	l.settle(t)
	return l, nil
}

func (l *log) learn(e event) {
	if e.App != "" {
		l.app = e.App
	}
	// Before Spark 3.4 there is no root: every execution is its own.
	if e.Description != "" && e.Execution != nil && (e.Root == nil || *e.Root == *e.Execution) {
		l.labels[*e.Execution], _, _ = strings.Cut(e.Description, " ")
	}
}

// execution gives the execution that the event names, and keeps what ties others to it.
func (t ties) execution(e event) int64 {
	switch {
	case e.Execution != nil:
		if e.Root != nil {
			t.roots[*e.Execution] = *e.Root
		}
		return *e.Execution
	case e.Stages != nil && e.Job != nil:
		return t.jobStart(e)
	case e.Job != nil:
		return of(t.jobs, *e.Job)
	case e.StageInfo != nil:
		return of(t.stages, e.StageInfo.Stage)
	case e.Stage != nil:
		return of(t.stages, *e.Stage)
	}
	return noQuery
}

// jobStart ties the job and its stages; a stage that an earlier job began stays with that.
func (t ties) jobStart(e event) int64 {
	execution, err := strconv.ParseInt(e.Properties["spark.sql.execution.id"], 10, 64)
	if err != nil {
		execution = noQuery // a job of the RDD interface
	}
	t.jobs[*e.Job] = execution
	for _, s := range e.Stages {
		if _, known := t.stages[s]; !known {
			t.stages[s] = execution
		}
	}
	return execution
}

func of(m map[int64]int64, id int64) int64 {
	if execution, ok := m[id]; ok {
		return execution
	}
	return noQuery
}

// settle turns executions into their roots and notes where each root's events end.
func (l *log) settle(t ties) {
	for part, owners := range l.owners {
		for i, execution := range owners {
			if root, ok := t.roots[execution]; ok {
				owners[i] = root
			}
			if owners[i] != noQuery {
				l.last[owners[i]] = [2]int{part, i}
			}
		}
	}
}

// linesOf gives every line of a root's tree, in order.
func (l log) linesOf(root int64) (lines [][]byte) {
	for part, owners := range l.owners {
		for i, owner := range owners {
			if owner == root {
				lines = append(lines, l.parts[part][i])
			}
		}
	}
	return lines
}
