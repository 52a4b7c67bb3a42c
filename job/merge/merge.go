package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/object"
	"ajlo/job/pause"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// firstPause is about the wait before the second attempt; it doubles each time.
const firstPause = time.Second

// Options are what a merge needs from outside. They are read only.
type Options struct {
	// Memory is about the most that the process may hold, rewrite.DefaultMemory where 0.
	Memory unit.Bytes
	// Spill is the folder for rows that wait; the system's for temporary files where "".
	Spill string
	// Parallel is how many files are read or written at once, the number of processors where 0.
	Parallel int
	// TargetFile is the size of files of rows that are written apart. Required.
	TargetFile unit.Bytes
	// Commit is how commits to tables on S3 are made safe; without it none are made there.
	Commit config.Commit
	// Version of ajlo, for the table's history.
	Version string
	// NewID gives UUIDs. Required.
	NewID func() string
	// Now is the clock. Required.
	Now func() time.Time
	// Random gives numbers from 0 to below 1 that spread out pauses; math/rand where nil.
	Random func() float64
	// Wait pauses until the context ends; a timer where nil.
	Wait func(ctx context.Context, d time.Duration) error
	// Open is how a folder is opened; object.Open where nil.
	Open func(location string) (object.Store, error)
	// FreeSpace is the bytes left on the disk of a folder; the system's answer where nil.
	FreeSpace func(dir string) (unit.Bytes, error)
	// Begin is asked before each attempt whether the table may be changed now; it may where nil.
	Begin func() error
	// Progress, where set, is told bytes of touched files that are written anew of all of them;
	// never by two goroutines at once.
	Progress func(done, total unit.Bytes)
}

// Merger merges.
type Merger struct {
	o      Options
	engine *embedded.Engine // sweeps
	probe  *execute.Probe
}

// New is a merger with the given options.
func New(o Options) *Merger {
	if o.Memory <= 0 {
		o.Memory = rewrite.DefaultMemory
	}
	if o.Spill == "" {
		o.Spill = os.TempDir()
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Wait == nil {
		o.Wait = pause.For
	}
	if o.Open == nil {
		o.Open = object.Open
	}
	if o.FreeSpace == nil {
		o.FreeSpace = execute.FreeSpace
	}
	if o.Begin == nil {
		o.Begin = func() error { return nil }
	}
	if o.Progress == nil {
		o.Progress = func(_, _ unit.Bytes) {}
	}
	return &Merger{o, embedded.New(embedded.Options{Open: o.Open, NewID: o.NewID, Now: o.Now, Commit: o.Commit}), &execute.Probe{NewID: o.NewID, Now: o.Now}}
}

// rewriting are the options of the parts that read and write, when so many bytes are held already.
func (m *Merger) rewriting(held unit.Bytes) rewrite.Options {
	return rewrite.Options{
		Memory: m.o.Memory - min(held, m.o.Memory/2), Spill: m.o.Spill, Parallel: m.o.Parallel, NewID: m.o.NewID,
		Intend: func(context.Context, []string) error { return nil },
	}
}

// Result is what a merge did.
type Result struct {
	Plan Plan `json:"plan"`
	// Changed is false where there was nothing to do.
	Changed      bool       `json:"changed"`
	Version      int64      `json:"version"` // committed, or looked at where nothing changed
	FilesRemoved int        `json:"files_removed"`
	FilesAdded   int        `json:"files_added"`
	BytesRemoved unit.Bytes `json:"bytes_removed"`
	BytesAdded   unit.Bytes `json:"bytes_added"`
	// Apart are rows that were put in order and written apart: inserted, moved or joined ones.
	Apart    int64         `json:"rows_apart"`
	Attempts int           `json:"attempts"` // commits tried
	Took     time.Duration `json:"took_ns"`
	Warnings []string      `json:"warnings,omitempty"`
}

// Apply merges, or leaves the table as it was. Where others change what was read it decides anew.
func (m *Merger) Apply(ctx context.Context, r Request) (_ Result, err error) {
	var last Result
	h := &holder{}
	defer func() { err = errors.Join(err, h.close()) }()
	retry := execute.Retry{Pause: firstPause, Now: m.o.Now, Random: m.o.Random, Wait: m.o.Wait}
	done, err := retry.Do(ctx, r.Table, conflicts, func() (execute.Result, error) {
		var err error
		last, err = m.attempt(ctx, r, h)
		return execute.Result{Attempts: last.Attempts}, err
	})
	last.Attempts, last.Took = done.Attempts, done.Took
	return last, err
}

func conflicts(err error) bool {
	var conflict *delta.Conflict
	return errors.As(err, &conflict)
}

// attempt merges into the newest version.
func (m *Merger) attempt(ctx context.Context, r Request, h *holder) (Result, error) {
	if err := m.o.Begin(); err != nil {
		return Result{}, err
	}
	began := m.o.Now()
	d, err := m.decide(ctx, r, h)
	if err != nil {
		return Result{}, err
	}
	result := Result{Plan: d.plan, Version: d.plan.Version}
	reason, err := m.probe.Hazard(ctx, d.target.store, m.o.Commit)
	if err == nil && reason != "" {
		err = r.refuse("%s", reason)
	}
	if err != nil {
		return Result{}, err
	}
	gone, err := m.sweep(ctx, d.target.store, r.Location)
	if err != nil {
		return Result{}, err
	}
	if len(gone) > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d files of a merge that died were deleted", len(gone)))
	}
	if len(d.decision.touched)+len(d.decision.inserted) == 0 {
		return result, nil
	}
	reason, err = execute.Room(d.target.store, d.plan.BytesTouched+d.plan.BytesJoined+d.source.size, m.o.FreeSpace)
	if err == nil && reason != "" {
		err = r.refuse("%s: make room", reason)
	}
	if err != nil {
		return Result{}, err
	}
	err = m.carryOut(ctx, r, d, began, &result)
	return result, err
}

