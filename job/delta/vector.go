package delta

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/uuid"

	"ajlo/job/object"
)

// The form of a deletion vector, after "Deletion Vector Format" of the protocol: in a file of
// them, after one byte of version, each has its length in 4 bytes (big-endian), its data and
// the data's CRC-32. The data is a magic number (little-endian) and a roaring bitmap of 64
// bits in the portable form.
const (
	vectorFileVersion = 1
	vectorMagic       = 1_681_511_377
	vectorLength      = 4       // bytes before the data
	vectorChecksum    = 4       // bytes after it
	vectorHead        = 12      // bytes of magic number and count of buckets
	vectorBucket      = 4       // least bytes of a bucket: its key
	maxVector         = 1 << 30 // bytes; Spark holds a vector in one array, too
)

// Kinds of storage of a deletion vector.
const (
	vectorInline   = "i"
	vectorRelative = "u"
	vectorAbsolute = "p"
)

// Deleted gives the positions of a file's deleted rows, counted from 0 over the whole file;
// nil where the file has no deletion vector. The vector's size, checksum, count and range are
// checked. A vector at an absolute path is an error, as such a data file is.
func Deleted(ctx context.Context, store object.Store, f Add) (*roaring64.Bitmap, error) {
	if f.DeletionVector == nil {
		return nil, nil
	}
	rows, err := f.DeletionVector.load(ctx, store)
	if err == nil {
		err = checkVector(rows, f)
	}
	if err != nil {
		return nil, fmt.Errorf("deletion vector of %s: %w", f.Path, err)
	}
	return rows, nil
}

func (d *DeletionVector) load(ctx context.Context, store object.Store) (*roaring64.Bitmap, error) {
	if d.SizeInBytes < vectorHead || d.SizeInBytes > maxVector {
		return nil, fmt.Errorf("a size of %d bytes is impossible", d.SizeInBytes)
	}
	data, err := d.data(ctx, store)
	if err != nil {
		return nil, err
	}
	return decodeVector(data)
}

func (d *DeletionVector) data(ctx context.Context, store object.Store) ([]byte, error) {
	switch d.StorageType {
	case vectorInline:
		return d.inline()
	case vectorRelative:
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		data, err := readVector(ctx, store, key, d.offset(), int64(d.SizeInBytes))
		if err != nil {
			return nil, fmt.Errorf("%s at %d: %w", key, d.offset(), err)
		}
		return data, nil
	case vectorAbsolute:
		return nil, fmt.Errorf("path %q is absolute; ajlo handles only files below the table's folder", d.PathOrInlineDv)
	}
	return nil, fmt.Errorf("storage type %q is unknown", d.StorageType)
}

// inline decodes the data itself. The text stands for a multiple of 4 bytes; what it has
// over the vector's size is padding.
func (d *DeletionVector) inline() ([]byte, error) {
	data, err := decodeZ85(d.PathOrInlineDv)
	if err != nil {
		return nil, err
	}
	if over := len(data) - int(d.SizeInBytes); over < 0 || over >= z85Bytes {
		return nil, fmt.Errorf("%d bytes inline, want %d", len(data), d.SizeInBytes)
	}
	return data[:d.SizeInBytes], nil
}

// vectorName is the length of the text that names a file: a UUID of 16 bytes in Z85.
const vectorName = 20

// key is the file of a relative vector: its name is made from a UUID, and what stands before
// that is a folder.
func (d *DeletionVector) key() (string, error) {
	cut := len(d.PathOrInlineDv) - vectorName
	if cut < 0 {
		return "", fmt.Errorf("name %q is too short", d.PathOrInlineDv)
	}
	raw, err := decodeZ85(d.PathOrInlineDv[cut:])
	if err != nil {
		return "", err
	}
	id, err := uuid.FromBytes(raw)
	if err != nil {
		return "", err
	}
	key := "deletion_vector_" + id.String() + ".bin"
	if cut > 0 {
		key = d.PathOrInlineDv[:cut] + "/" + key
	}
	return key, nil
}

func (d *DeletionVector) offset() int64 {
	if d.Offset == nil {
		return 0
	}
	return int64(*d.Offset)
}

// readVector reads one vector of a file and checks length and checksum.
func readVector(ctx context.Context, store object.Store, key string, offset, size int64) (data []byte, err error) {
	file, err := store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if offset < 0 || offset+vectorLength+size+vectorChecksum > file.Size() {
		return nil, fmt.Errorf("the file ends before it: %d bytes", file.Size())
	}
	version, record := make([]byte, 1), make([]byte, vectorLength+size+vectorChecksum)
	if _, err := file.ReadAt(version, 0); err != nil {
		return nil, err
	}
	if version[0] != vectorFileVersion {
		return nil, fmt.Errorf("files of version %d are unknown", version[0])
	}
	if _, err := file.ReadAt(record, offset); err != nil && err != io.EOF {
		return nil, err
	}
	return checkRecord(record, size)
}

func checkRecord(record []byte, size int64) ([]byte, error) {
	if stored := binary.BigEndian.Uint32(record); int64(stored) != size {
		return nil, fmt.Errorf("%d bytes, the log says %d", stored, size)
	}
	data, sum := record[vectorLength:vectorLength+size], record[vectorLength+size:]
	if crc32.ChecksumIEEE(data) != binary.BigEndian.Uint32(sum) {
		return nil, errors.New("its checksum is wrong")
	}
	return data, nil
}

// decodeVector reads the bitmap. Its library trusts the count of buckets, and gives up by
// panic on some damage.
func decodeVector(data []byte) (rows *roaring64.Bitmap, err error) {
	if len(data) < vectorHead || binary.LittleEndian.Uint32(data) != vectorMagic {
		return nil, errors.New("it does not start with the number of its format")
	}
	data = data[vectorLength:]
	if buckets := binary.LittleEndian.Uint64(data); buckets > uint64(len(data)/vectorBucket) {
		return nil, fmt.Errorf("%d buckets in %d bytes", buckets, len(data))
	}
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	rows = roaring64.New()
	n, err := rows.ReadFrom(bytes.NewReader(data))
	if err == nil {
		err = rows.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if n != int64(len(data)) {
		return nil, fmt.Errorf("%d bytes follow it", int64(len(data))-n)
	}
	return rows, nil
}

// checkVector holds a vector against what the log says of it and of its file.
func checkVector(rows *roaring64.Bitmap, f Add) error {
	if n := rows.GetCardinality(); n != uint64(f.DeletionVector.Cardinality) {
		return fmt.Errorf("it deletes %d rows, the log says %d", n, f.DeletionVector.Cardinality)
	}
	if rows.IsEmpty() {
		return nil
	}
	total, _, err := ParseStats(f.Stats, nil)
	if err != nil {
		return err
	}
	if last := rows.Maximum(); total >= 0 && last >= uint64(total) {
		return fmt.Errorf("it deletes row %d of %d", last, total)
	}
	return nil
}
