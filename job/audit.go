package job

import (
	"context"
	"errors"
	"fmt"

	"ajlo/job/report"
	"ajlo/state"
)

// AuditViews are the names of the views that Audit reads.
func AuditViews() []string {
	var names []string
	for _, v := range state.Views() {
		names = append(names, string(v))
	}
	return names
}

// Asked narrows an audit; the zero value is all of it.
type Asked = state.Asked

// AuditView reads one view of a state.
func AuditView(ctx context.Context, at StateFile, view string, asked Asked) (l report.Listing, err error) {
	store, err := at.demand(ctx)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return listing(ctx, store, state.View(view), asked)
}

// Audit reads what an auditor asks first.
func Audit(ctx context.Context, at StateFile, asked Asked) (a report.Audit, err error) {
	store, err := at.demand(ctx)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	nights := Asked{Since: asked.Since}
	for _, part := range []struct {
		view  state.View
		asked Asked
		into  *report.Listing
	}{
		{state.ChangesView, asked, &a.Changes},
		{state.RunsView, nights, &a.Runs},
		{state.DriftView, nights, &a.Drift},
		{state.UntouchedView, Asked{Table: asked.Table}, &a.Untouched},
	} {
		if *part.into, err = listing(ctx, store, part.view, part.asked); err != nil {
			return a, err
		}
	}
	return a, nil
}

func listing(ctx context.Context, store *state.Store, view state.View, asked Asked) (report.Listing, error) {
	rows, err := store.Audit(ctx, view, asked)
	if errors.Is(err, state.ErrNoColumn) {
		return report.Listing{}, &UsageError{fmt.Sprintf("audit %s: %v: leave the option out or name another view", view, err)}
	}
	return report.Listing{Columns: rows.Columns, Rows: rows.Rows}, err
}
