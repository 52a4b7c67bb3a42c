package fact

import (
	"cmp"
	"strings"

	"ajlo/job/table"
)

// Unify gives one table one name once all logs are read: a scan that knows only its
// location takes the name that other scans give that location, in joins too. Of several
// names for one location the least is taken.
func Unify(queries []Query) {
	names := map[table.Location]table.Name{}
	for _, q := range queries {
		for _, s := range q.Scans {
			if s.Location == "" || string(s.Table) == string(s.Location) {
				continue
			}
			if known, ok := names[s.Location]; !ok || s.Table < known {
				names[s.Location] = s.Table
			}
		}
	}
	for i := range queries {
		queries[i].rename(func(n table.Name) table.Name {
			return cmp.Or(names[table.Location(strings.TrimRight(string(n), "/"))], n)
		})
	}
}

func (q *Query) rename(to func(table.Name) table.Name) {
	for i := range q.Scans {
		q.Scans[i].Table = to(q.Scans[i].Table)
	}
	for i := range q.Writes {
		q.Writes[i].Table = to(q.Writes[i].Table)
	}
	for i := range q.Joins {
		for _, side := range [][]table.Ref{q.Joins[i].Left, q.Joins[i].Right} {
			for k := range side {
				side[k].Table = to(side[k].Table)
			}
		}
	}
}
