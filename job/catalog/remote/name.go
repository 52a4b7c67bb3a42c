package remote

import (
	"strings"

	"ajlo/job/table"
)

// ownParts are the parts of a name below its catalog; nil where the name is not the catalog's own.
// Logs name the tables of a catalog by its name and at least two parts more, and those of a
// session's own catalog by two parts.
func ownParts(catalog string, name table.Name) []string {
	parts := strings.Split(string(name), ".")
	if catalog == "" {
		if len(parts) != 2 {
			return nil
		}
	} else if parts[0] != catalog || len(parts) < 3 {
		return nil
	} else {
		parts = parts[1:]
	}
	if !plain(parts) {
		return nil
	}
	return parts
}

// plain reports whether no part is empty, would be another path, or holds the separator of Iceberg's
// protocol.
func plain(parts []string) bool {
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "/\\\x00\x1f") {
			return false
		}
	}
	return true
}
