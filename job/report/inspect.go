package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/prune"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// Inspection is a table as it lies.
type Inspection struct {
	Table       table.Name     `json:"table"`
	Location    table.Location `json:"location"`
	Format      lake.Format    `json:"format"`
	Version     int64          `json:"version"`
	Files       int            `json:"files"`
	Bytes       unit.Bytes     `json:"bytes"`
	Rows        *int64         `json:"rows"` // null where the format does not say
	Layout      layout.Layout  `json:"layout"`
	Owner       string         `json:"owner"`
	Protocol    lake.Protocol  `json:"protocol"`
	Unsupported []string       `json:"unsupported"` // what keeps ajlo from rewriting it
	Columns     []ColumnState  `json:"columns"`
}

// ColumnState is how the files of a table overlap on one column that has bounds.
type ColumnState struct {
	Column       table.Column `json:"column"`
	Type         string       `json:"type"`
	OverlapDepth float64      `json:"overlap_depth"` // mean number of files a value falls in
	LookupShare  float64      `json:"lookup_share"`  // of the files, for one value
}

// Inspect measures a snapshot.
func Inspect(s lake.Snapshot, unsupported []string) Inspection {
	i := Inspection{
		Table: s.Table, Location: s.Location, Format: s.Format, Version: s.Version, Files: len(s.Files), Bytes: s.Bytes(),
		Layout: s.Layout, Owner: s.Owner, Protocol: s.Protocol, Unsupported: append([]string{}, unsupported...), Columns: []ColumnState{},
	}
	if rows, ok := s.Rows(); ok {
		i.Rows = &rows
	}
	for _, c := range s.Columns {
		if o, ok := prune.OverlapOf(s.BoundsOf(c.Name)); ok {
			i.Columns = append(i.Columns, ColumnState{Column: c.Name, Type: c.Type, OverlapDepth: o.Depth, LookupShare: o.LookupShare})
		}
	}
	return i
}

// Write renders the inspection for people.
func (i Inspection) Write(w io.Writer) error {
	p := &page{}
	p.line("%s, %s version %d at %s", i.Table, i.Format, i.Version, i.Location)
	rows := "rows unknown"
	if i.Rows != nil {
		rows = fmt.Sprintf("%d rows", *i.Rows)
	}
	p.line("%d files, %s, %s, laid %s (keys set by: %s)", i.Files, i.Bytes, rows, i.Layout, i.Owner)
	for _, reason := range i.Unsupported {
		p.line("ajlo cannot rewrite it: %s", reason)
	}
	t := tabwriter.NewWriter(&p.text, 0, 0, 2, ' ', 0)
	row(t, "column", "type", "overlap depth", "a look-up reads")
	for _, c := range i.Columns {
		row(t, c.Column, c.Type, fmt.Sprintf("%.1f files", c.OverlapDepth), fmt.Sprintf("%.1f %% of the files", c.LookupShare*100))
	}
	// Writing to a strings.Builder cannot fail.
	_ = t.Flush()
	_, err := io.WriteString(w, p.text.String())
	return err
}
