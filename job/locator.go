package job

import (
	"context"
	"log/slog"

	"ajlo/job/table"
)

// Locator is a catalog over the network.
type Locator interface {
	// Name is how people are told of it.
	Name() string
	// Connect asks it for its settings, once.
	Connect(ctx context.Context) error
	// Locate gives the place of a table; ok is false where it has no table of that name.
	Locate(ctx context.Context, name table.Name) (at table.Location, ok bool, err error)
}

// Ask asks catalogs in their order; nil where there are none. One that does not answer is warned of
// once and asked no more: its tables are not found then, which coverage counts (rule 6).
func Ask(ctx context.Context, catalogs []Locator, log *slog.Logger) func(table.Name) (table.Location, bool) {
	if len(catalogs) == 0 {
		return nil
	}
	silent := map[Locator]bool{}
	return func(name table.Name) (table.Location, bool) {
		for _, c := range catalogs {
			if silent[c] {
				continue
			}
			at, ok, err := c.Locate(ctx, name)
			if err != nil {
				silent[c] = true
				log.Warn("a catalog does not answer; tables that only it places are not found", "catalog", c.Name(), "err", err)
			}
			if ok {
				return at, true
			}
		}
		return "", false
	}
}
