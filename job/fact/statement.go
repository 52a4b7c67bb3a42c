package fact

import (
	"strings"

	"ajlo/job/eventlog"
)

// shells are applications whose executions are described by the SQL they run: spark-sql
// names itself so, and the Thrift server.
var shells = []string{"SparkSQL::", "Thrift JDBC/ODBC Server"}

func runsStatements(application string) bool { return hasPrefix(application, shells) }

// statement keeps the text of a statement until the log ends: executions may come before
// the server says what they are for.
func (x *extractor) statement(s eventlog.Statement) {
	if s.Key != "" && s.Text != "" {
		x.statements[s.Key] = s.Text
	}
}

// sqlOf is the text of the statement that a tree ran for, empty where the log does not have
// it. Spark 4 names a statement's tag or group in the start of each execution, Spark 3.5 in
// its jobs alone. Under a server Delta's reads of its own log are roots beside the
// statement's, with the same key: they are told by what they read, and are no queries.
func (x *extractor) sqlOf(t tree) string {
	for _, e := range t.all() {
		for _, key := range e.statements {
			if text, ok := x.statements[key]; ok {
				return text
			}
		}
	}
	if d := t.top.description; x.shell && !isCallSite(d) {
		return strings.TrimSpace(d)
	}
	return ""
}

// isCallSite tells what Spark puts where nobody described anything: "collect at App.java:12".
func isCallSite(description string) bool {
	before, after, ok := strings.Cut(description, " at ")
	return !ok && description == "" || ok && !strings.Contains(before, " ") && strings.Contains(after, ":")
}
