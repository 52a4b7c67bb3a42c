package sparksql

import (
	"context"
	"math/rand/v2"
	"time"

	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/pause"
)

// firstPause is the wait before the second attempt; it doubles each time. Spark's writers
// that delete or update take seconds to minutes.
const firstPause = 5 * time.Second

// Options are what the engine needs from outside. They are read only.
type Options struct {
	// Spark carries out the statements. Required.
	Spark Spark
	// TimeLimit is how long one step may take; none where 0.
	TimeLimit time.Duration
	// Commit is how commits to tables on S3 are made safe; without it none are made there.
	Commit config.Commit
	// Address is how statements name a table.
	Address dialect.Address
	// Now is the clock. Required.
	Now func() time.Time
	// Random gives numbers from 0 to below 1 that spread out pauses; math/rand where nil.
	Random func() float64
	// Wait pauses until the context ends; a timer where nil.
	Wait func(ctx context.Context, d time.Duration) error
	// Open is how a table's folder is opened; object.Open where nil.
	Open object.Opener
}

// Name is the name in config, plan and state of the engine that runs spark-sql.
const Name = "sparksql"

// Engine is the engine that has a Spark carry out the statements.
type Engine struct{ o Options }

// New is an engine with the given options.
func New(o Options) *Engine {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Wait == nil {
		o.Wait = pause.For
	}
	if o.Open == nil {
		o.Open = object.Open
	}
	return &Engine{o}
}

// Name is that of the Spark.
func (e *Engine) Name() string { return e.o.Spark.Name() }

var _ execute.Engine = (*Engine)(nil)
