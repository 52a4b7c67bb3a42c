//go:build unix

package sparksql

import (
	"errors"
	"os/exec"
	"syscall"
)

// askToEnd asks a child and all that it started to end.
func askToEnd(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGTERM) }

// endGroup ends what is left of a child's process group.
func endGroup(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, signal syscall.Signal) error {
	if err := syscall.Kill(-cmd.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil // all of it has ended
}
