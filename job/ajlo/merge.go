package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/merge"
	"ajlo/job/report"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

type mergeCommand struct {
	engineOptions
	Into                   string   `required:"" placeholder:"TABLE" help:"The table: its name, as the config's lake has it, or the path or URL of its folder."`
	Source                 string   `required:"" xor:"source" placeholder:"PATH" help:"The rows: a Delta table's folder, a folder of Parquet files, a .parquet file or a .csv file."`
	SourceSQL              string   `required:"" xor:"source" name:"source-sql" placeholder:"QUERY" help:"The rows: a query that the Spark of --config runs first; it writes them below --stage."`
	Stage                  string   `placeholder:"FOLDER" help:"For --source-sql: a folder or URL that both Spark and ajlo reach. What is put there is taken away again."`
	On                     string   `required:"" placeholder:"COLUMN,…" help:"Columns that are equal in rows that match."`
	Map                    string   `placeholder:"COLUMN=SOURCE,…" help:"Columns of the table that are called otherwise in the source."`
	Condition              string   `placeholder:"SQL" help:"What rows that match have to meet, too, over t (the table's row) and s (the source's), as in \"t.day >= DATE '2026-11-01'\"."`
	WhenMatched            []string `sep:"none" placeholder:"update[:COLUMN[=VALUE],…]|delete [if SQL]" help:"What becomes of rows of the table that match. May be given several times: the first whose condition is met counts."`
	WhenNotMatched         []string `sep:"none" placeholder:"insert[:COLUMN[=VALUE],…] [if SQL]" help:"What becomes of rows of the source that match nothing; several times as above."`
	WhenNotMatchedBySource []string `sep:"none" placeholder:"delete|update:COLUMN=VALUE,… [if SQL]" help:"What becomes of rows of the table that match nothing; several times as above."`
	Evolve                 bool     `help:"Give the table the source's columns that it lacks, in the same commit; columns that the source lacks stay, and are NULL in new rows."`
	Write                  string   `default:"auto" placeholder:"auto|copy|dv" help:"Whether rows leave touched files that are written anew (copy), or by deletion vectors (dv). auto: by vectors where a file's rows are only deleted, at most a tenth of them, and the table takes vectors."`
	TargetFileSize         string   `placeholder:"BYTES" help:"Size of files of inserted and moved rows. Default: the config's engine.target_file_size, 64MiB."`
	Commit                 string   `placeholder:"conditional|exclusive" help:"How commits to a table on S3 are made safe. Default: the config's commit."`
	Config                 string   `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file; the table has to be under its write:."`
	DryRun                 bool     `help:"Look at table and source, print the plan and change nothing."`
	JSON                   bool     `help:"Print as JSON."`
}

// Run merges, or with --dry-run says what it would do.
func (c mergeCommand) Run(ctx context.Context, w world) (err error) {
	request, err := c.request(ctx)
	if err != nil {
		return err
	}
	conf, err := c.load(request)
	if err != nil {
		return err
	}
	story, err := c.beginStory(ctx, w, conf, request)
	if err != nil {
		return err
	}
	var result merge.Result
	defer func() { story.ended(ctx, result, err) }()
	if c.SourceSQL != "" {
		folder, drop, err := stage(ctx, conf, request.Table, c.SourceSQL, c.Stage)
		if drop != nil {
			defer func() { err = errors.Join(err, drop(context.WithoutCancel(ctx))) }()
		}
		if err != nil {
			return err
		}
		request.Source = folder
	}
	result, err = c.merge(ctx, w, conf, request)
	return err
}

