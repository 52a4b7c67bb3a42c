package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// check refuses a change that would lose or double rows, or that the table does not allow.
func (c Change) check(read Snapshot) error {
	if obstacles := Unsupported(read); len(obstacles) > 0 {
		return fmt.Errorf("%w: ajlo does not rewrite tables with %s", ErrRefused, strings.Join(obstacles, "; "))
	}
	if c.TxnID == "" || c.Operation == "" || c.Time <= 0 {
		return fmt.Errorf("%w: a commit needs an operation, a transaction id and a time", ErrRefused)
	}
	if c.Alters == nil && (len(c.Remove) == 0 || len(c.Add) == 0) {
		return fmt.Errorf("%w: nothing to put in another order", ErrRefused)
	}
	if len(c.Remove)+len(c.Add) == 0 {
		return fmt.Errorf("%w: no file comes in or goes out", ErrRefused)
	}
	checks := []func(Snapshot) error{c.checkFiles, c.checkRows, c.checkRowIDs, c.checkClock, c.checkMetadata}
	if c.Alters != nil {
		checks = append(checks, c.checkAlteration)
	}
	for _, check := range checks {
		if err := check(read); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	return nil
}

// checkFiles makes sure that what goes out is there, what comes in is not, unless it goes out and
// comes back with another deletion vector, and nothing is named twice.
func (c Change) checkFiles(read Snapshot) error {
	live, vectors := pathSet(read.Files), map[string]string{}
	for _, f := range c.Remove {
		if !live[f.Path] {
			return fmt.Errorf("file %q is not in version %d, or is named twice", f.Path, read.Version)
		}
		delete(live, f.Path)
		vectors[f.Path] = f.DeletionVector.suffix()
	}
	for _, f := range c.Add {
		if was, ok := vectors[f.Path]; ok && (c.Alters == nil || was == f.DeletionVector.suffix()) {
			return fmt.Errorf("file %q is in the table already, and goes out at once", f.Path)
		}
	}
	for _, f := range c.Add {
		if live[f.Path] {
			return fmt.Errorf("file %q is in the table already, or is named twice", f.Path)
		}
		live[f.Path] = true
	}
	return nil
}

// checkRows is the last guard of rule 1: as many rows come in as go out, or as many more as the
// change says, wherever the files say how many they have. Added files have to.
func (c Change) checkRows(read Snapshot) error {
	added, known, err := countRows(c.Add, read.Metadata.Schema)
	if err != nil {
		return err
	}
	if !known {
		return errors.New("an added file has no statistics with its number of rows")
	}
	removed, known, err := countRows(c.Remove, read.Metadata.Schema)
	if err != nil || !known { // statistics of others: no ground for a refusal
		return nil
	}
	grows := int64(0)
	if c.Alters != nil {
		grows = c.Alters.Grows
	}
	if added != removed+grows {
		return fmt.Errorf("%d rows would come in for %d that go out, the difference should be %d", added, removed, grows)
	}
	return nil
}

// countRows adds up the rows that are not deleted.
func countRows(files []Add, schema Schema) (total int64, known bool, err error) {
	for _, f := range files {
		if _, _, err := ParseStats(f.Stats, schema); err != nil {
			return 0, false, fmt.Errorf("file %q: %w", f.Path, err)
		}
		rows := f.Live()
		if rows < 0 {
			return 0, false, nil
		}
		total += rows
	}
	return total, true, nil
}

func encodeLines(actions []action) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, a := range actions {
		if err := e.Encode(a); err != nil {
			return nil, fmt.Errorf("encode commit: %w", err)
		}
	}
	return b.Bytes(), nil
}

func parameter(v any) (any, error) {
	switch v.(type) {
	case string, bool, int, int64, float64, json.Number, nil:
		return v, nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// noNull is the map as the log wants it: an object, never null.
func noNull(values map[string]*string) map[string]*string {
	if values == nil {
		return map[string]*string{}
	}
	return values
}

// removed is the action that takes a file out, spelt as its add was. As Spark does, of the
// statistics only the number of rows is repeated.
func (a Add) removed(c Change) *Remove {
	r := &Remove{
		RawPath: a.RawPath, DeletionTimestamp: c.Time, DataChange: c.Alters != nil, ExtendedFileMetadata: true,
		PartitionValues: noNull(a.PartitionValues), Size: a.Size, Tags: a.Tags, DeletionVector: a.DeletionVector,
		BaseRowID: a.BaseRowID, DefaultRowCommitVersion: a.DefaultRowCommitVersion,
	}
	if rows, _, err := ParseStats(a.Stats, nil); err == nil && rows >= 0 {
		r.Stats = fmt.Sprintf(`{"numRecords":%d}`, rows)
	}
	return r
}
