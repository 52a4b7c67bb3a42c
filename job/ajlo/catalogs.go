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
		list = append(list, &remote.REST{Catalog: one.Name, URI: one.URI, Warehouse: one.Warehouse, Token: token, Credential: credential, Limit: catalogLimit})
	}
	return list, nil
}
