package main

import (
	"context"
	"path/filepath"
	"strings"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/table"
)

type inspectCommand struct {
	Table  string `arg:"" help:"A table's name, as the config's lake has it, or the path of its folder."`
	Config string `short:"c" type:"path" env:"AJLO_CONFIG" help:"The config file, to find a table by its name."`
	JSON   bool   `help:"Print as JSON."`
}

// Run prints how a table lies.
func (c inspectCommand) Run(ctx context.Context, w world) error {
	name, place, err := placeOf(ctx, c.Table, c.Config)
	if err != nil {
		return err
	}
	var conf config.Config // whose engine, and how its commits are made safe, decide what can be rewritten
	if c.Config != "" {
		if conf, err = config.Load(c.Config); err != nil {
			return err
		}
	}
	engine, err := newEngine(conf, w)
	if err != nil {
		return err
	}
	inspection, err := job.Inspect(ctx, bucket.Open, name, place, engine)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(w.out, inspection)
	}
	return inspection.Write(w.out)
}

// placeOf finds a table: by the config where its name stands there, else as a path or URL.
func placeOf(ctx context.Context, name, configFile string) (table.Name, table.Location, error) {
	if configFile != "" && !strings.ContainsAny(name, "/\\") {
		conf, err := config.Load(configFile)
		if err != nil {
			return "", "", err
		}
		place, ok, err := resolve(ctx, conf, table.Name(name))
		if ok || err != nil {
			return table.Name(name), place, err
		}
		return "", "", &job.UsageError{Text: "table " + name + " is not under lake.tables, lake.roots, lake.catalogs or a path_map of the config: add it there or give the path of its folder"}
	}
	if strings.Contains(name, "://") {
		return table.Name(name), catalog.Tidy(table.Location(name)), nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	return table.Name(path), table.Location(path), nil
}

// resolve asks what places tables for all sources, the folders that their path maps lead to among it. A
// catalog that gives no answer, or says that the name is no table's place, ends it: another one may have
// a table of that name that is not the one that is meant.
func resolve(ctx context.Context, conf config.Config, name table.Name) (at table.Location, ok bool, err error) {
	catalogs, err := newCatalogs(conf)
	if err != nil {
		return "", false, err
	}
	var unanswered error
	for _, source := range conf.Sources {
		finder := job.NewCatalog(ctx, bucket.Open, conf, source)
		for _, to := range source.PathMap {
			finder.Roots = append(finder.Roots, table.Location(to))
		}
		finder.Ask = func(name table.Name) (table.Location, bool) {
			for _, c := range catalogs {
				at, ok, err := c.Locate(ctx, name)
				if unanswered = err; ok || err != nil {
					return at, ok
				}
			}
			return "", false
		}
		place, ok := finder.Resolve(name, "")
		if ok || unanswered != nil {
			return catalog.Tidy(place.Location), ok, unanswered
		}
	}
	return "", false, nil
}
