package sparksql

import (
	"context"
	"fmt"
)

// Spark carries out statements: a Child, or a server that others use too. It may be called from
// one goroutine at a time.
type Spark interface {
	// Name is the engine's name in config, plan and state.
	Name() string
	// Alone reports whether nobody else is at work in the Spark that carries the statements out.
	Alone() bool
	// Ready says why Spark cannot be asked at all, and what to do; nil where it can be tried.
	Ready() error
	// Run has statements carried out, each ending in ";", with settings for these alone beside
	// those of the config, and gives what they print: a row a line, tabs between columns. The
	// error is a *SaidError where Spark refuses or fails.
	Run(ctx context.Context, statements string, conf map[string]string) (printed string, err error)
}

// SaidError is a Spark that did not do what it was told.
type SaidError struct {
	Text string // the whole error, for people
	Said string // what Spark said of it; it names the class of the exception
}

func (s *SaidError) Error() string { return s.Text }

// run has Spark carry out statements within the time limit.
func (e *Engine) run(ctx context.Context, statements string, conf map[string]string) (printed string, err error) {
	if e.o.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.o.TimeLimit, fmt.Errorf("it took longer than engine.time_limit (%s)", e.o.TimeLimit))
		defer cancel()
	}
	return e.o.Spark.Run(ctx, statements, conf)
}
