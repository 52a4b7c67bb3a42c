//go:build s3

package embedded_test

import (
	"errors"
	"fmt"
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
	tests := []struct {
		name   string
		commit config.Commit
		writer string // that wrote to it, too
		want   string
	}{
		{"nothing said", config.NoCommit, "", "commit: conditional or exclusive"},
		{"an engine made without it", "", "", "commit: conditional or exclusive"},
		{"what the engine cannot do", config.DynamoDB, "", "commit: dynamodb"},
		{"conditional, and one wrote that is not known", config.Conditional, "Kernel-4.0.1/flink", "Kernel-4.0.1/flink"},
		{"conditional, and Spark wrote to it", config.Conditional, "Apache-Spark/4.0.2 Delta-Lake/4.0.1", "Apache-Spark/4.0.2"},
	}
	version := 0
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.writer != "" {
				version++
				commit := fmt.Sprintf(`{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{},"engineInfo":%q}}`+"\n", tt.writer)
				if err := store.PutIfAbsent(t.Context(), fmt.Sprintf("_delta_log/%020d.json", version), []byte(commit)); err != nil {
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
