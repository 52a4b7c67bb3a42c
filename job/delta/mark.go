package delta

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// The feature and the property that let a table have new deletion vectors.
const (
	vectorFeature  = "deletionVectors"
	vectorsEnabled = "delta.enableDeletionVectors"
)

// MostVector is the longest text of a vector that stands in the log: Spark hands it to its readers by
// Java's writeUTF, which takes no more bytes.
const MostVector = 1<<16 - 1

// TakesVectors reports whether rows of the table may be deleted by deletion vectors.
func (s Snapshot) TakesVectors() bool {
	return strings.EqualFold(s.Metadata.Configuration[vectorsEnabled], "true") &&
		slices.Contains(s.Protocol.ReaderFeatures, vectorFeature) && slices.Contains(s.Protocol.WriterFeatures, vectorFeature)
}

// Mark gives a file as a commit adds it again, with more of its rows deleted. Deleted are those that
// its present vector deletes, as the function of that name gives them; gone those to delete beside
// them, of which there is at least one. The vector stands in the log itself, so that there is no file of
// its own to be swept; the caller keeps it small. Bounds stay and are said to be wide. It is an error
// when a row is deleted already, when the file has no such row, when its statistics do not say
// how many it has, and when the vector is longer than MostVector.
func Mark(f Add, deleted, gone *roaring64.Bitmap) (Add, error) {
	marked, err := mark(f, deleted, gone)
	if err != nil {
		return Add{}, fmt.Errorf("deletion vector for %s: %w", f.Path, err)
	}
	return marked, nil
}

func mark(f Add, deleted, gone *roaring64.Bitmap) (Add, error) {
	all := gone.Clone()
	if deleted != nil {
		all.Or(deleted)
		if deleted.Intersects(gone) {
			return Add{}, errors.New("a row is deleted already")
		}
	}
	data, err := encodeVector(all)
	if err != nil {
		return Add{}, err
	}
	f.DeletionVector = &DeletionVector{
		StorageType: vectorInline, PathOrInlineDv: encodeZ85(data), SizeInBytes: int32(len(data)), Cardinality: int64(all.GetCardinality()),
	}
	if rows, _, err := ParseStats(f.Stats, nil); err != nil || rows < 0 || gone.IsEmpty() {
		return Add{}, errors.Join(errors.New("the number of the file's rows is not known, or none is to be deleted"), err)
	}
	if f.Stats, err = widened(f.Stats); err != nil {
		return Add{}, err
	}
	if n := len(f.DeletionVector.PathOrInlineDv); n > MostVector {
		return Add{}, fmt.Errorf("%d characters in the log, more than the %d that Spark reads", n, MostVector)
	}
	return f, checkEncoded(f, all)
}

// checkEncoded reads the vector back.
func checkEncoded(f Add, want *roaring64.Bitmap) error {
	data, err := f.DeletionVector.inline()
	if err != nil {
		return err
	}
	got, err := decodeVector(data)
	if err != nil {
		return err
	}
	if !got.Equals(want) {
		return errors.New("it reads back as other rows")
	}
	return checkVector(got, f)
}

func encodeVector(rows *roaring64.Bitmap) ([]byte, error) {
	rows.RunOptimize()
	b := bytes.NewBuffer(binary.LittleEndian.AppendUint32(nil, vectorMagic))
	_, err := rows.WriteTo(b)
	return b.Bytes(), err
}

// widened are statistics whose bounds hold rows that are no longer there.
func widened(stats string) (string, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(stats), &fields); err != nil {
		return "", fmt.Errorf("file statistics: %w", err)
	}
	fields["tightBounds"] = json.RawMessage("false")
	text, err := json.Marshal(fields)
	return string(text), err
}
