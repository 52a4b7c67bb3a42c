package script_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/script"
	"ajlo/job/table"
	"ajlo/job/unit"
	"ajlo/job/window"
)

var update = flag.Bool("update", false, "write the golden files anew")

// example is a plan of one step on a table of that name.
func example(engine string, name table.Name, leave dialect.ProtocolLeave) plan.Plan {
	target := dialect.Target{Name: name, Location: "/lake/t", Address: dialect.ByName}
	d := dialect.SparkDelta{MayRaiseProtocol: leave}
	keys := layout.ClusteredBy(layout.Hilbert, "a", "b")
	return plan.Plan{
		Window: window.Ending(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), 7*24*time.Hour),
		Engine: engine, Dialect: d.Name(), Trigger: "drift 0.31 from the plan in force", Budget: 20 * unit.GB,
		Rewrite: unit.GB, SavedBytesPerWindow: 3 * unit.GB, NPV: 20 * unit.GB, UpperBound: 20 * unit.GB,
		Steps: []plan.Step{{
			Table: name, Kind: plan.Rekey, Location: "/lake/t", Layout: keys, Version: 7,
			Statement: strings.Join(d.Rekey(target, keys), "\n"), Undo: d.Undo(target, 7),
			Reason:   "hilbert(a, b) reads 1 GB a window instead of 4 GB\nand this line must stay a comment",
			Expected: plan.Expected{Files: 16, Rewrite: unit.GB, ScannedBytesNow: 4 * unit.GB, ScannedBytesThen: unit.GB},
		}},
	}
}

// icebergExample is the same on a table of Iceberg, of which two days are closed.
func icebergExample(name table.Name) plan.Plan {
	p := example("sparksql", name, dialect.KeepProtocol)
	days := []layout.Period{{Column: "started", Type: "timestamp", From: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}}
	s := &p.Steps[0]
	target := dialect.Target{Name: name}
	s.Format, s.Periods, s.TargetFile, s.Layout = lake.Iceberg, days, unit.MiB, layout.ClusteredBy(layout.ZOrder, "a", "b")
	s.Statement = strings.Join(dialect.SparkIceberg{}.Rekey(target, s.Layout, dialect.Rewrite{TargetFile: int64(s.TargetFile), Within: days}), "\n")
	s.Undo = dialect.SparkIceberg{}.Undo(target, s.Version)
	return p
}

// onPlatform is the example in the words of a platform, for a person to run.
func onPlatform(f dialect.Flavour, address dialect.Address) plan.Plan {
	p := example("script", "sales.orders", dialect.RaiseProtocol)
	d := dialect.SparkDelta{Flavour: f, MayRaiseProtocol: dialect.RaiseProtocol}
	target := dialect.Target{Name: "sales.orders", Location: "abfss://lake/t", Address: address}
	p.Dialect = d.Name()
	p.Steps[0].Statement, p.Steps[0].Undo = strings.Join(d.Rekey(target, p.Steps[0].Layout), "\n"), d.Undo(target, 7)
	return p
}

func TestWrite(t *testing.T) {
	for _, tc := range []struct {
		name string
		plan plan.Plan
	}{
		// The embedded engine runs no SQL: a script for it is comments to the last line.
		{"embedded", example("embedded", "sales.orders", dialect.KeepProtocol)},
		// Without leave to raise the protocol, ZORDER BY.
		{"spark", example("sparksql", "sales.orders", dialect.KeepProtocol)},
		// With leave, keys are declared and old files made to follow.
		{"spark-clustered", example("sparksql", "sales.orders", dialect.RaiseProtocol)},
		// A table's name stays a name.
		{"hostile-name", example("sparksql", "sales.o`; DROP TABLE x; --", dialect.KeepProtocol)},
		// Closed partitions alone, stamped, with a way back that has an end.
		{"iceberg", icebergExample("lake.tele.calls")},
		// Platforms renew statistics and have a setting by which MERGE keeps an order.
		{"databricks", onPlatform(dialect.Databricks, dialect.ByName)},
		{"databricks-by-path", onPlatform(dialect.Databricks, dialect.ByPath)},
		{"fabric", onPlatform(dialect.Fabric, dialect.ByPath)},
		{"nothing", plan.Plan{Engine: "embedded", Dialect: dialect.SparkDelta{}.Name(), Trigger: "no drift"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := script.Write(tc.plan, strings.Repeat("ab", 32))
			golden := "testdata/" + tc.name + ".sql"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
			if again := script.Write(tc.plan, strings.Repeat("ab", 32)); again != got {
				t.Error("the same plan gives another script")
			}
		})
	}
}

func TestEmbeddedScriptRunsNothing(t *testing.T) {
	text := script.Write(example("embedded", "sales.o\n DROP TABLE x", dialect.RaiseProtocol), "h")
	for line := range strings.Lines(text) {
		if line != "\n" && !strings.HasPrefix(line, "--") {
			t.Errorf("line %q is no comment", line)
		}
	}
}
