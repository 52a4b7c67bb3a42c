package fact

import (
	"regexp"
	"strconv"
	"strings"
)

// planText is the formatted plan of one execution: trees that name operators by number,
// and a block for each number.
type planText struct {
	roots  []*node // the query, then its subqueries
	blocks map[int]*block
}

// parsePlanText reads Spark's "formatted" explain text. Text in another mode, or none,
// gives a plan without blocks.
func parsePlanText(text string) planText {
	p := textParser{plan: planText{blocks: map[int]*block{}}, names: map[int]string{}, blanks: 1}
	for line := range strings.Lines(text) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	for _, root := range p.plan.roots {
		p.plan.attach(root)
	}
	return p.plan
}

// attach ties nodes to their blocks, without recursion.
func (p planText) attach(root *node) {
	stack := []*node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], n.children...)
		n.name = sparkName(n.name)
		if n.block = p.blocks[n.number]; n.block != nil {
			n.block.complete(n)
		}
	}
}

// textParser holds where in the text it is: in a tree, or among blocks.
type textParser struct {
	plan   planText
	inTree bool
	tree   treeParser
	names  map[int]string // of the numbers in the trees
	block  *block
	label  string // the field a line may continue
	blanks int    // blank lines just before this one
}

const planHeading = "== Physical Plan =="

// isSubqueryHeading tells what opens the tree of one subquery: "Subquery:1 Hosting operator
// id = 12 Hosting Expression = …".
func isSubqueryHeading(line string) bool {
	rest, ok := strings.CutPrefix(line, "Subquery:")
	digits, _, hosted := strings.Cut(rest, " Hosting operator id = ")
	return ok && hosted && isNumber(digits)
}

func (p *textParser) line(line string) {
	if line == "" {
		p.blanks++
		p.inTree = false
		return
	}
	switch {
	case line == planHeading || (p.blanks > 0 && isSubqueryHeading(line)):
		p.inTree, p.tree, p.block = true, treeParser{}, nil
	case p.inTree:
		p.addToTree(line)
	case p.blanks > 0 && p.openBlock(line):
	case p.block != nil:
		p.addToBlock(line)
	}
	p.blanks = 0
}

func (p *textParser) addToTree(line string) {
	n, isRoot := p.tree.add(line)
	if isRoot {
		p.plan.roots = append(p.plan.roots, n)
	}
	if n.number != 0 {
		p.names[n.number] = n.name
	}
}

// Marks behind a block's heading, before a number and a bracket.
const (
	codegenMark = " [codegen id : "
	reuseMark   = "[Reuses operator id: "
)

// cutMark takes a mark off the end of a name.
func cutMark(name, mark string) (rest string, number int, ok bool) {
	at := strings.LastIndex(name, mark)
	if at < 0 {
		return name, 0, false
	}
	digits, closed := strings.CutSuffix(name[at+len(mark):], "]")
	if !closed || !isNumber(digits) {
		return name, 0, false
	}
	number, _ = strconv.Atoi(digits)
	return name[:at], number, true
}

