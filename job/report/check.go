package report

import "io"

// Check is what became of trying one thing that a config names.
type Check struct {
	What   string `json:"what"`
	State  string `json:"state"` // good, doubt or fault
	Detail string `json:"detail"`
}

const (
	good  = "good"
	doubt = "doubt" // it may be meant so
	fault = "fault" // a run would fail
)

// Good is a check that found what was wanted.
func Good(detail string) Check { return Check{State: good, Detail: detail} }

// Doubt is a check that found what may be meant or not.
func Doubt(detail string) Check { return Check{State: doubt, Detail: detail} }

// Fault is a check that found what a run would fail on.
func Fault(err error) Check { return Check{State: fault, Detail: err.Error()} }

// Checks are all of a config, in its own order.
type Checks []Check

// Add adds one, and says of what it is.
func (c *Checks) Add(what string, found Check) {
	found.What = what
	*c = append(*c, found)
}

// Faults counts the checks on which a run would fail.
func (c Checks) Faults() (n int) {
	for _, check := range c {
		if check.State == fault {
			n++
		}
	}
	return n
}

// Write renders them, one a line.
func (c Checks) Write(w io.Writer) error {
	p := &page{}
	for _, check := range c {
		p.line("%-5s  %s: %s", check.State, check.What, check.Detail)
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}
