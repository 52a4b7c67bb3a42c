package delta

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Alteration makes a Change one that alters rows.
type Alteration struct {
	// Grows is by how many rows the table grows; less than 0 where it shrinks.
	Grows int64
	// Read are the files of the snapshot whose rows decided what the change does.
	Read []Add
	// Sees reports whether a file that another commit adds could hold rows that would have been
	// read, had it been there.
	Sees func(Add) bool
}

// Unalterable names, in words for people, what forbids ajlo to change a table's rows beside
// what Unsupported lists: what binds whoever makes new values, and what wants to be told of
// each row. Empty means that rows may be changed.
func Unalterable(s Snapshot) []string {
	found := unalterableProperties(s.Metadata.Configuration)
	for _, f := range s.Metadata.Schema {
		found = append(found, unalterableColumn(f, "", true)...)
	}
	if notNullInside.MatchString(s.Metadata.SchemaString) {
		found = append(found, "arrays or maps whose values may not be NULL")
	}
	return found
}

// notNullInside is found in schemas only where a type says so; a name cannot hold a bare quote.
var notNullInside = regexp.MustCompile(`"(containsNull|valueContainsNull)"\s*:\s*false`)

// changeFeedKey has a table keep a feed of its changes.
const changeFeedKey = "delta.enableChangeDataFeed"

// AppendOnly reports whether the table lets no row be changed or deleted.
func (m Metadata) AppendOnly() bool {
	return strings.EqualFold(m.Configuration["delta.appendOnly"], "true")
}

func unalterableProperties(configuration map[string]string) (found []string) {
	for _, key := range slices.Sorted(maps.Keys(configuration)) {
		on := strings.EqualFold(configuration[key], "true")
		switch {
		case key == changeFeedKey && on:
			found = append(found, "change data feed ("+key+")")
		case key == rowTrackingKey && on:
			found = append(found, "row tracking ("+key+")")
		case strings.HasPrefix(key, "delta.constraints."):
			found = append(found, "constraint "+strings.TrimPrefix(key, "delta.constraints."))
		}
	}
	return found
}

// valueRules are the settings of a column that bind whoever makes values for it, by the start
// of their keys.
var valueRules = []struct{ key, name string }{
	{"delta.generationExpression", "generated column"},
	{"delta.identity.", "identity column"},
	{"delta.invariants", "invariant of column"},
	{"__CHAR_VARCHAR_TYPE_STRING", "length of texts in column"},
}

// unalterableColumn looks at a column and its fields. NOT NULL of a whole column is for the
// writer to see to; inside a struct it is not looked at by any reader of rows here.
func unalterableColumn(f Field, parent string, top bool) (found []string) {
	name := parent + f.Name
	for _, rule := range valueRules {
		if slices.ContainsFunc(slices.Collect(maps.Keys(f.Metadata)), func(key string) bool { return strings.HasPrefix(key, rule.key) }) {
			found = append(found, fmt.Sprintf("%s %s", rule.name, name))
		}
	}
	if !top && !f.Nullable {
		found = append(found, fmt.Sprintf("NOT NULL of %s inside a struct", name))
	}
	return append(found, unalterableParts(&f.Type, name)...)
}

func unalterableParts(t *Type, name string) (found []string) {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		found = append(found, unalterableColumn(f, name+".", false)...)
	}
	return slices.Concat(found, unalterableParts(t.Key, name+".key"), unalterableParts(t.Element, name+".element"))
}

// checkAlteration is what check asks of a change that alters rows.
func (c Change) checkAlteration(read Snapshot) error {
	if found := Unalterable(read); len(found) > 0 {
		return fmt.Errorf("ajlo does not change rows of tables with %s", strings.Join(found, "; "))
	}
	if read.Metadata.AppendOnly() && len(c.Remove) > 0 {
		return fmt.Errorf("the table is append-only (delta.appendOnly): its rows may not be changed or deleted")
	}
	if c.Alters.Sees == nil {
		return fmt.Errorf("a change of rows has to say what it would have read")
	}
	return nil
}
