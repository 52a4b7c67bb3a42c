package fact

import (
	"strings"

	"ajlo/job/eventlog"
)

// hints are what plan texts in other modes than formatted say beyond the tree beside them.
type hints struct {
	// outputs are the lists that aggregates put out, by their line without it, in the order
	// of the tree: extended, cost and codegen print them.
	outputs map[string][]string
	// made are the named expressions of the logical plan's aggregates by id, "a#1 AS b#2":
	// extended and cost have logical plans.
	made map[int64]string
	// relations are the lists of cached relations by the line of their reader.
	relations map[string]string
	// executed is what the command runs that the plan executes, with its arguments.
	executed string
}

// hintsOf reads a text line by line. Whichever line it does not understand adds nothing.
func hintsOf(text string) hints {
	h := hints{outputs: map[string][]string{}, made: map[int64]string{}, relations: map[string]string{}}
	logical, before, part := false, "", map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "== ") {
			logical = line == "== Optimized Logical Plan =="
			if strings.HasPrefix(line, subtree) {
				h.putFirst(part)
				part = map[string][]string{}
			}
			continue
		}
		_, operator := indentation(line)
		operator = withoutCodegen(operator)
		switch {
		case logical:
			h.logical(operator)
		case strings.HasPrefix(operator, "InMemoryRelation ["):
			list := relationOutput(field{text: strings.TrimPrefix(operator, "InMemoryRelation ")})
			h.relations[before] = list.text
		case strings.HasPrefix(before, command) && h.executed == "":
			h.executed = operator
		default:
			aggregate(part, operator)
		}
		before = operator
	}
	h.putFirst(part)
	return h
}

// subtree begins each part of codegen's text: the code of one stage, below all that the
// stage hangs over. The stages stand from the bottom of the plan up.
const subtree = "== Subtree "

// putFirst puts a part's lists before those of the parts that came earlier.
func (h hints) putFirst(part map[string][]string) {
	for line, lists := range part {
		h.outputs[line] = append(lists, h.outputs[line]...)
	}
}

// withoutCodegen takes the mark of code generation, "*(3) ", from a line.
func withoutCodegen(line string) string {
	rest, marked := strings.CutPrefix(line, "*(")
	if !marked {
		return line
	}
	if _, after, ok := strings.Cut(rest, ") "); ok {
		return after
	}
	return line
}

func aggregate(outputs map[string][]string, line string) {
	if m := aggregateLine.FindStringSubmatchIndex(line); m != nil && m[6] >= 0 {
		simple := line[:m[6]-len(", output=")] + ")"
		outputs[simple] = append(outputs[simple], line[m[6]:m[7]])
	}
}

// logical reads "Aggregate [a#1], [a#1 AS b#2, sum(c#3) AS d#4]".
func (h hints) logical(line string) {
	rest, ok := strings.CutPrefix(line, "Aggregate [")
	if !ok {
		return
	}
	keys := firstList("[" + rest)
	results, ok := strings.CutPrefix(("[" + rest)[len(keys):], ", ")
	if !ok {
		return
	}
	for _, item := range splitItems(listOf(firstList(results))) {
		if a, ok := parseAttribute(item); ok && lastAlias(item) > 0 {
			h.made[a.id] = item
		}
	}
}

// complete gives an aggregate the results that its line does not have. Where the text has
// them not either, what the aggregate puts out beside its keys is not known.
func (h hints) complete(n *node, info *eventlog.PlanNode) {
	if strings.HasPrefix(n.name, command) {
		n.block.fields.set("Arguments", field{count: -1, text: argumentsOf(h.executed)})
	}
	functions, aggregate := n.field("Functions")
	if !aggregate {
		return
	}
	simple := strings.TrimSpace(info.Simple)
	lists := h.outputs[simple]
	n.block.gap = len(lists) == 0 || len(h.made) == 0
	if len(lists) == 0 {
		return
	}
	if len(lists) > 1 {
		h.outputs[simple] = lists[1:]
	}
	f := listOf(lists[0])
	items := splitItems(f)
	for i, item := range items {
		if a, ok := parseAttribute(item); ok {
			items[i] = h.result(item, a, functions)
		}
	}
	f.text = "[" + strings.Join(items, ", ") + "]"
	n.block.fields.set("Results", f)
}

// result is how an aggregate makes what it puts out. What a function made is nobody's
// column.
func (h hints) result(item string, a attribute, functions field) string {
	made, ok := h.made[a.id]
	if !ok {
		return item
	}
	for _, f := range cutOutside(strings.TrimSuffix(strings.TrimPrefix(functions.text, "["), "]")) {
		if f != "" && strings.Contains(made, f) {
			return item
		}
	}
	return made
}