// blockHeading reads what opens a block: "(15) SortMergeJoin [codegen id : 5]".
func blockHeading(line string) (number int, name string, ok bool) {
	digits, opened := strings.CutPrefix(line, "(")
	digits, name, closed := strings.Cut(digits, ") ")
	if !opened || !closed || !isNumber(digits) {
		return 0, "", false
	}
	number, err := strconv.Atoi(digits)
	return number, name, err == nil
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// openBlock begins a block where the line is the heading of a number that the trees have
// under that name: a literal may hold lines that look like headings.
func (p *textParser) openBlock(line string) bool {
	number, name, ok := blockHeading(line)
	if !ok || p.plan.blocks[number] != nil {
		return false
	}
	b := &block{number: number, name: name}
	if strings.HasSuffix(b.name, "]") {
		b.readMarks()
	}
	if name, known := p.names[number]; !known || !sameOperator(name, b.name) {
		return false
	}
	p.block, p.label = b, ""
	p.plan.blocks[number] = b
	return true
}

// readMarks takes the marks off the name.
func (b *block) readMarks() {
	b.name, _, _ = cutMark(b.name, codegenMark)
	if name, reuses, ok := cutMark(b.name, reuseMark); ok {
		b.name, b.reuses = strings.TrimSuffix(name, " "), reuses
	}
}

func sameOperator(inTree, inBlock string) bool {
	return inTree == inBlock || (&node{name: sparkName(inTree)}).operator() == (&node{name: sparkName(inBlock)}).operator()
}

// isFieldLabel tells the labels of a block's lines.
func isFieldLabel(text string) bool {
	switch text {
	case "Output", "Input", "Arguments", "Condition", "Results", "Keys", "Functions", "Aggregate Attributes",
		"Left keys", "Right keys", "Left output", "Right output", "Join type", "Join condition", "ReadSchema", "Location", "Batched",
		"PushedFilters", "DataFilters", "PartitionFilters", "RuntimeFilters", "Format", "RequiredDataFilters", "OptionalDataFilters",
		"DictionaryFilters", "NativeFilters", "PushedAggregation", "PushedGroupBy", "Bucketed", "SelectedBucketsCount":
		return true
	}
	return false
}

// cutField reads a labelled line: "Output [2]: [a#1, b#2]", "Condition : (a#1 > 5)". count
// is −1 where the line has none.
func cutField(line string) (label string, f field, ok bool) {
	end := strings.IndexAny(line, ":[")
	if end < 1 {
		return "", field{}, false
	}
	label, rest := strings.TrimSuffix(line[:end], " "), line[end:]
	if !isFieldLabel(label) {
		return "", field{}, false
	}
	count := -1
	if rest[0] == '[' {
		digits, after, closed := strings.Cut(rest[1:], "]")
		n, err := strconv.Atoi(digits)
		if len(label) == end || !closed || err != nil {
			return "", field{}, false
		}
		count, rest = n, strings.TrimPrefix(after, " ")
	}
	text, ok := strings.CutPrefix(rest, ":")
	return label, field{count: count, text: strings.TrimPrefix(text, " ")}, ok
}

// addToBlock takes a line into the open block: as a field, as more of the field before
// (literals may hold line ends), or as it is.
func (p *textParser) addToBlock(line string) {
	label, f, ok := cutField(line)
	if !ok || p.has(label) {
		p.continueBlock(line)
		return
	}
	p.label = label
	p.block.fields.set(label, f)
}

// has tells labels that a block cannot have again: what looks like one is a literal's.
func (p *textParser) has(label string) bool {
	_, ok := p.block.fields.get(label)
	return ok
}

func (p *textParser) continueBlock(line string) {
	f, ok := p.block.fields.get(p.label)
	if !ok || p.label == "Output" {
		p.block.rest = append(p.block.rest, line)
		return
	}
	f.text += strings.Repeat("\n", p.blanks+1) + line
	p.block.fields.set(p.label, f)
}

// treeParser builds a tree from its lines by their indentation.
type treeParser struct {
	stack []placed
}

type placed struct {
	at int // column of the name
	*node
}

// add takes one line; isRoot is set for the first.
func (t *treeParser) add(line string) (n *node, isRoot bool) {
	at, text := indentation(line)
	n = parseTreeName(text)
	if isSection(n) {
		at-- // its tree stands below it without a mark, in the same column
	}
	for len(t.stack) > 0 && t.stack[len(t.stack)-1].at >= at {
		t.stack = t.stack[:len(t.stack)-1]
	}
	isRoot = len(t.stack) == 0
	if !isRoot {
		parent := t.stack[len(t.stack)-1].node
		parent.children = append(parent.children, n)
	}
	t.stack = append(t.stack, placed{at: at, node: n})
	return n, isRoot
}

// indentWidth is what one level takes: "   ", ":  ", ":- " or "+- ".
const indentWidth = 3

func indentation(line string) (at int, text string) {
	for len(line)-at >= indentWidth {
		switch line[at : at+indentWidth] {
		case "   ", ":  ":
			at += indentWidth
		case ":- ", "+- ":
			return at + indentWidth, line[at+indentWidth:]
		default:
			return at, line[at:]
		}
	}
	return at, line[at:]
}

// treeName is a name with its number; statistics or arguments may follow.
var treeName = regexp.MustCompile(`^(?:\* )?(.*) \((\d+|unknown)\)(?:[, ].*)?$`)

func parseTreeName(text string) *node {
	if n, ok := bareTreeName(text); ok {
		return n
	}
	var m []string
	if strings.Contains(text, " (") { // the headings of sections have no number
		m = treeName.FindStringSubmatch(text)
	}
	if m == nil {
		return &node{name: strings.TrimPrefix(text, "* ")}
	}
	number, err := strconv.Atoi(m[2])
	if err != nil {
		number = 0
	}
	return &node{name: strings.TrimSpace(m[1]), number: number}
}

// bareTreeName reads a name that nothing follows, as nearly all are.
func bareTreeName(text string) (*node, bool) {
	at := strings.LastIndex(text, " (")
	if at < 0 || text[len(text)-1] != ')' {
		return nil, false
	}
	digits := text[at+2 : len(text)-1]
	number, err := strconv.Atoi(digits)
	if err != nil || !isNumber(digits) {
		return nil, false
	}
	return &node{name: strings.TrimSpace(strings.TrimPrefix(text[:at], "* ")), number: number}, true
}
