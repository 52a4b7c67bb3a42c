package fact

import (
	"slices"
	"strings"

	"ajlo/job/table"
)

// strategies are looked for in operator names, which may carry an accelerator's prefix or
// suffix, or an argument: "GpuShuffledHashJoin", "SortMergeJoin(skew=true)".
var strategies = []Strategy{SortMergeJoin, ShuffledHashJoin, BroadcastHashJoin, BroadcastNestedLoopJoin, CartesianProduct}

// strategyOf is NoStrategy for operators that join nothing. Logical joins, which Spark 4
// draws below an empty relation, have no block and did not run.
func strategyOf(n *node) Strategy {
	if n.block == nil {
		return NoStrategy
	}
	operator := n.operator()
	for _, s := range strategies {
		if strings.Contains(operator, string(s)) {
			return s
		}
	}
	return NoStrategy
}

// joinTypes are Spark's names; LeftSingle is the join that a scalar subquery becomes.
var joinTypes = map[string]JoinType{
	"Inner": Inner, "Cross": Cross, "LeftOuter": LeftOuter, "RightOuter": RightOuter, "FullOuter": FullOuter,
	"LeftSemi": LeftSemi, "LeftAnti": LeftAnti, "LeftSingle": LeftOuter,
}

func joinTypeOf(n *node) JoinType {
	f, _ := n.field("Join type")
	if strings.HasPrefix(f.text, "ExistenceJoin") {
		return Existence
	}
	if t, ok := joinTypes[f.text]; ok {
		return t
	}
	if f.text == "" { // Spark up to 3.3 says it in the tree only: "SortMergeJoin LeftSemi"
		for _, word := range strings.Fields(n.name) {
			if t, ok := joinTypes[word]; ok {
				return t
			}
			if strings.HasPrefix(word, "ExistenceJoin") {
				return Existence
			}
		}
	}
	if condition, _ := n.field("Join condition"); condition.text == "" || condition.text == "None" {
		return Cross // a CartesianProduct names no type
	}
	return Inner
}

func keepsLeftOnly(t JoinType) bool { return t == LeftSemi || t == LeftAnti || t == Existence }

// foundJoin is a join of a plan.
type foundJoin struct {
	Join
	lost  bool // its keys could not be read whole
	cache cacheID
	note  Note
}

// joins gives the joins of the trees in pre-order: those of which both sides read a user
// table. Others are the engine's bookkeeping, or tables that a query made up itself. A join
// shown under several reads of one cached relation is one join.
// Notes on those left out are added to passed.
func (l *lineage) joins(roots []*node, passed []Note) (found []foundJoin, also []Note) {
	seen := map[*block]bool{}
	for at := range l.view.walk(roots) {
		children := l.view.below(at.node)
		switch {
		case strategyOf(at.node) == NoStrategy:
		case at.cache != nil && seen[at.block]:
			passed = append(passed, noteOn(at.node).left(leftAgain))
		case !l.allReadTables(children):
			passed = append(passed, noteOn(at.node).left(leftSide))
		default:
			seen[at.block] = true
			j := l.join(at.node, children)
			j.cache = l.cacheID(at.cache)
			found = append(found, j)
		}
	}
	return found, passed
}

func (l *lineage) allReadTables(nodes []*node) bool {
	return !slices.ContainsFunc(nodes, func(n *node) bool { return !l.scope(n).user })
}

func (l *lineage) join(n *node, children []*node) foundJoin {
	j := foundJoin{Join: Join{Left: []table.Ref{}, Right: []table.Ref{}, Type: joinTypeOf(n), Strategy: strategyOf(n), Build: buildOf(n)}}
	j.note = noteOn(n)
	if len(children) != 2 {
		return j.without(lostInputs)
	}
	left, okLeft := l.keysOf(n, "Left keys", children[0])
	right, okRight := l.keysOf(n, "Right keys", children[1])
	switch {
	case (!okLeft || !okRight || len(left) != len(right)) && len(left)+len(right) > 0:
		return j.without(lostKeys)
	case len(left) == 0 && needsKeys(j.Strategy):
		return j.without(lostUnshown)
	case len(left) == 0:
		j.note = j.note.taken(takenKeyless)
		return j
	}
	left, right = withoutNullSafety(left, right)
	if l.addPairs(&j.Join, n, children, left, right) {
		j.Left, j.Right = []table.Ref{}, []table.Ref{}
		return j.without(lostGap)
	}
	j.note = j.note.taken(takenWhole)
	if len(j.Left) == 0 {
		j.note = j.note.taken(takenNoColumn)
	}
	return j
}

