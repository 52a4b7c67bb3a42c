//go:build spark

package dialect_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/dialect"
	"ajlo/job/layout"
	"ajlo/job/sparktest"
	"ajlo/job/table"
)

// hostile are names that would end a statement, or a name, if they were not quoted.
var hostile = []string{"a", "a`b", "a.b", "a'b", `a"b`, "a\nb", "a; DROP TABLE x; --", "a /* b", "größe 表 🙂", "a\\", "select"}

// statementsOn are those of every template on a table and a column.
func statementsOn(name, column string) (list []string) {
	keys := layout.ClusteredBy(layout.Hilbert, table.Column(column), "other")
	inParts := keys
	inParts.Partition = []table.Column{"p"}
	for _, address := range []dialect.Address{dialect.ByName, dialect.ByPath} {
		t := dialect.Target{Name: table.Name("db." + strings.ReplaceAll(name, ".", "")), Location: table.Location("/lake/" + name), Address: address}
		for _, flavour := range []dialect.Flavour{dialect.OpenSource, dialect.Databricks, dialect.Fabric} {
			d := dialect.SparkDelta{Flavour: flavour, MayRaiseProtocol: dialect.RaiseProtocol}
			list = append(append(list, d.Rekey(t, keys)...), d.Rekey(t, inParts)...)
			list = append(list, d.Upkeep(t, keys), d.Upkeep(t, inParts), d.Undo(t, 7))
			if setting := d.Can().LowShuffle; setting != "" {
				list = append(list, "SET "+setting+"=true;")
			}
		}
		list = append(list, strings.Split(dialect.SparkDelta{}.Describe(t), ";\n")...)
	}
	return list
}

// Every statement of every template is one that Spark's own parser reads, whatever the names; but
// for what platforms alone know. Names stay names.
func TestSparkReadsEveryStatement(t *testing.T) {
	for _, e := range sparktest.Engines() {
		t.Run(e.String(), func(t *testing.T) { readsEveryStatement(t, e) })
	}
}

func readsEveryStatement(t *testing.T, e sparktest.Engine) {
	t.Helper()
	var statements, names []string
	var want [][]string
	for _, name := range hostile {
		statements = append(statements, statementsOn(name, name)...)
		target := dialect.Target{Name: "t", Location: table.Location("/lake/" + name), Address: dialect.ByPath}
		names, want = append(names, target.SQL(), dialect.Quote(name)), append(want, []string{"delta", "/lake/" + name}, []string{name})
	}
	for i, s := range statements {
		statements[i] = strings.TrimSuffix(s, ";")
	}
	found := parsed(t, sparktest.Options{Engine: e}, statements, names)
	for i, wrong := range found.Wrong {
		platforms := strings.HasSuffix(statements[i], "COMPUTE DELTA STATISTICS")
		if (wrong != "") != platforms {
			t.Errorf("%s: %s", statements[i], wrong)
		}
	}
	if diff := cmp.Diff(want, found.Names); diff != "" {
		t.Error(diff)
	}
}

type parses struct {
	Wrong []string   `json:"wrong"`
	Names [][]string `json:"names"`
}

func parsed(t *testing.T, o sparktest.Options, statements, names []string) (found parses) {
	t.Helper()
	program, err := filepath.Abs("testdata/parse.py")
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	called, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	if err := sparktest.Start(t, o).Run(t.Context(), &found, program, string(said), string(called)); err != nil {
		t.Fatal(err)
	}
	return found
}

// The same of Iceberg's procedures, whose names stand in literals.
func TestSparkWithIcebergReadsEveryStatement(t *testing.T) {
	var statements []string
	day := layout.Period{Column: "started", Type: "timestamp", From: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	for _, name := range hostile {
		target := dialect.Target{Name: table.Name("lake.db." + strings.ReplaceAll(name, ".", ""))}
		l, d := layout.ClusteredBy(layout.ZOrder, table.Column(name), "other"), dialect.SparkIceberg{}
		day.Column = table.Column(name)
		how := dialect.Rewrite{TargetFile: 9, Within: []layout.Period{day}}
		begin, end := d.Stamp(name, l)
		statements = append(append(statements, d.Rekey(target, l, how)...), d.Upkeep(target, l, how), d.Undo(target, 7), begin, end)
		statements = append(statements, strings.Split(d.Describe(target), ";\n")...)
	}
	for i, s := range statements {
		statements[i] = strings.TrimSuffix(s, ";")
	}
	for i, wrong := range parsed(t, sparktest.Options{Engine: sparktest.Iceberg}, statements, []string{}).Wrong {
		if wrong != "" {
			t.Errorf("%s: %s", statements[i], wrong)
		}
	}
}
