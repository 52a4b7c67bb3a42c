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
	jobEnd
	stageCompleted
	taskEnd
	thriftStatement
	connectStatement
)

// kindOf is the gate: everything it calls unneeded is never decoded. Task ends pass it only
// to be held for stages that never complete; elsewhere the stage's totals carry what they
// sum up to.
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
	case "SparkListenerJobEnd":
		return jobEnd
	case "SparkListenerStageCompleted":
		return stageCompleted
	case "SparkListenerTaskEnd":
		return taskEnd
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
	case "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart":
		return thriftStatement
	case "org.apache.spark.sql.connect.service.SparkListenerConnectOperationStarted":
		return connectStatement
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

func scanForEvent(line []byte) (name []byte, ok bool) {
	at, ok := scanForKey(line, "Event")
	if !ok {
		return nil, false
	}
	at += len(line[at:]) - len(bytes.TrimLeft(line[at:], " \t\r\n"))
	if at >= len(line) || line[at] != '"' {
		return nil, false
	}
	name, next := scanString(line, at)
	return name, next > 0
}

// scanForKey walks over the line's tokens and gives the place after the colon of the key of
// the outermost object: at depth 1 a string followed by a colon is a key.
func scanForKey(line []byte, key string) (at int, ok bool) {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			text, next := scanString(line, i)
			if next < 0 {
				return 0, false
			}
			if depth == 1 && string(text) == key {
				if colon := afterColon(line, next); colon > 0 {
					return colon, true
				}
			}
			i = next - 1
		}
	}
	return 0, false
}

// scanString gives the raw text of the string that opens at i and the place after its
// closing quote, −1 where it does not close.
func scanString(line []byte, i int) (text []byte, next int) {
	for j := i + 1; j < len(line); {
		quote := bytes.IndexByte(line[j:], '"')
		if quote < 0 {
			break
		}
		if j += quote; !escaped(line[i+1 : j]) {
			return line[i+1 : j], j + 1
		}
		j++
	}
	return nil, -1
}

// escaped reports whether what follows the text is escaped: an odd number of backslashes
// stands before it.
func escaped(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
}

// afterColon gives the place after the colon that stands next, −1 where none does.
func afterColon(line []byte, i int) int {
	rest := bytes.TrimLeft(line[i:], " \t\r\n")
	if len(rest) == 0 || rest[0] != ':' {
		return -1
	}
	return len(line) - len(rest) + 1
}
