//go:build s3

package embedded_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ajlo/job/bucket/buckettest"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/layout"
)

// Rule 4: without a word on how commits are made safe nothing is written.
func TestTablesOnS3AreRefused(t *testing.T) {
	url, store := madeByDeltaRS(t, buckettest.Start(t).Bucket+"/items")
	byK := layout.ClusteredBy(layout.Sort, "k")
	spark := []byte(`{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{},"engineInfo":"Apache-Spark/4.0.2 Delta-Lake/4.0.1"}}` + "\n")
	tests := []struct {
		name   string
		commit config.Commit
		spark  bool // wrote to it, too
		want   string
	}{
		{"nothing said", config.NoCommit, false, "commit: conditional or exclusive"},
		{"an engine made without it", "", false, "commit: conditional or exclusive"},
		{"what the engine cannot do", config.DynamoDB, false, "commit: dynamodb"},
		{"conditional, and Spark wrote to it", config.Conditional, true, "Apache-Spark/4.0.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spark {
				if err := store.PutIfAbsent(t.Context(), "_delta_log/00000000000000000001.json", spark); err != nil {
					t.Fatal(err)
				}
			}
			before := objects(t, store, "")
			step, err := stepOn(t.Context(), url, store, byK)
			if err != nil {
				t.Fatal(err)
			}
			e := engineWith(tt.commit)
			_, applied := e.Apply(t.Context(), step, allowing{})
			for _, err := range []error{e.Check(t.Context(), step), applied} {
				var refusal *execute.Refusal
				if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a refusal that names %q", err, tt.want)
				}
			}
			if after := objects(t, store, ""); !slices.Equal(before, after) {
				t.Errorf("objects before %v, after %v", before, after)
			}
			reasons, err := e.Unsupported(t.Context(), step.Location)
			if err != nil || len(reasons) != 1 || !strings.Contains(reasons[0], tt.want) {
				t.Errorf("unsupported: %v, %v", reasons, err)
			}
		})
	}
	step, err := stepOn(t.Context(), url, store, byK)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := engineWith(config.Exclusive).Apply(t.Context(), step, allowing{}); err != nil || !r.Changed {
		t.Errorf("exclusive: %+v, %v", r, err)
	}
	checkRows(t, url, numbered(0, 200), 0)
}
