package execute

import (
	"context"
	"errors"

	"ajlo/job/delta"
	"ajlo/job/object"
	"ajlo/job/rewrite"
	"ajlo/job/unit"
)

// PartRows are row sums by partition: a row that went to another partition is another row.
type PartRows map[string]RowSum

// RowsOf sums the live rows of files of a version of a table, read from the files themselves.
func RowsOf(ctx context.Context, store object.Store, s delta.Snapshot, files []delta.Add) (PartRows, error) {
	return sums(ctx, rewrite.Task{Store: store, Metadata: s.Metadata}, s, files)
}

// WholeRows sums the live rows of files of a version of a table with their partition columns, all as
// one partition, so that versions with other partition columns can be compared.
func WholeRows(ctx context.Context, store object.Store, s delta.Snapshot, files []delta.Add) (PartRows, error) {
	return sums(ctx, rewrite.Task{Store: store, Metadata: s.Metadata, Whole: true}, s, files)
}

func sums(ctx context.Context, t rewrite.Task, s delta.Snapshot, files []delta.Add) (_ PartRows, err error) {
	if t.RowTracking, err = s.RowTracking(); err != nil {
		return nil, err
	}
	rows := PartRows{}
	for _, f := range files {
		t.Files = []rewrite.File{{Path: f.Path, Bytes: unit.Bytes(f.Size), Rows: -1, Log: f}}
		sum, err := rewrite.Sum(ctx, t)
		if err != nil {
			return nil, err
		}
		key := ""
		if !t.Whole {
			key = delta.PartitionKey(f, s.Metadata)
		}
		rows[key] = rows[key].Plus(sum)
	}
	return rows, nil
}

// Total is the sum over all partitions.
func (r PartRows) Total() (all RowSum) {
	for _, sum := range r {
		all = all.Plus(sum)
	}
	return all
}

// SamePartitions holds that no row went from one partition to another, where the rows as a whole
// are the same; that they are is verified from a step's result.
func (r PartRows) SamePartitions(added PartRows) error {
	if r.Total() != added.Total() {
		return nil
	}
	for key, sum := range added {
		if r[key] != sum {
			return errors.New("rows went from one partition to another")
		}
	}
	return nil
}

// SizeOf is the bytes of files.
func SizeOf(files []delta.Add) (size unit.Bytes) {
	for _, f := range files {
		size += unit.Bytes(f.Size)
	}
	return size
}
