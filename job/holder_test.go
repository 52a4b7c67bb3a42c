package job

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestHolderDead(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	mine := holderName()
	ours := mine[:strings.LastIndexByte(mine, ' ')+1]
	gone := ours + strconv.Itoa(ended.Process.Pid)
	if !holderDead(gone) {
		t.Errorf("%q has ended and counts as alive", gone)
	}
	for name, holder := range map[string]string{
		"this process":       mine,
		"its parent":         ours + strconv.Itoa(os.Getppid()),
		"another host":       "elsewhere " + gone,
		"another namespace":  strings.Replace(gone, "pid:[", "pid:[9", 1),
		"no process id":      ours + "x",
		"a process group":    ours + "-1",
		"written by hand":    "somebody",
		"nothing":            "",
		"an id out of range": ours + "99999999999999999999",
	} {
		if holderDead(holder) {
			t.Errorf("%s: %q counts as dead", name, holder)
		}
	}
}
