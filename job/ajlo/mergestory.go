package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"ajlo/job/config"
	"ajlo/job/merge"
	"ajlo/job/signal"
	"ajlo/job/table"
)

// mergeStory tells a merge's signals as it happens, to whom the config names.
type mergeStory struct {
	to    *signal.Sender
	clock func() time.Time
	told  signal.Merge
}

// beginStory tells that the merge begins. A dry run changes nothing, and tells nothing.
func (c mergeCommand) beginStory(ctx context.Context, w world, conf config.Config, r merge.Request) (*mergeStory, error) {
	s := &mergeStory{clock: w.clock}
	if c.DryRun {
		return s, nil
	}
	var err error
	if s.to, err = newSignals(conf, w); err != nil {
		return nil, err
	}
	s.told = signal.Merge{ID: uuid.NewString(), Table: r.Table, Location: r.Location, Source: table.Location(r.Source), Started: w.clock()}
	s.to.MergeBegan(ctx, s.told)
	return s, nil
}

// ended tells what became of it.
func (s *mergeStory) ended(ctx context.Context, r merge.Result, cause error) {
	m, rows := s.told, r.Plan.Rows
	m.Ended, m.ExitCode = s.clock(), int(codeOf(ctx, cause))
	if cause != nil {
		m.Error = cause.Error()
	}
	if m.Changed = r.Changed; m.Changed {
		m.Version, m.FilesRemoved, m.FilesAdded, m.BytesRemoved, m.BytesAdded = r.Version, r.FilesRemoved, r.FilesAdded, r.BytesRemoved, r.BytesAdded
		m.Updated, m.Deleted = rows.Updated+rows.UpdatedUnmatched, rows.Deleted+rows.DeletedUnmatched
		m.Inserted, m.Copied = rows.Inserted, rows.Copied+rows.Joined
	}
	s.to.MergeEnded(ctx, m)
}
