package fact

import (
	"slices"
	"strings"

	"ajlo/job/table"
)

// origin is where an attribute's value comes from.
type origin struct {
	// refs are the columns it may come from, sorted: one, or several where rows of several
	// tables meet (UNION, COALESCE). Empty for values that are no one column's.
	refs []table.Ref
	// expression is how the value is made of the column, without ids; empty for the bare
	// column.
	expression string
	// gap is set where the plan's text leaves out what the attribute is made of.
	gap bool
}

// same joins two origins that meet under one attribute.
func (o origin) same(other origin) origin {
	refs := append(slices.Clone(o.refs), other.refs...)
	slices.SortFunc(refs, table.Ref.Compare)
	joined := origin{refs: slices.Compact(refs), expression: o.expression, gap: o.gap || other.gap}
	if joined.expression == "" {
		joined.expression = other.expression
	}
	return joined
}

// named is an attribute in scope.
type named struct {
	name   string
	origin origin
}

// scope holds the attributes that an operator's output has, by id. Ids are no names of the
// whole plan: after a self-join or a reused exchange one id can mean two things, so every
// operator has a scope of its own, over those of its children.
type scope struct {
	own    map[int64]named
	below  []*scope
	output []attribute // in order, where that is known
	user   bool        // a user table is read below
	gap    bool        // there are attributes that the plan does not explain
	// hidden are columns by name that a scan has and the text cut off: their ids are unknown.
	hidden map[string]origin
}

// attribute finds an attribute by id, or a cut-off column by its name.
func (s *scope) attribute(a attribute) (named, bool) {
	if n, known := s.lookup(a.id); known {
		return n, n.name == a.name
	}
	if found := s.hiddenColumns(a.name); len(found) == 1 {
		return named{name: a.name, origin: found[0]}, true
	}
	return named{name: a.name, origin: origin{gap: s.gaps()}}, false
}

func (s *scope) hiddenColumns(name string) (found []origin) {
	if o, ok := s.hidden[name]; ok {
		found = append(found, o)
	}
	for _, b := range s.below {
		found = append(found, b.hiddenColumns(name)...)
	}
	return found
}

// gaps reports whether an unknown attribute may be one that the plan does not explain.
func (s *scope) gaps() bool {
	return s.gap || slices.ContainsFunc(s.below, (*scope).gaps)
}

func (s *scope) lookup(id int64) (named, bool) {
	if n, ok := s.own[id]; ok {
		return n, true
	}
	for _, b := range s.below {
		if n, ok := b.lookup(id); ok {
			return n, true
		}
	}
	return named{}, false
}

// lineage works out scopes for the nodes of a plan, each once.
type lineage struct {
	view   view
	byID   map[int]*node // operators by number, for those that are reused
	done   map[*node]*scope
	onPath map[*node]bool // guards against operators that reuse each other
	scans  func(n *node) (table.Name, bool)
	caches map[*node]cacheID
	given  map[int64]named // columns that another execution has put down
	stands bool            // an operator stands for one that is drawn aside
}

// cacheID tells the cached relations of one plan apart; 0 is no relation.
type cacheID int

// cacheID numbers the relations as they are met; relations of the first plan have negative
// numbers, so that they are never taken for those of the last.
func (l *lineage) cacheID(relation *node) cacheID {
	if relation == nil {
		return 0
	}
	if _, known := l.caches[relation]; !known {
		l.caches[relation] = cacheID(len(l.caches) + 1)
		if l.view == asPlanned {
			l.caches[relation] = -l.caches[relation]
		}
	}
	return l.caches[relation]
}

func newLineage(v view, roots []*node, scans func(*node) (table.Name, bool)) *lineage {
	l := &lineage{view: v, byID: map[int]*node{}, done: map[*node]*scope{}, onPath: map[*node]bool{},
		scans: scans, caches: map[*node]cacheID{}}
	for at := range v.walk(roots) {
		if at.block == nil {
			continue
		}
		if _, known := l.byID[at.number]; !known {
			l.byID[at.number] = at.node
		}
		l.stands = l.stands || at.block.stands != nil
	}
	return l
}

// scope gives the attributes that n puts out.
func (l *lineage) scope(n *node) *scope {
	if s, ok := l.done[n]; ok {
		return s
	}
	if l.onPath[n] {
		return &scope{}
	}
	l.onPath[n] = true
	s := l.work(n)
	s.user = s.user || l.readTable(l.view.below(n))
	delete(l.onPath, n)
	l.done[n] = s
	return s
}

// readTable tells a user's operators from those of the engine's own bookkeeping.
func (l *lineage) readTable(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool { return l.scope(n).user })
}

