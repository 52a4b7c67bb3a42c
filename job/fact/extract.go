package fact

import (
	"iter"

	"ajlo/job/eventlog"
)

// Facts is what one application's log says.
type Facts struct {
	App string `json:"app"`
	// Queries are sorted by start, then by execution.
	Queries []Query `json:"queries"`
	// Executions counts the SQL executions seen; those that are no user query (the
	// engine's own reads, DDL) are in no query.
	Executions int `json:"executions"`
	// Cores is the application's number of cores, 0 where the log does not say.
	Cores int `json:"cores"`
}

// Extract folds the events of one application into facts.
func Extract(events iter.Seq2[eventlog.Event, error]) (Facts, error) {
	return Facts{}, nil
}
