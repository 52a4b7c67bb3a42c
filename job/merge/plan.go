package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// Plan is a merge as it would be done on one version of the table.
type Plan struct {
	Request
	Version       int64  `json:"version"`
	SourceFormat  Format `json:"source_format"`
	SourceVersion int64  `json:"source_version,omitempty"` // of a Delta table
	Statement     string `json:"statement"`                // that does the same in Spark
	// Files of the table, those that bounds cannot exclude, and those that are written anew.
	Files        int        `json:"files"`
	FilesRead    int        `json:"files_read"`
	FilesTouched int        `json:"files_touched"`
	BytesRead    unit.Bytes `json:"bytes_read"` // of which the condition's columns are read
	BytesTouched unit.Bytes `json:"bytes_touched"`
	// FilesMarked are files that stay and get a deletion vector.
	FilesMarked int `json:"files_marked"`
	// FilesJoined are small files of earlier merges that are written anew with inserted rows.
	FilesJoined int        `json:"files_joined"`
	BytesJoined unit.Bytes `json:"bytes_joined"`
	Rows        Counts     `json:"rows"`
	// Added are columns that the table gets; NULL in the rows that stay.
	Added []table.Column `json:"columns_added,omitempty"`
	// Keys are the clustering keys; rows that keep them keep their place.
	Keys []table.Column `json:"clustering"`
	// Apart is the order of rows that are written apart.
	Apart string `json:"apart"`
}

// decided is a plan with what it takes to carry it out.
type decided struct {
	plan       Plan
	target     *target
	source     *source
	rules      *rules
	decision   decision
	parts      *parts
	settled    settled
	candidates []int
	targetFile unit.Bytes // of rows that are written apart
}

// Plan decides what a merge would do and changes nothing.
func (m *Merger) Plan(ctx context.Context, r Request) (_ Plan, err error) {
	h := &holder{}
	defer func() { err = errors.Join(err, h.close()) }()
	d, err := m.decide(ctx, r, h)
	return d.plan, err
}

// decide plans for the newest version of the table. A source that was read before is used again.
func (m *Merger) decide(ctx context.Context, r Request, h *holder) (d decided, err error) {
	if err := r.Check(); err != nil {
		return decided{}, err
	}
	r.Write = cmp.Or(r.Write, Auto)
	if d.target, err = m.open(ctx, r); err != nil {
		return decided{}, err
	}
	if d.source, err = h.read(ctx, m, r, d.target); err != nil {
		return decided{}, err
	}
	if d.rules, err = compile(r, d.target, d.source); err != nil {
		return decided{}, err
	}
	d.chooseCandidates()
	found, hit, err := m.match(ctx, r, &d)
	if err != nil {
		return decided{}, err
	}
	if err := d.decide(found, hit); err != nil {
		return decided{}, r.refuse("version %d: %v", d.target.delta.Version, err)
	}
	if err := d.checkNulls(r); err != nil {
		return decided{}, err
	}
	d.parts, d.targetFile = newParts(d.target), m.o.TargetFile
	if err := d.settle(r); err != nil {
		return decided{}, err
	}
	d.plan = d.describe(r)
	return d, nil
}

func (d decided) describe(r Request) Plan {
	t := d.target
	p := Plan{
		Request: r, Version: t.delta.Version, SourceFormat: d.source.format, SourceVersion: d.source.version,
		Statement: d.target.statement(r, d.source.format),
		Files:     len(t.delta.Files), FilesRead: len(d.candidates), FilesTouched: len(d.touched()), FilesMarked: len(d.decision.touched) - len(d.touched()),
		BytesRead: t.bytesOf(d.candidates), BytesTouched: t.bytesOf(d.touched()),
		FilesJoined: len(d.settled.taken()), BytesJoined: t.bytesOf(d.settled.taken()),
		Rows: d.decision.counts, Keys: []table.Column{}, Apart: t.order.String(), Added: t.addedColumns(),
	}
	for _, c := range t.keys {
		p.Keys = append(p.Keys, table.Column(t.schema[c].Name))
	}
	return p
}

// touched are the files that are written anew, as places in the snapshot.
func (d decided) touched() (files []int) {
	for i, f := range d.decision.touched {
		if !d.settled.marked[i] {
			files = append(files, f.file)
		}
	}
	return files
}

// Write prints the plan for people.
func (p Plan) Write(w io.Writer, printable func(string) string) error {
	lines := []string{
		fmt.Sprintf("%s, delta version %d, is to be merged with %s (%s)", p.Table, p.Version, unit.Counted(p.Rows.Source, "row", "rows"), p.SourceFormat),
		"like      " + p.Statement,
		fmt.Sprintf("reads     %s by the bounds of their keys: %d of %d files, %s", strings.Join(table.Texts(p.On), ", "), p.FilesRead, p.Files, p.BytesRead),
		fmt.Sprintf("touches   %s, %s; %d more get a deletion vector", unit.Counted(p.FilesTouched, "file", "files"), p.BytesTouched, p.FilesMarked),
		fmt.Sprintf("rows      %d match: %d updated, %d deleted; %d inserted; of those that match nothing %d updated, %d deleted; %d copied in their order",
			p.Rows.Matched, p.Rows.Updated, p.Rows.Deleted, p.Rows.Inserted, p.Rows.UpdatedUnmatched, p.Rows.DeletedUnmatched, p.Rows.Copied),
		fmt.Sprintf("keeps     rows in their place while %s stay; others are written apart by %s", cmp.Or(strings.Join(table.Texts(p.Keys), ", "), "partitions"), p.Apart),
		fmt.Sprintf("inserts   %s into touched files whose keys hold them; joins %s of earlier merges with the rest, %s", unit.Counted(p.Rows.Placed, "row", "rows"), unit.Counted(p.FilesJoined, "small file", "small files"), p.BytesJoined),
	}
	if len(p.Added) > 0 {
		lines = append(lines, fmt.Sprintf("adds      columns %s, NULL in the rows that stay", strings.Join(table.Texts(p.Added), ", ")))
	}
	for i, line := range lines {
		lines[i] = printable(line)
	}
	_, err := io.WriteString(w, strings.Join(slices.Concat(lines, []string{""}), "\n"))
	return err
}
