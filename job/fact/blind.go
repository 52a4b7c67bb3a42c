package fact

import (
	"slices"
	"strings"

	"ajlo/job/eventlog"
)

// countUnread says what is lost of a plan whose text is in another explain mode, or was cut
// before its operators: the tree beside it still shows how many scans and joins there were.
func (d *digest) countUnread(root *eventlog.PlanNode) {
	stack := []*eventlog.PlanNode{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || n.Name == "CommandResult" || strings.HasPrefix(n.Name, "Reused") {
			continue
		}
		if readsFiles(n) {
			d.user = true
			d.lost.Predicates++
		}
		if slices.ContainsFunc(strategies, func(s Strategy) bool { return strings.Contains(n.Name, string(s)) }) {
			d.lost.Joins++
		}
		stack = append(stack, n.Children...)
	}
}

func readsFiles(n *eventlog.PlanNode) bool {
	if strings.HasPrefix(n.Name, "BatchScan ") {
		return true
	}
	rest, ok := strings.CutPrefix(n.Name, "Scan ")
	format, _, _ := strings.Cut(rest, " ")
	return ok && slices.Contains(fileFormats, format) && !strings.HasPrefix(n.Metadata["Location"], "DeltaLogFileIndex")
}
