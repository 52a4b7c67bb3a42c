package rewrite

import (
	"context"
	"io"
	"math"

	"ajlo/job/delta"
	"ajlo/job/unit"
)

// A trial makes about so many bytes of new files, spread evenly over the order: a few files of
// the usual sizes, more of small ones, since the bytes of a row vary by some per cent from file
// to file.
const (
	trialBytes    = 128 * unit.MiB
	minTrialFiles = 2
	maxTrialFiles = 16
)

// Trial gives about how many bytes the files will have that Rewrite makes: it reads all files,
// makes some of the new ones as Rewrite would and keeps none of them. Nothing is written but
// what does not fit the memory limit. NewID and Intend are not needed.
func Trial(ctx context.Context, t Task, o Options) (unit.Bytes, error) {
	o.NewID, o.Intend = func() string { return "" }, func(context.Context, []string) error { return nil }
	o, err := o.withDefaults()
	if err != nil {
		return 0, err
	}
	survey, err := Look(ctx, t, o.Memory)
	if err != nil || survey.Rows == 0 {
		return t.bytes(), err
	}
	t, o = t.surveyed(survey, o), o.forWidth(survey.wide)
	if t, err = intoParts(ctx, t); err != nil {
		return 0, err
	}
	a, err := learn(ctx, t, o, survey)
	if err != nil {
		return 0, err
	}
	return tried(ctx, t, o, survey, a)
}

// tried makes the files that a trial makes.
func tried(ctx context.Context, t Task, o Options, s Survey, a *arrangement) (_ unit.Bytes, err error) {
	made := someFiles(a.fileCount(), t.TargetFile)
	a.keepOnly(made)
	if spilled := s.Spilled(o.Memory); spilled > 0 {
		if err := o.Room(spilled * unit.Bytes(len(made)) / unit.Bytes(a.fileCount())); err != nil {
			return 0, err
		}
	}
	done := &meter{tell: func(_, _ unit.Bytes) {}}
	table, err := distribute(ctx, t, o, s, a, done)
	if err != nil {
		return 0, err
	}
	defer func() {
		if closing := table.Close(); err == nil {
			err = closing
		}
	}()
	w, err := newWriter(t, o, s, table, done)
	if err != nil {
		return 0, err
	}
	bytes, rows := unit.Bytes(0), int64(0)
	for _, number := range made {
		sink := &counted{Writer: io.Discard}
		collector, err := delta.NewCollector(t.becomes())
		if err != nil {
			return 0, err
		}
		if err := w.encode(ctx, sink, number, collector); err != nil {
			return 0, err
		}
		bytes, rows = bytes+sink.bytes, rows+collector.Rows()
	}
	if rows == 0 {
		return t.bytes(), nil
	}
	return unit.Bytes(math.Round(float64(bytes) * float64(s.Rows) / float64(rows))), nil
}

// someFiles are files at even steps among so many.
func someFiles(files int, target unit.Bytes) []int {
	wanted := min(files, maxTrialFiles, max(minTrialFiles, int(trialBytes/max(1, target))))
	list := make([]int, wanted)
	for i := range list {
		list[i] = (2*i + 1) * files / (2 * wanted)
	}
	return list
}

// keepOnly has only the rows of some files kept when the table is distributed.
func (a *arrangement) keepOnly(files []int) {
	a.wanted = make([]bool, a.buckets())
	for _, number := range files {
		from, to := a.bucketsOf(number)
		for b := from; b < to; b++ {
			a.wanted[b] = true
		}
	}
}

// only copies the rows of a piece that fall in wanted buckets.
func (w *distributing) only(p piece, buckets []uint32) (piece, []uint32, error) {
	var at []place
	var kept []uint32
	for row, bucket := range buckets {
		if w.arrangement.wanted[bucket] {
			at, kept = append(at, place{0, uint32(row)}), append(kept, bucket)
		}
	}
	whole := pool{pieces: []piece{p}}
	some, err := whole.gather(w.schema, at)
	return some, kept, err
}
