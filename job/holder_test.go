package job

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"ajlo/state"
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

// What a run sent to a storage may arrive after its end, and one that only stalled may go on.
func TestLeftoversThatMayStillBeWritten(t *testing.T) {
	ended := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)
	dead := strings.TrimRight(holderName(), "0123456789") + "999999999"
	tests := []struct {
		name     string
		left     state.Leftover
		later    time.Duration
		mayWrite bool
	}{
		{"a run that failed, on this disk", state.Leftover{Location: "/lake/t", Holder: "elsewhere"}, 0, false},
		{"a run that failed, in a bucket", state.Leftover{Location: "s3://lake/t", Holder: dead}, giveUpFor - 1, true},
		{"the next night", state.Leftover{Location: "s3://lake/t", Holder: dead}, giveUpFor, false},
		{"a run that was given up, here and gone", state.Leftover{Location: "/lake/t", Holder: dead, Interrupted: true}, 0, false},
		{"a run that was given up, elsewhere", state.Leftover{Location: "/lake/t", Holder: "elsewhere", Interrupted: true}, giveUpFor - 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.left.EndedAt = ended
			n := Night{Clock: func() time.Time { return ended.Add(tt.later) }}
			if got := n.mayStillWrite(tt.left); got != tt.mayWrite {
				t.Errorf("%t", got)
			}
		})
	}
}
