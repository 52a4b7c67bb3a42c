//go:build !unix

package sparksql

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr { return nil }

// askToEnd ends a child: there is no way to ask here.
func askToEnd(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// endGroup ends a child where it has not ended.
func endGroup(cmd *exec.Cmd) error {
	if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
