package lake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"ajlo/job/object"
	"ajlo/job/table"
)

// Samples keeps samples in a folder, one file for each table, so that a table version is read
// once. The folder holds values of the tables: it is private to its owner. It may be deleted
// at any time; with no Folder nothing is kept.
type Samples struct {
	Folder string
	// Problem, where set, is told why a sample could not be kept.
	Problem func(error)
}

// keptSample is a sample with what it was drawn for.
type keptSample struct {
	Format  int
	Version int64
	Schema  string
	Rows    int
	Files   int // of the table, or of the part of it that was sampled
	Sample  Sample
}

// sampleFormat is raised whenever what is kept, or how rows are drawn, changes.
const sampleFormat = 2

// Draw gives the kept sample where there is one of this very version, these columns and this
// size, and else draws and keeps it. What cannot be kept is drawn again another time.
func (k Samples) Draw(ctx context.Context, store object.Store, s Snapshot, columns []table.Column, rows int) (Sample, error) {
	if k.Folder == "" {
		return Draw(ctx, store, s, columns, rows)
	}
	path := filepath.Join(k.Folder, nameOf(s.Location))
	if kept, err := readKept(path); err == nil && kept.isOf(s, columns, rows) {
		return kept.Sample, nil
	}
	sample, err := Draw(ctx, store, s, columns, rows)
	if err != nil {
		return Sample{}, err
	}
	if err := keep(path, keptSample{sampleFormat, s.Version, s.SchemaHash, rows, len(s.Files), sample}); err != nil && k.Problem != nil {
		k.Problem(err)
	}
	return sample, nil
}

func (k keptSample) isOf(s Snapshot, columns []table.Column, rows int) bool {
	return k.Format == sampleFormat && k.Version == s.Version && k.Schema == s.SchemaHash && k.Rows == rows && k.Files == len(s.Files) &&
		slices.Equal(k.Sample.Columns, columns) && len(k.Sample.Values) == len(columns)
}

// nameOf tells no name of the lake.
func nameOf(at table.Location) string {
	sum := sha256.Sum256([]byte(at))
	return hex.EncodeToString(sum[:16]) + ".sample"
}

func readKept(path string) (kept keptSample, err error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return kept, err
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return kept, err
	}
	defer d.Close()
	plain, err := d.DecodeAll(packed, nil)
	if err != nil {
		return kept, err
	}
	return kept, gob.NewDecoder(bytes.NewReader(plain)).Decode(&kept)
}

// keep writes the file whole or not at all.
func keep(path string, kept keptSample) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep a sample: %w", err)
	}
	var plain bytes.Buffer
	if err := gob.NewEncoder(&plain).Encode(kept); err != nil {
		return fmt.Errorf("keep a sample: %w", err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		return fmt.Errorf("keep a sample: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "part-*")
	if err != nil {
		return fmt.Errorf("keep a sample: %w", err)
	}
	_, err = f.Write(e.EncodeAll(plain.Bytes(), nil))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep a sample: %w", errors.Join(err, forget(f.Name())))
	}
	return nil
}

func forget(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
