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

// indexedColumns are the top-level columns, structs left out, that have statistics: those
// named by the table, else the first so many leaf columns, where each leaf of a struct
// counts. A negative count means all.
func indexedColumns(m Metadata) ([]Field, error) {
	if names, ok := m.Configuration[indexedNamesKey]; ok {
		return namedColumns(m.Schema, names)
	}
	limit, err := numberProperty(m.Configuration, indexedCountKey, defaultIndexed)
	if err != nil {
		return nil, err
	}
	var fields []Field
	leaves := 0
	for _, f := range m.Schema {
		if limit >= 0 && leaves >= limit {
			break
		}
		leaves += f.Type.leaves()
		if f.Type.Kind != Struct {
			fields = append(fields, f)
		}
	}
	return fields, nil
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

// namedColumns picks columns by a list of names as SQL writes them; case does not matter.
// Names of fields within structs are passed over.
func namedColumns(schema Schema, list string) ([]Field, error) {
	paths, err := splitNames(list)
	if err != nil {
		return nil, fmt.Errorf("table property %s=%s: %w", indexedNamesKey, list, err)
	}
	var fields []Field
	for _, f := range schema {
		named := slices.ContainsFunc(paths, func(path []string) bool {
			return len(path) == 1 && strings.EqualFold(path[0], f.Name)
		})
		if named && f.Type.Kind != Struct {
			fields = append(fields, f)
		}
	}
	return fields, nil
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
