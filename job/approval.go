package job

import (
	"fmt"
	"time"

	"ajlo/job/config"
	"ajlo/state"
)

// Approval is a person's leave to carry out one plan.
type Approval struct {
	Plan  string // the plan's SHA-256
	By    string
	Until time.Time // from when on it does not hold any more
}

// approved refuses a plan that a person has to approve and nobody has, or not this one, or not
// any more. A leave that was not asked for has to hold as well.
func (n Night) approved(planHash string) error {
	refuse := func(format string, args ...any) error {
		return &Incomplete{state.Refused, "the plan is not approved: " + fmt.Sprintf(format, args...)}
	}
	a := n.Approval
	switch {
	case a == nil && n.Config.Approval == config.ApprovalRequired:
		return refuse("the config asks for a person's leave: give --approved-plan %s, --approved-by and --approved-until", planHash)
	case a == nil:
		return nil
	case a.Plan != planHash:
		return refuse("the leave is for plan %s, this one is %s: ask for this one", a.Plan, planHash)
	case !n.Clock().Before(a.Until):
		return refuse("the leave of %s ended at %s: ask again", a.By, a.Until.UTC().Format(time.RFC3339))
	}
	return nil
}

// advises reports whether nothing may be changed by this run.
func (n Night) advises() bool {
	return n.Mode == DryRun || len(n.Config.Write) == 0 || n.Config.Engine.Kind == config.Script
}

// asks reports whether the night ends with its plan since a person has to approve it.
func (n Night) asks() bool { return n.Config.Approval == config.ApprovalRequired }

// leave is the approval as the state keeps it; none of one that does not hold.
func (n Night) leave(planHash string) state.Approval {
	if n.Approval == nil || n.approved(planHash) != nil {
		return state.Approval{}
	}
	return state.Approval{By: n.Approval.By, Until: n.Approval.Until}
}
