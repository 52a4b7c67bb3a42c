package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	iceberg "github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"

	"ajlo/job/table"
)

// REST is an Iceberg REST catalog.
type REST struct {
	// Catalog is what the logs call it, the first part of its tables' names; where it is "", tables
	// of names of two parts are asked for.
	Catalog   string
	URI       string
	Warehouse string // that the server is asked for; "" for its own
	// Token and Credential (id:secret, for OAuth) are how it is entered; "" for neither.
	Token, Credential string
	// Limit is the most that one answer is waited for.
	Limit time.Duration

	once      sync.Once
	client    *rest.Catalog
	connected error
}

// Name is how people are told of it.
func (r *REST) Name() string { return r.URI }

// Locate gives the place of a table; ok is false where the name is none of the catalog's, or where
// it has no such table.
func (r *REST) Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error) {
	identifier := ownParts(r.Catalog, name)
	if identifier == nil {
		return "", false, nil
	}
	own, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	if err := r.Connect(own); err != nil {
		return "", false, err
	}
	found, err := r.client.LoadTable(own, identifier)
	switch {
	case errors.Is(err, iceberg.ErrNoSuchTable), errors.Is(err, iceberg.ErrNoSuchNamespace):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("catalog %s: asking for %s: %w", r.URI, name, r.bare(err))
	}
	return local(found.Location()), true, nil
}

// Connect asks the catalog for its settings, once.
func (r *REST) Connect(ctx context.Context) error {
	r.once.Do(func() {
		var options []rest.Option
		if r.Warehouse != "" {
			options = append(options, rest.WithWarehouseLocation(r.Warehouse))
		}
		if r.Token != "" {
			options = append(options, rest.WithOAuthToken(r.Token))
		}
		if r.Credential != "" {
			options = append(options, rest.WithCredential(r.Credential))
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = r.Limit // also of requests for a token, which have no context of ours
		options = append(options, rest.WithCustomTransport(transport))
		client, err := rest.NewCatalog(ctx, "ajlo", r.URI, options...)
		if err != nil {
			r.connected = fmt.Errorf("catalog %s: %w", r.URI, r.bare(err))
			return
		}
		r.client = client
	})
	return r.connected
}

// bare is an error without what is secret.
func (r *REST) bare(err error) error {
	if text := bare(err.Error(), r.Token, r.Credential); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// bare is a text without secrets.
func bare(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}
