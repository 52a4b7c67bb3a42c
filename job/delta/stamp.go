package delta

import (
	"encoding/json"
	"fmt"
)

// Stamp names the run, step and plan that a commit belongs to. It stands in the commit's user
// metadata (rule 12). Run and step are enough to know a commit by; the rest is for a state that
// has to be written anew.
type Stamp struct {
	Run      string `json:"run"`
	Step     int    `json:"step"`
	PlanHash string `json:"plan_sha256"`
	// Steps counts those of the plan, and Night is the date of the run's window; zero and empty in
	// stamps of older releases.
	Steps int    `json:"steps,omitempty"`
	Night string `json:"night,omitempty"`
	// Undoes is the run whose step of the number UndoesStep this one takes back; empty for none.
	Undoes     string `json:"undoes,omitempty"`
	UndoesStep int    `json:"undoes_step,omitempty"`
}

// Text is the stamp as a commit keeps it.
func (s Stamp) Text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("delta: stamp: %v", err)) // two texts and a number always have JSON
	}
	return string(text)
}

// ParseStamp reads the user metadata of a commit; ok is false where it is no stamp.
func ParseStamp(userMetadata string) (s Stamp, ok bool) {
	err := json.Unmarshal([]byte(userMetadata), &s)
	return s, err == nil && s.Run != "" && s.PlanHash != ""
}
