package sparksql

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/lake"
	"ajlo/job/plan"
)

// conflictError is a Spark that gave up because others changed the table: another attempt may
// succeed.
type conflictError struct{ error }

func (c conflictError) Unwrap() error { return c.error }

// conflictNames are the exceptions of Delta Lake by which a writer gives way to another; io.delta
// .exceptions holds them, and messages name the class.
var conflictNames = []string{
	"ConcurrentAppendException", "ConcurrentDeleteReadException", "ConcurrentDeleteDeleteException",
	"ConcurrentTransactionException", "ConcurrentWriteException",
	"DELTA_CONCURRENT_APPEND", "DELTA_CONCURRENT_DELETE_READ", "DELTA_CONCURRENT_DELETE_DELETE",
	"DELTA_CONCURRENT_TRANSACTION", "DELTA_CONCURRENT_WRITE",
}

// staleness are those that end a step: the table is not what it was planned for.
var staleness = []string{"MetadataChangedException", "ProtocolChangedException", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED"}

// Apply has Spark run the step's statements. A step that finds nothing to do changes nothing.
func (e *Engine) Apply(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	retry := execute.Retry{Pause: firstPause, Now: e.o.Now, Random: e.o.Random, Wait: e.o.Wait}
	lost := false
	return retry.Do(ctx, step.Table, conflicts, func() (r execute.Result, err error) {
		if step.Format == lake.Iceberg {
			r, err = e.attemptIceberg(ctx, step, rec)
			r.Attempts = 1
			return r, err
		}
		if lost {
			if step.Protocol, err = e.protocolSince(ctx, step, rec.Stamp()); err != nil {
				return execute.Result{}, err
			}
		}
		r, err = e.attempt(ctx, step, rec)
		lost, r.Attempts = true, 1
		return r, err
	})
}

func conflicts(err error) bool {
	var conflict conflictError
	return errors.As(err, &conflict)
}

// attempt runs the statements on the newest version. Its error is a conflictError where
// another attempt may succeed.
func (e *Engine) attempt(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	before, err := e.open(ctx, step)
	if err != nil {
		return execute.Result{}, err
	}
	if err := rec.Spend(before.bytes()); err != nil {
		return execute.Result{}, err
	}
	if err := rec.Intend(ctx, step.Location, []string{entryOf(rec.Stamp())}); err != nil {
		return execute.Result{}, err
	}
	rec.Progress(0, before.bytes())
	if _, err := e.run(ctx, step.Statement, confOf(step, rec.Stamp())); err != nil {
		return execute.Result{}, judged(step, err)
	}
	rec.Progress(before.bytes(), before.bytes())
	return e.outcome(ctx, before, step, rec.Stamp())
}

// confOf are the settings that go with a step: its stamp, and the size of the files it makes.
func confOf(step plan.Step, stamp execute.Stamp) map[string]string {
	return map[string]string{
		dialect.StampSetting:    stamp.Text(),
		dialect.FileSizeSetting: strconv.FormatInt(int64(step.TargetFile), 10),
	}
}

// judged tells conflicts and stale steps from other failures by what Spark said.
func judged(step plan.Step, err error) error {
	var said *SaidError
	if !errors.As(err, &said) {
		return err
	}
	for _, name := range staleness {
		if strings.Contains(said.Said, name) {
			return execute.Refuse(step, "its metadata or protocol changed while Spark was at work: make a new plan: %v", err)
		}
	}
	for _, name := range conflictNames {
		if strings.Contains(said.Said, name) {
			return conflictError{err}
		}
	}
	return fmt.Errorf("rewrite %s: %w", step.Table, err)
}

// protocolSince is the protocol that a further attempt must find: the planned one, or what our
// own ALTER of an earlier attempt made of it.
func (e *Engine) protocolSince(ctx context.Context, step plan.Step, stamp execute.Stamp) (lake.Protocol, error) {
	store, err := e.o.Open(string(step.Location))
	if err != nil {
		return step.Protocol, err
	}
	_, now, err := execute.Open(ctx, store, step)
	if err != nil {
		return step.Protocol, err
	}
	for entry, err := range delta.History(ctx, store, now.Version) {
		if err != nil {
			return step.Protocol, err
		}
		if entry.Version <= step.Version {
			break
		}
		if entry.Protocol {
			if !execute.IsStamped(entry.UserMetadata, stamp) {
				break
			}
			return now.Protocol, nil
		}
	}
	return step.Protocol, nil
}
