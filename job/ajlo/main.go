// Command ajlo is the night's job on the command line: run, plan, apply, rollback,
// explain, facts, merge, inspect, audit, schedule, state and config, which have commands below them.
// Arguments and a config file go in; results go to standard output, what happens on the way
// to standard error, and the exit code says how it ended.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	// Edge nodes and empty images have no time zones of their own.
	_ "time/tzdata"

	"github.com/alecthomas/kong"

	"ajlo/job"
	"ajlo/job/report"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() { os.Exit(int(process())) }

// process runs the program until it ends or is told to stop.
func process() job.ExitCode {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], world{out: os.Stdout, errs: os.Stderr, clock: time.Now})
}

// world is what the program has of its surroundings.
type world struct {
	out   io.Writer
	errs  io.Writer
	clock func() time.Time
	log   *slog.Logger
}

// commands is the command line.
type commands struct {
	Run      runCommand      `cmd:"" help:"One night: read the logs, decide, rewrite, prove and record."`
	Plan     planCommand     `cmd:"" help:"Decide only and print the plan; keeps the cache of facts and changes nothing else, the state included."`
	Apply    applyCommand    `cmd:"" help:"Carry out a plan that plan --json or a dry run wrote."`
	Rollback rollbackCommand `cmd:"" help:"Take back what a run changed, as far as no row is lost by it."`
	Explain  explainCommand  `cmd:"" help:"Why a table is laid as it is or would be, or which tables hold a query class back."`
	Facts    factsCommand    `cmd:"" help:"What the logs say: one fact a query, its scans, predicates and joins."`
	Merge    mergeCommand    `cmd:"" help:"Merge the rows of a source into a Delta table and keep its layout."`
	Inspect  inspectCommand  `cmd:"" help:"How a table lies: files, keys, and how its files overlap."`
	Schedule scheduleCommand `cmd:"" help:"Keep running, and run each night when it is due, once; for machines without a scheduler."`
	Config   configCommand   `cmd:"" help:"Check a config, or begin one."`
	State    stateCommand    `cmd:"" help:"Copy the state, put a copy back, check it, prune it, or write a lost one anew from the tables' histories."`
	Audit    auditCommand    `cmd:"" help:"What was changed, when, by which run, why, what was promised, what it did and cost, who approved it; and what never was."`

	Verbose bool             `short:"v" help:"Log what is looked at, too."`
	Version kong.VersionFlag `help:"Print the version."`
}

const exitCodes = `
Exit codes: 0 done, nothing to do or no evidence; 1 failed; 2 usage or config; 3 applied in
part; 4 another run holds the lease; 5 refused before anything ran; 6 verification failed.`

// errHelp ends the program after help or version were printed.
var errHelp = errors.New("help was printed")

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, w world) (code job.ExitCode) {
	var c commands
	// kong calls exit after --help and --version; a panic brings it back here.
	defer func() {
		if r := recover(); r != nil {
			if r != any(errHelp) {
				panic(r)
			}
			code = job.ExitDone
		}
	}()
	parser, err := kong.New(&c, kong.Name("ajlo"), kong.Description("Plans and keeps the physical layout of a lake's tables by the joins and filters that really run."+exitCodes),
		kong.Writers(w.out, w.errs), kong.Exit(func(int) { panic(errHelp) }), kong.Vars{"version": version}, kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(w.errs, "ajlo: its command line is malformed:", err)
		return job.ExitFailed
	}
	err = unset(args)
	var parsed *kong.Context
	if err == nil {
		parsed, err = parser.Parse(args)
	}
	if err != nil {
		fmt.Fprintf(w.errs, "ajlo: %s: see ajlo --help\n", report.Printable(err.Error()))
		return job.ExitUsage
	}
	w.log = newLogger(w.errs, c.Verbose)
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(w)
	var same unchanged
	if errors.As(err, &same) {
		return job.ExitCode(same)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		fmt.Fprintln(w.errs, "ajlo: interrupted:", report.Printable(err.Error())+": run it again")
	case err != nil:
		fmt.Fprintln(w.errs, "ajlo:", report.Printable(err.Error()))
	}
	return codeOf(ctx, err)
}

// codeOf is job.CodeOf, but that what could not be read for an interrupt is not refused.
func codeOf(ctx context.Context, err error) job.ExitCode {
	code := job.CodeOf(err)
	if code == job.ExitRefused && ctx.Err() != nil {
		return job.ExitFailed
	}
	return code
}

// unset refuses empty arguments. No option means anything by one, and an empty condition would be met by
// every row.
func unset(args []string) error {
	for i, arg := range args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case arg == "" && i > 0:
			return fmt.Errorf("%s is followed by nothing: is a variable unset?", args[i-1])
		case strings.HasPrefix(arg, "--") && assigned && value == "":
			return fmt.Errorf("%s= is followed by nothing: is a variable unset?", name)
		}
	}
	return nil
}
