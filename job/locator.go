package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"ajlo/job/catalog"
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

// Keeper is a catalog that may keep tables to itself, wherever their places are known from.
type Keeper interface {
	// Keeps tells why a table is not to be rewritten by others; "" where it may be.
	Keeps(ctx context.Context, name table.Name) (why string, err error)
}

// withheld is why catalogs keep a table to themselves, by the names that logs know it by. One that does
// not answer may.
func withheld(ctx context.Context, catalogs []Locator, names []table.Name) (why []string) {
	for _, c := range catalogs {
		keeper, ok := c.(Keeper)
		if !ok {
			continue
		}
		for _, name := range names {
			reason, err := keeper.Keeps(ctx, name)
			if err != nil {
				reason = fmt.Sprintf("its catalog does not tell whether it keeps the table to itself: %v", err)
			}
			if reason != "" {
				why = append(why, reason)
			}
		}
	}
	return why
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
			var unplaced *catalog.Unplaced
			if errors.As(err, &unplaced) {
				log.Warn("a table is left as it is", "catalog", c.Name(), "err", err)
				return "", false
			}
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
