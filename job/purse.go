package job

import (
	"fmt"

	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/unit"
)

// purse is what is left of a run's budgets while it executes (rule 2). Tables may have grown
// since the plan was made: what counts is what a step would really rewrite.
type purse struct {
	settings plan.Settings
	left     map[plan.Kind]unit.Bytes
	storage  unit.Bytes
}

func newPurse(s plan.Settings) *purse {
	return &purse{settings: s, left: map[plan.Kind]unit.Bytes{plan.Rekey: s.Budget, plan.Upkeep: s.Upkeep, plan.Rollback: s.Budget}, storage: s.Storage}
}

// ask refuses a rewrite that what is left does not hold.
func (p *purse) ask(s plan.Step, rewrite unit.Bytes) error {
	storage := p.settings.StorageCost(rewrite)
	if rewrite <= p.left[s.Kind] && storage <= p.storage {
		return nil
	}
	return &execute.Refusal{Table: s.Table, Reason: fmt.Sprintf(
		"it would rewrite %s (storage cost %s) and the budgets have %s for %s (storage %s) left: make a new plan or raise budget:",
		rewrite, storage, p.left[s.Kind], s.Kind, p.storage)}
}

// take pays for a rewrite that was done.
func (p *purse) take(s plan.Step, rewrite unit.Bytes) {
	p.left[s.Kind] -= rewrite
	p.storage -= p.settings.StorageCost(rewrite)
}
