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
	// Command is the program and its first arguments, such as spark-sql --master yarn.
	Command []string
	// Conf are settings of Spark that are given with --conf.
	Conf map[string]string
	// TimeLimit is how long one step may take; none where 0.
	TimeLimit time.Duration
	// Folder gets a folder for each run of the child, which is removed where it did well.
	Folder string
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

// Name is the engine's name in config, plan and state.
const Name = "sparksql"

// Engine is the engine that runs spark-sql.
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

// Name is the constant Name.
func (e *Engine) Name() string { return Name }

var _ execute.Engine = (*Engine)(nil)
