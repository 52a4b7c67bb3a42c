package eventlog

import (
	"bytes"
)

// kind is which event a line holds.
type kind uint8

const (
	unneeded kind = iota
	applicationStart
	applicationEnd
	environmentUpdate
	executionStart
	adaptiveUpdate
	adaptiveMetrics
	executionEnd
	driverUpdates
	jobStart
	stageCompleted
)

// kindOf is the gate: everything it calls unneeded is never decoded. Task starts and ends
// are among that; stage totals carry what they sum up to. Whoever needs the tasks of stages
// that did not complete adds SparkListenerTaskEnd here.
func kindOf(name []byte) kind {
	switch string(name) {
	case "SparkListenerApplicationStart":
		return applicationStart
	case "SparkListenerApplicationEnd":
		return applicationEnd
	case "SparkListenerEnvironmentUpdate":
		return environmentUpdate
	case "SparkListenerJobStart":
		return jobStart
	case "SparkListenerStageCompleted":
		return stageCompleted
	case sqlEvent + "ExecutionStart":
		return executionStart
	case sqlEvent + "AdaptiveExecutionUpdate":
		return adaptiveUpdate
	case sqlEvent + "AdaptiveSQLMetricUpdates":
		return adaptiveMetrics
	case sqlEvent + "ExecutionEnd":
		return executionEnd
	case "org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates":
		return driverUpdates
	}
	return unneeded
}

// sqlEvent begins the names of the events that follow an execution; the driver's
// accumulator updates alone leave the SQL out of theirs.
const sqlEvent = "org.apache.spark.sql.execution.ui.SparkListenerSQL"

// eventKey is how Spark begins a line; other writers need not.
var eventKey = []byte(`{"Event":"`)

// eventName finds the value of the key "Event" of the outermost object without decoding
// anything. The line may be the beginning of a longer one; ok is false where the key is not
// in it.
func eventName(line []byte) (name []byte, ok bool) {
	if rest, found := bytes.CutPrefix(line, eventKey); found {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			return rest[:end], true
		}
	}
	return scanForEvent(line)
}

// scanForEvent walks over the line's tokens: at depth 1 a string followed by a colon is a
// key.
func scanForEvent(line []byte) (name []byte, ok bool) {
	depth, isEvent := 0, false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			isEvent = false
		case '"':
			text, next := scanString(line, i)
			if next < 0 {
				return nil, false
			}
			i = next - 1
			switch {
			case depth != 1:
			case isEvent:
				return text, true
			default:
				isEvent = string(text) == "Event" && followedByColon(line, next)
			}
		}
	}
	return nil, false
}

// scanString gives the raw text of the string that opens at i and the place after its
// closing quote, −1 where it does not close.
func scanString(line []byte, i int) (text []byte, next int) {
	for j := i + 1; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case '"':
			return line[i+1 : j], j + 1
		}
	}
	return nil, -1
}

func followedByColon(line []byte, i int) bool {
	rest := bytes.TrimLeft(line[i:], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}
