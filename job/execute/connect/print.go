package connect

import (
	"context"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/spark-connect-go/spark/sql"
)

// null is what spark-sql prints for one.
const null = "NULL"

// carryOut carries out a statement and adds its rows, one a line, with tabs between columns.
func carryOut(ctx context.Context, out *strings.Builder, session sql.SparkSession, statement string) error {
	answer, err := session.Sql(ctx, statement)
	if err != nil {
		return err
	}
	table, err := answer.ToArrow(ctx)
	if err != nil || *table == nil {
		return err
	}
	defer (*table).Release()
	rows := array.NewTableReader(*table, 0)
	defer rows.Release()
	for rows.Next() {
		printBatch(out, rows.RecordBatch())
	}
	return rows.Err()
}

func valueText(column arrow.Array, row int) string {
	if column.IsNull(row) || column.DataType().ID() == arrow.NULL {
		return null
	}
	return column.ValueStr(row)
}

func printBatch(out *strings.Builder, batch arrow.RecordBatch) {
	for row := range int(batch.NumRows()) {
		for i, column := range batch.Columns() {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(valueText(column, row))
		}
		out.WriteByte('\n')
	}
}
