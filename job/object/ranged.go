package object

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cenkalti/backoff/v5"
)

// Ranged reads a file of a storage by ranges, each by a request of its own, in the context it was opened
// in. It holds nothing that is to be closed.
type Ranged struct {
	Context context.Context
	Bytes   int64 // of the file when it was opened
	// Ask asks for so many bytes from an offset; an error of its own is not tried again.
	Ask func(ctx context.Context, offset, length int64) (io.ReadCloser, error)
	// Fault gives an error the operation and the file.
	Fault func(error) error
}

// rangeTries is how often a range is asked for whose bytes broke off. Clients send a request again that
// failed, but not one whose answer had begun.
const rangeTries = 4

func (r *Ranged) Size() int64  { return r.Bytes }
func (r *Ranged) Close() error { return nil }

func (r *Ranged) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, r.Fault(fmt.Errorf("negative offset %d", offset))
	}
	wanted := min(int64(len(p)), r.Bytes-offset)
	if wanted <= 0 {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n, err = backoff.Retry(r.Context, func() (int, error) { return r.read(p[:wanted], offset) }, backoff.WithMaxTries(rangeTries))
	if err != nil {
		return n, r.Fault(err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read fills p, or says why it cannot.
func (r *Ranged) read(p []byte, offset int64) (int, error) {
	part, err := r.Ask(r.Context, offset, int64(len(p)))
	if err != nil {
		return 0, backoff.Permanent(err)
	}
	n, err := io.ReadFull(part, p)
	return n, errors.Join(err, part.Close())
}