func (l *lineage) work(n *node) *scope {
	if name, ok := l.scans(n); ok {
		return scanScope(n, name)
	}
	if n.block != nil && (n.block.reuses != 0 || n.block.stands != nil) {
		return l.reused(n)
	}
	if strings.HasPrefix(n.name, materialized) && len(l.given) > 0 {
		return l.putDown(n)
	}
	children := l.view.below(n)
	below := make([]*scope, len(children))
	for i, c := range children {
		below[i] = l.scope(c)
	}
	switch n.operator() {
	case "Union":
		return unionScope(below)
	case "InMemoryRelation":
		if f, ok := n.field("Arguments"); ok {
			return positional(relationOutput(f), below)
		}
		return byName(n, below)
	case "Expand":
		return expandScope(n, below)
	}
	if strategyOf(n) != NoStrategy {
		return joinScope(n, below)
	}
	return l.projected(n, below)
}

// scanScope is where columns come from.
func scanScope(n *node, name table.Name) *scope {
	f, _ := n.field("Output")
	attributes, whole := attributesOf(f)
	s := &scope{own: map[int64]named{}, output: attributes, user: true, gap: !whole}
	if !whole {
		s.hidden = hiddenIn(n, name, attributes)
	}
	for _, a := range attributes {
		ref := table.Ref{Table: name, Column: table.Column(a.name)}
		s.own[a.id] = named{name: a.name, origin: origin{refs: []table.Ref{ref}}}
	}
	return s
}

// materialized is how Delta's MERGE reads a source that it ran once and put down; the ids are
// those that the source's own plan put out.
const materialized = "Scan ExistingRDD mergeMaterializedSource"

// unexplained is the id under which columns are handed on that a plan puts out and does not
// explain.
const unexplained int64 = -1

func (l *lineage) putDown(n *node) *scope {
	f, _ := n.field("Output")
	attributes, _ := attributesOf(f)
	s := &scope{own: map[int64]named{}, output: attributes}
	for _, a := range attributes {
		if from, ok := l.given[a.id]; ok && from.name == a.name {
			s.own[a.id], s.user = from, true
		}
	}
	if _, ok := l.given[unexplained]; ok {
		s.gap, s.user = true, true
	}
	return s
}

// made are the columns that a plan puts out and that come from tables.
func (l *lineage) made(root *node) map[int64]named {
	made, s := map[int64]named{}, l.scope(root)
	gap := s.gaps()
	for _, a := range s.output {
		n, ok := s.lookup(a.id)
		if ok && len(n.origin.refs) > 0 {
			made[a.id] = n
		}
		gap = gap || n.origin.gap
	}
	if s.user && gap {
		made[unexplained] = named{}
	}
	return made
}

// hiddenIn are the columns of a scan's schema that its cut list does not show.
func hiddenIn(n *node, name table.Name, shown []attribute) map[string]origin {
	schema, _ := n.field("ReadSchema")
	hidden := map[string]origin{}
	for column := range schemaTypes(schema.text, shown) {
		if !slices.ContainsFunc(shown, func(a attribute) bool { return a.name == column }) {
			hidden[column] = origin{refs: []table.Ref{{Table: name, Column: table.Column(column)}}}
		}
	}
	return hidden
}

// reused gives the output of another operator under new ids, by position.
func (l *lineage) reused(n *node) *scope {
	original := l.byID[n.block.reuses]
	if n.block.stands != nil && len(n.block.stands.children) == 1 {
		original = n.block.stands.children[0]
	}
	if original == nil || original == n {
		return &scope{}
	}
	below := l.scope(original)
	f, _ := n.field("Output")
	s := positional(f, []*scope{below})
	s.user = below.user
	return s
}

// relationOutput is the list that an in-memory relation's arguments begin with.
func relationOutput(arguments field) field {
	if end := strings.LastIndex(arguments.text, "], StorageLevel("); end >= 0 {
		return field{text: arguments.text[:end+1], count: -1}
	}
	return field{text: firstList(arguments.text), count: -1}
}

// positional renames the output of the operator below, one by one, to the attributes of a
// list.
func positional(list field, below []*scope) *scope {
	if len(below) != 1 {
		return &scope{below: below}
	}
	attributes, whole := attributesOf(list)
	s := &scope{own: map[int64]named{}, output: attributes, gap: !whole || below[0].gaps()}
	for i, a := range attributes {
		if i < len(below[0].output) {
			inner, _ := below[0].lookup(below[0].output[i].id)
			s.own[a.id] = named{name: a.name, origin: inner.origin}
		}
	}
	return s
}

// byName gives a cached relation's columns the origin of those of the same name in the plan
// that filled it, where nothing says in which order they are.
func byName(n *node, below []*scope) *scope {
	if len(below) != 1 {
		return &scope{below: below}
	}
	f, _ := n.field("Output")
	attributes, _ := attributesOf(f)
	s := &scope{own: map[int64]named{}, output: attributes, gap: true}
	for _, a := range attributes {
		fits := func(b attribute) bool { return b.name == a.name }
		at := slices.IndexFunc(below[0].output, fits)
		if at < 0 || slices.ContainsFunc(below[0].output[at+1:], fits) {
			continue
		}
		inner, _ := below[0].lookup(below[0].output[at].id)
		s.own[a.id] = named{name: a.name, origin: inner.origin}
	}
	return s
}

