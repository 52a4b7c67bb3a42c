package job_test

import (
	"os"
	"strings"
	"testing"

	"ajlo/job/drift"
	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/lake"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// What is counted of joins with a filtered table equals what a real Spark read: three partitions
// of twelve, every file of the clustered table.
func TestRunTimeIsCountedAsSparkReads(t *testing.T) {
	const runtime = "../testdata/spark40-runtime/"
	fsys := os.DirFS(runtime + "eventlogs")
	applications, err := eventlog.Find(fsys, ".")
	if err != nil || len(applications) != 1 {
		t.Fatal(len(applications), err)
	}
	var account eventlog.Reading
	facts, err := fact.Extract(eventlog.Events(t.Context(), fsys, applications[0], &account))
	if err != nil {
		t.Fatal(err)
	}
	in := plan.Input{Trigger: drift.Trigger{Fired: true}, Queries: facts.Queries}
	for _, name := range []table.Name{"runtime.sales", "runtime.flat", "runtime.days"} {
		place := runtime + "warehouse/runtime.db/" + strings.TrimPrefix(string(name), "runtime.")
		store, err := object.OpenLocal(place)
		if err != nil {
			t.Fatal(err)
		}
		s, err := lake.Open(t.Context(), store, name, table.Location(place))
		if err != nil {
			t.Fatal(err)
		}
		one := plan.TableInput{Snapshot: s, Names: []table.Name{name}}
		columns, err := plan.Columns(one, in)
		if err != nil {
			t.Fatal(err)
		}
		if one.Sample, err = lake.Draw(t.Context(), store, s, columns, 1_000); err != nil {
			t.Fatal(err)
		}
		in.Tables = append(in.Tables, one)
	}
	reach, seen, pruned := plan.NewReach(in), 0, 0
	for _, q := range facts.Queries {
		for _, scan := range q.Scans {
			if q.Query[0] != 'R' || strings.HasPrefix(q.Query, "R08") || scan.Table == "runtime.days" {
				continue
			}
			at := in.Tables[0]
			if scan.Table == "runtime.flat" {
				at = in.Tables[1]
			}
			got, err := reach.ScannedBytes(at.Snapshot, at.Names, []fact.Query{q})
			if err != nil || got != scan.BytesRead {
				t.Errorf("%s: counted %s, Spark read %s in %d files, %v", q.Query, got, scan.BytesRead, scan.FilesRead, err)
			}
			seen, pruned = seen+1, pruned+len(scan.RunTime)
		}
	}
	if seen != 7 || pruned == 0 {
		t.Errorf("%d scans, %d pruned at run time", seen, pruned)
	}
}
