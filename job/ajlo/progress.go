package main

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"ajlo/job/unit"
)

// newProgress draws a bar on a terminal; elsewhere the log lines say what is going on.
func newProgress(w io.Writer) func(step string, done, total unit.Bytes) {
	if !onTerminal(w) {
		return nil
	}
	var bar *progressbar.ProgressBar
	current := ""
	return func(step string, done, total unit.Bytes) {
		if step != current || bar == nil {
			current = step
			bar = progressbar.NewOptions64(int64(total), progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription(step), progressbar.OptionClearOnFinish())
		}
		// A bar that cannot be drawn must not stop a rewrite.
		_ = bar.Set64(int64(done))
	}
}