// unionScope puts the branches' columns under the ids of the first.
func unionScope(below []*scope) *scope {
	if len(below) == 0 {
		return &scope{}
	}
	s := &scope{own: map[int64]named{}, below: below[:1], output: below[0].output}
	s.gap = slices.ContainsFunc(below, (*scope).gaps)
	if slices.ContainsFunc(below, func(b *scope) bool { return len(b.output) == 0 && b.gaps() }) {
		return &scope{gap: true} // the branches cannot be laid side by side
	}
	for i, a := range s.output {
		first, _ := below[0].lookup(a.id)
		for _, branch := range below[1:] {
			if i < len(branch.output) {
				other, _ := branch.lookup(branch.output[i].id)
				first.origin = first.origin.same(other.origin)
			}
		}
		s.own[a.id] = named{name: a.name, origin: first.origin}
	}
	return s
}

// expandScope reads "[[a#1, null, 0], [a#1, b#2, 1]], [a#5, b#6, id#7]": the last list is
// the output, each of the others a row that is put out under it.
func expandScope(n *node, below []*scope) *scope {
	f, _ := n.field("Arguments")
	rows, output := expandLists(f.text)
	attributes, ok := attributesOf(field{text: output, count: -1})
	if !ok || len(below) != 1 {
		return &scope{below: below}
	}
	s := &scope{own: map[int64]named{}, output: attributes}
	for i, a := range attributes {
		joined := origin{}
		for _, row := range rows {
			if i < len(row) {
				joined = joined.same(below[0].originOf(row[i]))
			}
		}
		s.own[a.id] = named{name: a.name, origin: joined}
	}
	return s
}

// joinScope is both sides' output; semi and anti joins put out the left side only.
func joinScope(n *node, below []*scope) *scope {
	if len(below) == 2 && keepsLeftOnly(joinTypeOf(n)) {
		below = below[:1]
	}
	s := &scope{below: below}
	for _, b := range below {
		s.output = append(s.output, b.output...)
	}
	return s
}

// projected is the output of every other operator: what its Output or Results list makes
// of its input, or its input as it is.
func (l *lineage) projected(n *node, below []*scope) *scope {
	input := &scope{below: below}
	if len(below) == 1 {
		input = below[0]
	}
	if keys, ok := n.field("Keys"); ok {
		input = input.with(splitItems(keys))
	}
	if n.block != nil && n.block.gap {
		input = &scope{below: []*scope{input}, gap: true, output: partialOutput(n)}
	}
	for _, label := range []string{"Results", "Output"} {
		if f, ok := n.field(label); ok {
			return input.project(f)
		}
	}
	if n.block != nil && n.block.gap {
		return input
	}
	if len(below) == 1 && n.operator() != "Generate" {
		return input
	}
	return &scope{below: []*scope{input}}
}

// partialOutput is how the output of an aggregate begins that only prepares for another: its
// keys come first, then what it has added up so far.
func partialOutput(n *node) []attribute {
	functions, _ := n.field("Functions")
	for _, f := range cutOutside(strings.Trim(functions.text, "[]")) {
		if f == "" && n.block.partial {
			continue
		}
		if !strings.HasPrefix(f, "partial_") && !strings.HasPrefix(f, "merge_") {
			return nil
		}
	}
	keys, _ := n.field("Keys")
	attributes, _ := attributesOf(keys)
	return attributes
}

// with adds named expressions to a scope, as aggregates do with grouping expressions.
func (s *scope) with(items []string) *scope {
	added := &scope{own: map[int64]named{}, below: []*scope{s}}
	for _, item := range items {
		a, n, ok := s.item(item)
		if _, known := s.lookup(a.id); ok && !known {
			added.own[a.id] = n
		}
	}
	return added
}

// project keeps only the items of a list. Where the list cannot be read whole, what lies
// below stays in scope.
func (s *scope) project(f field) *scope {
	p := &scope{own: map[int64]named{}}
	items := splitItems(f)
	whole := f.count < 0 || len(items) == f.count
	for _, item := range items {
		a, n, ok := s.item(item)
		if !ok {
			whole = false
			continue
		}
		p.own[a.id] = n
		p.output = append(p.output, a)
	}
	if !whole {
		p.below = []*scope{s}
	}
	return p
}

// item reads "a#1" or "expression AS b#2" in scope s.
func (s *scope) item(text string) (attribute, named, bool) {
	a, ok := parseAttribute(text)
	if !ok {
		return a, named{}, false
	}
	n, known := s.attribute(a)
	if known {
		return a, n, true
	}
	at := lastAlias(text)
	if at < 0 {
		return a, named{name: a.name, origin: origin{gap: n.origin.gap}}, true
	}
	expression := text[:at]
	a.name = a.name[at+len(" AS "):]
	return a, named{name: a.name, origin: s.originOf(expression)}, true
}
