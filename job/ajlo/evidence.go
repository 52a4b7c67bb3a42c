package main

import (
	"ajlo/job"
	"ajlo/job/config"
)

// evidenceOptions are those of the commands that learn from logs what ran.
type evidenceOptions struct {
	logOptions
	Facts  []place `sep:"none" placeholder:"URL" help:"Folders that facts --parquet wrote, read instead of the config's sources, or beside --logs."`
	Strict bool    `help:"Exit with 1 where an application cannot be read; without it the file is named and the rest is used. Nothing is decided then."`
}

// night is that of logOptions, with facts in place of logs.
func (o evidenceOptions) night(w world) (job.Night, error) {
	n, err := o.logOptions.night(w)
	if err != nil {
		return n, err
	}
	n.Strict = o.Strict
	if len(o.Facts) == 0 {
		return n, nil
	}
	paths := pathMaps(n.Config.Sources)
	for _, folder := range logFolders(o.Facts) {
		folder.PathMap, folder.Reader = paths, job.SoleReader(n.Config.Sources)
		n.Facts = append(n.Facts, folder)
	}
	if len(o.Logs) == 0 {
		n.FactsOf, n.Config.Sources = n.Config.Sources, []config.Source{}
	}
	return n, nil
}

func (o evidenceOptions) strictly(observed job.Observed) error {
	if !o.Strict {
		return nil
	}
	return observed.Strictly()
}
