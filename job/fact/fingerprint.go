package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ajlo/job/predicate"
	"ajlo/job/table"
)

// fingerprintBytes is how much of the SHA-256 names a query: 64 bits tell a few million
// shapes apart.
const fingerprintBytes = 8

func fingerprint(shapes []string) string {
	sum := sha256.Sum256([]byte(strings.Join(shapes, "\n--\n")))
	return hex.EncodeToString(sum[:fingerprintBytes])
}

// invisible are operators that come and go between runs of one query: code generation, the
// change from columns to rows, stages of adaptive execution.
var invisible = []string{"ColumnarToRow", "RowToColumnar", "InputAdapter", "WholeStageCodegen", "AdaptiveSparkPlan",
	"AQEShuffleRead", "ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage", "TableCacheQueryStage", "InMemoryRelation"}

// shape spells the first plan without anything that changes from run to run: no ids, no
// literals, no numbers of tasks, no paths of temporary things. It is the same for the same
// query on other days.
func (l *lineage) shape(roots []*node) string {
	var b strings.Builder
	depth := map[*node]int{}
	for at := range l.view.walk(roots) {
		level := 0
		if at.parent != nil {
			level = depth[at.parent.node]
		}
		if !slices.Contains(invisible, at.operator()) {
			fmt.Fprintf(&b, "%d %s %s\n", level, at.operator(), l.detail(at.node))
			level++
		}
		depth[at.node] = level
	}
	return b.String()
}

// detail is what an operator does, in base columns.
func (l *lineage) detail(n *node) string {
	children := l.view.below(n)
	input := &scope{}
	for _, c := range children {
		input.below = append(input.below, l.scope(c))
	}
	if s, ok := sourceOf(n); ok {
		return l.scanDetail(n, s)
	}
	if strategyOf(n) != NoStrategy && len(children) == 2 {
		return joinDetail(l.join(n, children).Join)
	}
	switch n.operator() {
	case "Filter":
		return filterDetail(n, input)
	case "MergeIntoCommand", "UpdateCommand", "DeleteCommand", "AtomicCreateTableAsSelect", "AtomicReplaceTableAsSelect",
		"CreateTableAsSelect", "ReplaceTableAsSelect":
		return target(n)
	}
	return listDetail(n, input)
}

func (l *lineage) scanDetail(n *node, s source) string {
	p, _ := predicateOf(&visit{node: n}, zones{})
	pruned := ""
	if p != nil {
		pruned = p.Shape()
	}
	output, _ := n.field("Output")
	attributes, _ := attributesOf(output)
	names := make([]string, len(attributes))
	for i, a := range attributes {
		names[i] = a.name
	}
	return fmt.Sprintf("%s %s %q %s", s.format, s.name, names, pruned)
}

// joinDetail tells keys that are expressions by their functions: the rest of an expression
// may be literals.
func joinDetail(j Join) string {
	functions := make([]string, len(j.Expression))
	for i, e := range j.Expression {
		functions[i] = "(" + heads(e) + ")"
	}
	return fmt.Sprintf("%s %v %v %v", j.Type, j.Left, j.Right, functions)
}

// filterDetail gives the shapes of a condition's conjuncts, sorted. Columns that are no
// base column (sums, flags) have no name that stays the same.
func filterDetail(n *node, input *scope) string {
	f, _ := n.field("Input")
	attributes, _ := attributesOf(f)
	s := &predicate.Scope{}
	for _, a := range attributes {
		s.Fields = append(s.Fields, predicate.Field{Name: input.baseName(a), Attribute: a.text()})
	}
	condition, _ := n.field("Condition")
	conjuncts, _ := s.ParseCatalyst(condition.text)
	shapes := make([]string, len(conjuncts))
	for i, p := range conjuncts {
		shapes[i] = p.Shape()
	}
	slices.Sort(shapes)
	return strings.Join(shapes, " ")
}

func (s *scope) baseName(a attribute) table.Column {
	n, _ := s.lookup(a.id)
	if len(n.origin.refs) == 1 && n.origin.expression == "" {
		return table.Column(n.origin.refs[0].String())
	}
	return "_"
}

// listDetail names the base columns that each item of an operator's lists is made of.
func listDetail(n *node, input *scope) string {
	var b strings.Builder
	for _, label := range []string{"Keys", "Functions", "Results", "Output"} {
		f, ok := n.field(label)
		if !ok {
			continue
		}
		items, _ := splitKeys(f)
		for _, item := range items {
			fmt.Fprintf(&b, "%s%v ", heads(item), input.columns(item))
		}
		b.WriteString("; ")
	}
	return b.String()
}

// heads is the function an item begins with, if any: "partial_sum(" says more than its
// columns.
func heads(item string) string {
	name, _, ok := strings.Cut(item, "(")
	if !ok || strings.ContainsAny(name, " #") {
		return ""
	}
	return name
}

// target names the table a command writes, as far as its arguments do: Delta's commands in
// backticks, Spark's CREATE TABLE AS SELECT after the catalog.
func target(n *node) string {
	f, _ := n.field("Arguments")
	if name := backticked.FindString(f.text); name != "" {
		return name
	}
	if m := created.FindStringSubmatch(f.text); m != nil {
		return m[1]
	}
	return ""
}

// backticked is a name like `spark_catalog`.`tpch`.`orders`; created is what stands
// between the catalog and the query of "AtomicCreateTableAsSelect".
var (
	backticked = regexp.MustCompile("`[^`]+`(?:\\.`[^`]+`)+")
	created    = regexp.MustCompile(`^[^,]*, ([^, ]+\.[^, ]+), `)
)
