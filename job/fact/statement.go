package fact

import (
	"cmp"
	"strings"

	"ajlo/job/eventlog"
)

// shells are applications whose executions are described by the SQL they run: spark-sql
// names itself so, and the Thrift server.
var shells = []string{"SparkSQL::", "Thrift JDBC/ODBC Server"}

func runsStatements(application string) bool { return hasPrefix(application, shells) }

// statements are texts by the key of what runs them, the newest of them: a server is asked for
// many things that run nothing. The zero value is empty.
type statements struct {
	texts map[string]string
	keys  []string // in the order in which they came
	bytes int      // of the texts
}

// Bounds of the texts that are kept for executions that the log tells of later.
const (
	maxStatements     = 1 << 14
	maxStatementBytes = 16 << 20
)

func (s *statements) add(key, text string) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	if _, known := s.texts[key]; !known {
		s.keys = append(s.keys, key)
	}
	s.bytes += len(text) - len(s.texts[key])
	s.texts[key] = text
	for len(s.keys) > maxStatements || s.bytes > maxStatementBytes && len(s.keys) > 1 {
		s.bytes -= len(s.texts[s.keys[0]])
		delete(s.texts, s.keys[0])
		s.keys = s.keys[1:]
	}
}

// of is the text under the first key that has one.
func (s *statements) of(keys []string) string {
	for _, key := range keys {
		if text, ok := s.texts[key]; ok {
			return text
		}
	}
	return ""
}

// statement keeps the text of a statement for a while: executions may come before the server
// says what they are for.
func (x *extractor) statement(s eventlog.Statement) {
	if s.Key != "" && s.Text != "" {
		x.statements.add(s.Key, s.Text)
	}
}

// runsFor takes note of the statement that an execution runs for, by its keys.
func (x *extractor) runsFor(e *execution, keys []string) {
	e.statements = append(e.statements, keys...)
	if e.sql == "" {
		e.sql = x.statements.of(keys)
	}
}

// sqlOf is the text of the statement that a tree ran for, empty where the log does not have
// it. Spark 4 names a statement's tag or group in the start of each execution, Spark 3.5 in
// its jobs alone. Under a server Delta's reads of its own log are roots beside the
// statement's, with the same key: they are told by what they read, and are no queries.
func (x *extractor) sqlOf(t tree) string {
	for _, e := range t.all() {
		if text := cmp.Or(e.sql, x.statements.of(e.statements)); text != "" {
			return text
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
