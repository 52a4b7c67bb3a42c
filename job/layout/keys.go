package layout

import (
	"encoding/json"

	"ajlo/job/table"
)

// writtenKeys is how keys and their order are written into a table.
type writtenKeys struct {
	Order      Order          `json:"order"`
	Clustering []table.Column `json:"clustering"`
}

// Keys writes the layout's keys and their order as text for a table to keep; ParseKeys reads
// it. Partitions, scope and learnt cuts are no part of it.
func (l Layout) Keys() string {
	text, err := json.Marshal(writtenKeys{l.Order, l.Clustering})
	if err != nil {
		return "" // a word and a list of texts always have JSON
	}
	return string(text)
}

// ParseKeys reads what Keys wrote; ok is false for anything else.
func ParseKeys(text string) (l Layout, ok bool) {
	var w writtenKeys
	if err := json.Unmarshal([]byte(text), &w); err != nil || len(w.Clustering) == 0 {
		return Layout{}, false
	}
	if _, err := ParseOrder(string(w.Order)); err != nil || CheckKeys(w.Order, len(w.Clustering)) != nil {
		return Layout{}, false
	}
	return ClusteredBy(w.Order, w.Clustering...), true
}
