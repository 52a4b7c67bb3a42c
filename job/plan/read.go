package plan

import (
	"cmp"
	"encoding/json"
	"fmt"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// read is one way a class of queries reads a table: scans with equal predicates are one
// read, counted by weight.
type read struct {
	class     string
	predicate *predicate.Predicate
	arrivals  []arrival
	weight    int64
	// executions counts the scans that are their execution's first of the table: a query that
	// joins the table to itself scans it more than once. Over all reads of a class they add up
	// to its executions.
	executions int64
	query      string // what people know it by
}

// reads collects the scans of one table by the succeeded queries of the window, in order of
// appearance.
func reads(t TableInput, queries []fact.Query, reach Reach) ([]read, error) {
	var found []read
	places := map[string]int{}
	for _, q := range queries {
		if q.Status != fact.Succeeded {
			continue
		}
		executions := int64(1)
		for i, scan := range q.Scans {
			if !t.scannedAs(scan.Table) {
				continue
			}
			r := read{class: q.Fingerprint, query: known(q), predicate: scan.Predicate, arrivals: reach.of(q, i), weight: 1, executions: executions}
			executions = 0
			id, err := r.id()
			if err != nil {
				return nil, fmt.Errorf("plan: predicate of %s on %s: %w", q.Fingerprint, scan.Table, err)
			}
			if at, seen := places[id]; seen {
				found[at].weight++
				found[at].executions += r.executions
				found[at].query = first(found[at].query, r.query)
				continue
			}
			places[id] = len(found)
			found = append(found, r)
		}
	}
	return found, nil
}

// id tells reads apart that would not read the same files.
func (r read) id() (string, error) {
	key, err := json.Marshal(r.predicate)
	id := r.class + string(key)
	for _, a := range r.arrivals {
		arrived, failed := a.id()
		id, err = id+arrived, cmp.Or(err, failed)
	}
	return id, err
}

// prunedBy is what leaves files of a table unread that is partitioned so.
func (r read) prunedBy(partition []table.Column) *predicate.Predicate {
	var all []predicate.Predicate
	for _, a := range r.arrivals {
		if a.applies(partition) {
			all = append(all, *a.values)
		}
	}
	if len(all) == 0 || r.predicate == nil {
		return cmp.Or(r.predicate, predicate.Conjunction(all))
	}
	return predicate.Conjunction(append(all, *r.predicate))
}

// filters gives the columns that some read compares with literals, or with what joins find at
// run time where the reader prunes by it, in order of appearance, with the number of scans that
// do. IS NOT NULL alone prunes nothing worth a key.
func filters(rs []read) (columns []table.Column, scans map[table.Column]int64) {
	scans = map[table.Column]int64{}
	for _, r := range rs {
		seen := map[table.Column]bool{}
		r.predicate.Columns(func(c table.Column, op predicate.Op) bool {
			if prunes(op) && !seen[c] {
				seen[c] = true
				if scans[c] == 0 {
					columns = append(columns, c)
				}
				scans[c] += r.weight
			}
			return true
		})
		for _, a := range r.arrivals {
			if a.files && a.values != nil && !seen[a.column] {
				seen[a.column] = true
				if scans[a.column] == 0 {
					columns = append(columns, a.column)
				}
				scans[a.column] += r.weight
			}
		}
	}
	return columns, scans
}

func prunes(op predicate.Op) bool {
	switch op {
	case predicate.Eq, predicate.EqNullSafe, predicate.Lt, predicate.Le, predicate.Gt, predicate.Ge,
		predicate.In, predicate.Prefix:
		return true
	}
	return false
}

// files is a set of data files as pruning sees them.
type files struct {
	n     int
	size  func(i int) unit.Bytes
	bound func(i int) prune.Columns
	// partition are the columns that part the files.
	partition []table.Column
}

// readBytes is how much of the files one scan with the predicate has to open.
func (f files) readBytes(p *predicate.Predicate) (total unit.Bytes) {
	for i := range f.n {
		if prune.MayMatch(p, f.bound(i)) {
			total += f.size(i)
		}
	}
	return total
}

// bytesByRead gives what each read scans per window: one execution's bytes times its weight.
func (f files) bytesByRead(rs []read) []unit.Bytes {
	scanned := make([]unit.Bytes, len(rs))
	for i, r := range rs {
		scanned[i] = f.readBytes(r.prunedBy(f.partition)) * unit.Bytes(r.weight)
	}
	return scanned
}

// ScannedBytes is what the succeeded queries would scan of a table, known to facts by the
// given names, with the files and bounds it has: each execution once.
func ScannedBytes(s lake.Snapshot, names []table.Name, queries []fact.Query) (unit.Bytes, error) {
	return Reach{}.ScannedBytes(s, names, queries)
}

// ScannedBytes is the same with what reached the scans at run time.
func (r Reach) ScannedBytes(s lake.Snapshot, names []table.Name, queries []fact.Query) (unit.Bytes, error) {
	rs, err := reads(TableInput{Snapshot: s, Names: names}, queries, r)
	if err != nil {
		return 0, err
	}
	return sum(present(s).bytesByRead(rs)), nil
}
