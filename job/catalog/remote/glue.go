package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/glue"
	"github.com/aws/aws-sdk-go-v2/service/glue/types"

	"ajlo/job/table"
)

// Glue is AWS Glue's Data Catalog. Region and credentials are those of AWS's own chain (the
// environment, profiles, the machine's role).
type Glue struct {
	// Catalog is what the logs call it, the first part of its tables' names; where it is "", tables
	// of names of two parts are asked for.
	Catalog string
	// ID is the catalog that is asked for, an account; "" for the caller's own.
	ID string
	// Endpoint is the URL of the service; "" for the region's own.
	Endpoint string
	// Limit is the most that one answer is waited for, further tries included.
	Limit time.Duration

	once      sync.Once
	client    *glue.Client
	connected error
}

// Name is how people are told of it.
func (g *Glue) Name() string {
	if g.Endpoint != "" {
		return g.Endpoint
	}
	return "glue"
}

// Connect asks for one database, whichever.
func (g *Glue) Connect(ctx context.Context) error {
	own, cancel := context.WithTimeout(ctx, g.Limit)
	defer cancel()
	if err := g.prepare(own); err != nil {
		return err
	}
	_, err := g.client.GetDatabases(own, &glue.GetDatabasesInput{CatalogId: g.id(), MaxResults: aws.Int32(1)})
	if err != nil {
		return fmt.Errorf("catalog %s: %w", g.Name(), err)
	}
	return nil
}

// Locate gives the place of a table; ok is false where the name is none of the catalog's, or where
// it has no such table. Tables are asked for one by one: a window misses a few of the thousands that a
// database may have.
func (g *Glue) Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error) {
	parts := ownParts(g.Catalog, name)
	if len(parts) != 2 {
		return "", false, nil
	}
	own, cancel := context.WithTimeout(ctx, g.Limit)
	defer cancel()
	if err := g.prepare(own); err != nil {
		return "", false, err
	}
	found, err := g.client.GetTable(own, &glue.GetTableInput{CatalogId: g.id(), DatabaseName: &parts[0], Name: &parts[1]})
	var none *types.EntityNotFoundException
	switch {
	case errors.As(err, &none):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("catalog %s: asking for %s: %w", g.Name(), name, err)
	case found.Table == nil:
		return "", false, fmt.Errorf("catalog %s: asking for %s: an answer without a table", g.Name(), name)
	}
	at, err = registeredInGlue(found.Table).place(name)
	return at, err == nil, err
}

// prepare reads the settings of AWS's chain, once. Its client of HTTP stays AWS's own: with another, the
// chain fails where AWS_CA_BUNDLE is set.
func (g *Glue) prepare(ctx context.Context) error {
	g.once.Do(func() {
		settings, err := awsconfig.LoadDefaultConfig(ctx)
		if err == nil && settings.Region == "" {
			err = errors.New("no region: set AWS_REGION, or one in the profile")
		}
		if err != nil {
			g.connected = fmt.Errorf("catalog %s: %w", g.Name(), err)
			return
		}
		g.client = glue.NewFromConfig(settings, func(o *glue.Options) {
			if g.Endpoint != "" {
				o.BaseEndpoint = &g.Endpoint
			}
		})
	})
	return g.connected
}

func (g *Glue) id() *string {
	if g.ID == "" {
		return nil
	}
	return &g.ID
}

func registeredInGlue(t *types.Table) registered {
	r := registered{kind: aws.ToString(t.TableType), parameters: t.Parameters}
	if sd := t.StorageDescriptor; sd != nil {
		r.location = aws.ToString(sd.Location)
		if sd.SerdeInfo != nil {
			r.storage, r.serde = sd.SerdeInfo.Parameters, aws.ToString(sd.SerdeInfo.SerializationLibrary)
		}
	}
	return r
}
