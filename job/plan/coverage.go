package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// Usual is what the windows before one showed, as medians; 0 where they do not say.
type Usual struct {
	Windows      int     `json:"windows"`
	Applications float64 `json:"applications"`
	TaskMS       float64 `json:"task_ms"`
	// Least is the part of either below which a window was not seen whole; 0 for any.
	Least float64 `json:"least"`
}

// Blind reports whether too little was seen to plan by.
func (c Coverage) Blind() bool { return c.Blindness() != "" }

// Blindness says what was not seen, and what to do; empty where enough was.
func (c Coverage) Blindness() string {
	switch u := c.Usual; {
	case float64(c.UnresolvedBytes) > MaxUnresolvedShare*float64(c.ScannedBytes):
		return fmt.Sprintf("%s of %s scanned come from tables that were not found (%s): place them by path_map, lake.tables or lake.roots",
			c.UnresolvedBytes, c.ScannedBytes, strings.Join(c.UnresolvedTables, ", "))
	case u == nil:
	case float64(c.Applications) < u.Least*u.Applications:
		return fmt.Sprintf("%d applications ran, under %.0f %% of the %g of the last %d windows: look whether logs are missing; "+
			"a workload that stays as small is planned by in a few nights, or at once with a lower least_seen", c.Applications, 100*u.Least, u.Applications, u.Windows)
	case float64(c.TaskMS) < u.Least*u.TaskMS:
		return fmt.Sprintf("%s of task time were seen, under %.0f %% of the %s of the last %d windows: look whether logs are missing; "+
			"a workload that stays as small is planned by in a few nights, or at once with a lower least_seen", inTime(float64(c.TaskMS)), 100*u.Least, inTime(u.TaskMS), u.Windows)
	}
	return ""
}

func inTime(ms float64) time.Duration {
	return (time.Duration(ms) * time.Millisecond).Round(time.Second)
}
