package dialect_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/layout"
)

func days(from, to int) layout.Period {
	return layout.Period{
		Column: "started", Type: "timestamp",
		From: time.Date(2026, 11, from, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, to, 0, 0, 0, 0, time.UTC),
	}
}

func TestIcebergStatements(t *testing.T) {
	calls := dialect.Target{Name: "lake.tele.calls", Location: "/lake/tele/calls", Address: dialect.ByPath}
	both := layout.ClusteredBy(layout.ZOrder, "from_number", "to_number")
	dated := days(28, 30)
	dated.Type = "date"
	local := days(28, 30)
	local.Type = "timestamp_ntz"
	for _, tc := range []struct {
		name string
		got  []string
		want []string
	}{
		{"new keys for closed partitions", dialect.SparkIceberg{}.Rekey(calls, both, dialect.Rewrite{TargetFile: 1 << 20, Within: []layout.Period{days(28, 30)}}), []string{
			`ALTER TABLE ` + "`lake`.`tele`.`calls`" + ` SET TBLPROPERTIES ('ajlo.layout' = '{"order":"zorder","clustering":["from_number","to_number"]}');`,
			"CALL `lake`.system.rewrite_data_files(table => '`tele`.`calls`', strategy => 'sort', sort_order => 'zorder(`from_number`, `to_number`)', " +
				"options => map('rewrite-all', 'true', 'target-file-size-bytes', '1048576'), " +
				`where => '(` + "`started` >= TIMESTAMP \\'2026-11-28 00:00:00Z\\' AND `started` < TIMESTAMP \\'2026-11-30 00:00:00Z\\'" + `)');`,
			"CALL `lake`.system.compute_table_stats(table => '`tele`.`calls`', columns => array('from_number', 'to_number'));",
		}},
		{"one key is a sort, of the whole table", []string{dialect.SparkIceberg{}.Upkeep(dialect.Target{Name: "tele.calls"}, layout.ClusteredBy(layout.Sort, "to_number"), dialect.Rewrite{TargetFile: 9})}, []string{
			"CALL `spark_catalog`.system.rewrite_data_files(table => '`tele`.`calls`', strategy => 'sort', sort_order => '`to_number`', options => map('rewrite-all', 'true', 'target-file-size-bytes', '9'));",
		}},
		{"periods by date and by local time", []string{dialect.SparkIceberg{}.Upkeep(calls, layout.ClusteredBy(layout.Sort, "a"), dialect.Rewrite{TargetFile: 9, Within: []layout.Period{dated, local}})}, []string{
			"CALL `lake`.system.rewrite_data_files(table => '`tele`.`calls`', strategy => 'sort', sort_order => '`a`', options => map('rewrite-all', 'true', 'target-file-size-bytes', '9'), " +
				"where => '(`started` >= DATE \\'2026-11-28\\' AND `started` < DATE \\'2026-11-30\\') OR " +
				"(`started` >= TIMESTAMP_NTZ \\'2026-11-28 00:00:00\\' AND `started` < TIMESTAMP_NTZ \\'2026-11-30 00:00:00\\')');",
		}},
		{"names stay names", []string{dialect.SparkIceberg{}.Upkeep(dialect.Target{Name: "la`ke.d'b.t\\\n; x"}, layout.ClusteredBy(layout.Sort, "a'`\n"), dialect.Rewrite{TargetFile: 9})}, []string{
			"CALL `la``ke`.system.rewrite_data_files(table => '`d\\'b`.`t\\\\\\n; x`', strategy => 'sort', sort_order => '`a\\'``\\n`', options => map('rewrite-all', 'true', 'target-file-size-bytes', '9'));",
		}},
		{"a name that spark-sql would cut is said as a literal", dialect.SparkIceberg{}.Rekey(dialect.Target{Name: "lake.tele.it's; x"}, layout.ClusteredBy(layout.Sort, "a"), dialect.Rewrite{TargetFile: 9})[:1], []string{
			"ALTER TABLE IDENTIFIER('`lake`.`tele`.`it\\'s; x`') SET TBLPROPERTIES ('ajlo.layout' = '{\"order\":\"sort\",\"clustering\":[\"a\"]}');",
		}},
		{"the way back", []string{dialect.SparkIceberg{}.Undo(calls, 42)}, []string{
			"CALL `lake`.system.rollback_to_snapshot(table => '`tele`.`calls`', snapshot_id => 42);",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
