package delta

import (
	"encoding/json"
	"fmt"
)

// Stamp names the run, step and plan that a commit belongs to. It stands in the commit's user
// metadata (rule 12).
type Stamp struct {
	Run      string `json:"run"`
	Step     int    `json:"step"`
	PlanHash string `json:"plan_sha256"`
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
