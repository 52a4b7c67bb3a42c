package embedded

import (
	"maps"
	"slices"
	"strconv"

	"ajlo/job/delta"
	"ajlo/job/execute"
	"ajlo/job/layout"
	"ajlo/job/plan"
	"ajlo/job/table"
)

// change is the commit, in the form of Delta's OPTIMIZE: parameters and metrics have the
// names that Delta 4.0 writes.
func (e *Engine) change(step plan.Step, t opened, s scope, out made, stamp execute.Stamp) delta.Change {
	tags := delta.LayoutTags(step.Layout)
	maps.Copy(tags, t.cubeTags(step, s, e.o.NewID))
	now := e.o.Now().UnixMilli()
	if becomes := s.parts[0].task.Becomes; becomes != nil {
		return delta.Change{
			Remove: s.files, Add: added(out, tags, now), Metadata: becomes,
			Operation: repartition, Parameters: map[string]any{
				"partitionBy": becomes.PartitionColumns, "previousPartitionBy": t.delta.Metadata.PartitionColumns, "clusterBy": step.Layout.Clustering,
			},
			Metrics: metrics(s, out), UserMetadata: stamp.Text(), EngineInfo: "ajlo/" + e.o.Version, TxnID: e.o.NewID(), Time: now,
		}
	}
	return delta.Change{
		Remove: s.files, Add: added(out, tags, now),
		Operation: "OPTIMIZE", Parameters: parameters(step.Layout), Metrics: metrics(s, out),
		UserMetadata: stamp.Text(), EngineInfo: "ajlo/" + e.o.Version, TxnID: e.o.NewID(), Time: now,
	}
}

func added(out made, tags map[string]string, now int64) []delta.Add {
	adds := make([]delta.Add, len(out.Files))
	for i, f := range out.Files {
		adds[i] = delta.Add{
			Path: f.Path, PartitionValues: out.values[i], Size: int64(f.Bytes),
			ModificationTime: now, Stats: f.Stats, Tags: tags,
		}
	}
	return adds
}

func parameters(l layout.Layout) map[string]any {
	none := []table.Column{}
	p := map[string]any{"predicate": []string{}, "zOrderBy": none, "clusterBy": none, "auto": false}
	if l.Order == layout.ZOrder {
		p["zOrderBy"] = l.Clustering
	} else {
		p["clusterBy"] = l.Clustering
	}
	return p
}

// metrics are over the sizes of added files where they say nothing else.
func metrics(s scope, out made) map[string]string {
	sizes := make([]int64, len(out.Files))
	total := int64(0)
	for i, f := range out.Files {
		sizes[i] = int64(f.Bytes)
		total += sizes[i]
	}
	slices.Sort(sizes)
	return map[string]string{
		"numRemovedFiles":           strconv.Itoa(len(s.files)),
		"numRemovedBytes":           strconv.FormatInt(int64(execute.SizeOf(s.files)), 10),
		"numAddedFiles":             strconv.Itoa(len(sizes)),
		"numAddedBytes":             strconv.FormatInt(total, 10),
		"numDeletionVectorsRemoved": strconv.Itoa(s.vectors()),
		"minFileSize":               percentile(sizes, 0),
		"p25FileSize":               percentile(sizes, 25),
		"p50FileSize":               percentile(sizes, 50),
		"p75FileSize":               percentile(sizes, 75),
		"maxFileSize":               percentile(sizes, 100),
	}
}

func percentile(sorted []int64, percent int) string {
	if len(sorted) == 0 {
		return "0"
	}
	return strconv.FormatInt(sorted[min(len(sorted)*percent/100, len(sorted)-1)], 10)
}
