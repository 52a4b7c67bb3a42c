package fact

import (
	"slices"
	"strings"

	"ajlo/job/eventlog"
)

// plan is one plan of an execution as the log gives it.
type plan struct {
	text string
	info *eventlog.PlanNode
}

// absent reports whether the log gave no plan at all; a text may be missing beside a tree.
func (p plan) absent() bool { return p.text == "" && p.info == nil }

// digest is what is kept of an execution's plans: everything a fact needs, so that the
// texts can go as soon as the execution ends.
type digest struct {
	scans []foundScan
	joins []foundJoin
	lost  Lost
	shape string // the first plan for the fingerprint, empty where that needs none
	top   string // the first operator of the first plan
	user  bool   // a user table is read or written
	write *foundWrite
	// unplaced is set where a scan of files says neither their table's name nor their place.
	unplaced bool
	made     map[int64]named // the columns of tables that the plan puts out
	unnamed  bool            // it writes to a table that nothing names
	passed   []Note          // operators that are no scan and no join of a query
}

// foundScan is a scan of a plan with the metrics that will measure it.
type foundScan struct {
	Scan
	metrics metricIDs
	cache   cacheID
	ids     []int64 // of the attributes it puts out
	note    Note
	// certain is set for scans of the plan that ran. Those of the first plan only are
	// facts where the log measured them: they ran before the plan changed.
	certain bool
}

// reader is what an execution's plans are read with.
type reader struct {
	zones
	given map[int64]named // columns that other executions have put down, by id
	top   bool            // it may be the first of its tree, whose shape always counts
	hands bool            // others of its tree may read what it puts out
}

// digest reads an execution's first and last plan. Where there was no update they are the
// same.
func (r reader) digest(first, last plan) digest {
	drawn := first.readable()
	planned := r.read(first, drawn, asPlanned)
	text := drawn
	if last != first {
		text = last.readable()
	}
	ran := r.read(last, text, asRun)
	d := digest{
		scans: append(ran.scans, onlyIn(planned.scans, ran.scans)...),
		joins: append(ran.joins, removed(planned.joins, ran.joins)...),
		lost:  ran.lost,
		top:   planned.top,
		write: planned.write,
		made:  ran.made,
	}
	d.passed, d.unnamed = ran.passed, writes(d.top) && d.write == nil
	d.user = len(ran.scans)+len(planned.scans) > 0 || ran.unplaced || writes(d.top)
	if d.user || r.top {
		d.shape = shapeOf(first, drawn.roots)
	}
	return d
}

// read reads one view of one plan, of which text is the readable form.
func (r reader) read(p plan, text planText, v view) digest {
	l := newLineage(v, text.roots, scanName)
	l.given = r.given
	var d digest
	metrics := newMetricTable(p.info)
	for at := range v.walk(text.roots) {
		s, ok := sourceOf(at.node)
		switch {
		case ok:
			found, lost := findScan(at, s, r.zones)
			found.metrics, found.cache, found.certain = metrics.find(at.node), l.cacheID(at.cache), v == asRun
			d.lost.Predicates += lost
			d.addScan(found)
		case isUnplaced(at.node):
			d.lost.Predicates++
			d.unplaced = true
			d.passed = append(d.passed, Note{Operator: at.name, Reason: leftUnplaced})
		case isRead(at.node):
			d.passed = append(d.passed, Note{Operator: at.name, Reason: leftNoTable})
		}
	}
	d.joins, d.passed = l.joins(text.roots, d.passed)
	for _, j := range d.joins {
		if j.lost {
			d.lost.Joins++
		}
	}
	if len(text.roots) > 0 {
		d.top = text.roots[0].name
		d.write = findWrite(v, text.roots, p)
	}
	if v == asRun && r.hands && len(text.roots) > 0 && (len(d.scans) > 0 || len(r.given) > 0 || l.stands) {
		d.made = l.made(text.roots[0])
	}
	return d
}

func findScan(at *visit, s source, z zones) (found foundScan, lost int) {
	p, lost := predicateOf(at, z)
	found = foundScan{Scan: Scan{Table: s.name, Location: s.location, Format: s.format, Predicate: p}, note: Note{Operator: at.name}}
	found.RunTime = runTimeColumns(at.node, scopeOf(at, z))
	output, _ := at.field("Output")
	attributes, _ := attributesOf(output)
	for _, a := range attributes {
		found.ids = append(found.ids, a.id)
	}
	return found, lost
}

// findWrite reads what the first operator writes: its own arguments, or those of the
// command that it executes.
func findWrite(v view, roots []*node, p plan) *foundWrite {
	if v != asPlanned || !writes(roots[0].name) {
		return nil
	}
	var below []*node
	for at := range v.walk(roots[:1]) {
		below = append(below, at.node)
	}
	f, _ := roots[0].field("Arguments")
	if executed, ok := strings.CutPrefix(roots[0].name, command); ok {
		for _, n := range below[1:] {
			if n.operator() == executed || n.operator()+"Command" == executed {
				f, _ = n.field("Arguments")
				break
			}
		}
	}
	var metrics []eventlog.Metric
	if p.info != nil {
		metrics = p.info.Metrics
	}
	return writeOf(roots[0], below, f.text, metrics)
}

// addScan leaves out a scan that is drawn again: below a second read of the same cached
// relation, or below a reused operator.
func (d *digest) addScan(s foundScan) {
	again := slices.ContainsFunc(d.scans, func(o foundScan) bool {
		return s.metrics != noMetrics && o.metrics == s.metrics
	})
	if !again {
		d.scans = append(d.scans, s)
	}
}

// onlyIn gives the scans of planned that the plan that ran does not have.
func onlyIn(planned, ran []foundScan) []foundScan {
	return slices.DeleteFunc(slices.Clone(planned), func(p foundScan) bool {
		return p.metrics == noMetrics || slices.ContainsFunc(ran, func(r foundScan) bool { return r.metrics == p.metrics })
	})
}

// Names of the operators that write a table: Spark's own commands, and the commands that
// Delta runs.
var (
	writePrefixes = []string{"AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData",
		"WriteDelta", "AtomicCreateTableAsSelect", "AtomicReplaceTableAsSelect", "CreateTableAsSelect",
		"ReplaceTableAsSelect", "DeleteFromTable"}
	writeCommands = []string{"InsertInto", "SaveIntoDataSourceCommand", "CreateDataSourceTableAsSelectCommand",
		"MergeInto", "UpdateCommand", "DeleteCommand", "CreateHiveTableAsSelect", "WriteIntoDelta"}
)

const command = "Execute "

func writes(top string) bool {
	if name, ok := strings.CutPrefix(top, command); ok {
		return hasPrefix(name, writeCommands)
	}
	return hasPrefix(top, writePrefixes)
}

// upkeep are the commands that rearrange or describe a table. What they read is no
// workload: a night's own rewrites must not become the evidence of the next night.
var upkeep = []string{"OptimizeTableCommand", "VacuumTableCommand", "AnalyzeTable", "AnalyzeColumn", "AnalyzePartition",
	"DeltaReorgTableCommand", "DeltaGenerateCommand", "ConvertToDelta"}

func isUpkeep(top string) bool {
	name, ok := strings.CutPrefix(top, command)
	return ok && hasPrefix(name, upkeep)
}

func isMerge(top string) bool { return strings.HasPrefix(top, command+"MergeInto") }

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
