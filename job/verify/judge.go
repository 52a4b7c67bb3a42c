package verify

import (
	"fmt"
	"math"
	"time"

	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Verdict is what later queries say of new keys.
type Verdict string

// The verdicts. TooEarly is where too few later queries read the table to tell.
const (
	Helped   Verdict = "helped"
	NoEffect Verdict = "no_effect"
	Harmed   Verdict = "harmed"
	TooEarly Verdict = "too_early"
)

// KeptDays is how long the bounds of replaced files are kept for the verdict.
const KeptDays = 28

// What a verdict takes: some executions, so that one odd query is no verdict, and a difference
// beyond what bounds that just touch make.
const (
	minJudged = 3
	tolerance = 0.05
)

// Kept is a table before a step gave it new keys: its files with their bounds.
type Kept struct {
	Run      string
	Step     int
	Table    table.Name
	Location table.Location
	Version  int64         // that the step committed
	Planned  int64         // version that it was planned at
	Layout   layout.Layout // that the step made
	Before   layout.Layout
	Since    time.Time // end of the window that the step was planned from
	Files    []lake.File
}

// Judgement is a step held against what later queries would have read without it.
type Judgement struct {
	Run        string         `json:"run"` // whose step it was
	Step       int            `json:"step"`
	Table      table.Name     `json:"table"`
	Location   table.Location `json:"-"`
	Layout     layout.Layout  `json:"layout"`
	Before     layout.Layout  `json:"before"`
	Executions int64          `json:"executions"` // scans of later queries
	// Would is what they would have read of the files before, Read what they read of those there
	// are: both by their predicates and the files' bounds. Measured is what the log says they
	// read; nil where it does not.
	Would    unit.Bytes  `json:"would_bytes"`
	Read     unit.Bytes  `json:"read_bytes"`
	Measured *unit.Bytes `json:"measured_bytes"`
	Verdict  Verdict     `json:"verdict"`
	// Later is true where others committed since the step: RESTORE would lose what they wrote.
	Later bool `json:"later_commits"`
}

// Judge replays the predicates of later queries on the bounds of before. The table may have
// grown since: files that came in count as they are on both sides, and what lies in order now
// is what lay otherwise before, for as many rows. (Bytes are no measure of it: the same rows take
// more of them in one order than in another.)
func Judge(k Kept, now lake.Snapshot, names []table.Name, queries []fact.Query) (Judgement, error) {
	j := Judgement{Run: k.Run, Step: k.Step, Table: k.Table, Location: k.Location, Layout: k.Layout, Before: k.Before, Verdict: TooEarly, Later: now.Version != k.Version}
	later := laterThan(k.Since, queries)
	j.Executions, j.Measured = measured(names, later)
	ordered, fresh := parted(now)
	old := now
	old.Files = k.Files
	then, err := plan.ScannedBytes(old, names, later)
	if err != nil {
		return j, err
	}
	since, err := plan.ScannedBytes(fresh, names, later)
	if err != nil {
		return j, err
	}
	if j.Read, err = plan.ScannedBytes(now, names, later); err != nil {
		return j, err
	}
	j.Would = unit.Bytes(math.Round(float64(then)*growth(old, ordered))) + since
	j.Verdict = j.verdict()
	return j, nil
}

// growth is how many times the rows of before there are: by bytes where a file does not say.
func growth(before, now lake.Snapshot) float64 {
	was, known := before.Rows()
	is, all := now.Rows()
	switch {
	case known && all && was > 0:
		return float64(is) / float64(was)
	case before.Bytes() > 0:
		return float64(now.Bytes()) / float64(before.Bytes())
	}
	return 1
}

func (j Judgement) verdict() Verdict {
	switch {
	case j.Executions < minJudged:
		return TooEarly
	case float64(j.Read) > (1+tolerance)*float64(j.Would):
		return Harmed
	case float64(j.Read) < (1-tolerance)*float64(j.Would):
		return Helped
	}
	return NoEffect
}

func laterThan(since time.Time, queries []fact.Query) (later []fact.Query) {
	for _, q := range queries {
		if q.Status == fact.Succeeded && !q.Start.Before(since) {
			later = append(later, q)
		}
	}
	return later
}

// measured counts the scans of the table, and sums what the log says they read where it says
// so of all.
func measured(names []table.Name, queries []fact.Query) (scans int64, total *unit.Bytes) {
	known, sum := map[table.Name]bool{}, unit.Bytes(0)
	for _, n := range names {
		known[n] = true
	}
	whole := true
	for _, q := range queries {
		for _, s := range q.Scans {
			if known[s.Table] {
				scans++
				sum += s.BytesRead
				whole = whole && s.Measured
			}
		}
	}
	if scans == 0 || !whole {
		return scans, nil
	}
	return scans, &sum
}

// parted gives the table's files in order and those that came in since, as tables of their own.
func parted(now lake.Snapshot) (ordered, fresh lake.Snapshot) {
	ordered, fresh = now, now
	ordered.Files, fresh.Files = nil, nil
	for _, f := range now.Files {
		if f.Laid {
			ordered.Files = append(ordered.Files, f)
		} else {
			fresh.Files = append(fresh.Files, f)
		}
	}
	return ordered, fresh
}

// String is the judgement for people.
func (j Judgement) String() string {
	text := fmt.Sprintf("%s by %s: %d later scans read %s instead of %s by %s", j.Table, j.Layout, j.Executions, j.Read, j.Would, j.Before)
	switch j.Verdict {
	case Helped:
		return text + ": it helped"
	case Harmed:
		return text + ": it harmed"
	case NoEffect:
		return text + ": no effect"
	}
	return fmt.Sprintf("%s by %s: too early to tell, %d later scans", j.Table, j.Layout, j.Executions)
}

// Corrections of what is foretold are bounded: beyond them something else is wrong.
const (
	leastCorrection = 0.5
	mostCorrection  = 2.0
)

// Correct learns from a step: what its table's next foretelling is multiplied by, given what
// the one of this step was.
func Correct(used, foretold, after float64) float64 {
	if used == 0 {
		used = 1
	}
	if foretold <= 0 || after <= 0 {
		return used
	}
	return min(max(used*after/foretold, leastCorrection), mostCorrection)
}
