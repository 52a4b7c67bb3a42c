package execute

import (
	"context"
	"slices"

	"ajlo/job/delta"
	"ajlo/job/object"
)

// Stamped are the commits to a Delta table after a version that a step made, oldest first; the
// plan's hash is not asked for where the stamp has none.
func Stamped(ctx context.Context, store object.Store, newest, after int64, stamp Stamp) (list []delta.Entry, err error) {
	for e, err := range delta.History(ctx, store, newest) {
		if err != nil {
			return nil, err
		}
		if e.Version <= after {
			break
		}
		if IsStamped(e.UserMetadata, stamp) {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// IsStamped reports whether what a commit keeps is the stamp of a step of a run.
func IsStamped(kept string, stamp Stamp) bool {
	found, ok := delta.ParseStamp(kept)
	return ok && found.Run == stamp.Run && found.Step == stamp.Step && (stamp.PlanHash == "" || stamp.PlanHash == found.PlanHash)
}
