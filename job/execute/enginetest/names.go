package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"ajlo/job/layout"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// oddNames of columns mean something to somebody: to SQL, JSON, paths, URLs or a terminal.
func oddNames() []string {
	return []string{
		"back`tick", `dou"ble'quote`, "new\nline", "a.b", "per%20cent", "..", "../up", "ünï 😀", "\u202eleft",
		strings.Repeat("long", 100), "semi;colon -- dash", "\x1b[2J", `back\slash`, "{x}=[y],(z)", " ",
	}
}

// oddlyNamed holds rule 1 on a table of such columns, each of them a key in its turn.
func (s suite) oddlyNamed(t *testing.T) {
	names := oddNames()
	dir := filepath.Join(t.TempDir(), "o'dd `na\"me` %20;")
	commit(t, dir, 0, action{"protocol": action{"minReaderVersion": 1, "minWriterVersion": 2}},
		action{"metaData": metaData(longColumns(t, names), nil, nil)}, addLongs(t, dir, "in.parquet", names, 400))
	for i, name := range names {
		s.applied(t, dir, layout.ClusteredBy(layout.Hilbert, table.Column(name), table.Column(names[(i+1)%len(names)])), 20*unit.KB)
	}
}

// longColumns is the schema of columns of longs.
func longColumns(t *testing.T, names []string) string {
	t.Helper()
	fields := make([]action, len(names))
	for i, name := range names {
		fields[i] = action{"name": name, "type": "long", "nullable": true, "metadata": action{}}
	}
	text, err := json.Marshal(action{"type": "struct", "fields": fields})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// addLongs writes a file of so many rows, no column like another, and gives the action that
// adds it.
func addLongs(t *testing.T, dir, name string, columns []string, rows int) action {
	t.Helper()
	fields, values := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	for c, column := range columns {
		fields[c] = arrow.Field{Name: column, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(int64((i + c) * 7919 % (rows + c)))
		}
		values[c] = b.NewArray()
	}
	schema := arrow.NewSchema(fields, nil)
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := pqarrow.NewFileWriter(schema, f, arrowparquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, values, int64(rows))), w.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return action{"add": action{
		"path": name, "partitionValues": action{}, "size": info.Size(), "modificationTime": 1, "dataChange": true,
		"stats": fmt.Sprintf(`{"numRecords":%d}`, rows),
	}}
}
