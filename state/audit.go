package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// View is one of the views for an auditor, named without its "audit_".
type View string

// The views.
const (
	ChangesView    View = "changes"    // what changed tables
	RunsView       View = "runs"       // every attempt at a night
	StepsView      View = "steps"      // every step of every plan
	DriftView      View = "drift"      // how far each night's joins had moved, edge by edge
	EdgesView      View = "edges"      // the join graph of each night, with its JIS
	CandidatesView View = "candidates" // every layout that was weighed
	UntouchedView  View = "untouched"  // tables that were never changed
	VerdictsView   View = "verdicts"   // what later queries say of what was changed
)

// Views lists them.
func Views() []View {
	return []View{ChangesView, RunsView, StepsView, DriftView, EdgesView, CandidatesView, UntouchedView, VerdictsView}
}

// Asked narrows a view; the zero value is all of it.
type Asked struct {
	Since string // the first night that is wanted, 2026-11-29
	Table string // the one table that is wanted
}

// Rows is what a view gave. A value is nil, an int64, a float64 or a string.
type Rows struct {
	Columns []string
	Rows    [][]any
}

// ErrNoColumn is a view that does not tell what it was to be narrowed by.
var ErrNoColumn = errors.New("the view has no such column")

// Audit reads a view, in the view's own order.
func (s *Store) Audit(ctx context.Context, view View, asked Asked) (Rows, error) {
	what := "reading audit_" + string(view)
	if !slices.Contains(Views(), view) {
		return Rows{}, fmt.Errorf("state %s: %s: there is no such view", s.path, what)
	}
	columns, err := texts(ctx, s.db, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, "audit_"+string(view))
	if err != nil {
		return Rows{}, fmt.Errorf("state %s: %s: %w", s.path, what, explain(err))
	}
	where, args, err := asked.where(columns)
	if err != nil {
		return Rows{}, fmt.Errorf("state %s: %s: %w", s.path, what, err)
	}
	rows, err := collect(ctx, s.db, scanAny(len(columns)), `SELECT * FROM audit_`+string(view)+where, args...)
	if err != nil {
		return Rows{}, fmt.Errorf("state %s: %s: %w", s.path, what, explain(err))
	}
	return Rows{columns, rows}, nil
}

// where is the condition on a view of those columns.
func (a Asked) where(columns []string) (text string, args []any, err error) {
	var all []string
	if a.Since != "" {
		if !slices.Contains(columns, "night") {
			return "", nil, fmt.Errorf("%w: it is of no night", ErrNoColumn)
		}
		all, args = append(all, "night >= ?"), append(args, a.Since)
	}
	if a.Table != "" {
		var sides []string
		for _, column := range []string{"table_name", "left_table", "right_table"} {
			if slices.Contains(columns, column) {
				sides, args = append(sides, column+" = ?"), append(args, a.Table)
			}
		}
		if len(sides) == 0 {
			return "", nil, fmt.Errorf("%w: it is of no table", ErrNoColumn)
		}
		all = append(all, "("+strings.Join(sides, " OR ")+")")
	}
	if len(all) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(all, " AND "), args, nil
}

// scanAny reads rows of whatever is in them.
func scanAny(columns int) func(*sql.Rows) ([]any, error) {
	return func(rows *sql.Rows) ([]any, error) {
		values, targets := make([]any, columns), make([]any, columns)
		for i := range values {
			targets[i] = &values[i]
		}
		return values, rows.Scan(targets...)
	}
}