// merge merges and prints what came of it, or with --dry-run the plan.
func (c mergeCommand) merge(ctx context.Context, w world, conf config.Config, request merge.Request) (merge.Result, error) {
	memory := cmp.Or(conf.Engine.Memory, rewrite.DefaultMemory)
	defer limited{memory: memory}.keep()()
	progress := newProgress(w)
	merger := merge.New(merge.Options{
		Memory: memory, Spill: conf.Engine.Spill, TargetFile: conf.Engine.TargetFileSize, Commit: conf.Commit,
		Version: version, NewID: uuid.NewString, Now: w.clock, Open: bucket.Open,
		Begin:    func() error { return job.Quiet(conf, request.Table, request.Location, w.clock()) },
		Progress: func(done, total unit.Bytes) { progress(string(request.Table), done, total) },
	})
	if c.DryRun {
		plan, err := merger.Plan(ctx, request)
		if err != nil {
			return merge.Result{}, err
		}
		if c.JSON {
			return merge.Result{}, printJSON(w.out, plan)
		}
		return merge.Result{}, plan.Write(w.out, report.Printable)
	}
	result, err := merger.Apply(ctx, request)
	if err != nil {
		return result, err
	}
	if c.JSON {
		return result, printJSON(w.out, result)
	}
	return result, writeMerged(w.out, result)
}

func (c mergeCommand) request(ctx context.Context) (r merge.Request, err error) {
	usage := func(option string, err error) error {
		return &job.UsageError{Text: fmt.Sprintf("--%s %v", option, err)}
	}
	r.Source, r.Query, r.On = c.Source, oneQuery(c.SourceSQL), merge.ParseColumns(c.On)
	r.Condition, r.Evolve = c.Condition, c.Evolve
	if r.Map, err = merge.ParseRenames(c.Map); err != nil {
		return r, usage("map", err)
	}
	if r.Matched, err = merge.ParseMatched(c.WhenMatched); err != nil {
		return r, usage("when-matched", err)
	}
	if r.NotMatched, err = merge.ParseNotMatched(c.WhenNotMatched); err != nil {
		return r, usage("when-not-matched", err)
	}
	if r.NotMatchedBySource, err = merge.ParseNotMatchedBySource(c.WhenNotMatchedBySource); err != nil {
		return r, usage("when-not-matched-by-source", err)
	}
	if r.Write, err = merge.ParseWrite(c.Write); err != nil {
		return r, usage("write", err)
	}
	if r.Table, r.Location, err = placeOf(ctx, c.Into, c.Config); err != nil {
		return r, err
	}
	if err := r.Check(); err != nil {
		return r, &job.UsageError{Text: err.Error()}
	}
	return r, nil
}

// load reads the config, where there is one, and puts the options over it.
func (c mergeCommand) load(r merge.Request) (conf config.Config, err error) {
	if c.Config != "" {
		if conf, err = config.Load(c.Config); err != nil {
			return conf, err
		}
		if !conf.MayWrite(r.Table, r.Location) {
			return conf, &execute.Refusal{Table: r.Table, Reason: "it is not under write: in the config"}
		}
	}
	for _, o := range []struct {
		name, text string
		to         *unit.Bytes
	}{{"memory", c.Memory, &conf.Engine.Memory}, {"target-file-size", c.TargetFileSize, &conf.Engine.TargetFileSize}} {
		if o.text == "" {
			continue
		}
		if *o.to, err = unit.ParseBytes(o.text); err != nil || *o.to == 0 {
			return conf, &job.UsageError{Text: fmt.Sprintf("--%s %q: want a size such as 384MB", o.name, o.text)}
		}
	}
	conf.Engine.TargetFileSize = cmp.Or(conf.Engine.TargetFileSize, config.UsualFile)
	switch as := config.Commit(c.Commit); as {
	case "":
	case config.Conditional, config.Exclusive:
		conf.Commit = as
	default:
		return conf, &job.UsageError{Text: fmt.Sprintf("--commit %q: want %s or %s", c.Commit, config.Conditional, config.Exclusive)}
	}
	return conf, nil
}

// writeMerged prints the plan that was carried out and what came of it.
func writeMerged(w io.Writer, r merge.Result) error {
	if err := r.Plan.Write(w, report.Printable); err != nil {
		return err
	}
	lines := []string{"merged    nothing to do"}
	if r.Changed {
		lines[0] = fmt.Sprintf("merged    version %d in %s: %s, %s, became %d, %s; %s written apart",
			r.Version, r.Took.Round(time.Millisecond), unit.Counted(r.FilesRemoved, "file", "files"), r.BytesRemoved, r.FilesAdded, r.BytesAdded, unit.Counted(r.Apart, "row", "rows"))
	}
	for _, warning := range r.Warnings {
		lines = append(lines, "warning   "+report.Printable(warning))
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
