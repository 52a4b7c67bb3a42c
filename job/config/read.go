package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// reader turns a document into a Config and keeps the first fault it meets.
type reader struct {
	dir   string
	root  ast.Node
	fault *Error
}

// Limits of an engine: with less memory a rewrite spends its time on tiny pieces.
const (
	minMemory   = 64 * unit.MiB
	minFileSize = 4 * unit.KiB
)

func (r *reader) config(d document) Config {
	c := Config{
		Sources:        r.sources(d.Sources),
		Lake:           r.lake(d.Lake),
		Write:          r.write(d.Write),
		Budget:         r.budget(d.Budget),
		Engine:         r.engine(d.Engine),
		State:          read(r, d.State, r.stateFile),
		Window:         read(r, d.Window, ParseSpan),
		Delta:          read(r, d.Delta, number(0, 1)),
		Horizon:        read(r, d.Horizon, count(1, maxHorizon)),
		Rate:           read(r, d.Rate, number(0, maxRate)),
		StorageWeight:  read(r, d.StorageWeight, number(0, maxWeight)),
		Margin:         read(r, d.Margin, number(0, maxWeight)),
		MaxLoss:        read(r, d.MaxLoss, number(0, 1)),
		Prices:         r.prices(d.Prices),
		Protect:        r.texts(d.Protect),
		FirstSeen:      read(r, d.FirstSeen, oneOf(Trigger, Weigh)),
		FirstSeenShare: read(r, d.FirstSeenShare, number(minShare, 1)),
		LeastSeen:      read(r, d.LeastSeen, number(0, 1)),
		Estimator:      read(r, d.Estimator, oneOf(WhatIf, Constant)),
		Sample:         read(r, d.Sample, oneOf(SampleRows, SampleBounds)),
		Choice:         read(r, d.Choice, oneOf(Exact, Greedy)),
		Allow:          Allow{ProtocolUpgrade: read(r, d.Allow.ProtocolUpgrade, yesNo), Repartition: read(r, d.Allow.Repartition, yesNo)},
		Commit:         read(r, d.Commit, oneOf(NoCommit, Conditional, Exclusive, DynamoDB, ByCatalog)),
		Approval:       read(r, d.Approval, oneOf(NoApproval, ApprovalRequired)),
	}
	c.Quiet, c.Signals = r.quiet(d.Quiet), r.signals(d.Signals)
	c.Cache = r.cache(d.Cache, c.State)
	c.Engine.Spill = cmp.Or(c.Engine.Spill, besideState(c.State, "."))
	return c
}

// besideState is a folder beside the state; none where that is not on this machine.
func besideState(state, name string) string {
	if strings.Contains(state, "://") {
		return ""
	}
	return filepath.Join(filepath.Dir(state), name)
}

// defaultCache is the folder beside the state that keeps facts.
const defaultCache = "facts-cache"

// cache is the folder of cached facts; nothing where it is turned off.
func (r *reader) cache(t text, state string) string {
	switch {
	case !t.given:
		return besideState(state, defaultCache)
	case t.value == "" || t.value == "none":
		return ""
	}
	return read(r, t, r.folder)
}

// read parses one value; a value that is missing or wrong becomes the reader's fault.
func read[T any](r *reader, t text, parse func(string) (T, error)) (value T) {
	if r.fault != nil || !t.given {
		return value
	}
	value, err := parse(t.value)
	if err != nil {
		r.fault = &Error{Message: err.Error(), at: t.at, Next: "mend the value: " + contract + " shows what each key takes"}
	}
	return value
}

// require makes a missing value the reader's fault, shown at the node of the given YAML path
// or, where that is missing too, at the start of the file.
func (r *reader) require(t text, path, message, next string) {
	if r.fault != nil || t.given {
		return
	}
	r.fault = &Error{Message: message, Next: next}
	if at := r.find(path); at != nil {
		r.fault.at = at.GetToken()
	}
}

func (r *reader) find(path string) ast.Node {
	if r.root == nil {
		return nil
	}
	p, err := yaml.PathString(path)
	if err != nil {
		return nil
	}
	node, err := p.FilterNode(r.root)
	if err != nil {
		return nil
	}
	if group, ok := node.(*ast.MappingNode); ok && len(group.Values) > 0 {
		return group.Values[0].Key
	}
	return node
}

func (r *reader) sources(written []source) []Source {
	if len(written) == 0 {
		r.require(text{}, "$.sources", "`sources` is missing: ajlo has no event logs to read",
			"add `sources: [{logs: FOLDER}]` with the folder of spark.eventLog.dir")
	}
	sources := []Source{}
	for i, s := range written {
		r.require(s.Logs, fmt.Sprintf("$.sources[%d]", i), "a source without `logs`", "name the folder of its event logs")
		sources = append(sources, r.source(s, sources))
	}
	return sources
}

// source refuses a folder that was named before: its queries would count twice.
func (r *reader) source(written source, before []Source) Source {
	s := Source{
		Logs: read(r, written.Logs, r.path), PathMap: r.pathMap(written.PathMap),
		Reader: cmp.Or(read(r, written.Reader, prune.ParseReader), prune.OSSSpark), Longest: read(r, written.Longest, ParseSpan),
	}
	if r.fault == nil && slices.ContainsFunc(before, func(b Source) bool { return b.Logs == s.Logs }) {
		r.fault = &Error{Message: fmt.Sprintf("logs %s are named twice", s.Logs), at: written.Logs.at, Next: "keep one of the two"}
	}
	return s
}

