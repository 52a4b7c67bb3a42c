package delta

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/go-cmp/cmp"
)

// vectorText is the protocol's example of a name: folder "ab" and a UUID.
const (
	vectorText = "ab^-aqEH.-t@S}K{vb[*k^"
	vectorKey  = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
)

// vectorData is rows in the form of the format, without length and checksum.
func vectorData(t testing.TB, rows ...uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, uint32(vectorMagic)); err != nil {
		t.Fatal(err)
	}
	if _, err := roaring64.BitmapOf(rows...).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// vectorFile is a file of vectors with one in it, after a gap.
func vectorFile(data []byte) []byte {
	file := append([]byte{vectorFileVersion}, "gap"...)
	file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
	file = append(file, data...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(data))
}

func TestDeletedInline(t *testing.T) {
	want := []uint64{3, 4, 7, 11, 18, 29}
	for name, data := range map[string][]byte{
		"a vector": vectorData(t, want...),
		// The example in the protocol's text: a form that Delta had before this one.
		"another form": {0x64, 0x39, 0xd3, 0xd0, 0, 0, 0, 1, 0, 0, 0, 0x1c, 0x3a, 0x30, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			vector := &DeletionVector{StorageType: "i", PathOrInlineDv: encodeZ85(data), SizeInBytes: int32(len(data)), Cardinality: 6}
			f := Add{Path: "x", Stats: `{"numRecords":30}`, DeletionVector: vector}
			rows, err := Deleted(t.Context(), nil, f)
			if name == "another form" {
				if err == nil || !strings.Contains(err.Error(), "the number of its format") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, rows.ToArray()); diff != "" {
				t.Error(diff)
			}
			if f.Live() != 24 {
				t.Errorf("%d live rows", f.Live())
			}
			vector.SizeInBytes -= z85Bytes
			if _, err := Deleted(t.Context(), nil, f); err == nil {
				t.Error("no error for bytes that are too many")
			}
		})
	}
	if rows, err := Deleted(t.Context(), nil, Add{}); rows != nil || err != nil {
		t.Errorf("without a vector: %v, %v", rows, err)
	}
}

func TestDeletedFromFile(t *testing.T) {
	dir := t.TempDir()
	store := openFolder(t, dir)
	want := []uint64{0, 5, 1 << 17, 1<<33 + 1}
	data := vectorData(t, want...)
	good := vectorFile(data)
	offset, size := int32(4), int32(len(data))
	broken := bytes.Clone(good)
	broken[20] ^= 1
	tests := []struct {
		name  string
		file  []byte
		spoil func(*Add)
		wrong string
	}{
		{"good", good, func(*Add) {}, ""},
		{"another checksum", broken, func(*Add) {}, vectorKey + " at 4: its checksum is wrong"},
		{"cut short", good[:len(good)-1], func(*Add) {}, "the file ends before it"},
		{"another version", append([]byte{2}, good[1:]...), func(*Add) {}, "files of version 2 are unknown"},
		{"another length", good, func(f *Add) { f.DeletionVector.SizeInBytes -= 4 }, "the log says"},
		{"a length without sense", good, func(f *Add) { f.DeletionVector.SizeInBytes = -1 }, "impossible"},
		{"another place", good, func(f *Add) { f.DeletionVector.Offset = nil }, "the log says"},
		{"another count", good, func(f *Add) { f.DeletionVector.Cardinality = 3 }, "it deletes 4 rows, the log says 3"},
		{"rows beyond the file", good, func(f *Add) { f.Stats = `{"numRecords":6}` }, "of 6"},
		{"gone", nil, func(*Add) {}, vectorKey},
		{"an absolute path", good, func(f *Add) { f.DeletionVector.StorageType, f.DeletionVector.PathOrInlineDv = "p", "s3://b/x.bin" }, "is absolute"},
		{"a storage nobody knows", good, func(f *Add) { f.DeletionVector.StorageType = "q" }, `storage type "q"`},
		{"a name that climbs", good, func(f *Add) { f.DeletionVector.PathOrInlineDv = "../" + vectorText }, "not a clean relative path"},
		{"a name that is too short", good, func(f *Add) { f.DeletionVector.PathOrInlineDv = "ab" }, "too short"},
		{"a name of other signs", good, func(f *Add) { f.DeletionVector.PathOrInlineDv = strings.Repeat(" ", vectorName) }, "no digit of Z85"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(dir, filepath.FromSlash(vectorKey))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.file == nil {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			f := Add{Path: "a.parquet", DeletionVector: &DeletionVector{
				StorageType: "u", PathOrInlineDv: vectorText, Offset: &offset, SizeInBytes: size, Cardinality: 4,
			}}
			tt.spoil(&f)
			rows, err := Deleted(t.Context(), store, f)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) || !strings.Contains(err.Error(), "a.parquet") {
					t.Errorf("got %v, want %q and the data file", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, rows.ToArray()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzVector holds that any bytes are a vector or an error.
func FuzzVector(f *testing.F) {
	f.Add(vectorData(f, 1, 2, 3))
	f.Add(vectorData(f, 0, 1<<40))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := decodeVector(data)
		if err != nil {
			return
		}
		if n := uint64(len(rows.ToArray())); n != rows.GetCardinality() {
			t.Errorf("%d rows, it says %d", n, rows.GetCardinality())
		}
	})
}