// carryOut writes and commits. After an error before the commit the new files are gone.
func (m *Merger) carryOut(ctx context.Context, r Request, d decided, began time.Time, result *Result) (err error) {
	j := &journal{store: d.target.store, run: m.o.NewID()}
	defer func() {
		if errors.Is(err, delta.ErrOutcomeUnknown) {
			return // the next sweep finds out
		}
		afterwards := context.WithoutCancel(ctx)
		if err != nil {
			err = errors.Join(err, rewrite.Discard(afterwards, d.target.store, j.paths))
		}
		if failed := j.close(afterwards); failed != nil {
			result.Warnings = append(result.Warnings, fmt.Sprintf("the write-ahead list stays for the next merge to take away: %v", failed))
		}
	}()
	out, err := m.write(ctx, r, d, j)
	if err != nil {
		return err
	}
	if err := j.held(ctx); err != nil {
		return err
	}
	c := m.change(r, d, out, j.run, began)
	done, err := execute.Commit(ctx, d.target.store, d.target.read, c)
	if err != nil {
		result.Attempts = 1
		return err
	}
	result.Changed, result.Version, result.Attempts = true, done.Version, done.Attempts
	v := vectorsOf(c)
	added, removed := v.files(c.Add), v.files(c.Remove)
	result.FilesRemoved, result.FilesAdded = len(removed), len(added)
	result.BytesRemoved, result.BytesAdded = execute.SizeOf(removed), execute.SizeOf(added)
	result.Apart = out.apart.sum.Rows
	result.Warnings = append(result.Warnings, execute.NoCheckpoint(done)...)
	return nil
}

// output is all new files.
type output struct {
	revised []revised
	apart   apart
	rewrote time.Time // when writing began
}

// write makes all new files. Those of an error are on the journal.
func (m *Merger) write(ctx context.Context, r Request, d decided, j *journal) (out output, err error) {
	out.rewrote = m.o.Now()
	o := m.rewriting(d.source.held)
	o.Run, o.Intend = j.run, j.intend
	p, err := d.newSecondPass(ctx, r, o)
	if err != nil {
		return output{}, err
	}
	defer func() { err = errors.Join(err, p.aside.Close()) }()
	paths := p.names()
	if err := j.intend(ctx, slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "" })); err != nil {
		return output{}, err
	}
	if out.revised, err = p.run(ctx, paths, m.o.Progress); err != nil {
		return output{}, d.target.refusal(r, err)
	}
	var moved rewrite.RowSum
	for _, f := range out.revised {
		moved = moved.Plus(f.moved)
	}
	if out.apart, err = p.writeApart(ctx, moved); err != nil {
		return output{}, d.target.refusal(r, err)
	}
	return out, nil
}

// hash is the plan's, for the table's history (rule 12).
func (p Plan) hash() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "" // texts and numbers always have JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
