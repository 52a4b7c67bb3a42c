package job

import (
	"context"
	"errors"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/lake"
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
	takenBack  map[table.Location]string
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
			h := &plan.Harm{Before: j.Before, Executions: j.Executions, Would: j.Would, Read: j.Read, Version: k.Version, Later: j.Later}
			if err := n.findWayBack(ctx, k, now.Snapshot.Format, h); err != nil {
				return learnt{}, err
			}
			found.harms[k.Location] = h
		}
	}
	found.factors, err = past.Calibrations(ctx, calibratedFor(n.readers()))
	return found, err
}

// findWayBack looks whether the files of before a step can come back, to a table that has no keys
// to go back to.
func (n Night) findWayBack(ctx context.Context, k verify.Kept, format lake.Format, h *plan.Harm) error {
	if len(h.Before.Clustering) > 0 || n.Own == nil || n.Config.Engine.Kind == config.Script {
		return nil
	}
	of := delta.Stamp{Run: k.Run, Step: k.Step}
	back, err := n.Own.WayBack(ctx, plan.Step{Table: k.Table, Location: k.Location, Format: format, Back: &plan.Back{Of: of, After: k.Planned}})
	var refused *execute.Refusal
	switch {
	case errors.As(err, &refused):
		h.Closed = refused.Reason
	case err != nil:
		return err
	case !back.Done:
		h.Back = &back
	}
	return nil
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
