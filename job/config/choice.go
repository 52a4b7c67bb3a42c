package config

import (
	"fmt"
	"slices"
	"strings"
)

// EngineKind names an engine.
type EngineKind string

// The engines.
const (
	Embedded EngineKind = "embedded"
	SparkSQL EngineKind = "sparksql" // the team's own Spark, by spark-sql
	Connect  EngineKind = "connect"  // the team's own Spark, by a Spark Connect server
	Script   EngineKind = "script"   // a person, by the night's script
)

// Dialect names the product that a script is for.
type Dialect string

// The dialects of scripts.
const (
	SparkDelta Dialect = "spark-delta"
	Databricks Dialect = "databricks"
	Fabric     Dialect = "fabric"
)

// Address is how statements name a table.
type Address string

// The ways to name a table: through the catalog, or by its location, which needs no catalog.
const (
	ByName Address = "name"
	ByPath Address = "path"
)

// CatalogKind is how a catalog is spoken with.
type CatalogKind string

// The kinds of catalogs: of the protocol of Iceberg's REST catalogs, Hive Metastores by Thrift, AWS
// Glue, and Unity Catalogs by their REST interface.
const (
	IcebergREST CatalogKind = "iceberg_rest"
	Hive        CatalogKind = "hive"
	Glue        CatalogKind = "glue"
	Unity       CatalogKind = "unity"
)

// Commit is how commits to Delta tables on S3 are made safe (rule 4).
type Commit string

// The ways to commit on S3: not at all; all writers put on condition; ajlo is the only writer;
// through Delta's DynamoDB log store; through a catalog.
const (
	NoCommit    Commit = "none"
	Conditional Commit = "conditional"
	Exclusive   Commit = "exclusive"
	DynamoDB    Commit = "dynamodb"
	ByCatalog   Commit = "catalog"
)

// FirstSeen is what an edge does that the reference window did not have: trigger a rekey by
// itself, or only weigh in the mean.
type FirstSeen string

// The two ways with a first-seen edge.
const (
	Trigger FirstSeen = "trigger"
	Weigh   FirstSeen = "weigh"
)

// Estimator is how saved bytes are foretold.
type Estimator string

// The estimators: by the queries' own predicates on samples, or by the constant of the AJLO
// paper.
const (
	WhatIf   Estimator = "what_if"
	Constant Estimator = "constant"
)

// Sample is what a layout is weighed on.
type Sample string

// The samples: rows that are read from the tables, or the bounds of their files alone, where
// data may not be read.
const (
	SampleRows   Sample = "rows"
	SampleBounds Sample = "bounds"
)

// Choice is how layouts are chosen across tables.
type Choice string

// The ways to choose: exactly, or by the greedy of the AJLO paper.
const (
	Exact  Choice = "exact"
	Greedy Choice = "greedy"
)

// Approval is whether a person has to approve what a night would change.
type Approval string

// The approvals: none is asked for, or a run ends as a dry run and its plan waits for apply
// with a person's leave.
const (
	NoApproval       Approval = "none"
	ApprovalRequired Approval = "required"
)

// oneOf reads a value that has to be one of the choices.
func oneOf[T ~string](choices ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		if !slices.Contains(choices, T(text)) {
			return "", fmt.Errorf("%q is not known: want %s", text, either(choices))
		}
		return T(text), nil
	}
}

func either[T ~string](choices []T) string {
	texts := make([]string, len(choices))
	for i, c := range choices {
		texts[i] = string(c)
	}
	return strings.Join(texts, " or ")
}
