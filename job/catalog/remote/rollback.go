package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"ajlo/job/iceberg"
	names "ajlo/job/table"
)

// RollBack makes an ancestor of the snapshot that was read the current one of a table, by one commit of
// the catalog's that holds only while no other snapshot is current: its error is of iceberg.ErrMoved
// where one is. Properties are set with it, those with an empty value are taken away.
func (r *REST) RollBack(ctx context.Context, name names.Name, read iceberg.Snapshot, to int64, properties map[string]string) error {
	failed := func(err error) error {
		return fmt.Errorf("catalog %s: rolling %s back to snapshot %d: %w", r.URI, name, to, r.bare(err))
	}
	identifier := ownParts(r.Catalog, name)
	if identifier == nil {
		return failed(errors.New("it is none of its tables"))
	}
	id, err := uuid.Parse(read.UUID)
	if err != nil {
		return failed(err)
	}
	own, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	if err := r.Connect(own); err != nil {
		return err
	}
	found, err := r.client.LoadTable(own, identifier)
	if err != nil {
		return failed(err)
	}
	if found.Metadata().TableUUID() != id {
		return failed(errors.New("the catalog has another table of that name"))
	}
	conditions := []table.Requirement{table.AssertTableUUID(id), table.AssertRefSnapshotID(table.MainBranch, &read.ID)}
	_, _, err = r.client.CommitTable(own, identifier, conditions, rollback(found.Metadata(), to, properties))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, table.ErrCommitFailed):
		return fmt.Errorf("catalog %s: %s: %w", r.URI, name, iceberg.ErrMoved)
	case r.rolledBack(context.WithoutCancel(ctx), identifier, to, properties): // the reply was lost, the commit not
		return nil
	}
	return failed(err)
}

// rollback is what a commit changes. How long the branch keeps snapshots would be forgotten if it were not
// said again.
func rollback(now table.Metadata, to int64, properties map[string]string) []table.Update {
	var age, snapshots int64
	var least int
	for branch, ref := range now.Refs() {
		if branch == table.MainBranch {
			age, snapshots, least = value(ref.MaxRefAgeMs), value(ref.MaxSnapshotAgeMs), value(ref.MinSnapshotsToKeep)
		}
	}
	updates := []table.Update{table.NewSetSnapshotRefUpdate(table.MainBranch, to, table.BranchRef, age, snapshots, least)}
	set := maps.Clone(properties)
	maps.DeleteFunc(set, func(_, value string) bool { return value == "" })
	if len(set) > 0 {
		updates = append(updates, table.NewSetPropertiesUpdate(set))
	}
	var gone []string
	for key := range now.Properties() {
		if value, named := properties[key]; named && value == "" {
			gone = append(gone, key)
		}
	}
	if slices.Sort(gone); len(gone) > 0 {
		updates = append(updates, table.NewRemovePropertiesUpdate(gone))
	}
	return updates
}

func value[T int | int64](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// rolledBack reports whether a table is as a commit was to leave it.
func (r *REST) rolledBack(ctx context.Context, identifier []string, to int64, properties map[string]string) bool {
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	found, err := r.client.LoadTable(ctx, identifier)
	if err != nil {
		return false
	}
	now, has := found.CurrentSnapshot(), found.Metadata().Properties()
	for key, value := range properties {
		if has[key] != value {
			return false
		}
	}
	return now != nil && now.SnapshotID == to
}
