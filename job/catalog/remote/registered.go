package remote

import (
	"path"
	"strings"

	"ajlo/job/catalog"
	"ajlo/job/table"
)

// registered is what a Hive Metastore, or Glue, which is modelled on it, keeps of a table.
type registered struct {
	kind       string            // MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW and the like
	parameters map[string]string // of the table
	storage    map[string]string // of its storage: where Spark puts the options of a table
	location   string            // of its storage
	serde      string            // the class that reads its rows
}

// placeholder ends the location that Spark makes up for a table of its own formats that has its place
// in the option path: Hive wants one.
const placeholder = "-__PLACEHOLDER__"

// place tells where a Delta or an Iceberg table is. Spark marks the tables of its own formats by
// spark.sql.sources.provider, Iceberg and Athena theirs by table_type.
func (r registered) place(name table.Name) (table.Location, error) {
	kind, provider := strings.ToLower(r.parameters["table_type"]), strings.ToLower(r.parameters["spark.sql.sources.provider"])
	at := r.location
	switch {
	case strings.HasSuffix(r.kind, "VIEW"):
		return "", otherFormat(name, "a view")
	case kind == "iceberg":
		if folder, ok := folderOf(r.parameters["metadata_location"]); ok {
			at = folder
		}
	case kind == "delta", provider == "delta":
		if option := r.storage["path"]; option != "" {
			at = option
		}
	default:
		return "", otherFormat(name, r.what(provider))
	}
	if at == "" || strings.HasSuffix(at, placeholder) {
		return "", &catalog.Unplaced{Name: name, Why: "it has no location there: place it under lake.tables"}
	}
	return local(at), nil
}

func otherFormat(name table.Name, what string) error {
	return &catalog.Unplaced{Name: name, Why: "it is " + what + ": ajlo keeps Delta and Iceberg tables, and leaves others as they are"}
}

// what names a table that is neither Delta nor Iceberg.
func (r registered) what(provider string) string {
	switch {
	case provider != "":
		return "a " + provider + " table"
	case r.serde != "":
		return "a Hive table read by " + r.serde[strings.LastIndexByte(r.serde, '.')+1:]
	}
	return "a table of no format that it names"
}

// folderOf is the folder of an Iceberg table by the address of one of its metadata files.
func folderOf(metadata string) (folder string, ok bool) {
	folder, ok = strings.CutSuffix(path.Dir(metadata), "/metadata")
	if scheme, rest, found := strings.Cut(metadata, "://"); found {
		folder, ok = strings.CutSuffix(path.Dir(rest), "/metadata")
		folder = scheme + "://" + folder
	}
	return folder, ok
}

// local makes a file: address as Hadoop's Path prints it, in which nothing is escaped, a path of this
// machine; as a URL its percent signs would be taken for escapes.
func local(at string) table.Location {
	if rest, ok := strings.CutPrefix(at, "file:"); ok {
		return table.Location("/" + strings.TrimLeft(rest, "/"))
	}
	return table.Location(at)
}
