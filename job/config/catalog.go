package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
)

// catalog reads a catalog over the network. What its kind has no use for is refused: it may hide a slip.
func (r *reader) catalog(c remote, path string) Catalog {
	r.require(c.Kind, path, "a catalog without a `kind`", "say iceberg_rest, hive, glue or unity")
	kind := read(r, c.Kind, oneOf(IcebergREST, Hive, Glue, Unity))
	address := server
	switch kind {
	case Hive:
		address = thriftServer
		fallthrough
	case IcebergREST, Unity:
		r.require(c.URI, path, "a catalog without a `uri`", "give the URL of its server")
	}
	return Catalog{
		Kind: kind, URI: read(r, c.URI, address), Name: read(r, c.Name, notEmpty),
		Warehouse:  read(r, c.Warehouse, onlyOf(kind, notEmpty, IcebergREST, Glue)),
		Token:      r.hidden(c.Token, "lake.catalogs.token", onlyOf(kind, fromEnvironment, IcebergREST, Unity)),
		Credential: r.hidden(c.Credential, "lake.catalogs.credential", onlyOf(kind, fromEnvironment, IcebergREST)),
	}
}

// onlyOf reads a value that only some kinds of catalogs have.
func onlyOf[T any](kind CatalogKind, parse func(string) (T, error), kinds ...CatalogKind) func(string) (T, error) {
	if slices.Contains(kinds, kind) {
		return parse
	}
	return func(string) (none T, err error) {
		return none, fmt.Errorf("a catalog of kind %s takes no such value: it is for kind %s", kind, either(kinds))
	}
}

// thriftServer is the address of a Hive Metastore.
func thriftServer(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "thrift" || u.Hostname() == "" || u.Port() == "" || u.User != nil || u.Path != "" && u.Path != "/" {
		return "", errors.New("want the address of a Hive Metastore, such as thrift://metastore.example:9083")
	}
	return clean(text), nil
}
