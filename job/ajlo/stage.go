package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/google/uuid"

	"ajlo/job"
	"ajlo/job/bucket"
	"ajlo/job/config"
	"ajlo/job/dialect"
	"ajlo/job/execute"
	"ajlo/job/object"
	"ajlo/job/table"
)

// stagedConf are the settings that Spark writes staged rows with: times as their type says, dates as
// they are.
var stagedConf = map[string]string{
	"spark.sql.parquet.outputTimestampType":       "TIMESTAMP_MICROS",
	"spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}

// stage has the config's Spark write the rows of a query for a table as Parquet files into a folder of
// their own below the given one, which drop takes away; also after an error.
func stage(ctx context.Context, c config.Config, into table.Name, query, below string) (folder string, drop func(context.Context) error, err error) {
	spark, err := sparkOf(c)
	query = oneQuery(query)
	switch {
	case err != nil:
		return "", nil, err
	case spark == nil:
		return "", nil, &job.UsageError{Text: "--source-sql wants a --config whose engine is sparksql or connect, which runs the query"}
	case below == "":
		return "", nil, &job.UsageError{Text: "--source-sql wants --stage, a folder that Spark and ajlo reach, for the query's rows"}
	case query == "" || strings.Contains(query, ";"):
		return "", nil, &job.UsageError{Text: "--source-sql wants one query, without a semicolon in it"}
	}
	if err := spark.Ready(); err != nil {
		return "", nil, &execute.Refusal{Table: into, Reason: err.Error()}
	}
	folder = strings.TrimRight(below, "/") + "/ajlo-merge-" + uuid.NewString()
	drop = func(ctx context.Context) error { return dropStaged(ctx, folder) }
	if c.Engine.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, c.Engine.TimeLimit)
		defer stop()
	}
	statement := fmt.Sprintf("INSERT OVERWRITE DIRECTORY %s USING parquet\n%s;", dialect.Literal(folder), query)
	if _, err := spark.Run(ctx, statement, stagedConf); err != nil {
		return folder, drop, fmt.Errorf("stage the rows of --source-sql: %w", err)
	}
	return folder, drop, nil
}

// oneQuery is a query without the end of a statement.
func oneQuery(text string) string { return strings.TrimRight(strings.TrimSpace(text), "; \n\t") }

// dropStaged takes staged files away. Of a local folder nothing stays.
func dropStaged(ctx context.Context, folder string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("staged rows stay in %s: %w", folder, err)
		}
	}()
	if object.IsLocal(folder) {
		return os.RemoveAll(strings.TrimPrefix(folder, "file://"))
	}
	store, err := bucket.Open(folder)
	if err != nil {
		return err
	}
	var all error
	for info, err := range store.List(ctx, "", "") {
		if err != nil {
			return errors.Join(all, err)
		}
		all = errors.Join(all, store.Delete(ctx, info.Key))
	}
	return all
}
