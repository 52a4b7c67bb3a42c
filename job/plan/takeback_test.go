package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/predicate"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// A step goes back by its files where those can come back, else by its keys of before where it
// had any and the budget holds it, else not at all, with every reason.
func TestTakeBack(t *testing.T) {
	given, before := layout.ClusteredBy(layout.Hilbert, "a", "b"), layout.ClusteredBy(layout.ZOrder, "a")
	now := lake.Snapshot{
		Table: "db.t", Location: "/l", Format: lake.Delta, Version: 9, Owner: "us", Layout: given,
		Columns: []lake.Column{{Name: "a", Type: "long"}, {Name: "b", Type: "long"}},
		Files:   []lake.File{{Path: "x", Bytes: 5 * unit.MB, Rows: 5, Bounds: map[table.Column]prune.Bounds{"a": {Min: predicate.IntValue(1), Max: predicate.IntValue(5), Rows: 5}}}},
	}
	const closed = "rows were changed since"
	way := plan.Back{Version: 6, Files: 3, Replaced: 2, Until: time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC)}
	for _, tc := range []struct {
		name      string
		change    func(*plan.Plan, *plan.Undone, *plan.Settings)
		want      plan.Way
		reason    string
		statement string
	}{
		{"files", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Back, u.Closed = way, "" }, plan.PutBack,
			"3 files of version 6 come back in the place of 2", "RESTORE TABLE `db`.`t` TO VERSION AS OF 6;"},
		{"done", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Back, u.Closed = plan.Back{Done: true}, "" }, plan.BackDone, "are back already", ""},
		{"keys", func(*plan.Plan, *plan.Undone, *plan.Settings) {}, plan.ByKeys,
			"by its keys of before, zorder(a), and 5.00 MB are rewritten: the files of before cannot come back, since " + closed, "OPTIMIZE `db`.`t` ZORDER BY (`a`);"},
		{"keys on a clustered table", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) {
			u.Now.Protocol.WriterFeatures = []string{"clustering"}
		}, plan.ByKeys, "by its keys", "ALTER TABLE `db`.`t` CLUSTER BY (`a`);\nOPTIMIZE `db`.`t` FULL;"},
		{"no keys before", func(p *plan.Plan, _ *plan.Undone, _ *plan.Settings) { p.Tables[0].Current = layout.Unordered() }, plan.NoWay, closed + "; it had no keys to go by", ""},
		{"partitions without leave", func(p *plan.Plan, _ *plan.Undone, _ *plan.Settings) {
			p.Steps[0].Repartition, p.Tables[0].Current.Partition = true, []table.Column{"b"}
		}, plan.NoWay, "takes leave (allow: {repartition: true})", ""},
		{"partitions with leave", func(p *plan.Plan, _ *plan.Undone, s *plan.Settings) {
			p.Steps[0].Repartition, p.Tables[0].Current.Partition, s.Repartition = true, []table.Column{"b"}, true
		}, plan.ByKeys, "by its keys of before, partitioned(b) zorder(a)", "CREATE OR REPLACE TABLE `db`.`t` USING delta PARTITIONED BY (`b`) AS SELECT * FROM `db`.`t`;"},
		{"budget", func(_ *plan.Plan, _ *plan.Undone, s *plan.Settings) { s.Budget = unit.MB }, plan.NoWay, "the budget of 1.00 MB does not hold a rewrite of 5.00 MB", ""},
		{"others set keys", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) {
			u.Now.Layout = layout.ClusteredBy(layout.Hilbert, "b")
		}, plan.NoWay, "its keys are hilbert(b) by now", ""},
		{"others own the keys", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Now.Owner = "user" }, plan.NoWay, "which the run did not give it", ""},
		{"a key is gone", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Now.Columns = u.Now.Columns[1:] }, plan.NoWay, "its key a of before", ""},
		{"upkeep", func(p *plan.Plan, _ *plan.Undone, _ *plan.Settings) { p.Steps[0].Kind = plan.Upkeep }, plan.NoWay, "the step kept the keys", ""},
		{"cuts that are not known", func(p *plan.Plan, _ *plan.Undone, _ *plan.Settings) {
			p.Tables[0].Current.Order = layout.LearntCuts
		}, plan.NoWay, "the cut points of before are not known", ""},
		{"unreadable", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Unreadable = "no log" }, plan.NoWay, "it cannot be read: no log", ""},
		{"unsupported", func(_ *plan.Plan, u *plan.Undone, _ *plan.Settings) { u.Unsupported = []string{"a feature"} }, plan.NoWay, "the engine does not rewrite it: a feature", ""},
		{"not to be written", func(_ *plan.Plan, u *plan.Undone, s *plan.Settings) {
			u.Back, u.Closed = way, ""
			s.Writable = func(table.Name, table.Location) bool { return false }
		}, plan.NoWay, "it is not under write:", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plan.Plan{
				Tables: []plan.Table{{Table: "db.t", Location: "/l", Current: before}},
				Steps:  []plan.Step{{Table: "db.t", Location: "/l", Kind: plan.Rekey, Layout: given, TargetFile: unit.MB}},
			}
			u := plan.Undone{Closed: closed, Now: now}
			s := plan.Settings{Budget: unit.GB, Address: dialect.ByName, Writable: func(table.Name, table.Location) bool { return true }}
			tc.change(&p, &u, &s)
			got := plan.TakeBack(p, "r1", []plan.Undone{u}, s)[0]
			if got.Way != tc.want || !strings.Contains(got.Reason, tc.reason) || (got.Step != nil) != (tc.statement != "") {
				t.Fatalf("%s: %s", got.Way, got.Reason)
			}
			if got.Step == nil {
				return
			}
			if diff := cmp.Diff(tc.statement, got.Step.Statement); diff != "" || got.Step.Kind != plan.Rollback || got.Step.Version != 9 {
				t.Errorf("%+v\n%s", got.Step, diff)
			}
			record := p.Rollback("r1", []plan.Return{got}, []plan.Undone{u}, s)
			if len(record.Steps) != 1 || record.Steps[0].Reason != "takes back step 1 of run r1: "+got.Reason || record.Rewrite != got.Step.Expected.Rewrite {
				t.Errorf("%+v", record.Steps)
			}
		})
	}
}
