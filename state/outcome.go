package state

import (
	"fmt"
	"slices"
)

// Outcome is how a run ended.
type Outcome string

// The outcomes.
const (
	NoEvidence         Outcome = "no_evidence"         // no scored edge in the window
	NoDrift            Outcome = "no_drift"            // the workload is as the plan in force knows it
	NothingToDo        Outcome = "nothing_to_do"       // planned, and nothing is worth a rewrite
	Applied            Outcome = "applied"             // every step
	AppliedInPart      Outcome = "applied_in_part"     // some steps
	Failed             Outcome = "failed"              // no step
	Refused            Outcome = "refused"             // before anything ran
	DryRun             Outcome = "dry_run"             // planned, and told to stop there
	VerificationFailed Outcome = "verification_failed" // a step did not do what it must
	Interrupted        Outcome = "interrupted"         // died, was killed or was stopped
)

var outcomes = []Outcome{NoEvidence, NoDrift, NothingToDo, Applied, AppliedInPart, Failed, Refused, DryRun, VerificationFailed, Interrupted}

// ParseOutcome reads an outcome as String writes it.
func ParseOutcome(text string) (Outcome, error) {
	if o := Outcome(text); slices.Contains(outcomes, o) {
		return o, nil
	}
	return "", fmt.Errorf("outcome %q: want one of %q", text, outcomes)
}

func (o Outcome) String() string { return string(o) }

// Final reports whether the night is done, so that a second run of it changes nothing. Logs
// may still arrive after no_evidence, a dry run changed nothing, and after the others the
// night's next run goes on where this one stopped.
func (o Outcome) Final() bool { return o == NoDrift || o == NothingToDo || o == Applied }

// observes reports whether the run's window is a reference for the next night's drift. A dry
// run's is: the workload was what it was, whatever was done about it.
func (o Outcome) observes() bool { return o.Final() || o == AppliedInPart || o == DryRun }

// inForce reports whether the run's plan is the one in force afterwards.
func (o Outcome) inForce() bool { return o == NothingToDo || o == Applied }
