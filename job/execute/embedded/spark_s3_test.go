//go:build s3

package embedded_test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/bucket/buckettest"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/sparktest"
)

// Rule 4: Spark's own commits on S3 have no condition. A table that it wrote is refused, and
// not a byte is written, unless the config says that ajlo is the only one who writes now.
func TestTableOfSparkOnS3IsRefused(t *testing.T) {
	server := buckettest.Start(t)
	spark := sparktest.Start(t, sparktest.Options{S3: server.Endpoint, Conf: map[string]string{
		"spark.driver.memory": "1g", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
		"spark.sql.shuffle.partitions": "2", "spark.databricks.delta.snapshotPartitions": "1",
	}})
	onS3A := "delta.`" + strings.Replace(server.Bucket, "s3:", "s3a:", 1) + "/items`"
	rows := "SELECT id, id * 7919 % 1000 AS k, 0L AS n FROM range"
	run(t, spark, "CREATE TABLE "+onS3A+" USING delta AS "+rows+"(0, 150, 1, 3)")
	run(t, spark, "INSERT INTO "+onS3A+" "+rows+"(150, 200, 1, 2)")
	url := server.Bucket + "/items"
	store := opened(t, url)
	step, err := stepOn(t.Context(), url, store, layout.ClusteredBy(layout.Sort, "k"))
	if err != nil {
		t.Fatal(err)
	}
	before := hashes(t, server.Folder)
	for _, tt := range []struct {
		commit config.Commit
		want   string
	}{
		{config.NoCommit, "commit: conditional or exclusive"},
		{config.DynamoDB, "commit: dynamodb"},
		{config.Conditional, "Apache-Spark/" + spark.Version},
	} {
		_, err := engineWith(tt.commit).Apply(t.Context(), step, allowing{})
		var refusal *execute.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("commit: %s: got %v, want a refusal that names %q", tt.commit, err, tt.want)
		}
	}
	if diff := cmp.Diff(before, hashes(t, server.Folder)); diff != "" {
		t.Errorf("the refused table changed (-before +after):\n%s", diff)
	}
	if r, err := engineWith(config.Exclusive).Apply(t.Context(), step, allowing{}); err != nil || !r.Changed {
		t.Errorf("exclusive: %+v, %v", r, err)
	}
	if diff := cmp.Diff([][]any{}, run(t, spark, "SELECT * FROM "+onS3A+" EXCEPT ALL SELECT * FROM "+onS3A+" VERSION AS OF 1").Rows); diff != "" {
		t.Errorf("rows that Spark reads through S3A and did not before:\n%s", diff)
	}
	checkRows(t, url, numbered(0, 200), 0)
}

func run(t *testing.T, spark *sparktest.Spark, statement string) sparktest.Rows {
	t.Helper()
	rows, err := spark.SQL(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return rows
}

// hashes are the contents of every file below a folder.
func hashes(t *testing.T, folder string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = sha256.Sum256(data)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d objects, error %v", len(all), err)
	}
	return all
}
