package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ajlo/job/catalog"
	"ajlo/job/config"
	"ajlo/job/execute/connect"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/report"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Check tries what a config names: logs, roots, tables, state, cache and engine. It reads no log
// and no row, and changes nothing.
func (n Night) Check(ctx context.Context) report.Checks {
	c := n.Config
	var checks report.Checks
	for _, s := range c.Sources {
		checks.Add("logs "+s.Logs, n.checkLogs(ctx, s))
	}
	for _, root := range c.Lake.Roots {
		checks.Add("root "+root, n.checkFolder(ctx, root))
	}
	for _, catalog := range n.Catalogs {
		checks.Add("catalog "+catalog.Name(), checkCatalog(ctx, catalog))
	}
	for _, t := range c.Lake.Tables {
		checks.Add("table "+string(t.Name), n.checkTable(ctx, t.Name, t.Location))
	}
	for _, p := range c.Write {
		checks.Add("write "+string(p), n.checkWrite(ctx, p))
	}
	checks.Add("state "+c.State, checkState(ctx, n.StateFile()))
	if c.Cache != "" {
		checks.Add("cache "+c.Cache, checkWritable(c.Cache))
	}
	checks.Add("engine "+string(c.Engine.Kind), checkEngine(c))
	return checks
}

func (n Night) checkLogs(ctx context.Context, s config.Source) report.Check {
	o := Observer{Open: n.opener(), Log: n.Log, Clock: n.Clock}
	logs, err := o.find(ctx, s, n.Window.Start)
	if err != nil {
		return report.Fault(err)
	}
	if len(logs) == 0 {
		return report.Doubt("no application is in it: is it the folder of spark.eventLog.dir?")
	}
	newest := logs[0].application.Modified
	for _, l := range logs {
		if l.application.Modified.After(newest) {
			newest = l.application.Modified
		}
	}
	if newest.Before(n.Window.Start) {
		return report.Doubt(fmt.Sprintf("%s, the newest written at %s, before the window", unit.Counted(len(logs), "application", "applications"), newest.Format(time.RFC3339)))
	}
	return report.Good(fmt.Sprintf("%s, the newest written at %s", unit.Counted(len(logs), "application", "applications"), newest.Format(time.RFC3339)))
}

func (n Night) checkFolder(ctx context.Context, place string) report.Check {
	store, err := n.opener()(place)
	if err != nil {
		return report.Fault(err)
	}
	for _, err := range store.List(ctx, "", "") {
		if err != nil {
			return report.Fault(err)
		}
		return report.Good("can be listed")
	}
	return report.Doubt("it holds no file")
}

func (n Night) checkTable(ctx context.Context, name table.Name, at table.Location) report.Check {
	store, err := n.opener()(string(at))
	if err != nil {
		return report.Fault(err)
	}
	s, err := lake.Open(ctx, store, name, at)
	if err != nil {
		return report.Fault(err)
	}
	return report.Good(fmt.Sprintf("%s, version %d, %s, %v, %s", s.Format, s.Version, unit.Counted(len(s.Files), "file", "files"), s.Bytes(), s.Layout))
}

// checkWrite looks for the table of an entry where the config alone says where tables are; others
// are found by the logs.
func (n Night) checkWrite(ctx context.Context, p config.Pattern) report.Check {
	if at, ok := p.Location(); ok {
		return n.checkTable(ctx, table.Name(at), at)
	}
	if p.Database() != "" {
		return report.Good("all tables of the database")
	}
	finder := NewCatalog(ctx, n.opener(), n.Config, config.Source{})
	finder.Ask = Ask(ctx, n.Catalogs, n.Log)
	place, ok := finder.Resolve(table.Name(p), "")
	if !ok {
		return report.Doubt("it is under none of lake.roots, lake.tables and lake.catalogs: only the logs can tell where it is")
	}
	return n.checkTable(ctx, table.Name(p), catalog.Tidy(place.Location))
}

func checkCatalog(ctx context.Context, c Locator) report.Check {
	if err := c.Connect(ctx); err != nil {
		return report.Fault(err)
	}
	return report.Good("answers")
}

func checkState(ctx context.Context, at StateFile) report.Check {
	store, err := at.read(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		if !object.IsLocal(at.Location) {
			return report.Good("is put there by the first run")
		}
		if _, err := nearest(filepath.Dir(at.Location)); err != nil {
			return report.Fault(err)
		}
		return report.Good("is made by the first run")
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		return report.Fault(err)
	}
	return report.Good("a state of ajlo, sound")
}

// checkWritable looks at a folder that the first run makes.
func checkWritable(folder string) report.Check {
	at, err := nearest(folder)
	if err != nil {
		return report.Fault(err)
	}
	if at == folder {
		return report.Good("may be written to")
	}
	return report.Good("is made by the first run")
}

// nearest gives a folder that may be written to, or the nearest above it that is there.
func nearest(folder string) (at string, err error) {
	for at = folder; ; at = filepath.Dir(at) {
		err = unix.Access(at, unix.W_OK|unix.X_OK)
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return at, fmt.Errorf("%s cannot be written: %w: make it writable for this user", at, err)
		}
	}
}

func checkEngine(c config.Config) report.Check {
	if c.Engine.Kind == config.SparkSQL {
		path, err := exec.LookPath(c.Engine.Command[0])
		if err != nil {
			return report.Fault(fmt.Errorf("%w: install it, or give its path under engine.command", err))
		}
		return report.Good(path)
	}
	if c.Engine.Kind == config.Connect {
		if err := connect.CheckURL(c.Engine.URL); err != nil {
			return report.Fault(err)
		}
		return report.Good(c.Engine.URL)
	}
	if info, err := os.Stat(c.Engine.Spill); err == nil && !info.IsDir() {
		return report.Fault(fmt.Errorf("%s, where rows go that do not fit into memory, is a file: name a folder under engine.spill", c.Engine.Spill))
	}
	if _, err := nearest(cmp.Or(c.Engine.Spill, os.TempDir())); err != nil {
		return report.Fault(fmt.Errorf("engine.spill, where rows go that do not fit into memory: %w", err))
	}
	return report.Good(fmt.Sprintf("up to %v of memory", c.Engine.Memory))
}