func (r *reader) pathMap(written map[string]text) map[string]string {
	mapped := map[string]string{}
	for from, to := range written {
		mapped[clean(from)] = read(r, to, r.path)
	}
	return mapped
}

func (r *reader) lake(written lake) Lake {
	l := Lake{Roots: []string{}, Tables: []Table{}, Address: read(r, written.Address, oneOf(ByName, ByPath)), Catalogs: []Catalog{}}
	for i, c := range written.Catalogs {
		l.Catalogs = append(l.Catalogs, r.catalog(c, fmt.Sprintf("$.lake.catalogs[%d]", i)))
	}
	for _, root := range written.Roots {
		l.Roots = append(l.Roots, read(r, root, r.path))
	}
	for i, t := range written.Tables {
		path := fmt.Sprintf("$.lake.tables[%d]", i)
		r.require(t.Name, path, "a table without a `name`", "give the name it has in the logs, such as tpch.orders")
		r.require(t.Location, path, "a table without a `location`", "give the folder or URL that holds its files")
		l.Tables = append(l.Tables, r.table(t, l.Tables))
	}
	return l
}

func (r *reader) table(written place, before []Table) Table {
	t := Table{Name: read(r, written.Name, tableName), Location: table.Location(read(r, written.Location, r.path))}
	if r.fault == nil && slices.ContainsFunc(before, func(b Table) bool { return b.Name == t.Name }) {
		r.fault = &Error{Message: fmt.Sprintf("table %s is placed twice", t.Name), at: written.Name.at, Next: "keep one of the two"}
	}
	return t
}

func (r *reader) write(written []text) []Pattern {
	patterns := []Pattern{}
	for _, t := range written {
		patterns = append(patterns, read(r, t, r.pattern))
	}
	return patterns
}

func (r *reader) budget(written budget) Budget {
	r.require(written.Rewrite, "$.budget", "`budget.rewrite` is missing: ajlo rewrites nothing without a limit",
		"add `budget: {rewrite: 20GB}` with the bytes that one run may rewrite at most")
	b := Budget{Rewrite: read(r, written.Rewrite, unit.ParseBytes), Upkeep: read(r, written.Upkeep, unit.ParseBytes), Storage: read(r, written.Storage, unit.ParseBytes)}
	if !written.Storage.given {
		b.Storage = b.Rewrite
	}
	return b
}

func (r *reader) signals(written signals) Signals {
	return Signals{
		Lake: read(r, written.Lake, notEmpty), Prometheus: read(r, written.Prometheus, orNone(r.folder)), OpenLineage: read(r, written.OpenLineage, orNone(r.listener)),
		Token: r.secret(written.Token, "signals.openlineage_token"), Webhook: r.hidden(written.Webhook, "signals.webhook", webAddress),
		Limit: read(r, written.Limit, limit),
	}
}

// secret is the name of a variable of the environment, or none.
func (r *reader) secret(t text, key string) Secret { return r.hidden(t, key, fromEnvironment) }

// hidden is read without its line being shown where it is wrong.
func (r *reader) hidden(t text, key string, parse func(string) (Secret, error)) Secret {
	if !t.given {
		return ""
	}
	value, err := orNone(parse)(t.value)
	if err != nil && r.fault == nil {
		r.fault = &Error{Message: key + ": " + err.Error(), Next: "mend the value: " + contract + " shows what each key takes"}
	}
	return value
}

// orNone reads nothing where the file says none.
func orNone[T ~string](parse func(string) (T, error)) func(string) (T, error) {
	return func(text string) (T, error) {
		if text == "none" {
			return "", nil
		}
		return parse(text)
	}
}

func (r *reader) prices(written prices) Prices {
	price := number(0, maxPrice)
	return Prices{
		Currency: read(r, written.Currency, currency), ScanTB: read(r, written.Scan, price),
		RewriteTB: read(r, written.Rewrite, price), StorageMonth: read(r, written.Storage, price),
	}
}

func (r *reader) engine(written engine) Engine {
	return Engine{
		Kind:           read(r, written.Kind, oneOf(Embedded, SparkSQL, Connect, Script)),
		Memory:         read(r, written.Memory, atLeast(minMemory)),
		Spill:          read(r, written.Spill, r.folder),
		TargetFileSize: read(r, written.TargetFileSize, atLeast(minFileSize)),
		Command:        r.texts(written.Command),
		URL:            r.server(written),
		Token:          r.secret(written.Token, "engine.token"),
		Conf:           r.conf(written.Conf),
		TimeLimit:      read(r, written.TimeLimit, ParseSpan),
		Dialect:        read(r, written.Dialect, oneOf(SparkDelta, Databricks, Fabric)),
	}
}

// server is the URL of a Spark Connect server, which the engine Connect has to have.
func (r *reader) server(written engine) string {
	if written.URL.value == "" && EngineKind(written.Kind.value) != Connect {
		return ""
	}
	return read(r, written.URL, func(value string) (string, error) {
		if !strings.HasPrefix(value, "sc://") {
			return "", errors.New("want the server's URL, such as sc://spark.example:15002")
		}
		return value, nil
	})
}

// texts reads a list of texts that are not empty.
func (r *reader) texts(written []text) []string {
	list := []string{}
	for _, t := range written {
		list = append(list, read(r, t, notEmpty))
	}
	return list
}

// conf reads settings of an engine, whose values may be empty.
func (r *reader) conf(written map[string]text) map[string]string {
	settings := map[string]string{}
	for key, value := range written {
		settings[key] = value.value
	}
	return settings
}
