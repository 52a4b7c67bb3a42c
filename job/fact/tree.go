package fact

import (
	"fmt"
	"slices"
	"strings"

	"ajlo/job/eventlog"
)

// readable gives the plan in the form that everything else reads. The formatted text says
// most. Any other explain mode, or a text that was cut before its blocks, leaves the tree
// beside it (sparkPlanInfo), filled in with what the text still adds.
func (p plan) readable() planText {
	text := parsePlanText(p.text)
	if p.info == nil || (len(text.blocks) > 0 && text.whole()) {
		return text
	}
	b := newTreeBuilder(hintsOf(p.text))
	b.add(p.info)
	return b.plan
}

// whole reports whether every numbered operator of the trees has its block, and none is left
// out: below a relation that came out empty the text draws nothing of what ran to find out.
func (p planText) whole() bool {
	stack := slices.Clone(p.roots)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], n.children...)
		if n.number != 0 && n.block == nil || n.operator() == "EmptyRelation" && len(n.children) > 0 {
			return false
		}
	}
	return true
}

// treeBuilder makes nodes with blocks of a tree whose operators say everything in one line.
type treeBuilder struct {
	plan   planText
	hints  hints
	cached map[string]*node // plans of cached relations by what they say: each is read once
	todo   []pending
}

func newTreeBuilder(h hints) *treeBuilder {
	return &treeBuilder{plan: planText{blocks: map[int]*block{}}, hints: h, cached: map[string]*node{}}
}

// pending is a node of the log's tree that still has to become a child of parent, or a root
// of its own.
type pending struct {
	info   *eventlog.PlanNode
	parent *node
}

// add converts a tree, without recursion.
func (b *treeBuilder) add(root *eventlog.PlanNode) {
	b.todo = append(b.todo, pending{info: root})
	for len(b.todo) > 0 {
		next := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		if next.info != nil {
			b.place(next)
		}
	}
}

// place makes a node and puts its children on the list. A subquery is drawn below the
// operator that asks for it, and is a plan of its own.
func (b *treeBuilder) place(p pending) {
	n := describe(p.info)
	if p.parent != nil {
		n.finishPartial(p.parent)
	}
	switch {
	case p.parent == nil, isSubqueryNode(n):
		b.plan.roots = append(b.plan.roots, n)
	case strings.HasPrefix(n.name, "ReusedSubquery"):
		return // drawn where it is run
	default:
		p.parent.children = append(p.parent.children, n)
	}
	b.hints.complete(n, p.info)
	switch n.operator() {
	case "ReusedExchange":
		b.reuse(n, p.info)
		return
	case "InMemoryTableScan":
		n = b.relation(n, p.info)
		if n == nil {
			return
		}
	}
	for _, c := range slices.Backward(p.info.Children) {
		b.todo = append(b.todo, pending{info: c, parent: n})
	}
}

// carriers hand on what an aggregate puts out to the one that finishes it.
var carriers = []string{"Exchange", "ReusedExchange", "ShuffleQueryStage", "AQEShuffleRead", "CustomShuffleReader", "InputAdapter",
	"WholeStageCodegen", "Sort"}

// finishPartial tells an aggregate that prepares for another, by the same keys, from the one
// that finishes: those without functions look alike.
func (n *node) finishPartial(parent *node) {
	keys, aggregate := n.field("Keys")
	switch {
	case aggregate:
		n.grouped = listDetail(n, "Keys")
		n.block.partial = keys.text != "[]" && n.grouped == parent.grouped
	case slices.Contains(carriers, n.operator()):
		n.grouped = parent.grouped
	}
}

func isSubqueryNode(n *node) bool {
	return strings.HasPrefix(n.name, "Subquery")
}

// reuse hangs what a reused exchange stands for beside it: its output is known from there,
// and it ran elsewhere.
func (b *treeBuilder) reuse(n *node, info *eventlog.PlanNode) {
	if len(info.Children) != 1 {
		return
	}
	aside := &node{grouped: n.grouped}
	b.todo = append(b.todo, pending{info: info.Children[0], parent: aside})
	n.block.stands = aside
}

// relation puts the cached relation between its reader and the plan that filled it, which
// the tree leaves out. It gives the node that the plan is still to be hung under, nil where
// the plan was there already.
func (b *treeBuilder) relation(reader *node, info *eventlog.PlanNode) *node {
	r := &node{name: "InMemoryRelation", block: newBlock("InMemoryRelation")}
	if list, ok := b.hints.relations[info.Simple]; ok {
		r.block.fields.set("Arguments", field{count: -1, text: list})
	} else if list, ok := reader.field("Output"); ok {
		r.block.fields.set("Output", list)
	}
	reader.children = append(reader.children, r)
	if len(info.Children) == 0 {
		return nil
	}
	key := spelled(info.Children)
	if known, ok := b.cached[key]; ok {
		r.children = known.children
		return nil
	}
	b.cached[key] = r
	return r
}

// spelled is everything some trees say, by which one drawn again is known.
func spelled(trees []*eventlog.PlanNode) string {
	var s strings.Builder
	stack := slices.Clone(trees)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil {
			continue
		}
		fmt.Fprintln(&s, len(n.Children), n.Simple, n.Metrics)
		stack = append(stack, n.Children...)
	}
	return s.String()
}
