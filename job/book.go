package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ajlo/state"
)

// Checked is what a check of a state found.
type Checked struct {
	State    string          `json:"state"`
	Format   int             `json:"format"`
	Runs     int             `json:"runs"`
	Newest   string          `json:"newest_night"`
	Findings []state.Finding `json:"findings"` // faults, and what is worth knowing
}

// Faulty is the error of a state in which something is not as it must be; nil for any other.
func (c Checked) Faulty() error {
	faults := 0
	for _, f := range c.Findings {
		if f.Fault {
			faults++
		}
	}
	if faults == 0 {
		return nil
	}
	return &Incomplete{state.VerificationFailed, fmt.Sprintf("state %s: %d faults: keep the file as it is for whoever looks into it, and restore a backup from before", c.State, faults)}
}

// CheckState holds a copy of a state against what must be true of every state; the state itself is
// not touched, and a run may be at work. A file that cannot be read as a state is an error.
func CheckState(ctx context.Context, at StateFile) (c Checked, err error) {
	err = withScratch(func(folder string) error {
		copied, _, err := at.backup(ctx, at.Location, folder) // which may be a backup, too
		if err == nil {
			copied, err = copied.Upgrade(ctx)
		}
		if err != nil {
			return err
		}
		c = Checked{State: at.Location, Format: copied.Format, Runs: copied.Runs, Newest: copied.Newest, Findings: []state.Finding{}}
		found, err := copied.Check(ctx)
		c.Findings = append(c.Findings, found...)
		if err != nil {
			return err
		}
		gaps, err := at.gaps(ctx)
		if errors.Is(err, fs.ErrNotExist) { // one file, and no chain of versions
			err = nil
		}
		c.Findings = append(c.Findings, gaps...)
		return err
	})
	return c, err
}

// gaps are those among the versions of a state in object storage.
func (f StateFile) gaps(ctx context.Context) ([]state.Finding, error) {
	at, stored, err := f.folder()
	if err != nil || !stored {
		return nil, err
	}
	return at.Gaps(ctx)
}

// Pruned is what a pruning takes away, or would.
type Pruned struct {
	State  string           `json:"state"`
	Before string           `json:"before"` // the first night that stays whole
	Runs   []state.Prunable `json:"runs"`
	Done   bool             `json:"done"`
	// Backup is the copy of all that was there.
	Backup *Backup `json:"backup,omitempty"`
}

// Rows counts what goes, or went.
func (p Pruned) Rows() (rows, planBytes int64) {
	for _, r := range p.Runs {
		rows, planBytes = rows+r.Rows, planBytes+r.Plan
	}
	return rows, planBytes
}

// Prunable tells what Prune would take away of a state, and changes nothing.
func Prunable(ctx context.Context, at StateFile, before time.Time) (p Pruned, err error) {
	p = Pruned{State: at.Location, Before: before.UTC().Format(time.DateOnly)}
	store, err := at.demand(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	p.Runs, err = store.Prunable(ctx, p.Before)
	return p, err
}

// Prune takes the detail of old runs that changed nothing out of a state, once a backup of the
// whole is made: nothing is lost, it lies elsewhere.
func Prune(ctx context.Context, at StateFile, before time.Time, backup string, clock func() time.Time) (p Pruned, err error) {
	p, err = Prunable(ctx, at, before)
	if err != nil || len(p.Runs) == 0 {
		return p, err
	}
	b, err := MakeBackup(ctx, at, backup)
	if err != nil {
		return p, fmt.Errorf("nothing was pruned: %w", err)
	}
	p.Backup = &b
	store, err := at.open(ctx, clock)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	p.Runs, err = store.Prune(ctx, p.Before, holderDead)
	p.Done = err == nil
	return p, err
}
