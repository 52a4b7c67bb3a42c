package fact

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"ajlo/job/eventlog"
)

func newBlock(name string) *block { return &block{name: name} }

// describe reads an operator's one line, "SortMergeJoin [a#1L], [b#2L], Inner", into the
// fields that the formatted text would have for it.
func describe(info *eventlog.PlanNode) *node {
	simple := withoutMark(strings.TrimSpace(info.Simple))
	n := &node{name: sparkName(info.Name), block: newBlock(sparkName(info.Name))}
	operator := n.operator()
	switch {
	case operator == "Scan" || operator == "BatchScan":
		n.block.describeScan(n.name, simple, info.Metadata)
		return n
	case strategyOf(n) != NoStrategy:
		n.block.describeJoin(argumentsOf(simple))
		return n
	case strings.HasSuffix(operator, "Aggregate"):
		n.block.describeAggregate(simple)
		return n
	}
	arguments := argumentsOf(simple)
	switch operator {
	case "Filter":
		n.block.completeFilter(arguments)
	case "Project":
		n.block.fields.set("Output", listOf(projection(arguments)))
	case "InMemoryTableScan", "ReusedExchange":
		n.block.fields.set("Output", listOf(firstList(arguments[max(0, strings.IndexByte(arguments, '[')):])))
	default:
		n.block.fields.set("Arguments", field{count: -1, text: arguments})
	}
	return n
}

// argumentsOf is what follows the operator in its line, a hint in brackets left out:
// "SortMergeJoin(skew=true) [a#1]".
func argumentsOf(simple string) string {
	rest := strings.TrimLeftFunc(simple, unicode.IsLetter)
	if strings.HasPrefix(rest, "(") {
		if _, after, ok := strings.Cut(rest, ") "); ok {
			rest = after
		}
	}
	return strings.TrimSpace(rest)
}

// fieldsCut is what Spark puts at the end of a list that was too long for it.
var fieldsCut = regexp.MustCompile(`(?:^|, ?)\.\.\. (\d+)` + moreFields + `$`)

const moreFields = " more fields"

// listOf is a list as a field; of one that was cut the count says how many there were.
func listOf(list string) field {
	body := strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
	if !strings.HasSuffix(body, moreFields) {
		return field{count: -1, text: list}
	}
	m := fieldsCut.FindStringSubmatchIndex(body)
	if m == nil {
		return field{count: -1, text: list}
	}
	cut, _ := strconv.Atoi(body[m[2]:m[3]])
	f := field{count: -1, text: "[" + body[:m[0]] + "]"}
	f.count = len(splitItems(f)) + cut
	return f
}

// describeJoin reads "[a#1L], [b#2L], Inner, BuildRight, (c#3 < d#4), false" and
// "BuildRight, Inner, (c#3 < d#4)".
func (b *block) describeJoin(arguments string) {
	var lists []string
	for _, item := range cutOutside(arguments) {
		_, typed := b.fields.get("Join type")
		switch {
		case strings.HasPrefix(item, "[") && len(lists) < 2 && !typed:
			lists = append(lists, item)
		case isJoinType(item):
			b.fields.set("Join type", field{count: -1, text: item})
		case sideOf(item) != NoSide:
			b.fields.set(buildSide, field{count: -1, text: item})
		case strings.HasPrefix(item, "(") || strings.Contains(item, "#"):
			b.fields.set("Join condition", field{count: -1, text: item})
		}
	}
	if len(lists) == 2 {
		b.fields.set("Left keys", keyList(lists[0]))
		b.fields.set("Right keys", keyList(lists[1]))
	}
}

func isJoinType(item string) bool {
	_, ok := joinTypes[item]
	return ok || strings.HasPrefix(item, "ExistenceJoin")
}

// keyList is a list of expressions; its count holds it against what was cut.
func keyList(list string) field {
	f := listOf(list)
	if f.count < 0 {
		f.count = len(cutOutside(strings.TrimSuffix(strings.TrimPrefix(f.text, "["), "]")))
	}
	return f
}

