package remote

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"ajlo/job/catalog"
	"ajlo/job/table"
)

// Unity is a Unity Catalog, that of Databricks or the open-source server, asked by its REST interface
// 2.1. Its tables have names of three parts.
type Unity struct {
	// Catalog is the only catalog of the server that is asked for; "" for each that a name begins
	// with.
	Catalog string
	URI     string // of the workspace or the server
	Token   string // "" for none
	// Limit is the most that one answer is waited for, further tries included.
	Limit time.Duration

	mu    sync.Mutex
	known map[table.Name]unityTable // what was answered
}

// unityTable is what is read of its description of a table.
type unityTable struct {
	Kind       string            `json:"table_type"`
	Format     string            `json:"data_source_format"`
	Location   string            `json:"storage_location"`
	Properties map[string]string `json:"properties"`
	Optimized  struct {
		Value string `json:"value"`
	} `json:"effective_predictive_optimization_flag"`
	missing bool
}

// Name is how people are told of it.
func (u *Unity) Name() string { return u.URI }

// Connect asks for one catalog, whichever.
func (u *Unity) Connect(ctx context.Context) error {
	var list struct {
		Catalogs []struct {
			Name string `json:"name"`
		} `json:"catalogs"`
	}
	if err := u.get(ctx, "catalogs?max_results=1", &list); err != nil {
		return fmt.Errorf("catalog %s: %w", u.URI, err)
	}
	return nil
}

// Locate gives the place of a table; ok is false where the name is none of the catalog's, or where
// it has no such table.
func (u *Unity) Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error) {
	found, err := u.ask(ctx, name)
	if err != nil || found.missing {
		return "", false, err
	}
	switch {
	case strings.HasSuffix(found.Kind, "VIEW"):
		err = otherFormat(name, "a view")
	case found.Format == "":
		err = otherFormat(name, "a table of no format that it names")
	case found.Format != "DELTA" && found.Format != "ICEBERG":
		err = otherFormat(name, "a "+strings.ToLower(found.Format)+" table")
	case found.Location == "":
		err = &catalog.Unplaced{Name: name, Why: "it has no location there: place it under lake.tables"}
	default:
		at = local(found.Location)
	}
	return at, err == nil, err
}

// Features of a Delta table whose commits its catalog makes, as properties of the table.
var commitFeatures = []string{"delta.feature.catalogManaged", "delta.feature.catalogOwned"}

// Keeps tells why a table is its catalog's to lay out or to commit to; "" where it is not, or where
// the name is none of the catalog's.
func (u *Unity) Keeps(ctx context.Context, name table.Name) (why string, err error) {
	found, err := u.ask(ctx, name)
	if err != nil || found.missing {
		return "", err
	}
	for property := range found.Properties {
		for _, feature := range commitFeatures {
			if strings.HasPrefix(property, feature) {
				return "its commits are made by its catalog (" + property + ")", nil
			}
		}
	}
	if found.Optimized.Value == "ENABLE" {
		return "its catalog lays it out itself (predictive optimization)", nil
	}
	return "", nil
}

// ask gets the description of a table, once for each name that was answered.
func (u *Unity) ask(ctx context.Context, name table.Name) (unityTable, error) {
	parts := strings.Split(string(name), ".")
	if len(parts) != 3 || !plain(parts) || u.Catalog != "" && parts[0] != u.Catalog {
		return unityTable{missing: true}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if found, ok := u.known[name]; ok {
		return found, nil
	}
	var found unityTable
	err := u.get(ctx, "tables/"+url.PathEscape(string(name)), &found)
	var fault *unityFault
	if errors.As(err, &fault) && fault.missing() {
		found, err = unityTable{missing: true}, nil
	}
	if err != nil {
		return found, fmt.Errorf("catalog %s: asking for %s: %w", u.URI, name, err)
	}
	if u.known == nil {
		u.known = map[table.Name]unityTable{}
	}
	u.known[name] = found
	return found, nil
}
