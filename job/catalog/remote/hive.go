package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/beltran/gohive/hive_metastore"

	"ajlo/job/table"
)

// Hive is a Hive Metastore.
type Hive struct {
	// Catalog is what the logs call it, the first part of its tables' names; where it is "", tables
	// of names of two parts are asked for.
	Catalog string
	URI     string // thrift://host:port
	// Limit is the most that one answer is waited for, connecting included.
	Limit time.Duration
}

// Name is how people are told of it.
func (h *Hive) Name() string { return h.URI }

// Connect asks for the database that every metastore has.
func (h *Hive) Connect(ctx context.Context) error {
	err := h.call(ctx, func(ctx context.Context, c *hive_metastore.ThriftHiveMetastoreClient) error {
		_, err := c.GetDatabase(ctx, "default")
		return err
	})
	if isMissing(err) {
		return nil
	}
	return err
}

// Locate gives the place of a table; ok is false where the name is none of the catalog's, or where
// it has no such table.
func (h *Hive) Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error) {
	parts := ownParts(h.Catalog, name)
	if len(parts) != 2 {
		return "", false, nil
	}
	var found *hive_metastore.Table
	err = h.call(ctx, func(ctx context.Context, c *hive_metastore.ThriftHiveMetastoreClient) (err error) {
		found, err = c.GetTable(ctx, parts[0], parts[1])
		return err
	})
	switch {
	case isMissing(err):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("asking for %s: %w", name, err)
	}
	at, err = registeredInHive(found).place(name)
	return at, err == nil, err
}

// isMissing reports whether a metastore answered that it has no such table or database.
func isMissing(err error) bool {
	var none *hive_metastore.NoSuchObjectException
	return errors.As(err, &none)
}

func registeredInHive(t *hive_metastore.Table) registered {
	r := registered{kind: t.GetTableType(), parameters: t.GetParameters()}
	if sd := t.GetSd(); sd != nil {
		r.location = sd.GetLocation()
		if info := sd.GetSerdeInfo(); info != nil {
			r.storage, r.serde = info.GetParameters(), info.GetSerializationLib()
		}
	}
	return r
}
