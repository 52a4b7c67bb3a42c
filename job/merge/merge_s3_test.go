//go:build s3

package merge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/bucket"
	"ajlo/job/bucket/buckettest"
	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/job/merge"
	"ajlo/job/table"
	"ajlo/job/unit"
)

var openFolder = bucket.Open

// bucketOf starts a server and gives places in its bucket, each a folder of its own. What the server
// keeps lies on this disk, where tables are made and the independent reader reads them; whatever others
// commit there later has to go through the server.
func bucketOf(t *testing.T) (place, buckettest.Server) {
	server, places := buckettest.Start(t), 0
	return func(*testing.T) (string, table.Location) {
		places++
		name := fmt.Sprintf("%d/t", places)
		return filepath.Join(server.Folder, name), table.Location(server.Bucket + "/" + name)
	}, server
}

// onCondition are options for tables on S3.
func onCondition() merge.Options {
	o := options()
	o.Commit = config.Conditional
	return o
}

// s3Cases is how many merges are held against the model on S3.
func s3Cases() int {
	if os.Getenv("AJLO_SOAK") != "" {
		return 300
	}
	return 20
}

// Merges on S3 give the rows of the model, and leave nothing beside the table; the source is in the
// bucket, too.
func TestMergeOnS3GivesTheRowsOfTheModel(t *testing.T) {
	server := buckettest.Start(t)
	for i := range s3Cases() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			name := fmt.Sprintf("case %d", i)
			dir := filepath.Join(server.Folder, name)
			must(t, os.Mkdir(dir, 0o755))
			c := rapid.Custom(func(t *rapid.T) aCase { return drawCase(t, dir) }).Example(i)
			inBucket := func(path string) string { return server.Bucket + strings.TrimPrefix(path, server.Folder) }
			c.request.Location, c.request.Source = table.Location(inBucket(c.dir)), inBucket(c.request.Source)
			o := onCondition()
			o.TargetFile = []unit.Bytes{1 << 10, 64 << 20}[i%2]
			c.isAsTheModel(t, o)
		})
	}
}

// s3Kills is how many moments a merge on S3 is killed at.
func s3Kills() int {
	if os.Getenv("AJLO_SOAK") != "" {
		return 300
	}
	return 8
}

func TestKilledMergesOnS3(t *testing.T) {
	place, _ := bucketOf(t)
	killedMerges(t, place, s3Kills())
}

func TestOthersWriteMeanwhileOnS3(t *testing.T) {
	place, _ := bucketOf(t)
	othersWriteMeanwhile(t, place)
}

// racing is how many merges each of two makes: the other cannot make one of them lose as often as a
// merge is tried.
const racing = 4

// Two that merge into the same files at once lose nothing of each other's.
func TestMergesRaceOnS3(t *testing.T) {
	place, _ := bucketOf(t)
	dir, at := place(t)
	boundedTable(t, dir)
	want := numbered(0, 300)
	sources := [2][racing]string{}
	for who := range sources {
		for i := range racing {
			source := slices.Concat(numbered(30*i+10*who, 10), numbered(300+20*i+10*who, 10))
			for k := range source {
				source[k].Amount = p(int64(-1 - who))
			}
			copy(want[30*i+10*who:], source[:10])
			want = append(want, source[10:]...)
			sources[who][i] = writeSource(t, t.TempDir(), asParquet, source)
		}
	}
	versions := [2][]int64{}
	var both sync.WaitGroup
	for who := range sources {
		both.Go(func() {
			for _, source := range sources[who] {
				got, err := merge.New(onCondition()).Apply(t.Context(), victimRequest(at, source))
				if err != nil {
					t.Errorf("merge of %d: %v", who, err)
				}
				versions[who] = append(versions[who], got.Version)
			}
		})
	}
	both.Wait()
	if diff := differences(textsOf(t, made{}, want), rowsOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got := slices.Sorted(slices.Values(slices.Concat(versions[0], versions[1]))); !slices.Equal(got, []int64{2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("versions %v", got)
	}
	noStrays(t, dir)
}

// Rule 4: a merge asks for what makes commits on S3 safe as the engine does, before it writes anything.
func TestMergesOnS3AreRefused(t *testing.T) {
	place, server := bucketOf(t)
	tests := []struct {
		name   string
		commit config.Commit
		writer string // of the table's first version
		want   string
	}{
		{"nothing said", config.NoCommit, "", "commit: conditional or exclusive"},
		{"a merger made without it", "", "", "commit: conditional or exclusive"},
		{"what ajlo cannot do", config.DynamoDB, "", "commit: dynamodb"},
		{"by a catalog", config.ByCatalog, "", "commit: catalog"},
		{"conditional, and Spark wrote to it", config.Conditional, "Apache-Spark/4.0.2 Delta-Lake/4.0.1", "Apache-Spark/4.0.2"},
		{"exclusive, and Spark wrote to it", config.Exclusive, "Apache-Spark/4.0.2 Delta-Lake/4.0.1", ""},
		{"conditional, and delta-rs wrote to it", config.Conditional, "delta-rs:py-1.6.6", ""},
	}
	source := writeSource(t, t.TempDir(), asParquet, numbered(290, 20))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, at := place(t)
			boundedTable(t, dir)
			if tt.writer != "" {
				store, err := openFolder(string(at))
				must(t, err)
				text := fmt.Sprintf(`{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{},"engineInfo":%q}}`+"\n", tt.writer)
				must(t, store.PutIfAbsent(t.Context(), "_delta_log/00000000000000000002.json", []byte(text)))
			}
			o := options()
			o.Commit = tt.commit
			isRefused(t, o, dir, victimRequest(at, source), tt.want)
		})
	}
	t.Run("the server ignores conditions", func(t *testing.T) {
		dir, at := place(t)
		boundedTable(t, dir)
		buckettest.Forgetful(t, server)
		isRefused(t, onCondition(), dir, victimRequest(at, source), "ignores the condition (If-None-Match)")
	})
}

// isRefused merges, which is refused with the given text and changes nothing, or goes well where
// it is empty.
func isRefused(t *testing.T, o merge.Options, dir string, r merge.Request, want string) {
	t.Helper()
	before := contents(t, dir)
	got, err := merge.New(o).Apply(t.Context(), r)
	if want == "" {
		if err != nil || !got.Changed {
			t.Errorf("%+v, %v", got, err)
		}
		return
	}
	var refused *execute.Refusal
	if !errors.As(err, &refused) || !strings.Contains(refused.Error(), want) {
		t.Errorf("got %v, want a refusal with %q", err, want)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}
