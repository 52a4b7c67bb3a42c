package schema_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ajlo/job/drift"
	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/window"
	"ajlo/schema"
)

func parse(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// compiled gives a schema as it is, and closed: with every object that lists properties
// taking no others, so that a field of ours that the schema leaves out is found.
func compiled(t *testing.T, name string) (open, closed *jsonschema.Schema) {
	t.Helper()
	text, err := schema.JSON.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	compile := func(document any) *jsonschema.Schema {
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource("urn:test", document); err != nil {
			t.Fatal(err)
		}
		s, err := compiler.Compile("urn:test")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	document := parse(t, text)
	open = compile(document)
	closeObjects(document)
	return open, compile(document)
}

func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n["properties"]; ok && n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeObjects(child)
		}
	case []any:
		for _, child := range n {
			closeObjects(child)
		}
	}
}

func marshalled(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func TestEverySchemaCompiles(t *testing.T) {
	names, err := fs.Glob(schema.JSON, "*.json")
	if err != nil || len(names) < 2 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		compiled(t, name)
	}
}

var at = time.Date(2026, 11, 29, 1, 2, 3, 456_000_000, time.UTC)

// queries are facts that between them fill every field.
func queries() []fact.Query {
	every := predicate.Conjunction([]predicate.Predicate{
		{Op: predicate.Eq, Column: "a", Values: []predicate.Value{predicate.IntValue(1 << 60)}},
		{Op: predicate.In, Column: "b", Values: []predicate.Value{predicate.StringValue("x"), {}, predicate.BoolValue(true), predicate.DecimalValue(150, 2), predicate.DateValue(9000)}},
		{Op: predicate.Not, Args: []predicate.Predicate{{Op: predicate.IsNull, Column: "c"}}},
		{Op: predicate.Unknown},
	})
	return []fact.Query{{
		App: "local-1", Execution: 4, Query: "Q01", Fingerprint: "f1", Start: at, WallMS: 12, TaskMS: 20, TasksMeasured: true, Status: fact.Succeeded,
		Scans: []fact.Scan{{Table: "tpch.orders", Location: "/lake/orders", Format: "delta", FilesRead: 3, BytesRead: 1000, Rows: 7, Measured: true, Predicate: every}, {Table: "x"}},
		Joins: []fact.Join{
			{Left: []table.Ref{{Table: "tpch.orders", Column: "o.x"}}, Right: []table.Ref{{Table: "tpch.lineitem", Column: "l"}}, Type: fact.LeftSemi, Strategy: fact.SortMergeJoin, Expression: []string{"cast(x)"}},
			{Left: []table.Ref{}, Right: []table.Ref{}, Type: fact.Cross, Strategy: fact.NoStrategy},
		},
		Lost: fact.Lost{Predicates: 1, Joins: 2},
	}, {
		Start: at, Status: fact.Unfinished, Scans: []fact.Scan{}, Joins: []fact.Join{},
	}}
}

func TestFactsKeepTheirShape(t *testing.T) {
	open, closed := compiled(t, "facts.json")
	for _, q := range queries() {
		value := marshalled(t, q)
		if err := open.Validate(value); err != nil {
			t.Error(err)
		}
		if err := closed.Validate(value); err != nil {
			t.Errorf("add the field to schema/facts.json: %v", err)
		}
	}
}

