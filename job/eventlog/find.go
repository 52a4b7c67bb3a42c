package eventlog

import (
	"io/fs"
	"time"
)

// Application is the log of one attempt of one application.
type Application struct {
	// ID is the application's id as the names give it ("local-1795979361104"); the log's
	// own start event has the last word.
	ID      string
	Attempt string // "1", "2", … where the cluster counts attempts, else empty
	// Parts are paths in the file system, in the order they were written.
	Parts []string
	// InProgress is set where the log says of itself that it is still being written.
	InProgress bool
	Bytes      int64 // of all parts, as stored
	Modified   time.Time
}

// Find lists the applications below root of fsys, sorted by first part. A missing folder
// is an error that wraps fs.ErrNotExist.
func Find(fsys fs.FS, root string) ([]Application, error) {
	_, err := fs.Stat(fsys, root)
	return nil, err
}
