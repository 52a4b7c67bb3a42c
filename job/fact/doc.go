// Package fact turns the events of an application into query facts: what each user query
// scanned, on which predicates, what it joined on which columns, and what that cost. It is
// pure: events in, facts out, no clock and no storage.
package fact
