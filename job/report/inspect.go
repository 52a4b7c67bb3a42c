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
	Version     int64          `json:"version"` // of a Delta table; the snapshot's id of an Iceberg table
	Files       int            `json:"files"`
	Bytes       unit.Bytes     `json:"bytes"`
	Rows        *int64         `json:"rows"` // null where the format does not say
	Layout      layout.Layout  `json:"layout"`
	Owner       string         `json:"owner"`
	Protocol    lake.Protocol  `json:"protocol"`
	Clustered   Clustered      `json:"clustered"`
	OneWayDoors []string       `json:"one_way_doors"` // changes of layout that cannot be undone
	Unsupported []string       `json:"unsupported"`   // what keeps ajlo from rewriting it
	Columns     []ColumnState  `json:"columns"`
}

// Clustered is how much of a Delta table engines have clustered. What lies in no cube was
// written since.
type Clustered struct {
	Cubes      int        `json:"cubes"`
	Files      int        `json:"files"`
	Bytes      unit.Bytes `json:"bytes"`
	LooseFiles int        `json:"loose_files"`
	LooseBytes unit.Bytes `json:"loose_bytes"`
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
		Layout: s.Layout, Owner: s.Owner, Protocol: s.Protocol, Clustered: clustered(s.Files), OneWayDoors: s.OneWayDoors(),
		Unsupported: append([]string{}, unsupported...), Columns: []ColumnState{},
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

func clustered(files []lake.File) (c Clustered) {
	cubes := map[string]bool{}
	for _, f := range files {
		if f.Cube == "" {
			c.LooseFiles++
			c.LooseBytes += f.Bytes
			continue
		}
		cubes[f.Cube] = true
		c.Files++
		c.Bytes += f.Bytes
	}
	c.Cubes = len(cubes)
	return c
}

// Write renders the inspection for people.
func (i Inspection) Write(w io.Writer) error {
	p := &page{}
	p.line("%s, %s version %d at %s", i.Table, i.Format, i.Version, i.Location)
	rows := "rows unknown"
	if i.Rows != nil {
		rows = unit.Counted(*i.Rows, "row", "rows")
	}
	p.line("%s, %s, %s, laid %s (keys set by: %s)", unit.Counted(i.Files, "file", "files"), i.Bytes, rows, i.Layout, i.Owner)
	if c := i.Clustered; c.Cubes > 0 {
		p.line("%d files of %s in %d cubes of clustering, %d files of %s in none", c.Files, c.Bytes, c.Cubes, c.LooseFiles, c.LooseBytes)
	}
	for _, door := range i.OneWayDoors {
		p.line("one-way door: %s", door)
	}
	for _, reason := range i.Unsupported {
		p.line("ajlo cannot rewrite it: %s", reason)
	}
	p.columns(i.Columns, i.Files)
	_, err := io.WriteString(w, p.text.String())
	return err
}

func (p *page) columns(columns []ColumnState, files int) {
	t := tabwriter.NewWriter(&p.text, 0, 0, 2, ' ', 0)
	row(t, "column", "type", "overlap depth", "a look-up reads")
	for _, c := range columns {
		reads := fmt.Sprintf("%.1f files (%.1f %%)", c.LookupShare*float64(files), c.LookupShare*100)
		row(t, c.Column, c.Type, fmt.Sprintf("%.1f files", c.OverlapDepth), reads)
	}
	// Writing to a strings.Builder cannot fail.
	_ = t.Flush()
}
