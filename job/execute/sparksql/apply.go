package sparksql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

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

// conflicts are the exceptions of Delta Lake by which a writer gives way to another; io.delta
// .exceptions holds them, and messages name the class.
var conflicts = []string{
	"ConcurrentAppendException", "ConcurrentDeleteReadException", "ConcurrentDeleteDeleteException",
	"ConcurrentTransactionException", "ConcurrentWriteException",
	"DELTA_CONCURRENT_APPEND", "DELTA_CONCURRENT_DELETE_READ", "DELTA_CONCURRENT_DELETE_DELETE",
	"DELTA_CONCURRENT_TRANSACTION", "DELTA_CONCURRENT_WRITE",
}

// staleness are those that end a step: the table is not what it was planned for.
var staleness = []string{"MetadataChangedException", "ProtocolChangedException", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED"}

// Apply has Spark run the step's statements. A step that finds nothing to do changes nothing.
func (e *Engine) Apply(ctx context.Context, step plan.Step, rec execute.Recorder) (execute.Result, error) {
	start := e.o.Now()
	for attempt := 1; ; attempt++ {
		r, err := e.attempt(ctx, step, rec)
		if err == nil {
			r.Attempts, r.Took = attempt, e.o.Now().Sub(start)
			return r, nil
		}
		var conflict conflictError
		if !errors.As(err, &conflict) {
			return execute.Result{}, err
		}
		if attempt == maxAttempts {
			return execute.Result{}, fmt.Errorf("rewrite %s: others changed it during each of %d attempts, try again when it is quieter: %w",
				step.Table, maxAttempts, err)
		}
		if step.Protocol, err = e.protocolSince(ctx, step, rec.Stamp()); err != nil {
			return execute.Result{}, err
		}
		if err := e.o.Wait(ctx, e.pause(attempt)); err != nil {
			return execute.Result{}, err
		}
	}
}

// pause grows from attempt to attempt and varies by half to either side.
func (e *Engine) pause(attempt int) time.Duration {
	return time.Duration(float64(firstPause<<(attempt-1)) * (0.5 + e.o.Random()))
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
	conf, err := confOf(step, rec.Stamp())
	if err != nil {
		return execute.Result{}, err
	}
	rec.Progress(0, before.bytes())
	if _, err := e.run(ctx, step.Statement, conf); err != nil {
		return execute.Result{}, judged(step, err)
	}
	rec.Progress(before.bytes(), before.bytes())
	return e.outcome(ctx, before, step, rec.Stamp())
}

// confOf are the settings that go with a step: its stamp, and the size of the files it makes.
func confOf(step plan.Step, stamp execute.Stamp) (map[string]string, error) {
	userMetadata, err := json.Marshal(stamp)
	if err != nil {
		return nil, fmt.Errorf("stamp the commit: %w", err)
	}
	return map[string]string{
		dialect.StampSetting:    string(userMetadata),
		dialect.FileSizeSetting: strconv.FormatInt(int64(step.TargetFile), 10),
	}, nil
}

// judged tells conflicts and stale steps from other failures by what Spark said.
func judged(step plan.Step, err error) error {
	var said *saidError
	if !errors.As(err, &said) {
		return err
	}
	for _, name := range staleness {
		if strings.Contains(said.said, name) {
			return refuse(step, "its metadata or protocol changed while Spark was at work: make a new plan: %v", err)
		}
	}
	for _, name := range conflicts {
		if strings.Contains(said.said, name) {
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
	now, err := lake.Open(ctx, store, step.Table, step.Location)
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
			if !isStamped(entry, stamp) {
				break
			}
			return now.Protocol, nil
		}
	}
	return step.Protocol, nil
}
