package sparksql

import "syscall"

// childAttributes put a child into a process group of its own and have it killed with ajlo.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
