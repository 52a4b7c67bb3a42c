package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
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

// shapeOf spells a plan without anything that changes from run to run: no ids, no literals,
// no numbers of tasks, no paths of temporary things. It is the same for the same query on
// other days, and in every explain mode: the tree beside the text is the same in all of them.
func shapeOf(p plan, drawn []*node) string {
	if p.info != nil {
		b := newTreeBuilder(hints{})
		b.add(p.info)
		drawn = b.plan.roots
	}
	var b strings.Builder
	depth := map[*node]int{}
	for at := range asPlanned.walk(drawn) {
		level := 0
		if at.parent != nil {
			level = depth[at.parent.node]
		}
		if !slices.Contains(invisible, at.operator()) {
			fmt.Fprintf(&b, "%d %s %s\n", level, at.operator(), detail(at.node))
			level++
		}
		depth[at.node] = level
	}
	return b.String()
}

// detail is what an operator does, in the names of its columns.
func detail(n *node) string {
	if s, ok := sourceOf(n); ok {
		return scanDetail(n, s)
	}
	if strategyOf(n) != NoStrategy {
		return fmt.Sprintf("%s %s= %s", joinTypeOf(n), listDetail(n, "Left keys"), listDetail(n, "Right keys"))
	}
	switch n.operator() {
	case "Filter":
		return filterDetail(n)
	case "AtomicCreateTableAsSelect", "AtomicReplaceTableAsSelect", "CreateTableAsSelect", "ReplaceTableAsSelect":
		return target(n)
	case "Project":
		return listDetail(n, "Output")
	}
	return grouping(listDetail(n, "Keys")) + listDetail(n, "Functions")
}

// grouping is by what an aggregate groups. Where Spark counts several columns' distinct values
// at once it numbers them by chance, so that their order tells nothing.
func grouping(keys string) string {
	if items := strings.Split(keys, ", "); slices.Contains(items, " gid") {
		slices.Sort(items)
		return strings.Join(items, ", ")
	}
	return keys
}

// shapeItems is how many items of a list tell a query: Spark prints 24 or 25 of a long one.
const shapeItems = 20

func scanDetail(n *node, s source) string {
	p, _ := predicateOf(&visit{node: n}, zones{})
	pruned := ""
	if p != nil {
		pruned = p.Shape()
	}
	output, _ := n.field("Output")
	attributes, _ := attributesOf(output)
	names := make([]string, min(len(attributes), shapeItems))
	for i := range names {
		names[i] = attributes[i].name
	}
	return fmt.Sprintf("%s %s %q %s", s.format, s.name, names, pruned)
}

// filterDetail gives the shapes of a condition's conjuncts, sorted.
func filterDetail(n *node) string {
	condition, _ := n.field("Condition")
	s := &predicate.Scope{}
	for name, mark := range marked(condition.text) {
		if a := name + mark; !slices.ContainsFunc(s.Fields, func(f predicate.Field) bool { return f.Attribute == a }) {
			s.Fields = append(s.Fields, predicate.Field{Name: table.Column(name), Attribute: a})
		}
	}
	conjuncts, _ := s.ParseCatalyst(condition.text)
	shapes := make([]string, len(conjuncts))
	for i, p := range conjuncts {
		shapes[i] = p.Shape()
	}
	slices.Sort(shapes)
	return strings.Join(shapes, " ")
}

// marked gives the names before the ids of a text, each with its id.
func marked(text string) iter.Seq2[string, string] {
	return func(yield func(name, mark string) bool) {
		for from := 0; ; {
			_, at, end := idMark(text[from:])
			if at < 0 || !yield(lastName(text[from:from+at]), text[from+at:from+end]) {
				return
			}
			from += end
		}
	}
}

// lastName is the word that a text ends with: the column, where the text is what stands
// before an id. Of names that hold blanks or brackets it is only the end, which is as good
// for telling queries apart.
func lastName(text string) string {
	return text[strings.LastIndexAny(text, " ()[],#")+1:]
}

// listDetail spells the items of a list by the function each begins with and the columns it
// names: the rest may be literals.
func listDetail(n *node, label string) string {
	f, ok := n.field(label)
	if !ok {
		return ""
	}
	var b strings.Builder
	items, _ := splitKeys(f)
	for _, item := range items[:min(len(items), shapeItems)] {
		b.WriteString(heads(item))
		for name := range marked(item) {
			b.WriteString(" " + name)
		}
		b.WriteString(", ")
	}
	return b.String() + "; "
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
