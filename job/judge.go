package job

import (
	"context"

	"ajlo/job/delta"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// learnt is what earlier nights' steps teach this one.
type learnt struct {
	judgements []verify.Judgement
	harms      map[table.Location]*plan.Harm
	factors    map[table.Name]float64
}

// learn judges the latest keys of each table by the window's queries, and reads what earlier
// steps have shown foretelling to be off by.
func (n Night) learn(ctx context.Context, past Past, o Observed, l Lake) (learnt, error) {
	kept, err := past.Kept(ctx, n.Window.End)
	if err != nil {
		return learnt{}, err
	}
	found := learnt{harms: map[table.Location]*plan.Harm{}}
	for _, k := range kept {
		now, ok := l.find(k.Table)
		if !ok || now.Unreadable != "" || now.Snapshot.Location != k.Location || !stillLaid(now, k) {
			continue
		}
		j, err := verify.Judge(k, now.Snapshot, now.Names, o.Queries)
		if err != nil {
			return learnt{}, err
		}
		found.judgements = append(found.judgements, j)
		if j.Verdict == verify.Harmed {
			found.harms[k.Location] = &plan.Harm{Before: j.Before, Executions: j.Executions, Would: j.Would, Read: j.Read, Version: k.Version, Later: j.Later}
		}
	}
	found.factors, err = past.Calibrations(ctx, calibratedFor(n.readers()))
	return found, err
}

// stillLaid reports whether a table is as the step left it: keys that others have set since are
// theirs to judge.
func stillLaid(now Found, k verify.Kept) bool {
	return now.Snapshot.Owner == delta.OwnerUs && layout.SameKeys(now.Snapshot.Layout, k.Layout)
}

// calibrate gives what a step teaches about foretelling.
func calibrate(reader string, p plan.Plan, s plan.Step, foretold, after float64) state.Calibration {
	used := 0.0
	for _, t := range p.Tables {
		if t.Table == s.Table && t.Location == s.Location {
			used = t.Correction
		}
	}
	return state.Calibration{Table: s.Table, Reader: reader, Factor: verify.Correct(used, foretold, after)}
}
