package job

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holderName names this process so that another on the same machine can tell whether it is
// still alive: host, boot, process namespace (containers count their processes apart) and
// process id. Where the system does not tell these, nobody will be sure and leases expire.
func holderName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s %s process %d", host, placeOfProcess(), os.Getpid())
}

// placeOfProcess tells one set of process ids from every other.
func placeOfProcess() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return unknownPlace
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return unknownPlace
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

const unknownPlace = "unknown-place"

// holderDead reports whether the process of that name is gone for sure: it ran under the
// same ids as this one, and there is none of its id any more.
func holderDead(holder string) bool {
	mine := holderName()
	at := strings.LastIndexByte(mine, ' ') + 1
	id, same := strings.CutPrefix(holder, mine[:at])
	if !same || strings.Contains(mine, unknownPlace) {
		return false
	}
	pid, err := strconv.Atoi(id)
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
