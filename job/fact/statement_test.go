package fact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ajlo/job/eventlog"
)

// SQL is found where servers and shells leave it, and nowhere else.
func TestStatements(t *testing.T) {
	tagged := start(1, 1, 1000)
	tagged.Statements = []string{"group", "SparkConnect_OperationTag_x"}
	grouped := job(1, 7)
	grouped.Statements = []string{"7f"}
	described := start(1, 1, 1000)
	described.Description = "\nselect k from t"
	called := start(1, 1, 1000)
	called.Description = "collect at Main.java:12"
	tests := []struct {
		name   string
		events []eventlog.Event
		want   string
	}{
		{"Connect, by its tag", []eventlog.Event{eventlog.Statement{Key: "SparkConnect_OperationTag_x", Text: "select 1"}, tagged}, "select 1"},
		{"Thrift before 4.0, by its jobs' group", []eventlog.Event{eventlog.Statement{Key: "7f", Text: "select 2"}, start(1, 1, 1000), grouped}, "select 2"},
		{"the server speaks later", []eventlog.Event{tagged, eventlog.Statement{Key: "group", Text: "select 3"}}, "select 3"},
		{"another statement's", []eventlog.Event{eventlog.Statement{Key: "other", Text: "select 4"}, tagged}, ""},
		{"spark-sql describes by the SQL", []eventlog.Event{eventlog.ApplicationStart{ID: "a", Name: "SparkSQL::192.0.2.1"}, described}, "select k from t"},
		{"spark-sql at its own work", []eventlog.Event{eventlog.ApplicationStart{ID: "a", Name: "SparkSQL::192.0.2.1"}, called}, ""},
		{"a description is no SQL", []eventlog.Event{eventlog.ApplicationStart{ID: "a", Name: "nightly"}, described}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			facts, err := Extract(stream(append(test.events, end(1, 1500))...))
			if err != nil || len(facts.Queries) != 1 || facts.Queries[0].SQL != test.want {
				t.Errorf("%+v, %v, want %q", facts.Queries, err, test.want)
			}
		})
	}
}

// Whatever a server is asked for, only the newest texts are kept; a statement that runs for
// long has its own from the start.
func TestStatementsAreBounded(t *testing.T) {
	long := start(1, 1, 1000)
	long.Statements = []string{"long"}
	late := start(2, 2, 1000)
	late.Statements = []string{"late"}
	x := newExtractor()
	x.take(eventlog.Statement{Key: "long", Text: "select 1"})
	x.take(long)
	x.take(late)
	for i := range 2 * maxStatements {
		x.take(eventlog.Statement{Key: fmt.Sprint(i), Text: "show tables"})
	}
	x.take(eventlog.Statement{Key: "late", Text: strings.Repeat("x", maxStatementBytes)})
	if n := len(x.statements.texts); n != 1 || len(x.statements.keys) != n || x.statements.bytes != maxStatementBytes {
		t.Errorf("%d texts of %d bytes are kept", n, x.statements.bytes)
	}
	x.take(end(1, 1500))
	x.take(end(2, 1500))
	var sizes []int
	for _, q := range x.facts().Queries {
		sizes = append(sizes, len(q.SQL))
	}
	if !slices.Equal(sizes, []int{len("select 1"), maxStatementBytes}) {
		t.Errorf("SQL of %d bytes, want that of each query", sizes)
	}
}
