package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ajlo/job/execute"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/verify"
	"ajlo/state"
)

// Result is the story of one run: what it decided, did and measured.
type Result struct {
	Run      string          `json:"run"`
	Night    string          `json:"night"`
	Outcome  state.Outcome   `json:"outcome"`
	Decision Decision        `json:"-"`
	Steps    []Step          `json:"steps"`
	Effects  []verify.Effect `json:"effects"`
	// Earlier names the run that had already brought the night to its end; empty otherwise.
	Earlier string `json:"earlier,omitempty"`
	// AwaitsApproval is set where a person has to approve the plan before it is applied.
	AwaitsApproval bool `json:"awaits_approval,omitempty"`
	// PlanFile and ScriptFile are where the plan and its script were written.
	PlanFile   string `json:"plan_file,omitempty"`
	ScriptFile string `json:"script_file,omitempty"`
}

// MarshalJSON adds the plan as it is kept, byte for byte the same value.
func (r Result) MarshalJSON() ([]byte, error) {
	type bare Result
	return json.Marshal(struct {
		bare
		Verdicts []verify.Judgement `json:"verdicts"` // on steps of earlier nights
		PlanHash string             `json:"plan_sha256,omitempty"`
		Plan     json.RawMessage    `json:"plan,omitempty"`
	}{bare(r), append([]verify.Judgement{}, r.Decision.Judgements...), r.Decision.PlanHash, r.Decision.PlanJSON})
}

// started is the result of a run that has done nothing yet: what becomes of it if it fails.
func (n Night) started() Result {
	return Result{Run: n.ID, Night: n.Window.Night(), Outcome: state.Failed, Steps: []Step{}, Effects: []verify.Effect{}}
}

// alreadyDone is the result of a run that found its night done; it is empty for nil.
func (n Night) alreadyDone(done *state.AlreadyDone) Result {
	if done == nil {
		return Result{}
	}
	r := n.started()
	r.Run, r.Outcome, r.Earlier = done.Run, done.Outcome, done.Run
	return r
}

// StepStatus is where a step stands at the end of a run.
type StepStatus string

// The statuses. Pending steps were not come to; the night's next run does them.
const (
	StepPending StepStatus = "pending"
	StepApplied StepStatus = "applied"
	StepFailed  StepStatus = "failed"
	StepRefused StepStatus = "refused"
)

// Step is what became of one step of the plan.
type Step struct {
	Table  table.Name     `json:"table"`
	Kind   plan.Kind      `json:"kind"`
	Status StepStatus     `json:"status"`
	Result execute.Result `json:"result"`
	// Err is why a step failed or was refused, in words; empty otherwise.
	Err string `json:"error,omitempty"`
	err error
}

// outcomeOf sums up the steps of a run that executed.
func outcomeOf(steps []Step) state.Outcome {
	count := map[StepStatus]int{}
	for _, s := range steps {
		count[s.Status]++
		if errors.Is(s.err, verify.ErrRowsDiffer) {
			return state.VerificationFailed
		}
	}
	switch {
	case count[StepApplied] == len(steps):
		return state.Applied
	case count[StepApplied] > 0:
		return state.AppliedInPart
	case count[StepRefused] == len(steps):
		return state.Refused
	}
	return state.Failed
}

// notWhole is the outcome of a run whose steps ended well and whose record did not.
func notWhole(o state.Outcome) state.Outcome {
	if o == state.Applied {
		return state.AppliedInPart
	}
	return o
}

// Incomplete is a run that did not carry out its plan as decided.
type Incomplete struct {
	Outcome state.Outcome
	Message string
}

func (e *Incomplete) Error() string { return e.Message }

// Refused is the error of a decision that had to be refused, nil for any other.
func (d Decision) Refused() error {
	if !d.Plan.Coverage.Blind() {
		return nil
	}
	return &Incomplete{state.Refused, d.Trigger.Reason}
}

// Changed reports whether a step changed its table.
func (r Result) Changed() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Result.Changed })
}

// problem is the error of a run whose steps were not all applied: what was, what was not
// and why, and what comes next.
func problem(r Result) error {
	if r.Outcome == state.Applied {
		return nil
	}
	byStatus := map[StepStatus][]string{}
	var causes []string
	for _, s := range r.Steps {
		byStatus[s.Status] = append(byStatus[s.Status], string(s.Table))
		if s.Err != "" {
			causes = append(causes, s.Err)
		}
	}
	var parts []string
	for _, status := range []StepStatus{StepApplied, StepFailed, StepRefused, StepPending} {
		if tables := byStatus[status]; len(tables) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", status, strings.Join(tables, ", ")))
		}
	}
	return &Incomplete{r.Outcome, strings.Join(parts, "; ") + ". " + strings.Join(causes, "; ") +
		". Mend the cause and run the night again: it goes on from here"}
}
