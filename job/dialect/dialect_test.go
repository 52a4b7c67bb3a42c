package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/layout"
	"ajlo/job/table"
)

func TestRekey(t *testing.T) {
	orders := dialect.Target{Name: "tpch.orders", Location: "/lake/orders", Address: dialect.ByName}
	byPath := dialect.Target{Name: "tpch.orders", Location: "/lake/o`r", Address: dialect.ByPath}
	nasty := dialect.Target{Name: "db.t`; DROP TABLE x; --", Location: "/l", Address: dialect.ByName}
	keys := layout.ClusteredBy(layout.Hilbert, "o_orderkey", "o_orderdate")
	inParts := keys
	inParts.Partition = []table.Column{"p"}
	for _, tc := range []struct {
		name   string
		leave  dialect.ProtocolLeave
		target dialect.Target
		layout layout.Layout
		want   []string
	}{
		{"without leave the reversible way", dialect.KeepProtocol, orders, keys,
			[]string{"OPTIMIZE `tpch`.`orders` ZORDER BY (`o_orderkey`, `o_orderdate`);"}},
		{"with leave old files are made to follow", dialect.RaiseProtocol, orders, keys,
			[]string{"ALTER TABLE `tpch`.`orders` CLUSTER BY (`o_orderkey`, `o_orderdate`);", "OPTIMIZE `tpch`.`orders` FULL;"}},
		{"a table with a stream gets no ALTER", dialect.RaiseProtocol, dialect.Target{Name: "t", Address: dialect.ByName, Streaming: true}, keys,
			[]string{"OPTIMIZE `t` ZORDER BY (`o_orderkey`, `o_orderdate`);"}},
		{"a partitioned table gets no ALTER", dialect.RaiseProtocol, orders, inParts,
			[]string{"OPTIMIZE `tpch`.`orders` ZORDER BY (`o_orderkey`, `o_orderdate`);"}},
		{"by path", dialect.KeepProtocol, byPath, keys,
			[]string{"OPTIMIZE delta.`/lake/o``r` ZORDER BY (`o_orderkey`, `o_orderdate`);"}},
		{"a name cannot become SQL", dialect.KeepProtocol, nasty, layout.ClusteredBy(layout.Sort, "a`b\nc"),
			[]string{"OPTIMIZE `db`.`t``; DROP TABLE x; --` ZORDER BY (`a``b\nc`);"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := dialect.SparkDelta{MayRaiseProtocol: tc.leave}.Rekey(tc.target, tc.layout)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUndoRewindsNoStream(t *testing.T) {
	quiet := dialect.SparkDelta{}.Undo(dialect.Target{Name: "t"}, 7)
	streaming := dialect.SparkDelta{}.Undo(dialect.Target{Name: "t", Streaming: true}, 7)
	if !strings.HasPrefix(quiet, "RESTORE TABLE") || !strings.HasPrefix(streaming, "--") {
		t.Errorf("undo is %q, with a stream %q", quiet, streaming)
	}
}

func TestTableKnownByPlaceOnlyIsNamedByIt(t *testing.T) {
	target := dialect.Target{Name: table.Name("/lake/x"), Location: "/mnt/x", Address: dialect.ByName}
	if got := target.SQL(); got != "delta.`/mnt/x`" {
		t.Errorf("SQL = %s", got)
	}
}

func TestCommentLineHasNoLineEnd(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		if got := dialect.CommentLine("a" + end + "DROP TABLE x"); strings.ContainsAny(got, "\n\r\v\f\u0085\u2028\u2029") {
			t.Errorf("%q is left in %q", end, got)
		}
	}
}
