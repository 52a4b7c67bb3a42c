//go:build s3

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ajlo/job"
	"ajlo/job/bucket/buckettest"
)

// Rule 4: how commits of a merge to S3 are made safe is said by the config, or by --commit, which
// goes before it. Spark wrote the table.
func TestMergeOnS3GoesByTheConfig(t *testing.T) {
	server := buckettest.Start(t)
	nation := must(filepath.Abs("../../testdata/spark40-delta/warehouse/tpch.db/nation"))(t)
	if err := os.CopyFS(filepath.Join(server.Folder, "lake", "nation"), os.DirFS(nation)); err != nil {
		t.Fatal(err)
	}
	// The source: the rows of the table, in the same bucket.
	rows := must(filepath.Glob(filepath.Join(nation, "*.parquet")))(t)
	if err := os.MkdirAll(filepath.Join(server.Folder, "feed"), 0o755); err != nil {
		t.Fatal(err)
	}
	plant(t, filepath.Join(server.Folder, "feed", "rows.parquet"), string(must(os.ReadFile(rows[0]))(t)))
	tests := []struct {
		name, commit, option string
		code                 job.ExitCode
		says                 string
	}{
		{"nothing said", "", "", job.ExitRefused, "commit: conditional or exclusive"},
		{"what ajlo cannot do", "commit: dynamodb\n", "", job.ExitRefused, "commit: dynamodb"},
		{"conditional, but Spark wrote to it", "commit: conditional\n", "", job.ExitRefused, "Apache-Spark/"},
		{"the option goes before the config", "commit: exclusive\n", "conditional", job.ExitRefused, "Apache-Spark/"},
		{"an option that there is not", "commit: exclusive\n", "dynamodb", job.ExitUsage, "want conditional or exclusive"},
		{"exclusive", "commit: exclusive\n", "", job.ExitDone, "merged    version "},
		{"exclusive by the option", "", "exclusive", job.ExitDone, "merged    nothing to do"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "ajlo.yaml")
			plant(t, config, "sources: [{logs: logs}]\nlake: {tables: [{name: shop.nation, location: 's3://lake/lake/nation'}]}\nwrite: [shop.nation]\nbudget: {rewrite: 50MB}\n"+tt.commit)
			args := []string{"merge", "-c", config, "--into", "shop.nation", "--source", "s3://lake/feed/rows.parquet", "--on", "n_nationkey", "--when-matched", "delete if s.n_regionkey = 1"}
			if tt.option != "" {
				args = append(args, "--commit", tt.option)
			}
			if got := ask(args...); got.code != tt.code || !strings.Contains(got.out+got.errs, tt.says) {
				t.Errorf("got %+v, want %d and %q", got, tt.code, tt.says)
			}
		})
	}
}
