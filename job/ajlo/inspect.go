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
	inspection, err := job.Inspect(ctx, bucket.Open, name, place, newEngine(conf, w))
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
		if place, ok := resolve(ctx, conf, table.Name(name)); ok {
			return table.Name(name), place, nil
		}
		return "", "", &job.UsageError{Text: "table " + name + " is not under lake.tables, lake.roots or a path_map of the config: add it there or give the path of its folder"}
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

// resolve asks the catalogs of all sources, then the folders that their path maps lead to.
func resolve(ctx context.Context, conf config.Config, name table.Name) (table.Location, bool) {
	for _, source := range conf.Sources {
		finder := job.NewCatalog(ctx, bucket.Open, conf, source)
		for _, to := range source.PathMap {
			finder.Roots = append(finder.Roots, table.Location(to))
		}
		if place, ok := finder.Resolve(name, ""); ok {
			return catalog.Tidy(place.Location), true
		}
	}
	return "", false
}
