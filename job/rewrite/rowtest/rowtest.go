// Package rowtest reads the rows of a Delta table for tests, by no code that ajlo itself
// reads or writes with: it replays the log's JSON with encoding/json, decodes files with
// another Parquet library, puts nested records together itself, and gives text.
//
// In comes a table's folder whose log still has all its commits; out come the live rows, one
// text each, sorted, so that two multisets of rows are equal if their texts are. It refuses
// what it does not know; it checks nothing else.
package rowtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Table is the newest version of a table, as its log says.
type Table struct {
	Dir     string
	Version int
	Files   []string // live, relative to Dir, sorted
	Fields  []Field
	Commits []Commit // one a version

	partition  []string                  // columns that are in the log
	properties map[string]any            // of the table
	live       map[string]map[string]any // the add action of each live file
}

// Commit is what one version's commit says of itself and of files.
type Commit struct {
	Info    map[string]any
	Added   []map[string]any
	Removed []map[string]any
}

// Field is one column or one field of a struct.
type Field struct {
	Name     string         `json:"name"`
	Type     Type           `json:"type"`
	Metadata map[string]any `json:"metadata"`
}

// stored is the field's name in files.
func (f Field) stored() string {
	if name, ok := f.Metadata["delta.columnMapping.physicalName"].(string); ok {
		return name
	}
	return f.Name
}

// Type is a type of the log: the name of a primitive, or one of the three nested ones.
type Type struct {
	Name    string
	Fields  []Field
	Element *Type
	Key     *Type
}

// UnmarshalJSON reads both forms of a type.
func (t *Type) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &t.Name)
	}
	var nested struct {
		Type        string
		Fields      []Field
		ElementType *Type
		KeyType     *Type
		ValueType   *Type
	}
	if err := json.Unmarshal(text, &nested); err != nil {
		return err
	}
	*t = Type{Name: nested.Type, Fields: nested.Fields, Element: nested.ElementType, Key: nested.KeyType}
	if t.Name == "map" {
		t.Element = nested.ValueType
	}
	return nil
}

// Open replays all commits of the table.
func Open(dir string) (Table, error) {
	table := Table{Dir: dir, live: map[string]map[string]any{}}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", len(table.Commits))))
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return Table{}, err
		}
		if err := table.replay(text); err != nil {
			return Table{}, fmt.Errorf("commit %d: %w", len(table.Commits), err)
		}
	}
	table.Version = len(table.Commits) - 1
	table.Files = slices.Sorted(maps.Keys(table.live))
	return table, nil
}

func (t *Table) replay(text []byte) error {
	var c Commit
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var action map[string]map[string]any
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil {
			return err
		}
		for kind, body := range action {
			if err := t.apply(&c, kind, body); err != nil {
				return err
			}
		}
	}
	t.Commits = append(t.Commits, c)
	return lines.Err()
}

func (t *Table) apply(c *Commit, kind string, body map[string]any) error {
	switch kind {
	case "commitInfo":
		c.Info = body
	case "metaData":
		var root Type
		if err := json.Unmarshal([]byte(body["schemaString"].(string)), &root); err != nil {
			return err
		}
		t.Fields, t.partition = root.Fields, nil
		t.properties, _ = body["configuration"].(map[string]any)
		columns, _ := body["partitionColumns"].([]any)
		for _, c := range columns {
			t.partition = append(t.partition, c.(string))
		}
	case "add", "remove":
		path, err := url.PathUnescape(body["path"].(string))
		if err != nil {
			return err
		}
		if kind == "add" {
			c.Added = append(c.Added, body)
			t.live[path] = body
			return nil
		}
		c.Removed = append(c.Removed, body)
		if was, ok := t.live[path]; ok && sameVector(was, body) {
			delete(t.live, path)
		}
	}
	return nil
}

// Rows gives the live rows as sorted texts: values of partition columns behind the others and
// as the log spells them, and the row's id and commit version where the table tracks them.
func (t Table) Rows() ([]string, error) {
	var all []string
	for _, f := range t.Files {
		rows, err := t.liveRows(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		all = append(all, rows...)
	}
	slices.Sort(all)
	return all, nil
}

// Rows opens a table and gives its live rows as sorted texts.
func Rows(dir string) ([]string, error) {
	t, err := Open(dir)
	if err != nil {
		return nil, err
	}
	return t.Rows()
}

// DataFiles lists every Parquet file in the folder, live or not.
func DataFiles(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	for i, p := range paths {
		paths[i] = strings.TrimPrefix(p, dir+string(filepath.Separator))
	}
	return paths, err
}
