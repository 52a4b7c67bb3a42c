package delta

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Table properties that say which columns have statistics and how long strings are kept,
// with Delta's defaults.
const (
	indexedCountKey = "delta.dataSkippingNumIndexedCols"
	indexedNamesKey = "delta.dataSkippingStatsColumns"
	prefixKey       = "delta.dataSkippingStringPrefixLength"

	defaultIndexed = 32 // leaf columns
	defaultPrefix  = 32 // characters
)

// indexedColumns are the columns that have statistics, structs with those of their fields
// that have: the ones named by the table, else the first so many leaf columns. A negative
// count means all. Partition columns are in no file and do not count.
func indexedColumns(m Metadata) ([]Field, error) {
	stored := slices.DeleteFunc(slices.Clone(m.Schema), func(f Field) bool { return slices.Contains(m.PartitionColumns, f.Name) })
	if names, ok := m.Configuration[indexedNamesKey]; ok {
		return namedColumns(stored, names)
	}
	limit, err := numberProperty(m.Configuration, indexedCountKey, defaultIndexed)
	if err != nil {
		return nil, err
	}
	if limit < 0 {
		return stored, nil
	}
	fields, _ := firstLeaves(stored, limit)
	return fields, nil
}

// firstLeaves cuts fields off behind the first so many leaves and says how many are left.
func firstLeaves(fields []Field, limit int) (kept []Field, left int) {
	for _, f := range fields {
		if limit == 0 {
			break
		}
		if f.Type.Kind == Struct {
			f.Type.Fields, limit = firstLeaves(f.Type.Fields, limit)
		} else {
			limit--
		}
		kept = append(kept, f)
	}
	return kept, limit
}

func stringPrefix(configuration map[string]string) (int, error) {
	return numberProperty(configuration, prefixKey, defaultPrefix)
}

func numberProperty(configuration map[string]string, key string, otherwise int) (int, error) {
	text, ok := configuration[key]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("table property %s=%s: not a number", key, text)
	}
	return n, nil
}

// namedColumns picks columns by a list of names as SQL writes them; case does not matter. A
// struct that is named has all its fields.
func namedColumns(schema Schema, list string) ([]Field, error) {
	paths, err := splitNames(list)
	if err != nil {
		return nil, fmt.Errorf("table property %s=%s: %w", indexedNamesKey, list, err)
	}
	return namedFields(schema, paths), nil
}

func namedFields(fields []Field, paths [][]string) (kept []Field) {
	for _, f := range fields {
		whole, below := false, [][]string{}
		for _, path := range paths {
			if !strings.EqualFold(path[0], f.Name) {
				continue
			}
			whole = whole || len(path) == 1
			if len(path) > 1 {
				below = append(below, path[1:])
			}
		}
		if !whole {
			if f.Type.Kind != Struct {
				continue
			}
			if f.Type.Fields = namedFields(f.Type.Fields, below); len(f.Type.Fields) == 0 {
				continue
			}
		}
		kept = append(kept, f)
	}
	return kept
}

// splitNames reads "a, `b.c`, s.x" into paths. A backtick within backticks is doubled.
func splitNames(list string) (paths [][]string, err error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	path := []string{}
	for {
		part, rest, err := cutName(strings.TrimLeft(list, " \t\n\r"))
		if err != nil {
			return nil, err
		}
		path = append(path, part)
		rest = strings.TrimLeft(rest, " \t\n\r")
		if rest == "" {
			return append(paths, path), nil
		}
		switch rest[0] {
		case ',':
			paths, path = append(paths, path), []string{}
		case '.':
		default:
			return nil, fmt.Errorf("unexpected %q", rest)
		}
		list = rest[1:]
	}
}

// cutName takes one identifier, quoted or not, off the front of text.
func cutName(text string) (name, rest string, err error) {
	quoted, ok := strings.CutPrefix(text, "`")
	if !ok {
		end := strings.IndexAny(text, ",. \t\n\r`")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return "", "", errors.New("a name is missing")
		}
		return text[:end], text[end:], nil
	}
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '`' {
			continue
		}
		if strings.HasPrefix(quoted[i+1:], "`") {
			i++
			continue
		}
		return strings.ReplaceAll(quoted[:i], "``", "`"), quoted[i+1:], nil
	}
	return "", "", errors.New("a backtick is not closed")
}
