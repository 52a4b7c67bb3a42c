package plan

import (
	"slices"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/table"
)

// MaxUnresolvedShare is the part of the scanned bytes that may come from tables nobody
// could find: a plan made beyond it would be made half blind (rule 6).
const MaxUnresolvedShare = 0.10

// Cover counts what the facts of a window show and what they hide. found reports whether a
// table that facts name was found in the lake.
func Cover(applications int, unreadable []string, queries []fact.Query, found func(table.Name) bool) Coverage {
	c := Coverage{
		Applications: applications, Queries: len(queries),
		Unreadable: append([]string{}, unreadable...), UnresolvedTables: []string{},
	}
	for _, q := range queries {
		c.count(q)
		for _, s := range q.Scans {
			c.countScan(s, found)
		}
	}
	slices.Sort(c.UnresolvedTables)
	return c
}

func (c *Coverage) count(q fact.Query) {
	switch q.Status {
	case fact.Succeeded:
		c.Succeeded++
	case fact.Failed:
		c.Failed++
	default:
		c.Unfinished++
	}
	c.LostPredicates += q.Lost.Predicates
	c.LostJoins += q.Lost.Joins
}

func (c *Coverage) countScan(s fact.Scan, found func(table.Name) bool) {
	c.Scans++
	c.ScannedBytes += s.BytesRead
	if !s.Measured {
		c.UnmeasuredScans++
	}
	if !Plannable(s.Format) || found(s.Table) {
		return
	}
	c.UnresolvedBytes += s.BytesRead
	if !slices.Contains(c.UnresolvedTables, string(s.Table)) {
		c.UnresolvedTables = append(c.UnresolvedTables, string(s.Table))
	}
}

// Plannable reports whether scans of this format read tables whose layout ajlo could plan;
// folders of plain files are nobody's table.
func Plannable(format string) bool {
	return format == string(lake.Delta) || format == string(lake.Iceberg)
}

// Blind reports whether too much was read from tables that were not found.
func (c Coverage) Blind() bool {
	return float64(c.UnresolvedBytes) > MaxUnresolvedShare*float64(c.ScannedBytes)
}
