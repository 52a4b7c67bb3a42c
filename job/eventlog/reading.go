package eventlog

// Reading is the account of what was read and of what could not be. It is filled while
// Events runs and belongs to one goroutine.
type Reading struct {
	Parts    int       `json:"parts"`
	Lines    int64     `json:"lines"`
	Events   int64     `json:"events"` // lines decoded
	Bytes    int64     `json:"bytes"`  // after decompression
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one loss: a place and a reason. A reason that strikes many lines of a file is
// named once, with the first line it struck and how many there were.
type Problem struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // from 1; 0 where the file as a whole is meant
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// Lasting reports whether the loss is the log's own: to read it again will find the same.
func (p Problem) Lasting() bool {
	return p.Reason == unstarted(executionEnd) || p.Reason == unstarted(jobEnd) || p.Reason == tooManyOpen
}

// add names the loss, or counts it where the file already has one of the same reason.
func (r *Reading) add(file string, line int64, reason string) {
	for i := range r.Problems {
		if p := &r.Problems[i]; p.File == file && p.Reason == reason {
			p.Count++
			return
		}
	}
	r.Problems = append(r.Problems, Problem{File: file, Line: line, Reason: reason, Count: 1})
}
