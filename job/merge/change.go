package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ajlo/job/delta"
	"ajlo/job/execute"
)

// clause is one WHEN of Spark's operationParameters.
type clause struct {
	Predicate string `json:"predicate,omitempty"`
	Action    string `json:"actionType"`
}

// change is the commit, with the parameters and metrics that Delta 4.0 writes for a MERGE.
func (m *Merger) change(r Request, d decided, out output, run string, began time.Time) delta.Change {
	now := m.o.Now()
	c := delta.Change{
		Alters: &delta.Alteration{
			Grows: d.decision.counts.grows(), Read: d.read(),
			Sees: d.sees,
		},
		Operation: "MERGE", Parameters: parameters(r), TxnID: m.o.NewID(), Time: now.UnixMilli(),
		UserMetadata: execute.Stamp{Run: run, PlanHash: d.plan.hash()}.Text(), EngineInfo: "ajlo/" + m.o.Version,
	}
	if len(d.target.added) > 0 {
		c.Metadata = &d.target.delta.Metadata
	}
	for _, f := range out.revised {
		old := d.target.delta.Files[f.file]
		c.Remove = append(c.Remove, old)
		if f.marked != nil {
			c.Add = append(c.Add, *f.marked)
			continue
		}
		if f.written.Rows == 0 {
			continue
		}
		c.Add = append(c.Add, delta.Add{ // in the order of the old file, and so in its layout
			Path: f.written.Path, PartitionValues: old.PartitionValues, Size: int64(f.written.Bytes), ModificationTime: c.Time,
			Stats: f.written.Stats, Tags: laid(old.Tags),
		})
	}
	for _, i := range d.settled.taken() {
		c.Remove = append(c.Remove, d.target.delta.Files[i])
	}
	for i, f := range out.apart.files {
		c.Add = append(c.Add, delta.Add{
			Path: f.Path, PartitionValues: out.apart.values[i], Size: int64(f.Bytes), ModificationTime: c.Time, Stats: f.Stats,
			Tags: map[string]string{apartTag: "true"},
		})
	}
	c.Metrics = metrics(d, c, began, out.rewrote, now)
	return c
}

// laid are the tags that say how a file's rows lie.
func laid(tags map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range tags {
		if strings.HasPrefix(name, "AJLO_") || strings.HasPrefix(name, "ZCUBE_") {
			kept[name] = value
		}
	}
	return kept
}

// read are the files whose rows decided what is done, or go into new files.
func (d decided) read() []delta.Add {
	var files []delta.Add
	for _, at := range slices.Concat(d.candidates, d.settled.taken()) {
		files = append(files, d.target.delta.Files[at])
	}
	return files
}

// sees reports whether a file that another adds could hold rows that the merge would have read.
func (d *decided) sees(f delta.Add) bool {
	as := d.target.delta
	as.Files = []delta.Add{f}
	there, err := d.target.withFiles(as)
	return err != nil || d.mayDecide(there)
}

func parameters(r Request) map[string]any {
	var on []string
	for _, c := range r.On {
		on = append(on, fmt.Sprintf("(t.%s = s.%s)", c, r.nameOf(string(c))))
	}
	if r.Condition != "" {
		on = append(on, "("+r.Condition+")")
	}
	predicate := strings.Join(on, " AND ")
	if len(on) > 1 {
		predicate = "(" + predicate + ")"
	}
	return map[string]any{
		"predicate": []string{predicate}, "matchedPredicates": clauses(r.Matched),
		"notMatchedPredicates": clauses(r.NotMatched), "notMatchedBySourcePredicates": clauses(r.NotMatchedBySource),
	}
}

func clauses(of []Clause) []clause {
	spelled := []clause{}
	for _, c := range of {
		spelled = append(spelled, clause{c.Condition, string(c.Action)})
	}
	return spelled
}

func metrics(d decided, c delta.Change, began, rewrote, now time.Time) map[string]string {
	n, v := d.decision.counts, vectorsOf(c)
	added, removed := v.files(c.Add), v.files(c.Remove)
	counts := map[string]int64{
		"numSourceRows":                          n.Source,
		"numTargetRowsCopied":                    n.Copied + n.Joined,
		"numTargetRowsInserted":                  n.Inserted,
		"numTargetRowsUpdated":                   n.Updated + n.UpdatedUnmatched,
		"numTargetRowsMatchedUpdated":            n.Updated,
		"numTargetRowsNotMatchedBySourceUpdated": n.UpdatedUnmatched,
		"numTargetRowsDeleted":                   n.Deleted + n.DeletedUnmatched,
		"numTargetRowsMatchedDeleted":            n.Deleted,
		"numTargetRowsNotMatchedBySourceDeleted": n.DeletedUnmatched,
		"numOutputRows":                          n.Copied + n.Joined + n.Inserted + n.Updated + n.UpdatedUnmatched,
		"numTargetFilesAdded":                    int64(len(added)),
		"numTargetFilesRemoved":                  int64(len(removed)),
		"numTargetBytesAdded":                    int64(execute.SizeOf(added)),
		"numTargetBytesRemoved":                  int64(execute.SizeOf(removed)),
		"numTargetChangeFilesAdded":              0,
		"numTargetDeletionVectorsAdded":          v.added,
		"numTargetDeletionVectorsRemoved":        v.removed,
		"numTargetDeletionVectorsUpdated":        v.updated,
		"scanTimeMs":                             rewrote.Sub(began).Milliseconds(),
		"rewriteTimeMs":                          now.Sub(rewrote).Milliseconds(),
		"executionTimeMs":                        now.Sub(began).Milliseconds(),
	}
	texts := make(map[string]string, len(counts))
	for name, count := range counts {
		texts[name] = strconv.FormatInt(count, 10)
	}
	return texts
}

// vectors are what a commit does to deletion vectors, and the files that only change theirs.
type vectors struct {
	added, removed, updated int64
	stay                    map[string]bool
}

func vectorsOf(c delta.Change) vectors {
	v := vectors{stay: map[string]bool{}}
	for _, f := range c.Add {
		if f.DeletionVector != nil {
			v.stay[f.Path] = true
		}
	}
	for _, f := range c.Remove {
		switch {
		case v.stay[f.Path] && f.DeletionVector == nil:
			v.added++
		case v.stay[f.Path]:
			v.updated++
		case f.DeletionVector != nil:
			v.removed++
		}
	}
	return v
}

// files are those that come in or go out.
func (v vectors) files(all []delta.Add) []delta.Add {
	return slices.DeleteFunc(slices.Clone(all), func(f delta.Add) bool { return v.stay[f.Path] })
}
