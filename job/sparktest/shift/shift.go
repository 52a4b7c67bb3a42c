package shift

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Change says how the copy differs from the log it is made of.
type Change struct {
	// By is added to every time; whole milliseconds.
	By time.Duration
	// TaskTime multiplies the run time and CPU time of every task and stage; 0 stands for 1.
	TaskTime float64
	// Repeat is how often the queries of a label occur in the copy, where each occurs once;
	// 0 leaves them out. The label is the first word of the root execution's description.
	Repeat map[string]int
	// App renames the application, so that one folder can hold the log and its copy; empty
	// keeps the name.
	App string
}

// Logs writes a changed copy of all event logs under the folder src to the folder dst, which
// is made. Rolled logs keep their folders.
func Logs(dst, src string, c Change) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return fmt.Errorf("shift: list event logs: %w", err)
	}
	for _, e := range entries {
		if hidden(e) {
			continue
		}
		if err := c.application(filepath.Join(dst, e.Name()), filepath.Join(src, e.Name())); err != nil {
			return fmt.Errorf("shift: %s: %w", e.Name(), err)
		}
	}
	return nil
}

// application copies one rolled log's folder or one single file.
func (c Change) application(dst, src string) error {
	parts, err := partsOf(src)
	if err != nil {
		return err
	}
	l, err := readLog(parts)
	if err != nil {
		return err
	}
	if c.App != "" {
		dst = strings.ReplaceAll(dst, l.app, c.App)
	}
	for i, p := range parts {
		out, err := c.lines(l, i)
		if err != nil {
			return err
		}
		if err := writePart(c.place(l, dst, src, p), out); err != nil {
			return err
		}
	}
	return nil
}

// place is where the part goes, under the application's new name.
func (c Change) place(l log, dst, src, part string) string {
	if part == src {
		return dst
	}
	name := filepath.Base(part)
	if c.App != "" {
		name = strings.ReplaceAll(name, l.app, c.App)
	}
	return filepath.Join(dst, name)
}

// partsOf lists the files of a log in the order in which Spark wrote them: part 10 comes
// after part 2. The marker of a rolled log is a part without lines.
func partsOf(src string) ([]string, error) {
	info, err := os.Stat(src)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{src}, nil
	}
	entries, err := os.ReadDir(src)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, hidden)
	slices.SortFunc(entries, func(a, b os.DirEntry) int {
		return cmp.Or(cmp.Compare(partNumber(a.Name()), partNumber(b.Name())), cmp.Compare(a.Name(), b.Name()))
	})
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = filepath.Join(src, e.Name())
	}
	return paths, nil
}

// hidden files are the local file system's own checksums (".events_1_….crc").
func hidden(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }

// partNumber reads 12 from "events_12_local-1795979361104.zstd", 0 where there is none.
func partNumber(name string) int {
	rest, _ := strings.CutPrefix(name, "events_")
	digits, _, _ := strings.Cut(rest, "_")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
