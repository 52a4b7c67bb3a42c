package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/report"
)

// sampleRows has every kind of value, and names that mean something to the formats.
func sampleRows() report.Listing {
	return report.Listing{
		Columns: []string{"table_name", "bytes", "score", "mixed", "note", "nothing"},
		Rows: [][]any{
			{"tpch.orders", int64(1 << 60), 0.25, int64(3), "a, \"b\"\nc", nil},
			{"\x1b[2Jü", nil, nil, 0.5, nil, nil},
		},
	}
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// trimmed leaves out blanks at the ends of lines.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestListingForms(t *testing.T) {
	l := sampleRows()
	for _, tt := range []struct {
		name, got, want string
	}{
		{"table", trimmed(written(t, l.Write)), "" +
			"table_name   bytes                score  mixed  note      nothing\n" +
			"tpch.orders  1152921504606846976  0.25   3      a, \"b\" c\n" +
			"\uFFFD[2Jü                                    0.5\n"},
		{"CSV", written(t, l.WriteCSV), "" +
			"table_name,bytes,score,mixed,note,nothing\n" +
			"tpch.orders,1152921504606846976,0.25,3,\"a, \"\"b\"\"\nc\",\n" +
			"\uFFFD[2Jü,,,0.5,,\n"},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestListingAsJSON(t *testing.T) {
	text, err := json.Marshal(sampleRows())
	if err != nil {
		t.Fatal(err)
	}
	if begins := `[{"table_name":"tpch.orders","bytes":1152921504606846976,"score":0.25,`; !strings.HasPrefix(string(text), begins) {
		t.Errorf("%s, want it to begin with %s", text, begins)
	}
	var back []map[string]any
	if err := json.Unmarshal(text, &back); err != nil || len(back) != 2 || back[1]["nothing"] != nil || back[0]["note"] != "a, \"b\"\nc" {
		t.Errorf("%v, %v", back, err)
	}
	empty, err := json.Marshal(report.Listing{Columns: []string{"a"}})
	if err != nil || string(empty) != "[]" {
		t.Errorf("no rows are %s, %v", empty, err)
	}
}

// A Parquet file gives every value back, numbers as numbers.
func TestListingAsParquet(t *testing.T) {
	l := sampleRows()
	file := []byte(written(t, l.WriteParquet))
	r := parquet.NewReader(bytes.NewReader(file))
	columns := r.Schema().Columns()
	got := []map[string]any{}
	rows := make([]parquet.Row, 1)
	for {
		n, err := r.ReadRows(rows)
		if n == 1 {
			values := map[string]any{}
			for _, v := range rows[0] {
				values[columns[v.Column()][0]] = plainValue(v)
			}
			got = append(got, values)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []map[string]any{
		{"table_name": "tpch.orders", "bytes": int64(1 << 60), "score": 0.25, "mixed": 3.0, "note": "a, \"b\"\nc", "nothing": nil},
		{"table_name": "\x1b[2Jü", "bytes": nil, "score": nil, "mixed": 0.5, "note": nil, "nothing": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func plainValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case v.Kind() == parquet.Double:
		return v.Double()
	}
	return v.String()
}
