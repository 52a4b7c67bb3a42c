package merge_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"

	"ajlo/job/execute/enginetest"
	"ajlo/job/rewrite/rowtest"
)

// body is a row of the tables of these tests without the column that may part them.
type body struct {
	ID     *int64   `parquet:"id,optional"`
	Code   *string  `parquet:"code,optional"`
	Amount *int64   `parquet:"amount,optional,decimal(2:12)"`
	Price  *float64 `parquet:"price,optional"`
	Day    *int32   `parquet:"day,optional,date"`
	At     *int64   `parquet:"at,optional,timestamp(microsecond)"`
	Small  *int32   `parquet:"small,optional"`
	Flag   *bool    `parquet:"flag,optional"`
}

// row is a whole row.
type row struct {
	body
	Part *string `parquet:"part,optional"`
}

const schemaOfRows = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":true,"metadata":{}},` +
	`{"name":"code","type":"string","nullable":true,"metadata":{}},` +
	`{"name":"amount","type":"decimal(12,2)","nullable":true,"metadata":{}},` +
	`{"name":"price","type":"double","nullable":true,"metadata":{}},` +
	`{"name":"day","type":"date","nullable":true,"metadata":{}},` +
	`{"name":"at","type":"timestamp","nullable":true,"metadata":{}},` +
	`{"name":"small","type":"integer","nullable":true,"metadata":{}},` +
	`{"name":"flag","type":"boolean","nullable":true,"metadata":{}},` +
	`{"name":"part","type":"string","nullable":true,"metadata":{}}]}`

// action is one line of a commit.
type action = enginetest.Action

// fataler is a test, or a rapid one.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// made says how a table is made.
type made struct {
	parted     bool     // by part
	keys       []string // clustering keys, as tags of its files
	properties map[string]string
	schema     string // schemaOfRows where empty
}

func (m made) metaData() action {
	partitions, schema := []string{}, m.schema
	if m.parted {
		partitions = []string{"part"}
	}
	if schema == "" {
		schema = schemaOfRows
	}
	configuration := map[string]string{}
	for k, v := range m.properties {
		configuration[k] = v
	}
	return action{"metaData": action{
		"id": "11111111-2222-4333-8444-555555555555", "format": action{"provider": "parquet", "options": action{}},
		"schemaString": schema, "partitionColumns": partitions, "configuration": configuration, "createdTime": 1,
	}}
}

// makeTable writes a table of the given files; those of a parted table are cut by part.
func makeTable(t fataler, dir string, m made, files ...[]row) {
	t.Helper()
	actions := []action{
		{"protocol": action{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"deletionVectors"}, "writerFeatures": []string{"deletionVectors", "appendOnly", "changeDataFeed", "checkConstraints", "domainMetadata", "rowTracking", "invariants"}}},
		m.metaData(),
	}
	for i, rows := range files {
		actions = append(actions, m.add(t, dir, fmt.Sprintf("file %d", i), rows)...)
	}
	commit(t, dir, 0, actions...)
}

// add writes rows as files and gives the actions that add them.
func (m made) add(t fataler, dir, name string, rows []row) (adds []action) {
	t.Helper()
	if !m.parted {
		return []action{m.addFile(t, dir, name+".parquet", rows, nil)}
	}
	byPart := map[string][]body{}
	for _, r := range rows {
		key := "\x00"
		if r.Part != nil {
			key = *r.Part
		}
		byPart[key] = append(byPart[key], r.body)
	}
	for key, bodies := range byPart {
		values := action{"part": key}
		if key == "\x00" {
			values["part"] = nil
		}
		adds = append(adds, m.addFile(t, dir, fmt.Sprintf("%s of %x.parquet", name, key), bodies, values))
	}
	return adds
}

func (m made) addFile(t fataler, dir, name string, rows any, values action) action {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	var n int
	switch rows := rows.(type) {
	case []row:
		n = len(rows)
		writeParquet(t, filepath.Join(dir, name), rows)
	case []body:
		n = len(rows)
		writeParquet(t, filepath.Join(dir, name), rows)
	}
	info, err := os.Stat(filepath.Join(dir, name))
	must(t, err)
	if values == nil {
		values = action{}
	}
	add := action{
		"path": (&url.URL{Path: name}).EscapedPath(), "partitionValues": values, "size": info.Size(), "modificationTime": 1, "dataChange": true,
		"stats": statsOf(n, rows),
	}
	if len(m.keys) > 0 {
		keys, err := json.Marshal(m.keys)
		must(t, err)
		add["tags"] = action{"AJLO_ORDER": "hilbert", "AJLO_KEYS": string(keys)}
	}
	return action{"add": add}
}

