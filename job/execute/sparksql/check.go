package sparksql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"ajlo/job/config"
	"ajlo/job/delta"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/iceberg"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// opened is the newest version of a step's table.
type opened struct {
	store object.Store
	delta delta.Snapshot
	lake  lake.Snapshot
}

func (o opened) bytes() (total unit.Bytes) {
	for _, f := range o.delta.Files {
		total += unit.Bytes(f.Size)
	}
	return total
}

// Unsupported is empty for most tables: what a table demands of its writers is Spark's to know,
// which refuses what it cannot do before it writes. Of Iceberg tables it names what keeps their
// rows from being compared.
func (e *Engine) Unsupported(ctx context.Context, location table.Location) ([]string, error) {
	store, err := e.o.Open(string(location))
	if err != nil {
		return nil, fmt.Errorf("look at table %s: %w", location, err)
	}
	_, err = delta.Replay(ctx, store)
	if errors.Is(err, delta.ErrNoTable) && iceberg.Holds(ctx, store) {
		return e.unsupportedIceberg(ctx, store)
	}
	if err != nil {
		return nil, fmt.Errorf("look at table %s: %w", location, err)
	}
	if reason := e.storageHazard(store); reason != "" {
		return []string{reason}, nil
	}
	return nil, nil
}

// Check refuses the step where Apply would, and where this Spark does not start, is too old
// or finds another table under the step's name.
func (e *Engine) Check(ctx context.Context, step plan.Step) error {
	if err := e.o.Spark.Ready(); err != nil {
		return execute.Refuse(step, "%v", err)
	}
	if step.Format == lake.Iceberg {
		return e.checkIceberg(ctx, step)
	}
	t, err := e.open(ctx, step)
	if err != nil {
		return err
	}
	printed, err := e.run(ctx, dialect.SparkDelta{}.Describe(e.target(step)), nil)
	var said *SaidError
	switch {
	case errors.As(err, &said):
		return execute.Refuse(step, "this Spark cannot describe it: %v", err)
	case err != nil:
		return err
	}
	return checkAnswer(step, t.lake, printed)
}

func (e *Engine) target(step plan.Step) dialect.Target {
	return dialect.Target{Name: step.Table, Location: step.Location, Address: e.o.Address}
}

// checkAnswer looks at what dialect.SparkDelta.Describe has Spark print: releases, and of the
// table, with tabs between columns, one that is its location.
func checkAnswer(step plan.Step, table lake.Snapshot, printed string) error {
	spark, rest, _ := strings.Cut(printed, "\n")
	format, detail, _ := strings.Cut(rest, "\n")
	spark, _, _ = strings.Cut(spark, " ")
	can, err := dialect.Probed(dialect.OpenSource, spark, format)
	if err != nil {
		return execute.Refuse(step, "%v", err)
	}
	if !can.CatalogManaged && slices.ContainsFunc(table.Protocol.WriterFeatures, isCatalogs) {
		return execute.Refuse(step, "a catalog makes its commits, and OPTIMIZE of Delta Lake %s is refused on such tables", strings.TrimSpace(format))
	}
	if !slices.ContainsFunc(strings.Split(detail, "\t"), func(column string) bool { return samePlace(column, string(step.Location)) }) {
		return execute.Refuse(step, "this Spark finds it elsewhere than the plan, which has it at %s: %s", step.Location, strings.TrimSpace(detail))
	}
	return nil
}

// isCatalogs reports whether a feature is the one of tables whose commits a catalog makes, under
// any of the names that it has had.
func isCatalogs(feature string) bool {
	return strings.HasPrefix(feature, "catalogManaged") || strings.HasPrefix(feature, "catalogOwned")
}

// samePlace compares the places of two folders, in the spellings of Spark and of ajlo.
func samePlace(a, b string) bool { return placeOf(a) == placeOf(b) }

// placeOf is a folder as a URL in one spelling: s3a: is s3:, and a path is a file:.
func placeOf(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme == "" {
		return "file://" + path.Clean(location)
	}
	scheme := u.Scheme
	if scheme == "s3a" || scheme == "s3n" {
		scheme = "s3"
	}
	return scheme + "://" + u.Host + path.Clean("/"+u.Path)
}

// open reads the newest version of the step's table and refuses what follows from the log alone.
func (e *Engine) open(ctx context.Context, step plan.Step) (opened, error) {
	if step.Repartition {
		return opened{}, execute.Refuse(step, "to change partition columns takes the embedded engine: by statements of Spark an append that is made meanwhile would be lost")
	}
	if reason := cmp.Or(unmakable(step.Layout), unsayable(e.namesOf(step)...)); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	store, err := e.o.Open(string(step.Location))
	if err != nil {
		return opened{}, execute.Refuse(step, "%v", err)
	}
	if reason := e.storageHazard(store); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	d, l, err := execute.Open(ctx, store, step)
	if err != nil {
		return opened{}, err
	}
	if reason := execute.ChangedTable(ctx, store, d, step, l); reason != "" {
		return opened{}, execute.Refuse(step, "%s", reason)
	}
	return opened{store, d, l}, nil
}

// namesOf are the identifiers in a Delta step's statements. Before the end of a single statement
// a quote does no harm.
func (e *Engine) namesOf(step plan.Step) (names []string) {
	for _, name := range append([]string{e.target(step).SQL()}, table.Texts(step.Layout.Clustering)...) {
		if !strings.Contains(step.Statement, "\n") {
			name = strings.NewReplacer("'", "", `"`, "").Replace(name)
		}
		names = append(names, name)
	}
	return names
}

// unsayable says which name spark-sql cannot be told; empty where it can be told all.
func unsayable(names ...string) string {
	for _, name := range names {
		if dialect.Cuttable(name) {
			return fmt.Sprintf("spark-sql takes a part of the name %q for a quote, a comment or the end of a statement", name)
		}
	}
	return ""
}

// unmakable says why Spark cannot make a layout; empty where it can.
func unmakable(l layout.Layout) string {
	switch {
	case l.Scope != layout.WholeTable:
		return fmt.Sprintf("scope %q: OPTIMIZE takes whole tables", l.Scope)
	case l.Order == layout.LearntCuts || l.Order == layout.None:
		return fmt.Sprintf("order %q: Spark has no statement for it", l.Order)
	case len(l.Clustering) > dialect.MaxClusteringKeys:
		return fmt.Sprintf("%d keys: Delta Lake takes at most %d", len(l.Clustering), dialect.MaxClusteringKeys)
	}
	return ""
}

// storageHazard says why commits of this Spark to the storage could take another's place (rule
// 4); empty where they cannot. Open-source Delta knows no put on condition.
func (e *Engine) storageHazard(store object.Store) string {
	if object.Scheme(store.URL()) != "s3" {
		return ""
	}
	switch e.o.Commit {
	case config.Exclusive, config.DynamoDB, config.ByCatalog:
		return ""
	case config.Conditional:
		return "the config has commit: conditional, and open-source Delta on Spark puts no commit on condition"
	}
	return "it is on S3, where Delta's writers can lose each other's commits: say in the config how commits are made safe (commit: dynamodb, catalog or exclusive)"
}
