// Package script renders a plan as text for an engine's dialect: statements with reasons,
// expectations and undo, in the plan's order. The same plan gives the same text byte for
// byte. Steps of the embedded engine render as comments beside the SQL that would do the
// same.
package script

import (
	"fmt"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// Write renders the plan whose JSON has the given SHA-256.
func Write(p plan.Plan, hash string) string {
	w := &writer{embedded: p.Engine == plan.EmbeddedEngine, hash: hash}
	w.header(p, hash)
	for i, step := range p.Steps {
		w.step(i, len(p.Steps), step)
	}
	if len(p.Steps) == 0 {
		w.comment("Nothing to do.")
	}
	return w.text.String()
}

type writer struct {
	text     strings.Builder
	embedded bool
	hash     string
}

// comment writes one line that no engine runs, whatever it holds.
func (w *writer) comment(format string, args ...any) {
	line := dialect.CommentLine(fmt.Sprintf(format, args...))
	w.text.WriteString(strings.TrimRight("-- "+line, " ") + "\n")
}

func (w *writer) header(p plan.Plan, hash string) {
	w.comment("ajlo reorganisation script")
	w.comment("plan sha256 %s", hash)
	w.comment("window %s to %s, engine %s, dialect %s", p.Window.Start.Format(stamp), p.Window.End.Format(stamp), p.Engine, p.Dialect)
	w.comment("why tonight: %s", p.Trigger)
	w.comment("rewrites %s of a budget of %s; saves %s a window; NPV %s, at most %s possible",
		p.Rewrite, p.Budget, p.SavedBytesPerWindow, p.NPV, p.UpperBound)
	w.unseen(p.Coverage)
	if w.embedded && len(p.Steps) > 0 {
		w.comment("The embedded engine carries these steps out itself: the statements are comments that say")
		w.comment("what would do the same on Spark. Nothing below runs as SQL.")
	}
	w.lowShuffle(p)
	w.text.WriteString("\n")
}

// lowShuffle says by which setting a platform's MERGE keeps the order of rows that it only copies.
func (w *writer) lowShuffle(p plan.Plan) {
	setting := dialect.Of(dialect.FlavourOf(p.Dialect)).LowShuffle
	if setting == "" || w.embedded || len(p.Steps) == 0 {
		return
	}
	w.comment("MERGE undoes an order unless it leaves rows where they are that it only copies: have this setting on the")
	w.comment("clusters that merge, too. SET takes a cluster; a SQL warehouse refuses settings of Spark.")
	fmt.Fprintf(&w.text, "SET %s=true;\n", setting)
}

// stamp is how times stand in a script: UTC, to the microsecond.
const stamp = "2006-01-02T15:04:05.999999Z07:00"

// unseen says what the plan could not see (rule 6).
func (w *writer) unseen(c plan.Coverage) {
	w.comment("seen: %s, %s (%d failed, %d unfinished), %s of %s", unit.Counted(c.Applications, "application", "applications"),
		unit.Counted(c.Queries, "query", "queries"), c.Failed, c.Unfinished, unit.Counted(c.Scans, "scan", "scans"), c.ScannedBytes)
	w.comment("not seen: %d predicates and %d joins cut off, %s from tables not found, %d log files unreadable",
		c.LostPredicates, c.LostJoins, c.UnresolvedBytes, len(c.Unreadable))
}

func (w *writer) step(number, of int, s plan.Step) {
	w.comment("step %d of %d: %s %s, version %d, to %s", number+1, of, s.Kind, s.Table, s.Version, s.Layout)
	w.comment("at %s", s.Location)
	if len(s.Periods) > 0 {
		w.comment("only: %s", layout.ScopeOf(s.Periods))
	}
	w.comment("why: %s", s.Reason)
	w.comment("expected: rewrites %s into about %s; reads %s a window instead of %s",
		s.Expected.Rewrite, unit.Counted(s.Expected.Files, "file", "files"), s.Expected.ScannedBytesThen, s.Expected.ScannedBytesNow)
	w.statement(number, s)
	w.comment("undo, only while nothing but this step was written to the table after version %d:", s.Version)
	if s.Format == lake.Iceberg {
		w.comment("(%s)", dialect.SparkIceberg{}.Deadline(s.Version))
	} else {
		w.comment("(%s)", dialect.SparkDelta{}.Deadline())
	}
	for line := range strings.Lines(s.Undo) {
		w.comment("%s", line)
	}
	w.text.WriteString("\n")
}

// ByHand stands for the run in the stamp of a script that a person runs.
const ByHand = "script"

// statement writes SQL to be run, or, for the embedded engine, to be read.
func (w *writer) statement(number int, s plan.Step) {
	if s.Back != nil {
		w.comment("ajlo puts %d files of version %d back by a commit of its own, which keeps what came in since; a Spark would say, and lose it:", s.Back.Files, s.Back.Version)
		w.comment("  %s", s.Statement)
		return
	}
	if !w.embedded {
		// The table's history then says which plan its keys come from, as after a run (rule 12).
		stamp := delta.Stamp{Run: ByHand, Step: number, PlanHash: w.hash}
		if s.Format == lake.Iceberg {
			begin, end := dialect.SparkIceberg{}.Stamp(stamp.Text(), s.Layout)
			fmt.Fprintf(&w.text, "%s\n%s\n%s\n", begin, s.Statement, end)
			return
		}
		fmt.Fprintf(&w.text, "SET %s=%s;\nSET %s=%d;\n%s\n", dialect.StampSetting, stamp.Text(), dialect.FileSizeSetting, int64(s.TargetFile), s.Statement)
		return
	}
	which := "all files"
	if len(s.Files) > 0 {
		which = unit.Counted(len(s.Files), "file", "files")
	}
	how := fmt.Sprintf("rewrite %s of the table in that order; the same on Spark:", which)
	switch {
	case s.Repartition:
		how = "one commit that changes the partition columns and rewrites all files; on Spark about the same, but for properties, comments and what is appended meanwhile, which it loses:"
	case s.Layout.Order == layout.LearntCuts:
		how = fmt.Sprintf("rewrite %s of the table in that order; Spark has no such cuts, the nearest there:", which)
	}
	w.comment("embedded: %s", how)
	for line := range strings.Lines(s.Statement) {
		w.comment("  %s", strings.TrimRight(line, "\n"))
	}
}
