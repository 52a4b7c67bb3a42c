package shift

import (
	"bytes"
	"math"
	"strconv"
)

// idStep is added to every id of a query for each time it is repeated. It is above all ids
// that one application reaches in a test, and a hundred repetitions stay within 31 bits,
// as Spark keeps ids of jobs and stages.
const idStep = 10_000_000

// Keys of the values that are edited, as Spark spells them.
var (
	timeKeys     = keys("Timestamp", "time", "Launch Time", "Finish Time", "Submission Time", "Completion Time", "spark.app.startTime", "spark.app.submitTime")
	taskTimeKeys = keys("Executor Run Time", "Executor CPU Time")
	taskTimes    = keys("internal.metrics.executorRunTime", "internal.metrics.executorCpuTime")
	idKeys       = keys("executionId", "rootExecutionId", "Job ID", "Stage ID", "Stage IDs", "Task ID", "RDD ID", "Parent IDs", "accumulatorId", "ID", "spark.sql.execution.id", "spark.sql.execution.root.id")
	appKeys      = keys("App ID", "spark.app.id")
)

func keys(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// lines gives the lines of one part of the copy: queries left out, and repeated ones again
// after their last line.
func (c Change) lines(l log, part int) ([][]byte, error) {
	var out [][]byte
	for i, line := range l.parts[part] {
		owner := l.owners[part][i]
		times := 1
		if n, named := c.Repeat[l.labels[owner]]; named && owner != noQuery {
			times = n
		}
		if times > 0 {
			out = append(out, c.edit(line, 0))
		}
		if owner != noQuery && l.last[owner] == [2]int{part, i} {
			out = append(out, c.again(l.linesOf(owner), times)...)
		}
	}
	return out, nil
}

func (c Change) again(lines [][]byte, times int) (out [][]byte) {
	for n := 1; n < times; n++ {
		for _, line := range lines {
			out = append(out, c.edit(line, int64(n)*idStep))
		}
	}
	return out
}

// edit changes one event's times, and its ids by the given step.
func (c Change) edit(line []byte, ids int64) []byte {
	return rewrite(line, func(at place, value []byte) []byte {
		switch {
		case timeKeys[at.key]:
			return c.moved(value)
		case taskTimeKeys[at.key], taskTimes[at.name] && (at.key == "Update" || at.key == "Value"):
			return c.scaled(value)
		case c.App != "" && appKeys[at.key]:
			return []byte(c.App)
		case ids != 0 && (idKeys[at.key] || at.key == "accumUpdates" && at.index == 0):
			return added(value, ids)
		}
		return value
	})
}

// moved shifts a time; 0 stands for "not yet" and stays.
func (c Change) moved(value []byte) []byte {
	if string(value) == "0" {
		return value
	}
	return added(value, c.By.Milliseconds())
}

func added(value []byte, n int64) []byte {
	old, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return value
	}
	return strconv.AppendInt(nil, old+n, 10)
}

func (c Change) scaled(value []byte) []byte {
	old, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || c.TaskTime == 0 {
		return value
	}
	return strconv.AppendInt(nil, int64(math.Round(float64(old)*c.TaskTime)), 10)
}

// place is where a scalar stands in its event.
type place struct {
	key   string // the nearest key; elements of a list have the list's
	index int    // position in the innermost list, -1 in an object
	name  string // what "Name" was before it in the same object
}

// rewrite copies valid JSON and passes every number and string value, without quotes, to
// replace, in order. What replace gives must need no escaping.
func rewrite(line []byte, replace func(place, []byte) []byte) []byte {
	w := writer{in: line, out: make([]byte, 0, len(line)+64), replace: replace}
	for w.pos < len(w.in) {
		w.next()
	}
	return w.out
}

type writer struct {
	in, out []byte
	pos     int
	stack   []place // of the open objects and lists
	replace func(place, []byte) []byte
}

func (w *writer) next() {
	switch b := w.in[w.pos]; b {
	case '{', '[':
		w.open(b)
	case '}', ']':
		w.stack = w.stack[:max(len(w.stack)-1, 0)]
	case ',':
		if top := w.top(); top.index >= 0 {
			top.index++
		}
	case '"':
		w.text()
		return
	default:
		if b == '-' || b >= '0' && b <= '9' {
			w.number()
			return
		}
	}
	w.out = append(w.out, w.in[w.pos])
	w.pos++
}

func (w *writer) open(bracket byte) {
	index := -1
	if bracket == '[' {
		index = 0
	}
	w.stack = append(w.stack, place{key: w.top().key, index: index})
}

// top is the innermost open object or list.
func (w *writer) top() *place {
	if len(w.stack) == 0 {
		return &place{index: -1}
	}
	return &w.stack[len(w.stack)-1]
}

// text copies a key or passes a string value on.
func (w *writer) text() {
	end := w.pos + 1
	for end < len(w.in) && w.in[end] != '"' {
		if w.in[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(w.in))
	value, top := w.in[w.pos+1:end], w.top()
	w.pos = min(end+1, len(w.in))
	if top.index < 0 && bytes.HasPrefix(w.in[w.pos:], []byte(":")) {
		top.key = string(value)
	} else {
		if top.key == "Name" {
			top.name = string(value)
		}
		value = w.replace(*top, value)
	}
	w.out = append(append(append(w.out, '"'), value...), '"')
}

func (w *writer) number() {
	end := w.pos
	for end < len(w.in) && bytes.IndexByte([]byte("+-.eE0123456789"), w.in[end]) >= 0 {
		end++
	}
	w.out = append(w.out, w.replace(*w.top(), w.in[w.pos:end])...)
	w.pos = end
}
