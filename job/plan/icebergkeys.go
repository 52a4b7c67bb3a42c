package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ajlo/job/dialect"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/table"
)

// Properties of an Iceberg table that say what a manifest keeps of its columns: none, counts,
// truncate(16) characters, or full.
const (
	metricsOf      = "write.metadata.metrics.column."
	metricsDefault = "write.metadata.metrics.default"
)

// metrics is how a table keeps bounds of a column in the files that are written from now on.
func metrics(s lake.Snapshot, c table.Column) string {
	for _, key := range []string{metricsOf + string(c), metricsDefault} {
		if mode, ok := s.Properties[key]; ok {
			return strings.ToLower(mode)
		}
	}
	return fmt.Sprintf("truncate(%d)", dialect.IcebergBoundChars)
}

// boundChars is how many characters of a string the table's format keeps in a file's bounds, 0
// for all.
func boundChars(s lake.Snapshot, c table.Column) int {
	if s.Format != lake.Iceberg {
		return dialect.Of(dialect.OpenSource).BoundChars // the format's own, whoever writes it
	}
	mode := metrics(s, c)
	if mode == "full" {
		return 0
	}
	inner, _ := strings.CutPrefix(mode, "truncate(")
	if n, err := strconv.Atoi(strings.TrimSuffix(inner, ")")); err == nil && n > 0 {
		return n
	}
	return dialect.IcebergBoundChars
}

// unbound says why files of an Iceberg table that are written anew would have no bounds of a
// column; empty where they would.
func unbound(s lake.Snapshot, c table.Column) string {
	if s.Format != lake.Iceberg {
		return ""
	}
	if mode := metrics(s, c); mode == "none" || mode == "counts" {
		return fmt.Sprintf("refused: the table keeps no bounds of it (metrics: %s): set %s%s first", mode, metricsOf, c)
	}
	return ""
}

// sharedPrefix says that bounds cannot tell a column's values apart, and what would help.
func sharedPrefix(s lake.Snapshot, c table.Column) string {
	text := fmt.Sprintf("refused: its values share their first %d characters, and bounds keep no more", boundChars(s, c))
	if s.Format == lake.Iceberg {
		text += fmt.Sprintf(": set %s%s=full first", metricsOf, c)
	}
	return text
}

// fewValues is the number of different values under which a column of an Iceberg table is no
// key: such a column parts a table rather than orders it, and ordered by it the files are wide
// in all others.
const fewValues = 50

// spread parts keys of an Iceberg table by whether they have values enough, as the sample shows.
func (in Input) spread(t TableInput, keys []table.Column) (fit []table.Column, refused []Candidate) {
	if t.Snapshot.Format != lake.Iceberg {
		return keys, nil
	}
	for _, c := range keys {
		n := in.differing(t, c)
		if n >= fewValues {
			fit = append(fit, c)
		} else {
			refused = append(refused, refusal(layout.ClusteredBy(layout.Sort, c),
				"refused: it has %d different values, and an order by fewer than %d spares little: part the table by it instead", n, fewValues))
		}
		if reason := notInZOrder(t.Snapshot, c); n >= fewValues && reason != "" {
			refused = append(refused, refusal(layout.ClusteredBy(layout.ZOrder, c), "refused beside other keys: Iceberg's z-order %s", reason))
		}
	}
	return fit, refused
}

// differing counts a column's sampled values, up to fewValues. Values that were made out of
// bounds are no table's and tell nothing.
func (in Input) differing(t TableInput, c table.Column) int {
	n, few := t.Sample.Distinct(c, fewValues-1)
	if !few || in.Sketched {
		return fewValues
	}
	return n
}

// notInZOrder says why Iceberg's z-order does not take a column; empty where it does. Release
// 1.10.1 looks for columns by their names unquoted.
func notInZOrder(s lake.Snapshot, c table.Column) string {
	column, _ := s.Column(c)
	switch kind := column.Type; {
	case kind == "timestamp_ntz" || strings.HasPrefix(kind, "decimal("):
		return "takes no " + kind
	case strings.ContainsAny(string(c), "`."):
		return "does not find names with dots or backticks"
	}
	return ""
}

// makable reports whether a table's engine can make a layout that others like it can be made of.
func makable(s lake.Snapshot, l layout.Layout) bool {
	return s.Format != lake.Iceberg || len(l.Clustering) < 2 ||
		!slices.ContainsFunc(l.Clustering, func(c table.Column) bool { return notInZOrder(s, c) != "" })
}
