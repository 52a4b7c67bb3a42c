package main

import (
	"os"
	"time"

	"ajlo/job"
	"ajlo/job/catalog/remote"
	"ajlo/job/config"
)

// catalogLimit is the most that one answer of a catalog is waited for: it looks a name up.
const catalogLimit = 30 * time.Second

// newCatalogs are those of the config. A secret that is missing is a mistake of the config's.
func newCatalogs(c config.Config) ([]job.Locator, error) {
	var list []job.Locator
	for _, one := range c.Lake.Catalogs {
		token, err := one.Token.Read(os.Getenv)
		if err != nil {
			return nil, &job.UsageError{Text: err.Error()}
		}
		credential, err := one.Credential.Read(os.Getenv)
		if err != nil {
			return nil, &job.UsageError{Text: err.Error()}
		}
		list = append(list, newCatalog(one, token, credential))
	}
	return list, nil
}

func newCatalog(c config.Catalog, token, credential string) job.Locator {
	switch c.Kind {
	case config.Hive:
		return &remote.Hive{Catalog: c.Name, URI: c.URI, Limit: catalogLimit}
	case config.Glue:
		return &remote.Glue{Catalog: c.Name, ID: c.Warehouse, Endpoint: c.URI, Limit: catalogLimit}
	case config.Unity:
		return &remote.Unity{Catalog: c.Name, URI: c.URI, Token: token, Limit: catalogLimit}
	}
	return &remote.REST{Catalog: c.Name, URI: c.URI, Warehouse: c.Warehouse, Token: token, Credential: credential, Limit: catalogLimit}
}
