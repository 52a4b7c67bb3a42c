package main

import (
	"context"
	"encoding/json"
	"time"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/report"
	"ajlo/job/window"
)

type factsCommand struct {
	evidenceOptions
	Shard   string `placeholder:"I/N" help:"Read one of N equal parts of the applications; all N give exactly the whole."`
	Parquet place  `placeholder:"URL" xor:"form" help:"Write the facts into a folder, on this machine, s3://, gs://, azblob:// or hdfs://, that --facts reads, one file an application, instead of printing them."`
	Explain string `placeholder:"APP/EXECUTION" xor:"form" help:"One query: its plan, which joins and predicates were taken, and what was not."`
	Discard bool   `xor:"form" help:"Delete the facts in the folders of --facts, when the night is done with them: they hold literals of queries."`
	Brief   bool   `xor:"form,shape" help:"Print one line a query, with its fingerprint, instead of one for each scan, join and write."`
	JSON    bool   `xor:"shape" help:"One JSON object a line; with --parquet, one of what was written."`
}

// Run prints what the logs say.
func (c factsCommand) Run(ctx context.Context, w world) error {
	o, span, err := c.observer(w)
	if err != nil {
		return err
	}
	switch {
	case c.Explain != "":
		return c.explain(ctx, w, o)
	case c.Discard:
		return c.discard(ctx, w, o)
	}
	observed, err := c.observe(ctx, o, span)
	if err != nil {
		return err
	}
	for _, damage := range observed.Unreadable() {
		w.log.Warn("a log could not be read in whole", "what", damage)
	}
	if len(observed.Queries) == 0 {
		w.log.Info("no query of a user starts in the window", "start", span.Start, "end", span.End)
	}
	if err := c.print(w, observed); err != nil {
		return err
	}
	return c.strictly(observed)
}

func (c factsCommand) observe(ctx context.Context, o job.Observer, span window.Window) (job.Observed, error) {
	if c.Parquet != "" {
		return o.Export(ctx, span, string(c.Parquet))
	}
	return o.Observe(ctx, span)
}

func (c factsCommand) print(w world, observed job.Observed) error {
	switch {
	case c.Parquet != "":
		w.log.Info("facts were written", "folder", string(c.Parquet), "applications", observed.Applications, "queries", len(observed.Queries))
		if !c.JSON {
			return nil
		}
		return json.NewEncoder(w.out).Encode(written{string(c.Parquet), observed.Applications, len(observed.Queries)})
	case c.JSON:
		return report.FactsJSON(w.out, observed.Queries)
	}
	if c.Brief {
		return report.FactsByQuery(w.out, observed.Queries)
	}
	return report.Facts(w.out, observed.Queries)
}

// written is what --parquet --json prints.
type written struct {
	Folder       string `json:"folder"`
	Applications int    `json:"applications"`
	Queries      int    `json:"queries"`
}

func (c factsCommand) discard(ctx context.Context, w world, o job.Observer) error {
	if len(c.Facts) == 0 {
		return &job.UsageError{Text: "--discard deletes facts: name their folder with --facts"}
	}
	for _, folder := range c.Facts {
		files, err := o.Discard(ctx, string(folder))
		if err != nil {
			return err
		}
		w.log.Info("facts were deleted", "folder", string(folder), "files", files)
	}
	return nil
}

func (c factsCommand) observer(w world) (job.Observer, window.Window, error) {
	o := job.Observer{Open: bucket.Open, Log: w.log, Clock: w.clock}
	length, err := c.places(&o)
	if err != nil {
		return o, window.Window{}, err
	}
	if c.Shard != "" {
		if o.Shard, err = job.ParseShard(c.Shard); err != nil {
			return o, window.Window{}, &job.UsageError{Text: "--shard: " + err.Error()}
		}
	}
	span, err := c.window(w.clock, length)
	return o, span, err
}

// places fills in what is read and through which cache, and gives the window's length.
// Without a config there is no cache: nobody said where it may lie.
func (c factsCommand) places(o *job.Observer) (time.Duration, error) {
	o.Facts = logFolders(c.Facts)
	if c.Config == "" {
		o.Sources = logFolders(c.Logs)
		if len(o.Sources)+len(o.Facts) == 0 {
			return 0, &job.UsageError{Text: "no logs: name a folder with --logs or a config with --config"}
		}
		return window.Days * 24 * time.Hour, nil
	}
	conf, err := c.load()
	if err != nil {
		return 0, err
	}
	o.Sources, o.Cache = conf.Sources, conf.Cache
	o.Histories = &job.Histories{Config: conf, Open: bucket.Open, Log: o.Log}
	if len(c.Facts) > 0 && len(c.Logs) == 0 {
		o.Sources = []config.Source{}
	}
	return conf.Window, nil
}

// explain prints one query, whenever it ran.
func (c factsCommand) explain(ctx context.Context, w world, o job.Observer) error {
	if len(o.Sources) == 0 {
		return &job.UsageError{Text: "--explain reads the log again: name its folder with --logs or a config with --config"}
	}
	explanation, err := o.Explain(ctx, c.Explain)
	if err != nil {
		return err
	}
	return explanation.Write(w.out)
}