// aggregateLine is "HashAggregate(keys=[a#1], functions=[sum(b#2)], output=[a#1, s#3])";
// the output is there in verbose texts only.
var aggregateLine = regexp.MustCompile(`^\w+\(keys=(\[.*\]), functions=(\[.*?\])(?:, isStreamingAgg=\w+)?(?:, output=(\[.*\]))?\)$`)

func (b *block) describeAggregate(simple string) {
	m := aggregateLine.FindStringSubmatch(simple)
	if m == nil {
		return
	}
	b.fields.set("Keys", listOf(m[1]))
	b.fields.set("Functions", listOf(m[2]))
}

// isScanLabel tells what begins a field of a file scan's line; the fields are in the order of
// their names.
func isScanLabel(text string) bool {
	switch text {
	case "Batched", "Bucketed", "DataFilters", "Format", "Location", "PartitionFilters", "PushedFilters",
		"ReadSchema", "SelectedBucketsCount", "PushedAggregation", "PushedGroupBy", "RuntimeFilters":
		return true
	}
	return false
}

// describeScan reads "FileScan parquet d.t[a#1L,b#2] Batched: true, DataFilters: […], …" and
// "BatchScan lake.d.t[a#1L, b#2] lake.d.t (branch=null) [filters=…, groupedBy=]". The
// metadata beside it holds whole what the line cuts at 100 characters.
func (b *block) describeScan(name, simple string, metadata map[string]string) {
	rest := simple
	words := strings.Fields(name)
	if _, after, ok := strings.Cut(simple, words[len(words)-1]); ok {
		rest = after
	}
	if open := strings.IndexByte(rest, '['); open >= 0 {
		list, after := rest[open+1:], ""
		if end := listEnd(list); end >= 0 {
			list, after = list[:end], list[end+1:]
		}
		b.fields.set("Output", outputField(list))
		rest = after
	}
	b.rest = append(b.rest, strings.TrimSpace(rest))
	b.scanFields(rest)
	for label, text := range metadata {
		if isFieldLabel(label) {
			b.fields.set(label, field{count: -1, text: text})
		}
	}
}

// outputField spells a scan's list as other lists are: V1 scans put no blank after commas.
func outputField(list string) field {
	items := splitOutput(list)
	f := field{count: -1, text: "[" + strings.Join(items, ", ") + "]"}
	if !strings.HasSuffix(list, moreFields) {
		return f
	}
	if m := fieldsCut.FindStringSubmatch(list); m != nil {
		cut, _ := strconv.Atoi(m[1])
		f.count = len(items) + cut
	}
	return f
}

// labelPlace is where a label stands in a line, with the blank or comma before it and the
// colon behind it.
type labelPlace struct {
	label      string
	start, end int
}

// nextLabel finds the next label of a scan's line from a place on.
func nextLabel(text string, from int) (labelPlace, bool) {
	for at := from; ; {
		next := strings.Index(text[at:], ": ")
		if next < 0 {
			return labelPlace{}, false
		}
		colon := at + next
		word := colon
		for word > from && isLetter(text[word-1]) {
			word--
		}
		start := beforeLabel(text, from, word)
		if start >= 0 && isScanLabel(text[word:colon]) {
			return labelPlace{text[word:colon], start, colon + len(": ")}, true
		}
		at = colon + 1
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// beforeLabel is where the blank and the comma before a word begin, −1 where neither is.
func beforeLabel(text string, from, word int) int {
	parts := func(i int) bool { return i >= from && (text[i] == ' ' || text[i] == ',') }
	switch {
	case word == 0:
		return 0
	case !parts(word - 1):
		return -1
	case text[word-1] == ' ' && parts(word-2):
		return word - 2
	}
	return word - 1
}

func (b *block) scanFields(text string) {
	for at, more := nextLabel(text, 0); more; {
		label, from, end := at.label, at.end, len(text)
		if at, more = nextLabel(text, at.end); more {
			end = at.start
		}
		value := text[from:end]
		if label == "Location" && strings.HasSuffix(value, "...") {
			class, _, _ := strings.Cut(value, "[")
			value = class + "[]" // half a path is another table's
		}
		if _, known := b.fields.get(label); !known {
			b.fields.set(label, field{count: -1, text: value})
		}
	}
}
