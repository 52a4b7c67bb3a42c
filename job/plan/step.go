package plan

import (
	"cmp"
	"slices"
	"strings"

	"ajlo/job/dialect"
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
	return s.statement(p.Tables[at], step.Kind, step.Layout), true
}

func (s Settings) statement(t Table, kind Kind, l layout.Layout) string {
	if kind == Upkeep {
		return s.Dialect.Upkeep(s.target(t), l)
	}
	return strings.Join(s.Dialect.Rekey(s.target(t), l), "\n")
}

// UndoOf is the way back of a step whose commit followed the given version of its table.
func (s Settings) UndoOf(p Plan, step Step, before int64) string {
	at := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Table == step.Table && t.Location == step.Location })
	if at < 0 {
		return step.Undo
	}
	return s.Dialect.Undo(s.target(p.Tables[at]), before)
}

func (s Settings) target(t Table) dialect.Target {
	return dialect.Target{
		Name: t.Table, Location: t.Location, Address: s.Address, Streaming: t.Streaming,
		Clustered: slices.Contains(t.Protocol.WriterFeatures, "clustering"),
	}
}

func (in Input) step(t Table) Step {
	return Step{
		Table: t.Table, Kind: Rekey, Location: t.Location, Layout: t.Chosen,
		Statement: in.Settings.statement(t, Rekey, t.Chosen),
		Undo:      in.Settings.Dialect.Undo(in.Settings.target(t), t.Version),
		Reason:    t.Reason,
		Version:   t.Version, SchemaHash: t.SchemaHash, Protocol: t.Protocol,
		TargetFile: in.Settings.TargetFile,
		Expected: Expected{
			Files:   layout.FileCount(t.Bytes, in.Settings.TargetFile),
			Rewrite: t.Rewrite, ScannedBytesNow: t.ScannedBytesNow, ScannedBytesThen: t.ScannedBytesThen,
		},
	}
}
