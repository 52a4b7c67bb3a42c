package job

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// trier is an engine that can make some of a step's files on trial, to foretell the bytes of all.
type trier interface {
	Trial(ctx context.Context, step plan.Step) (unit.Bytes, error)
}

// A trial reads its table whole, so tables over maxTriedBytes (half a minute of reading) are
// foretold with the bytes they have. A choice that is corrected by trials may fall on another
// layout, which is then tried, too: maxTrialRounds times at most.
const (
	maxTriedBytes  = 8 * unit.GiB
	maxTrialRounds = 4
)

// choose makes the plan, with the layouts that it comes to tried where the engine can.
func (n Night) choose(ctx context.Context, in plan.Input) (plan.Plan, error) {
	w, err := plan.Weigh(in)
	if err != nil {
		return plan.Plan{}, err
	}
	engine, ok := n.Engine.(trier)
	if !ok || n.Config.Sample == config.SampleBounds {
		return w.Plan(nil)
	}
	tries := n.recallTrials(in)
	for range maxTrialRounds {
		p, err := w.Plan(tries.known)
		if err != nil {
			return plan.Plan{}, err
		}
		if more, err := tries.run(ctx, engine, p); !more || err != nil {
			return p, err
		}
		tries.keep()
	}
	return w.Plan(tries.known)
}

// trials are what is known of layouts that were tried, kept beside the samples so that a layout
// is tried once for each version of its table.
type trials struct {
	night Night
	path  string // "" where nothing is kept
	known []plan.Trial
}

// recallTrials reads what was kept, of the versions that tables have now.
func (n Night) recallTrials(in plan.Input) *trials {
	t := &trials{night: n}
	if n.Config.Cache == "" {
		return t
	}
	t.path = filepath.Join(n.Config.Cache, "samples", "trials.json")
	text, err := os.ReadFile(t.path)
	if err == nil {
		err = json.Unmarshal(text, &t.known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		n.Log.Warn("kept trials cannot be read; layouts are tried again", "err", err)
		t.known = nil
	}
	t.known = slices.DeleteFunc(t.known, func(known plan.Trial) bool {
		return !slices.ContainsFunc(in.Tables, func(i plan.TableInput) bool {
			return i.Snapshot.Location == known.Location && i.Snapshot.Version == known.Version && in.Settings.TargetFile == known.Target
		})
	})
	return t
}

// run tries the layouts that a plan comes to and that were not tried yet; it reports whether
// there were any.
func (t *trials) run(ctx context.Context, engine trier, p plan.Plan) (more bool, err error) {
	for _, s := range p.Steps {
		tried := slices.ContainsFunc(t.known, func(known plan.Trial) bool { return known.Tries(s) })
		if s.Kind != plan.Rekey || tried || s.Expected.Rewrite > maxTriedBytes {
			continue
		}
		more = true
		bytes, err := engine.Trial(ctx, s)
		if ctx.Err() != nil {
			return more, ctx.Err()
		}
		if err != nil {
			t.warn(s, err)
			bytes = 0 // not found out
		}
		t.add(s, bytes)
	}
	return more, nil
}

// warn tells why a layout was not tried; what an engine refuses is told with its step.
func (t *trials) warn(s plan.Step, err error) {
	if refused := (*execute.Refusal)(nil); !errors.As(err, &refused) {
		t.night.Log.Warn("how many bytes a table's new files will have is not foretold", "table", s.Table, "err", err)
	}
}

func (t *trials) add(s plan.Step, bytes unit.Bytes) {
	l := s.Layout
	l.Tree = nil // its hash tells it, and cut points are literals
	t.known = append(t.known, plan.Trial{Location: s.Location, Version: s.Version, Layout: l, Target: s.TargetFile, Bytes: bytes})
}

// keep writes the file whole or not at all; what cannot be kept is tried again another time.
func (t *trials) keep() {
	if t.path == "" {
		return
	}
	found := slices.DeleteFunc(slices.Clone(t.known), func(known plan.Trial) bool { return known.Bytes == 0 })
	text, err := json.Marshal(found)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(t.path), 0o700)
	}
	if err == nil {
		err = writeWhole(t.path, text)
	}
	if err != nil {
		t.night.Log.Warn("what layouts were tried is not kept", "err", err)
	}
}
