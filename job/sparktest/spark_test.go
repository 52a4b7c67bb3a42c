//go:build spark

package sparktest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// content is what a Delta log says of a table's live files.
type content struct {
	Files int64
	Bytes unit.Bytes
	Rows  int64
}

// logged replays the JSON commits of a table in a few lines of its own, so that nothing of
// ajlo stands between the log and Spark.
func logged(t *testing.T, location string) content {
	t.Helper()
	commits, err := filepath.Glob(filepath.Join(location, "_delta_log", "*.json"))
	if err != nil || len(commits) == 0 {
		t.Fatalf("no commits in %s: %v", location, err)
	}
	live := map[string]content{}
	for _, commit := range slices.Sorted(slices.Values(commits)) {
		replay(t, commit, live)
	}
	total := content{}
	for _, c := range live {
		total = content{total.Files + 1, total.Bytes + c.Bytes, total.Rows + c.Rows}
	}
	return total
}

func replay(t *testing.T, commit string, live map[string]content) {
	t.Helper()
	f, err := os.Open(commit)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var action struct {
			Add *struct {
				Path  string
				Size  unit.Bytes
				Stats string
			}
			Remove *struct{ Path string }
		}
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil {
			t.Fatal(err)
		}
		if action.Remove != nil {
			delete(live, action.Remove.Path)
		}
		if action.Add != nil {
			var stats struct{ NumRecords int64 }
			if err := json.Unmarshal([]byte(action.Add.Stats), &stats); err != nil {
				t.Fatal(err)
			}
			live[action.Add.Path] = content{Bytes: action.Add.Size, Rows: stats.NumRecords}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// One session serves these tests: starting it takes longer than most of them.
func TestSpark(t *testing.T) {
	out := t.TempDir()
	CopyTables(t, out)
	s := Start(t, Options{})
	tests := []struct {
		name string
		run  func(t *testing.T, s *Spark, out string)
	}{
		{"reads the tables", readsTheTables},
		{"sees each scan", seesEachScan},
		{"keeps the class of errors", keepsErrorClass},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, s, out) })
	}
}

func readsTheTables(t *testing.T, s *Spark, out string) {
	tables, err := filepath.Glob(filepath.Join(out, "warehouse", "tpch.db", "*"))
	if err != nil || len(tables) != 9 {
		t.Fatalf("tables %v, error %v: want 9", tables, err)
	}
	for _, location := range tables {
		t.Run(filepath.Base(location), func(t *testing.T) {
			want := logged(t, location)
			rows, err := s.SQL(t.Context(), fmt.Sprintf("select count(*) from delta.`%s`", location))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([][]any{{json.Number(strconv.FormatInt(want.Rows, 10))}}, rows.Rows); d != "" {
				t.Errorf("rows (-log +Spark):\n%s", d)
			}
			// A count is answered from the log; reading a column takes the files. max() of a
			// computed value is not answered from statistics.
			column := firstColumn(t, s, location)
			scans, err := s.FilesRead(t.Context(), fmt.Sprintf("select max(hash(`%s`)) from delta.`%s`", column, location))
			if err != nil {
				t.Fatal(err)
			}
			whole := []ScanRead{{Table: "", Location: table.Location(location), Files: want.Files, Bytes: want.Bytes, Rows: want.Rows}}
			if d := cmp.Diff(whole, unnamed(scans)); d != "" {
				t.Errorf("scan of everything (-log +Spark):\n%s", d)
			}
		})
	}
}

func firstColumn(t *testing.T, s *Spark, location string) string {
	t.Helper()
	rows, err := s.SQL(t.Context(), fmt.Sprintf("select * from delta.`%s` limit 0", location))
	if err != nil {
		t.Fatal(err)
	}
	return rows.Columns[0]
}

// unnamed drops the name under which Spark's catalog knows a path table.
func unnamed(scans []ScanRead) []ScanRead {
	for i := range scans {
		scans[i].Table = ""
	}
	return scans
}

// Both sides of a join and a subquery are found, and a filter on a column that files are
// ordered by reads part of them.
func seesEachScan(t *testing.T, s *Spark, out string) {
	at := func(name string) string { return filepath.Join(out, "warehouse", "tpch.db", name) }
	sql := fmt.Sprintf("select count(*) from delta.`%s` join delta.`%s` on o_orderkey = l_orderkey "+
		"where l_shipdate between date'1995-03-01' and date'1995-03-31' "+
		"and o_totalprice > (select avg(c_acctbal) from delta.`%s`)", at("orders"), at("lineitem"), at("customer"))
	scans, err := s.FilesRead(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int64{}
	for _, scan := range scans {
		files[filepath.Base(string(scan.Location))] += scan.Files
	}
	orders, lineitem, customer := logged(t, at("orders")), logged(t, at("lineitem")), logged(t, at("customer"))
	if d := cmp.Diff([]string{"customer", "lineitem", "orders"}, slices.Sorted(maps.Keys(files))); d != "" {
		t.Fatalf("scans (-want +got):\n%s", d)
	}
	if files["orders"] != orders.Files || files["customer"] != customer.Files {
		t.Errorf("files read %v: orders has %d, customer %d, and nothing prunes them", files, orders.Files, customer.Files)
	}
	if files["lineitem"] < 1 || files["lineitem"] > lineitem.Files/8 {
		t.Errorf("%d of lineitem's %d files were read for one month of seven years", files["lineitem"], lineitem.Files)
	}
}

func keepsErrorClass(t *testing.T, s *Spark, _ string) {
	_, err := s.SQL(t.Context(), "select raise_error('boom')")
	fault, ok := errors.AsType[*Error](err)
	if !ok || !strings.Contains(fault.Message, "boom") || !strings.Contains(fault.Class, "SparkRuntimeException") {
		t.Errorf("error %#v: want Spark's own with its class", err)
	}
	rows, err := s.SQL(t.Context(), "select 9007199254740993 as big, cast('1.50' as decimal(5,2)) as price, date'1995-03-01' as day, null as nothing")
	if err != nil {
		t.Fatal(err)
	}
	want := Rows{
		Columns: []string{"big", "price", "day", "nothing"},
		Rows:    [][]any{{json.Number("9007199254740993"), "1.50", "1995-03-01", nil}},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("rows after an error (-want +got):\n%s", d)
	}
}

// A workload leaves one complete log with the labelled queries, as often as asked for.
func TestWorkloadLogsWhatWasAsked(t *testing.T) {
	out := t.TempDir()
	CopyTables(t, out)
	err := Workload(t.Context(), t, Work{
		Out: out, Reps: map[string]int{"*": 0, "Q09": 2, "J20": 1}, Part: QueriesOnly,
		Conf: map[string]string{"spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false"},
	})
	if err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(out, "eventlogs", "local-*"))
	if err != nil || len(logs) != 1 || strings.HasSuffix(logs[0], ".inprogress") {
		t.Fatalf("logs %v, error %v: want one that is complete", logs, err)
	}
	if d := cmp.Diff(map[string]int{"Q09": 2, "J20": 1}, labelled(t, logs[0])); d != "" {
		t.Errorf("labelled queries (-want +got):\n%s", d)
	}
}

func labelled(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	labels := map[string]int{}
	for lines.Scan() {
		var e struct {
			Event       string
			Execution   int64  `json:"executionId"`
			Root        int64  `json:"rootExecutionId"`
			Description string `json:"description"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		label, _, _ := strings.Cut(e.Description, " ")
		if strings.HasSuffix(e.Event, "SQLExecutionStart") && e.Root == e.Execution && len(label) == 3 && label != "sql" {
			labels[label]++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return labels
}
