package embedded_test

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

type quiet struct{}

func (quiet) Intend(context.Context, table.Location, []string) error { return nil }
func (quiet) Spend(unit.Bytes) error                                 { return nil }
func (quiet) Progress(_, _ unit.Bytes)                               {}
func (quiet) Stamp() execute.Stamp                                   { return execute.Stamp{Run: "bench"} }

// BenchmarkRewrite rewrites the table in AJLO_BENCH_TABLE once; scripts/bench-rewrite runs it.
func BenchmarkRewrite(b *testing.B) {
	dir := os.Getenv("AJLO_BENCH_TABLE")
	if dir == "" {
		b.Skip("AJLO_BENCH_TABLE names no table")
	}
	mb, err := strconv.Atoi(os.Getenv("AJLO_BENCH_MEMORY_MB"))
	if err != nil {
		b.Fatal(err)
	}
	memory := unit.Bytes(mb) * unit.MB
	debug.SetMemoryLimit(int64(memory / 20 * 17))
	store, err := object.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	s, err := lake.Open(b.Context(), store, "lineitem", table.Location(dir))
	if err != nil {
		b.Fatal(err)
	}
	step := plan.Step{
		Table: s.Table, Kind: plan.Rekey, Location: s.Location, Version: s.Version, SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared,
		Layout: layout.ClusteredBy(layout.ZOrder, "l_orderkey", "l_shipdate"), TargetFile: 16 * unit.MiB,
	}
	e := embedded.New(embedded.Options{Memory: memory, Version: "bench", NewID: uuid.NewString, Now: time.Now})
	for b.Loop() {
		if _, err := e.Apply(b.Context(), step, quiet{}); err != nil {
			b.Fatal(err)
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(usage.Maxrss)*1024/1e6, "peak-MB")
	b.ReportMetric(time.Duration(usage.Utime.Nano()+usage.Stime.Nano()).Seconds(), "cpu-s")
}