// statsOf are a file's: the bounds of some columns, by ids and days where all rows have them.
func statsOf(n int, rows any) string {
	var bodies []body
	switch rows := rows.(type) {
	case []row:
		for _, r := range rows {
			bodies = append(bodies, r.body)
		}
	case []body:
		bodies = rows
	}
	least, greatest, nulls := action{}, action{}, action{"id": 0, "day": 0}
	for _, b := range bodies {
		if b.ID == nil || b.Day == nil {
			return fmt.Sprintf(`{"numRecords":%d}`, n)
		}
		day := time.Unix(int64(*b.Day)*86400, 0).UTC().Format(time.DateOnly)
		if old, ok := least["id"]; !ok || *b.ID < old.(int64) {
			least["id"] = *b.ID
		}
		if old, ok := greatest["id"]; !ok || *b.ID > old.(int64) {
			greatest["id"] = *b.ID
		}
		if old, ok := least["day"]; !ok || day < old.(string) {
			least["day"] = day
		}
		if old, ok := greatest["day"]; !ok || day > old.(string) {
			greatest["day"] = day
		}
	}
	text, err := json.Marshal(action{"numRecords": n, "minValues": least, "maxValues": greatest, "nullCount": nulls})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writeParquet uses another library than ajlo's.
func writeParquet[T any](t fataler, path string, rows []T) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	w := parquet.NewGenericWriter[T](f)
	_, err = w.Write(rows)
	must(t, err)
	must(t, w.Close())
	must(t, f.Close())
}

// commit writes a version as another writer would.
func commit(t fataler, dir string, version int, actions ...action) {
	t.Helper()
	must(t, enginetest.WriteCommit(dir, version, actions...))
}

// deleteRows commits a deletion vector for the first file of a table's version 0 that has the most
// rows, and gives its path; nothing where it has none.
func deleteRows(t fataler, dir string, add action, positions ...uint64) []action {
	t.Helper()
	rows := roaring64.BitmapOf(positions...)
	data, err := rows.ToBytes()
	must(t, err)
	data = append(binary.LittleEndian.AppendUint32(nil, 1_681_511_377), data...)
	text := append([]byte{1}, binary.BigEndian.AppendUint32(nil, uint32(len(data)))...)
	text = binary.BigEndian.AppendUint32(append(text, data...), crc32.ChecksumIEEE(data))
	id := uuid.New()
	must(t, os.WriteFile(filepath.Join(dir, "deletion_vector_"+id.String()+".bin"), text, 0o644))
	old := add["add"].(action)
	with := action{}
	for k, v := range old {
		with[k] = v
	}
	with["deletionVector"] = action{"storageType": "u", "pathOrInlineDv": z85(id[:]), "offset": 1, "sizeInBytes": len(data), "cardinality": len(positions)}
	return []action{
		{"remove": action{"path": old["path"], "deletionTimestamp": 1, "dataChange": true, "partitionValues": old["partitionValues"]}},
		{"add": with},
	}
}

const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// z85 is ZeroMQ's RFC 32: five digits of base 85 for four bytes.
func z85(data []byte) string {
	var text strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		word := binary.BigEndian.Uint32(data)
		for _, power := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			text.WriteByte(z85Digits[word/power%85])
		}
	}
	return text.String()
}

// rowsOf are the live rows of a table, by the independent reader.
func rowsOf(t fataler, dir string) []string {
	t.Helper()
	rows, err := rowtest.Rows(dir)
	must(t, err)
	return rows
}

// textsOf are rows as the independent reader would give them of such a table.
func textsOf(t fataler, m made, rows []row) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ajlo-merge-want-")
	must(t, err)
	makeTable(t, dir, m, rows)
	texts := rowsOf(t, dir)
	must(t, os.RemoveAll(dir))
	return texts
}

// differences says which rows of two sorted lists are not in the other.
func differences(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	lost, gained := without(want, got), without(got, want)
	return fmt.Sprintf("%d rows, want %d; lost %q, new %q", len(got), len(want), lost[:min(3, len(lost))], gained[:min(3, len(gained))])
}

// without is the multiset a less the multiset b.
func without(a, b []string) (left []string) {
	count := map[string]int{}
	for _, r := range b {
		count[r]++
	}
	for _, r := range a {
		if count[r]--; count[r] < 0 {
			left = append(left, r)
		}
	}
	return left
}

// noStrays fails when something lies in the table's folder that no commit names.
func noStrays(t fataler, dir string) {
	t.Helper()
	table, err := rowtest.Open(dir)
	must(t, err)
	named := map[string]bool{}
	for _, c := range table.Commits {
		for _, a := range slices.Concat(c.Added, c.Removed) {
			path, err := url.PathUnescape(a["path"].(string))
			must(t, err)
			named[path] = true
		}
	}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		vector := strings.HasPrefix(name, "deletion_vector_")
		if err == nil && !d.IsDir() && !named[name] && !vector && !strings.HasPrefix(name, "_delta_log/") {
			return fmt.Errorf("%s was left behind", name)
		}
		return err
	}))
}
