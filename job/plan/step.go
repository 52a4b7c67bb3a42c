package plan

import (
	"cmp"
	"slices"
	"strings"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
)

// steps turns the chosen layouts into typed steps, the greatest saving first, so that a run
// that is stopped has done the best of it.
func (in Input) steps(tables []Table) []Step {
	list := []Step{}
	for _, t := range tables {
		if !layout.SameKeys(t.Chosen, t.Current) {
			list = append(list, in.step(t))
		}
	}
	slices.SortStableFunc(list, func(a, b Step) int {
		return cmp.Compare(saving(b), saving(a))
	})
	return list
}

func saving(s Step) int64 { return int64(s.Expected.ScannedBytesNow - s.Expected.ScannedBytesThen) }

// StatementOf is what the plan's dialect says for a step: a plan that was edited may say
// something else. It is false where the plan has no table for the step.
func (s Settings) StatementOf(p Plan, step Step) (string, bool) {
	at := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Table == step.Table && t.Location == step.Location })
	if at < 0 {
		return "", false
	}
	return s.statement(p.Tables[at], step), true
}

// statement is what a step says in the dialect of its table.
func (s Settings) statement(t Table, step Step) string {
	target, l := s.target(t), step.Layout
	if t.Format == lake.Iceberg {
		how := dialect.Rewrite{TargetFile: int64(step.TargetFile), Within: step.Periods}
		if step.Kind == Upkeep {
			return dialect.SparkIceberg{}.Upkeep(target, l, how)
		}
		return strings.Join(dialect.SparkIceberg{}.Rekey(target, l, how), "\n")
	}
	if step.Kind == Upkeep {
		return s.Dialect.Upkeep(target, l)
	}
	if step.Repartition {
		return s.Dialect.Repartition(target, l)
	}
	return strings.Join(s.Dialect.Rekey(target, l), "\n")
}

// undo is the way back to a version of a table.
func (s Settings) undo(t Table, version int64) string {
	if t.Format == lake.Iceberg {
		return dialect.SparkIceberg{}.Undo(s.target(t), version)
	}
	return s.Dialect.Undo(s.target(t), version)
}

// UndoOf is the way back of a step whose commit followed the given version of its table.
func (s Settings) UndoOf(p Plan, step Step, before int64) string {
	at := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Table == step.Table && t.Location == step.Location })
	if at < 0 {
		return step.Undo
	}
	return s.undo(p.Tables[at], before)
}

func (s Settings) target(t Table) dialect.Target {
	return dialect.Target{
		Name: t.Table, Location: t.Location, Address: s.Address, Streaming: t.Streaming,
		Clustered: slices.Contains(t.Protocol.WriterFeatures, "clustering"),
	}
}

func (in Input) step(t Table) Step {
	s := Step{
		Table: t.Table, Kind: Rekey, Location: t.Location, Format: t.Format, Layout: t.Chosen,
		Undo:    in.Settings.undo(t, t.Version),
		Reason:  t.Reason,
		Version: t.Version, SchemaHash: t.SchemaHash, Protocol: t.Protocol, Owner: t.Owner, Was: t.Current, Declared: t.Declared,
		TargetFile: in.Settings.TargetFile, Periods: t.Periods,
		Expected: Expected{
			Files:   layout.FileCount(t.Rewrite, in.Settings.TargetFile),
			Rewrite: t.Rewrite, ScannedBytesNow: t.ScannedBytesNow, ScannedBytesThen: t.ScannedBytesThen,
		},
	}
	s.Layout.Scope, s.Repartition = layout.ScopeOf(t.Periods), t.reparts()
	if t.returning() {
		s.Kind, s.Back, s.Statement, s.Expected.Files = Rollback, t.Harm.Back, in.Settings.undo(t, t.Harm.Back.Version), t.Harm.Back.Files
		return s
	}
	s.Statement = in.Settings.statement(t, s)
	return s
}
