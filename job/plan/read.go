package plan

import (
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
	weight    int64
}

// reads collects the scans of one table by the succeeded queries of the window, in order of
// appearance.
func reads(t TableInput, queries []fact.Query) ([]read, error) {
	var found []read
	places := map[string]int{}
	for _, q := range queries {
		if q.Status != fact.Succeeded {
			continue
		}
		for _, scan := range q.Scans {
			if !t.scannedAs(scan.Table) {
				continue
			}
			key, err := json.Marshal(scan.Predicate)
			if err != nil {
				return nil, fmt.Errorf("plan: predicate of %s on %s: %w", q.Fingerprint, scan.Table, err)
			}
			id := q.Fingerprint + string(key)
			if at, seen := places[id]; seen {
				found[at].weight++
				continue
			}
			places[id] = len(found)
			found = append(found, read{class: q.Fingerprint, predicate: scan.Predicate, weight: 1})
		}
	}
	return found, nil
}

// filters gives the columns that some read compares with literals, in order of appearance,
// with the number of scans that do. IS NOT NULL alone prunes nothing worth a key.
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
		scanned[i] = f.readBytes(r.predicate) * unit.Bytes(r.weight)
	}
	return scanned
}

// ScannedBytes is what the succeeded queries would scan of a table, known to facts by the
// given names, with the files and bounds it has: each execution once.
func ScannedBytes(s lake.Snapshot, names []table.Name, queries []fact.Query) (unit.Bytes, error) {
	rs, err := reads(TableInput{Snapshot: s, Names: names}, queries)
	if err != nil {
		return 0, err
	}
	return sum(present(s).bytesByRead(rs)), nil
}
