// Package iceberg reads Iceberg tables: the newest metadata file of a table's folder, its
// current snapshot or an earlier one, and the bounds that the manifests keep of every data file.
//
// In comes a store rooted at the table's folder; out comes a Snapshot. Nothing is written; what
// steps of ajlo leave in a table's history, through its own engine, is named in commits.go.
// Metadata holds whole addresses of files: those below the table's own location are read
// below the store's root, so that a table may be read where it was copied or mounted to.
//
// What is refused: a folder without metadata files (ErrNoTable), one where two metadata
// files share the newest number, since only the catalog knows which of them counts, and
// metadata, manifest lists and manifests that lie outside the table's folder.
//
// Formats are as the Iceberg specification has them, versions 1 to 3
// (https://iceberg.apache.org/spec/).
package iceberg
