package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/execute/byhand"
	"ajlo/job/execute/connect"
	"ajlo/job/execute/embedded"
	"ajlo/job/execute/sparksql"
	"ajlo/job/plan"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// engineOptions are those of every command that may rewrite tables.
type engineOptions struct {
	Memory string `placeholder:"BYTES" help:"About the most memory that a rewrite may use; rows that do not fit go by way of the disk. Default: the config's engine.memory, 384MB."`
}

// give makes the night's engine anew with the options put over the config.
func (o engineOptions) give(n *job.Night, w world) error {
	if o.Memory == "" {
		return nil
	}
	memory, err := unit.ParseBytes(o.Memory)
	if err != nil {
		return &job.UsageError{Text: fmt.Sprintf("--memory: %v", err)}
	}
	n.Config.Engine.Memory = memory
	n.Engine, err = newEngine(n.Config, w)
	return err
}

// newEngine is the engine that the config names.
func newEngine(c config.Config, w world) (execute.Engine, error) {
	spark, err := sparkOf(c)
	switch {
	case err != nil:
		return nil, err
	case spark != nil:
		return newSpark(c, w, spark), nil
	case c.Engine.Kind == config.Script:
		return byhand.Engine{Open: bucket.Open}, nil
	}
	return newEmbedded(c, w), nil
}

// sparkOf is the Spark that the config names, nil where it names none. A secret that is missing is a
// mistake of the config's.
func sparkOf(c config.Config) (sparksql.Spark, error) {
	switch c.Engine.Kind {
	case config.SparkSQL:
		return sparksql.Child{Command: c.Engine.Command, Conf: c.Engine.Conf, Folder: c.Engine.Spill}, nil
	case config.Connect:
		token, err := c.Engine.Token.Read(os.Getenv)
		if err != nil {
			return nil, &job.UsageError{Text: err.Error()}
		}
		return connect.Server{URL: c.Engine.URL, Token: token, Conf: c.Engine.Conf}, nil
	}
	return nil, nil
}

func newSpark(c config.Config, w world, spark sparksql.Spark) *sparksql.Engine {
	return sparksql.New(sparksql.Options{
		Spark: spark, TimeLimit: c.Engine.TimeLimit, Commit: c.Commit, Address: dialect.Address(c.Lake.Address), Now: w.clock, Open: bucket.Open,
	})
}

// newReturner is the embedded engine that puts files back, by the catalogs that know the tables.
func newReturner(c config.Config, w world, catalogs []job.Locator) limited {
	o := embeddedOptions(c, w)
	for _, one := range catalogs {
		o.Catalogs = append(o.Catalogs, one)
	}
	return limited{o.Memory, embedded.New(o)}
}

func newEmbedded(c config.Config, w world) limited {
	o := embeddedOptions(c, w)
	return limited{o.Memory, embedded.New(o)}
}

func embeddedOptions(c config.Config, w world) embedded.Options {
	return embedded.Options{
		Memory: cmp.Or(c.Engine.Memory, rewrite.DefaultMemory), Spill: c.Engine.Spill, Open: bucket.Open, Commit: c.Commit, Repartition: c.Allow.Repartition,
		NewID: uuid.NewString, Now: w.clock, Version: version,
	}
}

// limited is the embedded engine with the process kept to its memory while it rewrites.
type limited struct {
	memory unit.Bytes
	*embedded.Engine
}

// runtimeShare of the limit, in twentieths, is for what the heap's limit leaves out: the
// program itself, stacks, and memory that is given back to the system a little later.
const runtimeShare = 3

// Apply does the step.
func (l limited) Apply(ctx context.Context, s plan.Step, rec execute.Recorder) (execute.Result, error) {
	defer l.keep()()
	return l.Engine.Apply(ctx, s, rec)
}

// Trial foretells the step's bytes, which takes as much memory as to do it.
func (l limited) Trial(ctx context.Context, s plan.Step) (unit.Bytes, error) {
	defer l.keep()()
	return l.Engine.Trial(ctx, s)
}

// keep holds the process to the limit until it is let go.
func (l limited) keep() (letGo func()) {
	before := debug.SetMemoryLimit(int64(l.memory / 20 * (20 - runtimeShare)))
	return func() { debug.SetMemoryLimit(before) }
}
