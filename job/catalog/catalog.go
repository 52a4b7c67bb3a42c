// Package catalog tells where a table is whose name, or logged place, stands in an event
// log. It asks in a fixed order: the location in the log, carried over by the path map; the
// tables named in the config; folders under the lake's roots; catalogs over the network. It reads
// no table itself.
package catalog

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"ajlo/job/table"
)

// Catalog resolves names. Its fields are set once and only read.
type Catalog struct {
	// PathMap carries places as the cluster names them to places as this machine does, by
	// longest prefix: "/lake/warehouse" → "/mnt/lake".
	PathMap map[string]string
	// Tables are the places given in the config.
	Tables map[table.Name]table.Location
	// Roots are folders that hold db.db/table or db/table.
	Roots []table.Location
	// Ask asks catalogs over the network for a name; nil where there are none.
	Ask func(table.Name) (table.Location, bool)
	// Exists reports whether a table stands at a place.
	Exists func(table.Location) bool
}

// Source says what a table was found by.
type Source string

// The sources, in the order they are asked.
const (
	ByLog    Source = "log"
	ByConfig Source = "config"
	ByRoot   Source = "root"
	ByAsking Source = "catalog"
)

// Place is where a table was found.
type Place struct {
	Location table.Location
	Source   Source
}

// Unplaced says that a catalog over the network knows a table and gives no place that ajlo could work
// on: it is of another format, a view, or has no place there.
type Unplaced struct {
	Name table.Name
	Why  string // as in "it is a parquet table"
}

func (u *Unplaced) Error() string {
	return "the catalog has " + string(u.Name) + ", but " + u.Why
}

// Resolve finds a table by its name and the place the log gives, either of which may be
// empty; ok is false where nothing stands at any of the places asked.
func (c Catalog) Resolve(name table.Name, logged table.Location) (p Place, ok bool) {
	if at := c.Map(logged); at != "" && c.Exists(at) {
		return Place{at, ByLog}, true
	}
	if at, named := c.Tables[name]; named && c.Exists(at) {
		return Place{at, ByConfig}, true
	}
	for _, at := range c.underRoots(name) {
		if c.Exists(at) {
			return Place{at, ByRoot}, true
		}
	}
	if c.Ask == nil || name == "" {
		return Place{}, false
	}
	// A catalog names places as its clusters do.
	at, known := c.Ask(name)
	if at = c.Map(at); known && c.Exists(at) {
		return Place{at, ByAsking}, true
	}
	return Place{}, false
}

// Map carries a logged place over to this machine's; it only tidies what no entry covers.
func (c Catalog) Map(logged table.Location) table.Location {
	at := Tidy(logged)
	froms := make([]string, 0, len(c.PathMap))
	for from := range c.PathMap {
		froms = append(froms, from)
	}
	slices.SortFunc(froms, func(a, b string) int { return len(b) - len(a) })
	for _, from := range froms {
		prefix := string(Tidy(table.Location(from)))
		if rest, ok := strings.CutPrefix(string(at), prefix); ok && (rest == "" || rest[0] == '/') {
			return Tidy(table.Location(c.PathMap[from] + rest))
		}
	}
	return at
}

// Tidy gives one spelling to places that Spark spells in several: file: URLs become bare
// paths, s3a: and s3n: become s3:, trailing slashes go.
func Tidy(l table.Location) table.Location {
	text := string(l)
	if rest, ok := strings.CutPrefix(text, "file:"); ok {
		text = "/" + strings.TrimLeft(rest, "/")
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
	}
	for _, scheme := range []string{"s3a://", "s3n://"} {
		if rest, ok := strings.CutPrefix(text, scheme); ok {
			text = "s3://" + rest
		}
	}
	if trimmed := strings.TrimRight(text, "/"); trimmed != "" {
		text = trimmed
	}
	return table.Location(text)
}

// underRoots lists where a name of two parts could stand below the roots, or one of three, of
// which the first is a catalog. Names that would climb out of a root give no place.
func (c Catalog) underRoots(name table.Name) []table.Location {
	first, rest, _ := strings.Cut(string(name), ".")
	second, third, _ := strings.Cut(rest, ".")
	return append(c.below(first, rest), c.below(second, third)...)
}

func (c Catalog) below(db, tbl string) (places []table.Location) {
	if !plainFolder(db) || !plainFolder(tbl) {
		return nil
	}
	for _, root := range c.Roots {
		base := string(Tidy(root))
		places = append(places,
			table.Location(base+"/"+path.Join(db+".db", tbl)),
			table.Location(base+"/"+path.Join(db, tbl)))
	}
	return places
}

func plainFolder(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}
