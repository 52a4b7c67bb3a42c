package plan

import (
	"fmt"
	"slices"

	"ajlo/job/layout"
)

// upkeep chooses the night's mends within their own budget, and writes into every table what
// has decayed and what becomes of it. Tables that get new keys tonight need no upkeep.
func (in Input) upkeep(p *Plan) error {
	options, mends := make([][]option, len(p.Tables)), make([][]mend, len(p.Tables))
	for i := range p.Tables {
		t := &p.Tables[i]
		input := in.inputOf(*t)
		t.Decay = decayOf(input.Snapshot)
		if !layout.SameKeys(t.Chosen, t.Current) {
			continue
		}
		weighed, err := in.weighMends(input)
		if err != nil {
			return err
		}
		for at, m := range weighed {
			if m.unworthy == "" {
				m.option.candidate = at
				options[i] = append(options[i], m.option)
			}
		}
		mends[i] = weighed
	}
	left := in.Settings.Storage
	for _, t := range p.Tables {
		left -= in.Settings.StorageCost(t.Rewrite)
	}
	best := choose(problem{options: options, budget: in.Settings.Upkeep, storage: left}, Exact)
	for i, pick := range best.picks {
		in.settleMend(p, i, mends[i], options[i], pick)
	}
	p.UpkeepNPV = best.npv
	return nil
}

func (in Input) inputOf(t Table) TableInput {
	at := slices.IndexFunc(in.Tables, func(i TableInput) bool { return i.Snapshot.Table == t.Table && i.Snapshot.Location == t.Location })
	return in.Tables[at]
}

// settleMend turns a pick into a step, or says why there is none.
func (in Input) settleMend(p *Plan, at int, mends []mend, options []option, pick int) {
	t := &p.Tables[at]
	if t.Decay == nil {
		return
	}
	switch {
	case !layout.SameKeys(t.Chosen, t.Current):
		t.Decay.Reason = "it gets new keys tonight, whole"
	case len(mends) == 0:
		t.Decay.Reason = "no upkeep: " + in.noUpkeep(in.inputOf(*t))
	case len(options) == 0:
		t.Decay.Reason = "no upkeep: " + mends[0].unworthy
	case pick == leave:
		t.Decay.Reason = fmt.Sprintf("no upkeep: the upkeep budget of %s holds no mend of it, or is spent better on other tables; the least takes %s",
			in.Settings.Upkeep, options[0].rewrite)
	default:
		m := mends[options[pick].candidate]
		t.Decay.Reason = fmt.Sprintf("upkeep: %d files of %s came in since it was laid%s; putting them in order rewrites %s and saves %s a window",
			t.Decay.Files, t.Decay.Bytes, taken(m), m.bytes, m.now-m.then)
		p.Upkeep += m.bytes
		p.SavedBytesPerWindow += m.now - m.then
		p.Steps = append(p.Steps, in.upkeepStep(*t, m))
	}
}

func taken(m mend) string {
	if m.ordered == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s of ordered files that they overlap are taken along", m.ordered)
}

func (in Input) upkeepStep(t Table, m mend) Step {
	s := in.step(t)
	s.Kind, s.Layout, s.Reason, s.Periods = Upkeep, t.Current, t.Decay.Reason, m.periods
	s.Layout.Scope = layout.ScopeOf(m.periods)
	s.Statement = in.Settings.statement(t, s)
	if in.Settings.Engine == EmbeddedEngine {
		s.Files = m.files
	}
	s.Expected = Expected{
		Files: layout.FileCount(m.bytes, in.Settings.TargetFile), Rewrite: m.bytes,
		ScannedBytesNow: t.ScannedBytesNow, ScannedBytesThen: t.ScannedBytesNow - (m.now - m.then),
	}
	return s
}
