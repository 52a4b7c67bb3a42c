package execute

import (
	"context"

	"ajlo/job/iceberg"
	"ajlo/job/object"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// IcebergRows sums the rows of an Iceberg table's data files, each file once.
type IcebergRows struct {
	store  object.Store
	native iceberg.Snapshot
	known  map[string]RowSum
}

// NewIcebergRows sums rows by the columns of a snapshot.
func NewIcebergRows(store object.Store, s iceberg.Snapshot) *IcebergRows {
	return &IcebergRows{store: store, native: s, known: map[string]RowSum{}}
}

// Of is the sum over all rows of the files, without regard to delete files. Partition columns are
// in the files, so that a row in another partition is another row.
func (r *IcebergRows) Of(ctx context.Context, files []iceberg.File) (sum RowSum, err error) {
	meta, err := r.native.Columns()
	if err != nil {
		return sum, err
	}
	for _, f := range files {
		one, ok := r.known[f.Path]
		if !ok {
			one, err = rewrite.Sum(ctx, rewrite.Task{Store: r.store, Metadata: meta, Files: []rewrite.File{{Path: f.Path, Bytes: unit.Bytes(f.Bytes), Rows: -1}}})
			if err != nil {
				return sum, err
			}
			r.known[f.Path] = one
		}
		sum = sum.Plus(one)
	}
	return sum, nil
}

// SizeOfIceberg is the bytes of an Iceberg table's files.
func SizeOfIceberg(files []iceberg.File) (size unit.Bytes) {
	for _, f := range files {
		size += unit.Bytes(f.Bytes)
	}
	return size
}
