package rowtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// sameVector tells a remove of the file with another deletion vector from one of this file:
// one commit may do both, in any order.
func sameVector(add, remove map[string]any) bool {
	return fmt.Sprint(add["deletionVector"]) == fmt.Sprint(remove["deletionVector"])
}

// liveRows are the rows of one file with what the log knows of them.
func (t Table) liveRows(file string) ([]string, error) {
	add, fields := t.live[file], []Field{}
	for _, f := range t.Fields {
		if !slices.Contains(t.partition, f.Name) {
			fields = append(fields, f)
		}
	}
	tracked := t.properties["delta.enableRowTracking"] == "true"
	if tracked {
		for _, name := range []string{"materializedRowIdColumnName", "materializedRowCommitVersionColumnName"} {
			fields = append(fields, Field{Name: t.properties["delta.rowTracking."+name].(string), Type: Type{Name: "long"}})
		}
	}
	rows, err := FileRows(filepath.Join(t.Dir, file), fields)
	if err != nil {
		return nil, err
	}
	deleted, err := t.deleted(add)
	if err != nil {
		return nil, err
	}
	var live []string
	for i, row := range rows {
		if deleted.Contains(uint64(i)) {
			continue
		}
		if tracked {
			row = withID(row, add, i, fields)
		}
		live = append(live, row+t.partitionText(add))
	}
	return live, nil
}

func (t Table) partitionText(add map[string]any) (text string) {
	values, _ := add["partitionValues"].(map[string]any)
	for _, f := range t.Fields {
		if slices.Contains(t.partition, f.Name) {
			text += fmt.Sprintf("%s=%v;", f.Name, values[f.stored()])
		}
	}
	return text
}

// withID puts the defaults of the file in the place of an id and a version that are NULL.
func withID(row string, add map[string]any, position int, fields []Field) string {
	id, version := fields[len(fields)-2].Name, fields[len(fields)-1].Name
	if base, ok := add["baseRowId"].(float64); ok {
		row = strings.Replace(row, id+"=NULL;", id+"="+strconv.FormatInt(int64(base)+int64(position), 10)+";", 1)
	}
	if v, ok := add["defaultRowCommitVersion"].(float64); ok {
		row = strings.Replace(row, version+"=NULL;", version+"="+strconv.FormatInt(int64(v), 10)+";", 1)
	}
	return row
}

// deleted reads a deletion vector that lies in the log or in a file of its own below the table's
// folder.
func (t Table) deleted(add map[string]any) (*roaring64.Bitmap, error) {
	vector, ok := add["deletionVector"].(map[string]any)
	if !ok {
		return roaring64.New(), nil
	}
	text := vector["pathOrInlineDv"].(string)
	if vector["storageType"] == "i" { // 4 bytes of a magic number come before the bitmap
		data, err := z85(text)
		if err != nil {
			return nil, err
		}
		rows := roaring64.New()
		_, err = rows.FromUnsafeBytes(data[4:])
		return rows, err
	}
	if vector["storageType"] != "u" {
		return nil, fmt.Errorf("deletion vector of storage type %v", vector["storageType"])
	}
	id, err := z85(text[len(text)-20:])
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("deletion_vector_%x-%x-%x-%x-%x.bin", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	data, err := os.ReadFile(filepath.Join(t.Dir, text[:len(text)-20], name))
	if err != nil {
		return nil, err
	}
	// 4 bytes of length and 4 of a magic number come before the bitmap.
	rows := roaring64.New()
	offset, _ := vector["offset"].(float64)
	_, err = rows.FromUnsafeBytes(data[int(offset)+8:])
	return rows, err
}

const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// z85 is ZeroMQ's RFC 32: five digits of base 85 for four bytes.
func z85(text string) (data []byte, err error) {
	for i := 0; i+5 <= len(text); i += 5 {
		word := uint32(0)
		for _, c := range []byte(text[i : i+5]) {
			digit := strings.IndexByte(z85Digits, c)
			if digit < 0 {
				return nil, errors.New("no Z85: " + text)
			}
			word = word*85 + uint32(digit)
		}
		data = binary.BigEndian.AppendUint32(data, word)
	}
	return data, nil
}
