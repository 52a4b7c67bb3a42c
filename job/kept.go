package job

import (
	"time"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/factcache"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// kept is a reading in the form of files; restore is its reverse. Every field of a fact
// has its place here, or the cache would change the plan.
func kept(r reading) factcache.Application {
	a := factcache.Application{App: r.facts.App, Executions: r.facts.Executions, Cores: r.facts.Cores, Unread: r.unread}
	for _, p := range r.problems {
		a.Problems = append(a.Problems, factcache.Problem(p))
	}
	for _, q := range r.facts.Queries {
		a.Rows = append(a.Rows, rowOf(q))
	}
	return a
}

func (r *reading) restore(a factcache.Application) error {
	r.facts = fact.Facts{App: a.App, Executions: a.Executions, Cores: a.Cores, Queries: []fact.Query{}}
	r.unread = a.Unread
	for _, p := range a.Problems {
		r.problems = append(r.problems, eventlog.Problem(p))
	}
	for _, row := range a.Rows {
		q, err := queryOf(row)
		if err != nil {
			return err
		}
		r.facts.Queries = append(r.facts.Queries, q)
	}
	return nil
}

func rowOf(q fact.Query) factcache.Row {
	row := factcache.Row{
		App: q.App, Execution: q.Execution, Query: q.Query, SQL: q.SQL, Fingerprint: q.Fingerprint, Start: q.Start.UnixMicro(),
		WallMS: q.WallMS, TaskMS: q.TaskMS, TasksMeasured: q.TasksMeasured, Status: string(q.Status),
		Lost: factcache.Lost{Predicates: int64(q.Lost.Predicates), Joins: int64(q.Lost.Joins), Writes: int64(q.Lost.Writes)},
	}
	for _, s := range q.Scans {
		row.Scans = append(row.Scans, factcache.Scan{
			Table: string(s.Table), Location: string(s.Location), Format: s.Format, FilesRead: s.FilesRead,
			BytesRead: int64(s.BytesRead), Rows: s.Rows, Measured: s.Measured, Predicate: factcache.Flatten(s.Predicate),
			RunTime: texts[string](s.RunTime),
		})
	}
	for _, j := range q.Joins {
		row.Joins = append(row.Joins, factcache.Join{
			Left: columnsOf(j.Left), Right: columnsOf(j.Right), Type: string(j.Type), Strategy: string(j.Strategy), Build: string(j.Build), Expression: j.Expression,
		})
	}
	for _, w := range q.Writes {
		row.Writes = append(row.Writes, factcache.Write{
			Table: string(w.Table), Location: string(w.Location), Operation: string(w.Operation), Keys: texts[string](w.Keys),
			FilesAdded: w.FilesAdded, FilesRemoved: w.FilesRemoved,
		})
	}
	return row
}

func queryOf(row factcache.Row) (fact.Query, error) {
	q := fact.Query{
		App: row.App, Execution: row.Execution, Query: row.Query, SQL: row.SQL, Fingerprint: row.Fingerprint, Start: time.UnixMicro(row.Start).UTC(),
		WallMS: row.WallMS, TaskMS: row.TaskMS, TasksMeasured: row.TasksMeasured, Status: fact.Status(row.Status),
		Scans: []fact.Scan{}, Joins: []fact.Join{},
		Lost: fact.Lost{Predicates: int(row.Lost.Predicates), Joins: int(row.Lost.Joins), Writes: int(row.Lost.Writes)},
	}
	for _, s := range row.Scans {
		p, err := factcache.Tree(s.Predicate)
		if err != nil {
			return q, err
		}
		q.Scans = append(q.Scans, fact.Scan{
			Table: table.Name(s.Table), Location: table.Location(s.Location), Format: s.Format, FilesRead: s.FilesRead,
			BytesRead: unit.Bytes(s.BytesRead), Rows: s.Rows, Measured: s.Measured, Predicate: p,
			RunTime: texts[table.Column](s.RunTime),
		})
	}
	for _, j := range row.Joins {
		q.Joins = append(q.Joins, fact.Join{
			Left: refsOf(j.Left), Right: refsOf(j.Right), Type: fact.JoinType(j.Type), Strategy: fact.Strategy(j.Strategy), Build: fact.Side(j.Build),
			Expression: texts[string](j.Expression),
		})
	}
	for _, w := range row.Writes {
		q.Writes = append(q.Writes, fact.Write{
			Table: table.Name(w.Table), Location: table.Location(w.Location), Operation: fact.Operation(w.Operation),
			Keys: texts[table.Column](w.Keys), FilesAdded: w.FilesAdded, FilesRemoved: w.FilesRemoved,
		})
	}
	return q, nil
}

// texts turns texts of one type into those of another; it is nil for none.
func texts[To, From ~string](from []From) []To {
	var to []To
	for _, t := range from {
		to = append(to, To(t))
	}
	return to
}

func columnsOf(refs []table.Ref) []factcache.Column {
	columns := make([]factcache.Column, len(refs))
	for i, r := range refs {
		columns[i] = factcache.Column{Table: string(r.Table), Column: string(r.Column)}
	}
	return columns
}

func refsOf(columns []factcache.Column) []table.Ref {
	refs := make([]table.Ref, len(columns))
	for i, c := range columns {
		refs[i] = table.Ref{Table: table.Name(c.Table), Column: table.Column(c.Column)}
	}
	return refs
}
