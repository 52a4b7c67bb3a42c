package job

import (
	"errors"

	"ajlo/job/config"
	"ajlo/job/execute"
	"ajlo/state"
)

// ExitCode is what the program tells its scheduler.
type ExitCode int

// The exit codes; they are part of the command line's contract.
const (
	ExitDone        ExitCode = 0 // done, nothing to do or no evidence
	ExitFailed      ExitCode = 1
	ExitUsage       ExitCode = 2 // usage or config
	ExitPart        ExitCode = 3 // applied in part
	ExitLease       ExitCode = 4 // another run holds the lease
	ExitRefused     ExitCode = 5 // refused before anything ran
	ExitVerifyFails ExitCode = 6
)

// UsageError is a command or setting that cannot be meant, with the next step.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// CodeOf gives the exit code for a run's error; nil is ExitDone.
func CodeOf(err error) ExitCode {
	var incomplete *Incomplete
	var held *state.LeaseHeld
	var usage *UsageError
	var faulty *config.Error
	var noLogs *MissingLogs
	var refused *execute.Refusal
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &held):
		return ExitLease
	case errors.As(err, &usage), errors.As(err, &faulty), errors.As(err, &noLogs):
		return ExitUsage
	case errors.As(err, &incomplete):
		return codeOfOutcome[incomplete.Outcome]
	case errors.As(err, &refused):
		return ExitRefused
	}
	return ExitFailed
}

var codeOfOutcome = map[state.Outcome]ExitCode{
	state.AppliedInPart:      ExitPart,
	state.Refused:            ExitRefused,
	state.VerificationFailed: ExitVerifyFails,
	state.Failed:             ExitFailed,
	state.Interrupted:        ExitFailed,
}
