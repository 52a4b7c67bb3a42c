//go:build spark

package job

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/config"
	"ajlo/job/fact"
	"ajlo/job/object"
	"ajlo/job/sparktest"
	"ajlo/job/table"
	"ajlo/job/window"
)

// rows are the counts of a write that its statement foretells; −1 is what the history does not
// have.
type rows struct{ written, copied, inserted, updated, deleted, marked int64 }

// writing is a statement and what the table's history has to say of it.
type writing struct {
	sql  string
	want rows
}

// Statements over a table of a thousand rows in one file: copy on write, and marking rows.
var (
	copying = []writing{
		{"insert into d.t select id, id % 10 from range(1000)", rows{1000, -1, -1, -1, -1, 0}},
		{"update d.t set v = 99 where k < 10", rows{1000, 990, -1, 10, -1, 0}},
		{"delete from d.t where k between 20 and 29", rows{990, 990, -1, -1, 10, 0}},
		{"merge into d.t using (select id from range(995, 1005)) s on t.k = s.id when matched then update set v = 7 when not matched then insert (k, v) values (id, 8)",
			rows{995, 985, 5, 5, 0, 0}},
		{"insert overwrite d.t select id, 1 from range(100)", rows{100, -1, -1, -1, -1, 0}},
		{"create or replace table d.t using delta as select id k, 2 v from range(50)", rows{50, -1, -1, -1, -1, 0}},
	}
	marking = []writing{
		{"insert into d.m select id, id % 10 from range(1000)", rows{1000, -1, -1, -1, -1, 0}},
		{"delete from d.m where k between 20 and 29", rows{0, 0, -1, -1, 10, 1}},
		{"update d.m set v = 99 where k < 10", rows{10, 0, -1, 10, -1, 1}},
	}
	summing = []writing{
		{"insert into lake.d.t select id, id % 10 from range(1000)", rows{1000, -1, -1, -1, -1, 0}},
		{"update lake.d.t set v = 99 where k < 10", rows{1000, -1, -1, -1, -1, 0}},
		{"delete from lake.d.t where k between 20 and 29", rows{990, -1, -1, -1, -1, 0}},
		{"merge into lake.d.t using (select id from range(995, 1005)) s on t.k = s.id when matched then update set v = 7 when not matched then insert (k, v) values (id, 8)",
			rows{995, -1, -1, -1, -1, 0}},
		{"insert into lake.d.m select id, id % 10 from range(1000)", rows{1000, -1, -1, -1, -1, 0}},
		{"delete from lake.d.m where k between 20 and 29", rows{0, -1, -1, -1, -1, 1}},
	}
)

// What Spark writes is told by the tables' own histories, each statement by its own commit.
func TestSparkWritesAreTold(t *testing.T) {
	tests := []struct {
		name   string
		engine sparktest.Engine
		tables []string
		do     []writing
	}{
		{"delta", "", []string{
			"create table d.t (k bigint, v bigint) using delta",
			"create table d.m (k bigint, v bigint) using delta tblproperties ('delta.enableDeletionVectors' = 'true')",
		}, append(copying, marking...)},
		{"iceberg", sparktest.Iceberg, []string{
			"create table lake.d.t (k bigint, v bigint) using iceberg",
			"create table lake.d.m (k bigint, v bigint) using iceberg tblproperties ('write.delete.mode' = 'merge-on-read')",
		}, summing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			run(t, tt.engine, dir, tt.tables, tt.do)
			var want, got []rows
			for _, w := range tt.do {
				want = append(want, w.want)
			}
			for _, q := range toldOf(t, dir).Queries {
				for _, w := range q.Writes {
					got = append(got, rowsOf(t, w))
				}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(rows{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// run has a Spark do statements on new tables below dir/warehouse, and stops it.
func run(t *testing.T, engine sparktest.Engine, dir string, tables []string, do []writing) {
	t.Helper()
	t.Run("spark", func(t *testing.T) {
		logs, warehouse := filepath.Join(dir, "logs"), filepath.Join(dir, "warehouse")
		if err := os.MkdirAll(logs, 0o700); err != nil {
			t.Fatal(err)
		}
		conf := map[string]string{"spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1"}
		if engine == sparktest.Iceberg {
			conf["spark.sql.catalog.lake"], conf["spark.sql.catalog.lake.type"] = "org.apache.iceberg.spark.SparkCatalog", "hadoop"
			conf["spark.sql.catalog.lake.warehouse"] = warehouse
			conf["spark.sql.extensions"] = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
			conf["spark.sql.catalog.spark_catalog"] = "org.apache.iceberg.spark.SparkSessionCatalog"
		}
		spark := sparktest.Start(t, sparktest.Options{Engine: engine, EventLogDir: logs, Warehouse: warehouse, Conf: conf})
		statements := append([]string{"create database d"}, tables...)
		if engine == sparktest.Iceberg {
			statements[0] = "create database lake.d"
		}
		for _, w := range do {
			statements = append(statements, w.sql)
		}
		for _, sql := range statements {
			if _, err := spark.SQL(context.Background(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	})
}

// toldOf observes the logs below a folder, with the tables below it.
func toldOf(t *testing.T, dir string) Observed {
	t.Helper()
	warehouse := filepath.Join(dir, "warehouse")
	o := Observer{Sources: []config.Source{{Logs: filepath.Join(dir, "logs")}}, Log: slog.New(slog.DiscardHandler), Histories: &Histories{
		Config: config.Config{Lake: config.Lake{Roots: []string{warehouse}, Tables: []config.Table{
			{Name: "lake.d.t", Location: table.Location(filepath.Join(warehouse, "d", "t"))},
			{Name: "lake.d.m", Location: table.Location(filepath.Join(warehouse, "d", "m"))},
		}}}, Open: object.Open, Log: slog.New(slog.DiscardHandler),
	}}
	observed, err := o.Observe(context.Background(), window.Window{Start: time.Unix(0, 0), End: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return observed
}

func rowsOf(t *testing.T, w fact.Write) rows {
	t.Helper()
	if w.Touched == nil {
		t.Errorf("%s of %s at %q is not told", w.Operation, w.Table, w.Location)
		return rows{}
	}
	of := func(n *int64) int64 {
		if n == nil {
			return -1
		}
		return *n
	}
	c := w.Touched
	return rows{of(c.RowsWritten), of(c.RowsCopied), of(c.RowsInserted), of(c.RowsUpdated), of(c.RowsDeleted), c.FilesMarked}
}
