package fact

import "iter"

// node is one operator of a plan's tree, as the plan's text draws it.
type node struct {
	// name is the tree's name without the mark of code generation and the number:
	// "SortMergeJoin Inner", "Scan parquet spark_catalog.tpch.orders".
	name     string
	number   int // of its block, 0 where the text gives none
	children []*node
	block    *block // nil where the text has none for the number
	// grouped is by what the aggregate above groups that this operator's output goes to
	// unchanged, empty for none.
	grouped string
}

// block is what the text says of one numbered operator below the tree.
type block struct {
	number int
	name   string // without "[codegen id : 3]"
	reuses int    // the operator whose output this one stands for, 0 for none
	fields fields
	rest   []string // lines that are no field, as V2 scans have
	stands *node    // holds the operator that a reused one stands for, where the tree draws it
	// partial marks an aggregate without functions that prepares for another: it puts out
	// its keys.
	partial bool
	gap     bool // it puts out attributes that the plan does not explain
}

// field is one labelled line of a block: "Output [2]: [a#1, b#2L]".
type field struct {
	count int // the number in brackets, −1 where there is none
	text  string
}

// fields are those of one block by their labels; they are few.
type fields []labelled

type labelled struct {
	label string
	field field
}

func (f fields) get(label string) (field, bool) {
	for i := range f {
		if f[i].label == label {
			return f[i].field, true
		}
	}
	return field{}, false
}

func (f *fields) set(label string, to field) {
	for i := range *f {
		if (*f)[i].label == label {
			(*f)[i].field = to
			return
		}
	}
	*f = append(*f, labelled{label, to})
}

func (n *node) field(label string) (field, bool) {
	if n.block == nil {
		return field{count: -1}, false
	}
	return n.block.fields.get(label)
}

// operator is the first word of the name, without an argument: "SortMergeJoin(skew=true)
// Inner" is a SortMergeJoin.
func (n *node) operator() string { return n.name[:firstWord(n.name)] }

// firstWord is the length of the word that a name begins with.
func firstWord(name string) int {
	for i := range len(name) {
		if c := name[i]; c == ' ' || c == '(' || c == '[' {
			return i
		}
	}
	return len(name)
}

// Sections of adaptive plans: what is run, and what was planned at first.
const (
	finalPlan   = "== Final Plan =="
	currentPlan = "== Current Plan =="
	initialPlan = "== Initial Plan =="
)

// view says which of an adaptive plan's trees is looked at.
type view int

const (
	asRun view = iota
	asPlanned
)

// below gives the children of n in the view: sections are stepped over, and the plan that a
// command already ran elsewhere is not looked into.
func (v view) below(n *node) []*node {
	if n.operator() == "CommandResult" {
		return nil
	}
	if len(n.children) == 0 || !isSection(n.children[0]) {
		return n.children
	}
	for _, c := range n.children {
		if planned := c.name == initialPlan; planned == (v == asPlanned) {
			return c.children
		}
	}
	return n.children[0].children
}

func isSection(n *node) bool {
	return n.name == finalPlan || n.name == currentPlan || n.name == initialPlan
}

// visit is one node on a walk.
type visit struct {
	*node
	parent *visit
	cache  *node // the outermost in-memory relation above, nil for none
}

// walk gives the nodes of the trees in the view in pre-order. Iteration, not recursion:
// plans can be thousands of nodes deep.
func (v view) walk(roots []*node) iter.Seq[*visit] {
	return func(yield func(*visit) bool) {
		stack := make([]*visit, 0, len(roots))
		for i := len(roots) - 1; i >= 0; i-- {
			stack = append(stack, &visit{node: roots[i]})
		}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !yield(at) {
				return
			}
			cache := at.cache
			if cache == nil && at.operator() == "InMemoryRelation" {
				cache = at.node
			}
			children := v.below(at.node)
			for i := len(children) - 1; i >= 0; i-- {
				stack = append(stack, &visit{node: children[i], parent: at, cache: cache})
			}
		}
	}
}
