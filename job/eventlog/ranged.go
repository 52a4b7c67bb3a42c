package eventlog

import (
	"io/fs"

	"ajlo/job/object"
)

// A log is read in ranges, each by a request. The first is small, since of many files only the
// beginning is looked at; the last are what a fast line carries in the time of some requests.
const (
	firstRange = 64 << 10 // bytes
	maxRange   = 4 << 20  // bytes, held for each log that is being read
)

// openFile reads a file of object storage from front to back, and anywhere.
type openFile struct {
	object.Reader
	info   fs.FileInfo
	offset int64  // of what comes after buffer
	buffer []byte // was read and not yet given, in space
	space  []byte // of the last range
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Read gives what is left of the last range, or asks for the next.
func (f *openFile) Read(p []byte) (int, error) {
	if len(f.buffer) == 0 && len(p) > 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.buffer)
	f.buffer = f.buffer[n:]
	return n, nil
}

// next asks for a range twice as long as the last. One that breaks off counts as far as it came.
func (f *openFile) next() error {
	wanted := max(firstRange, min(2*len(f.space), maxRange))
	if len(f.space) < wanted {
		f.space = make([]byte, wanted)
	}
	n, err := f.ReadAt(f.space[:min(int64(wanted), max(1, f.Size()-f.offset))], f.offset)
	f.buffer, f.offset = f.space[:n], f.offset+int64(n)
	if n > 0 {
		return nil
	}
	return err
}
