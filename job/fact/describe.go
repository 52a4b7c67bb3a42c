package fact

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"ajlo/job/eventlog"
)

func newBlock(name string) *block { return &block{name: name, fields: map[string]field{}} }

// describe reads an operator's one line, "SortMergeJoin [a#1L], [b#2L], Inner", into the
// fields that the formatted text would have for it.
func describe(info *eventlog.PlanNode) *node {
	simple := acceleratorMark.ReplaceAllString(strings.TrimSpace(info.Simple), "")
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
		n.block.fields["Output"] = listOf(projection(arguments))
	case "InMemoryTableScan", "ReusedExchange":
		n.block.fields["Output"] = listOf(firstList(arguments[max(0, strings.IndexByte(arguments, '[')):]))
	default:
		n.block.fields["Arguments"] = field{count: -1, text: arguments}
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
var fieldsCut = regexp.MustCompile(`(?:^|, ?)\.\.\. (\d+) more fields$`)

// listOf is a list as a field; of one that was cut the count says how many there were.
func listOf(list string) field {
	body := strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
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
		switch {
		case strings.HasPrefix(item, "[") && len(lists) < 2 && b.fields["Join type"].text == "":
			lists = append(lists, item)
		case isJoinType(item):
			b.fields["Join type"] = field{count: -1, text: item}
		case strings.HasPrefix(item, "(") || strings.Contains(item, "#"):
			b.fields["Join condition"] = field{count: -1, text: item}
		}
	}
	if len(lists) == 2 {
		b.fields["Left keys"], b.fields["Right keys"] = keyList(lists[0]), keyList(lists[1])
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
	b.fields["Keys"], b.fields["Functions"] = listOf(m[1]), listOf(m[2])
}

// scanLabel begins a field of a file scan's line; the fields are in the order of their names.
var scanLabel = regexp.MustCompile(`(?:^|[ ,] ?)(Batched|Bucketed|DataFilters|Format|Location|PartitionFilters|PushedFilters|` +
	`ReadSchema|SelectedBucketsCount|PushedAggregation|PushedGroupBy|RuntimeFilters): `)

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
		if end := listEnd.FindStringIndex(list); end != nil {
			list, after = list[:end[0]], list[end[0]+1:]
		}
		b.fields["Output"] = outputField(list)
		rest = after
	}
	b.rest = append(b.rest, strings.TrimSpace(rest))
	b.scanFields(rest)
	for label, text := range metadata {
		b.fields[label] = field{count: -1, text: text}
	}
}

// outputField spells a scan's list as other lists are: V1 scans put no blank after commas.
func outputField(list string) field {
	f := field{count: -1, text: "[" + strings.Join(splitOutput(list), ", ") + "]"}
	if m := fieldsCut.FindStringSubmatch(list); m != nil {
		cut, _ := strconv.Atoi(m[1])
		f.count = len(splitOutput(list)) + cut
	}
	return f
}

func (b *block) scanFields(text string) {
	found := scanLabel.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		label, value := text[m[2]:m[3]], text[m[1]:end]
		if label == "Location" && strings.HasSuffix(value, "...") {
			class, _, _ := strings.Cut(value, "[")
			value = class + "[]" // half a path is another table's
		}
		if _, known := b.fields[label]; !known {
			b.fields[label] = field{count: -1, text: value}
		}
	}
}
