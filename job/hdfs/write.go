package hdfs

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"

	"ajlo/job/object"
)

// unfinished is the temporary name of a file until it is whole; Delete of the file takes away what is
// there under it, too.
func unfinished(where string) string {
	return path.Join(path.Dir(where), object.TemporaryPrefix+path.Base(where))
}

// PutIfAbsent writes a file under a name that nobody else uses and renames it.
func (s store) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	where, err := s.where(key)
	if err != nil {
		return s.fault("put", key, err)
	}
	temporary := path.Join(path.Dir(where), object.TemporaryPrefix+rand.Text())
	if err = s.write(ctx, temporary, bytes.NewReader(data)); err != nil {
		_, left := s.remove(context.WithoutCancel(ctx), temporary)
		return s.fault("put", key, errors.Join(err, left))
	}
	if err = s.named(ctx, temporary, where); err != nil {
		return s.fault("put", key, err)
	}
	return nil
}

// write makes a file of what is read: the name node says which data node takes the bytes.
func (s store) write(ctx context.Context, where string, data io.Reader) error {
	answer, err := s.client.call(ctx, http.MethodPut, where, op("CREATE", "overwrite", "false"))
	if err != nil {
		return err
	}
	to := answer.Header.Get("Location")
	if err := answer.Body.Close(); err != nil || to == "" {
		return errors.Join(errors.New("the name node names no data node"), err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, to, data)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/octet-stream") // which gateways ask for
	if answer, err = s.client.send(request); err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusCreated {
		return errors.Join(fmt.Errorf("the data node answered %s", answer.Status), err)
	}
	return nil
}

// named gives a whole file its name in one step, which fails where it is taken, and takes the
// temporary name away where it does not get it. Without an answer, what has become of the temporary
// name tells: nobody else renames it, and once it is deleted nothing can be renamed.
func (s store) named(ctx context.Context, temporary, where string) error {
	// Without an option the name node would do what Hadoop once did, and move a file into a folder.
	err := s.client.ask(ctx, http.MethodPut, temporary, op("RENAME", "destination", where, "renameoptions", "NONE"), nil)
	if err == nil {
		return nil
	}
	there, left := s.remove(context.WithoutCancel(ctx), temporary)
	var said *failure
	switch {
	case errors.As(err, &said):
		return errors.Join(err, left)
	case left != nil:
		return fmt.Errorf("%w: %w", object.ErrUncertain, errors.Join(err, left))
	case there:
		return err
	}
	return nil
}

// Create writes under a temporary name, which two writers of one file cannot both have.
func (s store) Create(ctx context.Context, key string) (object.Writer, error) {
	where, err := s.where(key)
	if err != nil {
		return nil, s.fault("create", key, err)
	}
	for _, taken := range []string{where, unfinished(where)} {
		if _, err := s.stat(ctx, taken); err == nil {
			return nil, s.fault("create", key, object.ErrExists)
		} else if !errors.Is(err, object.ErrNotFound) {
			return nil, s.fault("create", key, err)
		}
	}
	from, to := io.Pipe()
	w := &writer{ctx: ctx, store: s, key: key, where: where, to: to, sent: make(chan error, 1)}
	go func() {
		err := s.write(ctx, unfinished(where), from)
		_ = from.CloseWithError(err) // so that no Write waits for ever; it gives no error
		w.sent <- err
	}()
	return w, nil
}

// writer sends bytes as they come; the file gets its name on Close.
type writer struct {
	ctx        context.Context // that it was created in
	store      store
	key, where string
	to         *io.PipeWriter
	sent       chan error // how the sending ended
	done       bool
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		return n, w.store.fault("write", w.key, err)
	}
	return n, nil
}

func (w *writer) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	_ = w.to.Close() // it gives no error
	err := <-w.sent
	if err == nil {
		err = w.store.named(w.ctx, unfinished(w.where), w.where)
	} else if !errors.Is(err, object.ErrExists) { // by another writer of the same file, whose it is
		_, left := w.store.remove(context.WithoutCancel(w.ctx), unfinished(w.where))
		err = errors.Join(err, left)
	}
	if err != nil {
		return w.store.fault("close", w.key, err)
	}
	return nil
}

func (w *writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	// The request is brought to its end: a data node whose client leaves in the midst of one may make
	// the file after it was deleted.
	_ = w.to.Close() // it gives no error
	if err := <-w.sent; errors.Is(err, object.ErrExists) {
		return nil // another writer's
	}
	if _, err := w.store.remove(context.WithoutCancel(w.ctx), unfinished(w.where)); err != nil {
		return w.store.fault("abort", w.key, err)
	}
	return nil
}
