package job

import (
	"fmt"

	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// purse is what is left of a run's budgets while it executes (rule 2). Tables may have grown
// since the plan was made: what counts is what a step would really rewrite.
type purse struct {
	settings plan.Settings
	rewrite  unit.Bytes
	storage  unit.Bytes
}

func newPurse(s plan.Settings) *purse {
	return &purse{settings: s, rewrite: s.Budget, storage: s.Storage}
}

// ask refuses a rewrite that what is left does not hold.
func (p *purse) ask(name table.Name, rewrite unit.Bytes) error {
	storage := p.settings.StorageCost(rewrite)
	if rewrite <= p.rewrite && storage <= p.storage {
		return nil
	}
	return &execute.Refusal{Table: name, Reason: fmt.Sprintf(
		"it would rewrite %s (storage cost %s) and the budgets have %s (storage %s) left: make a new plan or raise budget:",
		rewrite, storage, p.rewrite, p.storage)}
}

// take pays for a rewrite that was done.
func (p *purse) take(rewrite unit.Bytes) {
	p.rewrite -= rewrite
	p.storage -= p.settings.StorageCost(rewrite)
}
