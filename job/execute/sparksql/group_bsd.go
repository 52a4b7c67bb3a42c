//go:build unix && !linux

package sparksql

import "syscall"

// childAttributes put a child into a process group of its own. Where ajlo is killed outright
// the child goes on; the next run finds its commit by the stamp.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
