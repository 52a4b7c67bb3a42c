package report

import (
	"fmt"
	"io"
)

// Lines prints a page of few words: a label and what it stands for on each line. Control
// characters, which may come from names in logs, are made visible.
func Lines(out io.Writer, lines [][2]string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%-9s %s\n", line[0], Printable(line[1])); err != nil {
			return err
		}
	}
	return nil
}
