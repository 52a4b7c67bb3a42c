package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/joingraph"
)

const (
	// DefaultThreshold is δ of the AJLO paper.
	DefaultThreshold = 0.10
	// DefaultShare of the window's cost is what an edge first seen must carry to trigger by
	// itself: among many edges one new join moves the mean little.
	DefaultShare = 0.05
)

// FirstSeen says what an edge seen for the first time may do.
type FirstSeen string

// The policies for edges first seen.
const (
	FirstSeenTriggers FirstSeen = "trigger" // by itself, when it carries the share
	FirstSeenWeighs   FirstSeen = "weigh"   // only through the mean
)

// ParseFirstSeen reads a policy as it is written in the config.
func ParseFirstSeen(text string) (FirstSeen, error) {
	switch f := FirstSeen(text); f {
	case FirstSeenTriggers, FirstSeenWeighs:
		return f, nil
	}
	return "", fmt.Errorf("first_seen %q: want %q or %q", text, FirstSeenTriggers, FirstSeenWeighs)
}

// Rule is when drift calls for new keys.
type Rule struct {
	Threshold float64   // δ: a score above it triggers
	FirstSeen FirstSeen // what an edge first seen may do
	Share     float64   // of the window's cost, from which it triggers by itself, 0 to 1
}

// DefaultRule is the rule where the config says nothing.
func DefaultRule() Rule {
	return Rule{Threshold: DefaultThreshold, FirstSeen: FirstSeenTriggers, Share: DefaultShare}
}

// Trigger is the answer to whether layouts are chosen anew.
type Trigger struct {
	Fired bool `json:"fired"`
	// Reason says in words why, or why not.
	Reason string `json:"reason"`
	// First lists the edges first seen, dearest first: they come first in re-evaluation,
	// whether or not they triggered.
	First []joingraph.EdgeKey `json:"first_seen"`
}

// Decide weighs the scores of the references there are. It fires on the first run (no score
// at all), while no plan has ever been in force (no score from Plan), where a score exceeds
// the threshold, and where an edge first seen carries the share. A reference that is there and
// cannot be compared does not fire: that is blindness, not drift (rule 6).
func Decide(scores []Score, rule Rule) Trigger {
	first := firstSeen(scores)
	reasons := slices.Concat(missing(scores), exceeding(scores, rule.Threshold), dear(first, rule))
	t := Trigger{Fired: len(reasons) > 0, First: make([]joingraph.EdgeKey, len(first))}
	for i, e := range first {
		t.First[i] = e.Key
	}
	if t.Reason = strings.Join(reasons, "; "); !t.Fired {
		t.Reason = within(scores, rule.Threshold)
	}
	return t
}

// missing says which reference there is not yet.
func missing(scores []Score) []string {
	known := map[Reference]bool{}
	for _, s := range scores {
		if s.Score != nil || s.Incomparable != "" {
			known[s.Reference] = true
		}
	}
	switch {
	case len(known) == 0:
		return []string{"first run: no earlier window"}
	case !known[Plan]:
		return []string{"no plan in force yet"}
	}
	return nil
}

func exceeding(scores []Score, threshold float64) (reasons []string) {
	for _, s := range scores {
		if s.Score != nil && *s.Score > threshold {
			reasons = append(reasons, fmt.Sprintf("drift %.3f from the %s exceeds %g", *s.Score, s.Reference.words(), threshold))
		}
	}
	return reasons
}

func dear(first []Edge, rule Rule) (reasons []string) {
	if rule.FirstSeen != FirstSeenTriggers {
		return nil
	}
	for _, e := range first {
		if e.CostShare >= rule.Share {
			reasons = append(reasons, fmt.Sprintf("edge %s is first seen and carries %.1f %% of the window's task time", e.Key, 100*e.CostShare))
		}
	}
	return reasons
}

func within(scores []Score, threshold float64) string {
	var parts, gone []string
	for _, s := range scores {
		switch {
		case s.Score != nil:
			parts = append(parts, fmt.Sprintf("%.3f from the %s", *s.Score, s.Reference.words()))
		case s.Incomparable != "":
			gone = append(gone, fmt.Sprintf("; not compared with the %s: %s", s.Reference.words(), s.Incomparable))
		}
	}
	text := fmt.Sprintf("drift %s, not above %g", strings.Join(parts, " and "), threshold)
	if len(parts) == 0 {
		text = "drift is not known"
	}
	return text + strings.Join(gone, "")
}

// firstSeen gathers the edges that no reference had, dearest first: a join that the plan in
// force knows is not new because it did not run last night.
func firstSeen(scores []Score) []Edge {
	known := map[joingraph.EdgeKey]bool{}
	for _, s := range scores {
		for _, e := range s.Edges {
			known[e.Key] = known[e.Key] || !e.FirstSeen
		}
	}
	var out []Edge
	for _, s := range scores {
		for _, e := range s.Edges {
			if !known[e.Key] {
				known[e.Key] = true
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.CostShare, a.CostShare), cmp.Compare(a.Key, b.Key))
	})
	return out
}

func (r Reference) words() string {
	if r == Plan {
		return "window of the plan in force"
	}
	return "last run's window"
}
