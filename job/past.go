package job

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"ajlo/job/drift"
	"ajlo/job/joingraph"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// Open opens the night's state for writing; the caller closes it.
func (n *Night) Open(ctx context.Context) (closing func() error, err error) {
	n.Store, err = n.StateFile().open(ctx, n.Clock)
	if err != nil {
		return nil, err
	}
	return n.Store.Close, nil
}

// OpenToRead opens the night's state for a run that keeps nothing; the caller closes it.
func (n *Night) OpenToRead(ctx context.Context) (closing func() error, err error) {
	n.Store, err = n.StateFile().demand(ctx)
	if err != nil {
		return nil, err
	}
	return n.Store.Close, nil
}

// OpenPast opens a state to read; one that is not there yet is an empty past. The caller
// closes it.
func OpenPast(ctx context.Context, at StateFile) (past Past, closing func() error, err error) {
	store, err := at.read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return noPast{}, func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// noPast is the past of an installation that has not run yet.
type noPast struct{}

func (noPast) LastGraph(context.Context, string) (*joingraph.Graph, error) { return nil, nil }

func (noPast) Scoring(context.Context, drift.Reference, string) (string, error) { return "", nil }

func (noPast) Kept(context.Context, time.Time) ([]verify.Kept, error) { return nil, nil }

func (noPast) Calibrations(context.Context, string) (map[table.Name]float64, error) { return nil, nil }

func (noPast) TakenBack(context.Context) (map[table.Location]string, error) { return nil, nil }

func (noPast) Seen(context.Context, string, time.Duration, int) ([]state.Seen, error) {
	return nil, nil
}

func (noPast) InForce(context.Context, string) (*state.InForce, error) { return nil, nil }