// decided is a plan that fills every field.
func decided() plan.Plan {
	w := window.Ending(at, 7*24*time.Hour)
	g := joingraph.Build(w, []fact.Query{{
		Fingerprint: "f1", Start: at.Add(-time.Hour), TaskMS: 20, TasksMeasured: true, Status: fact.Succeeded,
		Joins: []fact.Join{
			{Left: []table.Ref{{Table: "a", Column: "k"}}, Right: []table.Ref{{Table: "b", Column: "k"}}, Strategy: fact.SortMergeJoin},
			{Left: []table.Ref{{Table: "a", Column: "k"}}, Right: []table.Ref{{Table: "c", Column: "k"}}, Strategy: fact.BroadcastHashJoin},
		},
	}}, nil)
	clustered := layout.ClusteredBy(layout.Hilbert, "k", "d")
	days := []layout.Period{{Column: "d", Type: "date", From: at, To: at}}
	protocol := lake.Protocol{MinReader: 3, MinWriter: 7, ReaderFeatures: []string{"deletionVectors"}, WriterFeatures: []string{"clustering"}}
	return plan.Plan{
		Deferred: []table.Name{"tpch.part"}, Policy: "p", Choice: plan.Exact, Estimator: plan.ByWhatIf,
		Money:  &plan.Money{Currency: "USD", SavedPerWindow: 1, NPV: -2},
		Window: w, Coverage: plan.Coverage{Unreadable: []string{"events_1"}, UnresolvedTables: []string{"x"}, Usual: &plan.Usual{Windows: 4, Applications: 2.5, TaskMS: 9, Least: 0.7}},
		Drift: []drift.Score{drift.Between(drift.Last, &g, g), drift.Between(drift.Plan, nil, g)}, Threshold: 0.1, Trigger: "why",
		Budget: 10, StorageBudget: 5, NPV: -3, Gap: 0.5, Engine: "embedded", Dialect: "spark-delta-3.3", Graph: g,
		Tables: []plan.Table{{
			Table: "a", Location: "/a", Format: lake.Iceberg, Periods: days, Version: 3, Protocol: protocol, Current: layout.Unordered(), Chosen: clustered, Reason: "why",
			Money:   &plan.Money{Currency: "USD"},
			Missing: []string{"x"}, Correction: 1.1, Harm: &plan.Harm{Before: clustered, Version: 3},
			Decay:      &plan.Decay{Files: 1, Reason: "why", Keys: []plan.KeyDecay{{Column: "k", Ordered: []int{1}, Now: []int{2}}}},
			Candidates: []plan.Candidate{{Layout: clustered, NPV: -1, Reason: "why", Losers: []string{"f1"}}},
			RunTime:    []plan.RunTime{{Column: "k", From: "b.k", Reader: prune.OSSSpark, Scans: 2, Reason: "why"}},
			Queries:    []plan.Class{{Fingerprint: "f1", Executions: 2, Now: 9, Then: 4}},
		}},
		Steps: []plan.Step{{Table: "a", Kind: plan.Rekey, Statement: "OPTIMIZE", Reason: "why", Undo: "RESTORE", Layout: clustered, Protocol: protocol, Owner: "none", Was: clustered, Declared: true, Files: []string{"f"}, Format: lake.Iceberg, Periods: days}},
	}
}

func TestPlansKeepTheirShape(t *testing.T) {
	open, closed := compiled(t, "plan.json")
	value := marshalled(t, decided())
	if err := open.Validate(value); err != nil {
		t.Error(err)
	}
	if err := closed.Validate(value); err != nil {
		t.Errorf("add the field to schema/plan.json: %v", err)
	}
}

// What the schemas promise is held against values that break it, one promise each.
func TestSchemasRefuse(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		value        any
		spoil        func(map[string]any)
	}{
		{"a status of no kind", "facts.json", queries()[0], func(v map[string]any) { v["status"] = "fine" }},
		{"a start in a zone", "facts.json", queries()[0], func(v map[string]any) { v["start"] = "2026-11-29T01:02:03+02:00" }},
		{"no scans", "facts.json", queries()[0], func(v map[string]any) { delete(v, "scans") }},
		{"joins that are null", "facts.json", queries()[0], func(v map[string]any) { v["joins"] = nil }},
		{"a predicate of no operator", "facts.json", queries()[0], func(v map[string]any) {
			v["scans"].([]any)[0].(map[string]any)["predicate"].(map[string]any)["args"].([]any)[2].(map[string]any)["op"] = "like"
		}},
		{"a negative budget", "plan.json", decided(), func(v map[string]any) { v["budget_bytes"] = json.Number("-1") }},
		{"half a byte", "plan.json", decided(), func(v map[string]any) { v["rewrite_bytes"] = json.Number("0.5") }},
		{"no trigger", "plan.json", decided(), func(v map[string]any) { delete(v, "trigger") }},
		{"steps that are null", "plan.json", decided(), func(v map[string]any) { v["steps"] = nil }},
		{"a candidate without a reason (rule 7)", "plan.json", decided(), func(v map[string]any) {
			v["tables"].([]any)[0].(map[string]any)["candidates"].([]any)[0].(map[string]any)["reason"] = ""
		}},
		{"drift above 1", "plan.json", decided(), func(v map[string]any) {
			v["drift"].([]any)[0].(map[string]any)["score"] = json.Number("1.5")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			open, _ := compiled(t, c.schema)
			value := marshalled(t, c.value).(map[string]any)
			c.spoil(value)
			if err := open.Validate(value); err == nil {
				t.Error("it passes")
			}
		})
	}
}
