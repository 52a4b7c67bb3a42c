package fact

import (
	"regexp"
	"strings"
)

// Engines that run Spark's plans on other hardware or in native code replace its operators
// by their own. These are their names' beginnings (RAPIDS, Comet, Photon, Gluten with Velox,
// cuDF or ClickHouse) and ends (Gluten).
var (
	acceleratorPrefix = []string{"Gpu", "Comet", "Photon", "Velox", "Cudf", "CHNative", "CH", "Native"}
	acceleratorSuffix = regexp.MustCompile(`(?:Exec)?Transformer(?:Base)?$`)
	acceleratorMark   = regexp.MustCompile(`^\^(?:\(\d+\))? `) // Gluten's native stages
)

// renamed are operators that go by another name in an accelerator.
var renamed = map[string]string{
	"GroupingAgg": "HashAggregate", "Agg": "HashAggregate",
	"RegularHashAggregate": "HashAggregate", "FlushableHashAggregate": "HashAggregate",
	"HashJoin": "ShuffledHashJoin", "NestedLoopJoin": "BroadcastNestedLoopJoin",
	"FileGpuScan": "Scan", "FileScan": "Scan", "FileSourceScan": "Scan", "NativeScan": "Scan",
	"IcebergScan": "BatchScan", "IcebergNativeScan": "BatchScan",
}

// scanVariant is what Comet puts between a scan and its format.
var scanVariant = regexp.MustCompile(`^ ?\[\w+\]`)

// namedCache begins the name of a scan of a cached relation that has a name of its own.
const namedCache = "Scan In-memory table"

// sparkName gives an operator the name that open-source Spark has for it, whatever follows
// its first word: "GpuScan parquet d.t" is a "Scan parquet d.t".
func sparkName(name string) string {
	if held, ok := strings.CutPrefix(name, namedCache); ok {
		return "InMemoryTableScan" + held
	}
	name = withoutMark(strings.TrimSpace(name))
	end := firstWord(name)
	word, rest := name[:end], name[end:]
	short := withoutPrefix(word)
	if strings.Contains(short, "Transformer") {
		short = acceleratorSuffix.ReplaceAllString(short, "")
	}
	if other, ok := renamed[short]; ok {
		short = other
	}
	if short == "" {
		return name
	}
	if short == "Scan" && strings.Contains(rest, "[") {
		rest = scanVariant.ReplaceAllString(rest, "")
	}
	return short + rest
}

// withoutMark takes the mark of a native stage off a line.
func withoutMark(line string) string {
	if !strings.HasPrefix(line, "^") {
		return line
	}
	return acceleratorMark.ReplaceAllString(line, "")
}

// withoutPrefix takes off the beginning of an accelerator's name; what follows it begins with
// a capital letter.
func withoutPrefix(word string) string {
	for _, p := range acceleratorPrefix {
		if rest, ok := strings.CutPrefix(word, p); ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' {
			return rest
		}
	}
	return word
}

// gpuFunction is how RAPIDS spells a function of Catalyst.
var gpuFunction = regexp.MustCompile(`\bgpu([a-z]+\()`)

// complete gives a block the fields that an accelerator prints as bare arguments.
func (b *block) complete(n *node) {
	f, _ := b.fields.get("Arguments")
	arguments := f.text
	_, keys := b.fields.get("Left keys")
	switch operator := n.operator(); {
	case strategyOf(n) != NoStrategy:
		if !keys && arguments != "" {
			b.describeJoin(arguments)
		}
	case operator == "Filter":
		b.completeFilter(arguments)
	case operator == "Project":
		if _, ok := b.fields.get("Output"); !ok && arguments != "" {
			b.fields.set("Output", listOf(projection(arguments)))
		}
	case strings.HasSuffix(operator, "Aggregate"):
		b.completeAggregate(arguments)
	}
}

func (b *block) completeFilter(arguments string) {
	f, ok := b.fields.get("Condition")
	if !ok {
		f = field{count: -1, text: strings.TrimSuffix(arguments, ", true")} // whether batches are coalesced
	}
	if strings.Contains(f.text, "gpu") {
		f.text = gpuFunction.ReplaceAllString(f.text, "$1")
	}
	b.fields.set("Condition", f)
}

// completeAggregate reads "[keys], [functions], [attributes], [results], true". An aggregate
// that prints no results leaves what it puts out unexplained.
func (b *block) completeAggregate(arguments string) {
	if all := lists(arguments); len(all) >= 4 {
		for i, label := range []string{"Keys", "Functions", "", "Results"} {
			if _, ok := b.fields.get(label); !ok && label != "" {
				b.fields.set(label, listOf(all[i]))
			}
		}
	}
	_, results := b.fields.get("Results")
	_, functions := b.fields.get("Functions")
	b.gap = functions && !results
}

// lists are the bracketed lists among arguments.
func lists(arguments string) (found []string) {
	for _, item := range cutOutside(arguments) {
		if strings.HasPrefix(item, "[") && strings.HasSuffix(item, "]") {
			found = append(found, item)
		}
	}
	return found
}

// projection is the list that says how a projection's output is made: Comet prints the
// output before it.
func projection(arguments string) string {
	all := lists(arguments)
	if len(all) == 2 {
		return all[1]
	}
	if len(all) == 1 {
		return all[0]
	}
	return arguments // brackets in a name or a literal
}
