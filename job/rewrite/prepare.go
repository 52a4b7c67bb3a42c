package rewrite

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"ajlo/job/delta"
)

// Prepared is a task whose files' footers were read. Its files may be of several partitions.
type Prepared struct {
	task    Task
	options Options
	survey  Survey
	schema  *arrow.Schema
	form    encoding
}

// Prepare reads all footers. It refuses what Rewrite would.
func Prepare(ctx context.Context, t Task, o Options) (*Prepared, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	survey, err := Look(ctx, t, o.Memory)
	if err != nil {
		return nil, err
	}
	p := &Prepared{task: t.surveyed(survey, o), options: o.forWidth(survey.wide), survey: survey, form: encodingOf(survey.codec)}
	p.form.wide, p.form.run = survey.wide.columns, o.Run
	p.schema, err = ArrowSchema(t.columns())
	return p, err
}

// Columns are what the task's data files hold: the table's schema without partition columns, and
// what row tracking adds.
func (p *Prepared) Columns() delta.Schema { return p.task.columns() }

// Workers is how many files are worth reading or writing at once.
func (p *Prepared) Workers() int { return p.options.workers() }

// Rows is the number of rows of all files, deleted ones left out.
func (p *Prepared) Rows() int64 { return p.survey.Rows }

// Name gives a new file its path in Spark's form.
func (p *Prepared) Name(folder string, number int) string {
	return p.form.path(folder, number, p.options.NewID())
}

// Rows are some rows of one file, in its order.
type Rows struct {
	Columns []arrow.Array // of the schema asked for, in the form of ArrowSchema
	Count   int
	from    batch
}

// Position is the place of row i in the file, deleted rows counted.
func (r Rows) Position(i int) uint64 { return r.from.position(i) }

// Scan reads some columns of one of the task's files, deleted rows left out. Columns that the
// file lacks are NULL.
func (p *Prepared) Scan(ctx context.Context, f File, columns delta.Schema) iter.Seq2[Rows, error] {
	return func(yield func(Rows, error) bool) {
		if err := p.scan(ctx, f, columns, func(*dataFile) {}, yield); err != nil {
			yield(Rows{}, err)
		}
	}
}

// ScanAll reads all columns. Texts may be numbers of texts in a dictionary, which Gather takes as
// well, but for those of some columns, by their places.
func (p *Prepared) ScanAll(ctx context.Context, f File, plain []int) iter.Seq2[Rows, error] {
	return func(yield func(Rows, error) bool) {
		if err := p.scan(ctx, f, p.Columns(), func(open *dataFile) { open.keepNumbers(plain) }, yield); err != nil {
			yield(Rows{}, err)
		}
	}
}

func (p *Prepared) scan(ctx context.Context, f File, columns delta.Schema, set func(*dataFile), yield func(Rows, error) bool) (err error) {
	open, err := openDataFile(ctx, p.task, f, columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	if reason := unlike(open, f); reason != "" {
		return fmt.Errorf("read %s: %s", f.Path, reason)
	}
	set(open)
	left := garbage{every: p.task.wide}
	for b, err := range open.Batches(ctx, 0, open.Groups()) {
		if err != nil {
			return err
		}
		if !yield(Rows{Columns: b.columns, Count: b.rows, from: b}, nil) {
			return nil
		}
		left.pass(b.bytes())
	}
	return nil
}

// Pick is one value: row Row of chunk Chunk.
type Pick struct{ Chunk, Row uint32 }

// Gather copies values of several chunks of one column into one array, in the order of the picks.
// All chunks have the type dt, in the form of ArrowSchema or as ScanAll gives them.
func Gather(dt arrow.DataType, chunks []arrow.Array, picks []Pick) (arrow.Array, error) {
	at := make([]place, len(picks))
	for i, p := range picks {
		at[i] = place{p.Chunk, p.Row}
	}
	return gather(dt, chunks, at)
}

// SumRows is the sum of rows in the columns of a schema, in the form of ArrowSchema or as ScanAll
// gives them.
func SumRows(columns delta.Schema, rows []arrow.Array, count int) (RowSum, error) {
	return newSummer(columns).sum(batch{columns: rows, rows: count})
}