// without marks a join of which the keys are lost.
func (j foundJoin) without(reason string) foundJoin {
	j.lost, j.note = true, j.note.taken(reason)
	return j
}

// needsKeys tells the joins that have keys whether the plan shows them or not.
func needsKeys(s Strategy) bool {
	return s == SortMergeJoin || s == ShuffledHashJoin || s == BroadcastHashJoin
}

// keysOf takes a list of keys apart. Pieces that are attributes in scope are whole, whatever
// brackets their names hold; "substring(b#2" is none.
func (l *lineage) keysOf(n *node, label string, child *node) ([]string, bool) {
	f, ok := n.field(label)
	if !ok {
		return nil, true
	}
	s, items := l.scope(child), splitItems(f)
	unknown := func(item string) bool {
		a, ok := parseAttribute(item)
		found, known := s.lookup(a.id)
		return !ok || !known || found.name != a.name
	}
	if len(items) == f.count && !slices.ContainsFunc(items, unknown) {
		return items, true
	}
	if keys, ok := splitExpressions(f); ok {
		return keys, true
	}
	return splitKeys(f)
}

// withoutNullSafety undoes what Spark makes of <=>: coalesce(a, 0) = coalesce(b, 0) and
// isnull(a) = isnull(b).
func withoutNullSafety(left, right []string) (l, r []string) {
	for i := 0; i < len(left); i++ {
		a, okA := defaulted(left, i)
		b, okB := defaulted(right, i)
		if okA && okB {
			l, r = append(l, a), append(r, b)
			i++
			continue
		}
		l, r = append(l, left[i]), append(r, right[i])
	}
	return l, r
}

// defaulted reads keys i and i+1 as "coalesce(x, default)" and "isnull(x)".
func defaulted(keys []string, i int) (x string, ok bool) {
	if i+1 >= len(keys) {
		return "", false
	}
	x, ok = strings.CutPrefix(keys[i+1], "isnull(")
	x, closed := strings.CutSuffix(x, ")")
	return x, ok && closed && strings.HasPrefix(keys[i], "coalesce("+x+", ")
}

// addPairs follows each key to its columns. A key that may come from several tables gives
// a pair for each; keys without a column give none. gap is set where the plan does not say
// where a key comes from: half a key is another edge than the whole one.
func (l *lineage) addPairs(j *Join, n *node, children []*node, left, right []string) (gap bool) {
	leftScope, rightScope := l.scope(children[0]), l.scope(children[1])
	for i := range left {
		a, b := leftScope.originOf(left[i]), rightScope.originOf(right[i])
		gap = gap || a.gap || b.gap
		for _, o := range []origin{a, b} {
			if o.expression != "" && !slices.Contains(j.Expression, o.expression) {
				j.Expression = append(j.Expression, o.expression)
			}
		}
		for _, x := range a.refs {
			for _, y := range b.refs {
				j.addPair(x, y)
			}
		}
	}
	return gap
}

func (j *Join) addPair(left, right table.Ref) {
	for i := range j.Left {
		if j.Left[i] == left && j.Right[i] == right {
			return
		}
	}
	j.Left, j.Right = append(j.Left, left), append(j.Right, right)
}

// edge identifies what a join joins, whichever way round and however: its pairs as text.
func (j Join) edge() string {
	pairs := make([]string, len(j.Left))
	for i := range j.Left {
		a, b := j.Left[i].String(), j.Right[i].String()
		pairs[i] = min(a, b) + "=" + max(a, b)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// removed gives the joins that were planned and did not run, without a strategy. The edge
// tells which ran: adaptive execution may change the strategy and the sides. A join that
// could not be read in one of the plans is taken for one that only the other has.
func removed(planned, ran []foundJoin) []foundJoin {
	left, unread := map[string]int{}, 0
	for _, j := range ran {
		left[j.edge()]++
		if j.lost {
			unread++
		}
	}
	spare := len(ran)
	var gone []foundJoin
	for _, j := range planned {
		if left[j.edge()] > 0 {
			left[j.edge()]--
			spare--
			continue
		}
		j.Strategy, j.Build, j.note = NoStrategy, NoSide, j.note.taken(takenRemoved)
		gone = append(gone, j)
	}
	return slices.DeleteFunc(gone, func(j foundJoin) bool {
		same := spare > 0 && (j.lost || unread > 0)
		if same {
			spare--
		}
		if same && !j.lost {
			unread--
		}
		return same
	})
}
