package main

import (
	"time"

	"github.com/schollz/progressbar/v3"

	"ajlo/job/report"
	"ajlo/job/unit"
)

// newProgress draws a bar with bytes, rate and time left on a terminal; elsewhere it logs them
// now and then.
func newProgress(w world) func(step string, done, total unit.Bytes) {
	if !onTerminal(w.errs) {
		p := &paces{clock: w.clock, tell: func(step string, p pace) {
			w.log.Info("rewriting", "table", step, "done", p.done, "of", p.total, "bytes/s", p.rate(), "left", p.left().Round(time.Second))
		}}
		return p.progress
	}
	var bar *progressbar.ProgressBar
	current := ""
	return func(step string, done, total unit.Bytes) {
		if step != current || bar == nil {
			current = step
			bar = progressbar.NewOptions64(int64(total), progressbar.OptionSetWriter(w.errs), progressbar.OptionShowBytes(true),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(redraw),
				progressbar.OptionSetDescription(report.Printable(step)), progressbar.OptionClearOnFinish())
		}
		// A bar that cannot be drawn must not stop a rewrite.
		_ = bar.Set64(int64(done))
	}
}

const (
	redraw  = 100 * time.Millisecond // as often as eyes follow
	logging = 30 * time.Second       // between lines; a step that takes less has none
)

// paces logs the pace of one step after the other.
type paces struct {
	clock   func() time.Time
	tell    func(step string, p pace)
	current string
	began   time.Time
	told    time.Time
}

func (p *paces) progress(step string, done, total unit.Bytes) {
	now := p.clock()
	if step != p.current {
		p.current, p.began, p.told = step, now, now
	}
	if now.Sub(p.told) < logging {
		return
	}
	p.told = now
	p.tell(step, pace{done, total, now.Sub(p.began)})
}

// pace is how far a step has come and in what time.
type pace struct {
	done, total unit.Bytes
	took        time.Duration
}

// rate is bytes per second so far.
func (p pace) rate() unit.Bytes {
	if p.took <= 0 {
		return 0
	}
	return unit.Bytes(float64(p.done) / p.took.Seconds())
}

// left is the time that the rest takes at that rate, 0 where none is known.
func (p pace) left() time.Duration {
	if p.done <= 0 {
		return 0
	}
	return time.Duration(float64(p.took) * float64(p.total-p.done) / float64(p.done))
}
