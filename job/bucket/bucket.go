package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/zeebo/xxh3"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"ajlo/job/object"
)

// store is a folder of an object storage.
type store struct {
	blobs *blob.Bucket
	// prefix starts every key, with its slash; empty at the top of a bucket.
	prefix string
	url    string
}

func (b store) URL() string { return b.url }

// key is the name in the bucket of a key of the store.
func (b store) key(operation, key string) (string, error) {
	if err := object.CheckKey(key); err != nil {
		return "", fmt.Errorf("%s: %w", operation, err)
	}
	if strings.Contains(key, `\`) && object.Scheme(b.url) == onAzure {
		return "", fmt.Errorf("%s %s: %w: %q has a \\, which Azure takes for a /", operation, b.url, object.ErrBadKey, key)
	}
	return b.prefix + key, nil
}

// fault gives the storage's error the operation, the key and this package's own errors.
func (b store) fault(operation, key string, err error) error {
	switch code := gcerrors.Code(err); {
	case saysCold(err):
		err = fmt.Errorf("%w: %w", object.ErrCold, err)
	case code == gcerrors.NotFound:
		err = fmt.Errorf("%w: %w", object.ErrNotFound, err)
	case code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists:
		err = fmt.Errorf("%w: %w", object.ErrExists, err)
	}
	return fmt.Errorf("%s %s/%s: %w", operation, b.url, key, err)
}

// List asks the storage to begin after the given key where it can, so that what is listed
// is in proportion to what is wanted and not to the bucket.
func (b store) List(ctx context.Context, prefix, after string) iter.Seq2[object.Info, error] {
	return func(yield func(object.Info, error) bool) {
		objects := b.blobs.List(&blob.ListOptions{Prefix: b.prefix + prefix, BeforeList: b.beginAfter(after)})
		for {
			found, err := objects.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(object.Info{}, b.fault("list", prefix, err))
				return
			}
			key := strings.TrimPrefix(found.Key, b.prefix)
			if key <= after || object.CheckKey(key) != nil { // also the markers "folder/" of some tools
				continue
			}
			if !yield(object.Info{Key: key, Size: found.Size, Modified: found.ModTime}, nil) {
				return
			}
		}
	}
}

// beginAfter sets where a listing begins. Azure has no such setting: keys are passed over.
func (b store) beginAfter(after string) func(func(any) bool) error {
	return func(as func(any) bool) error {
		if after == "" {
			return nil
		}
		from := b.prefix + after
		var amazon *s3.ListObjectsV2Input
		var google *storage.Query
		switch {
		case as(&amazon):
			amazon.StartAfter = &from
		case as(&google):
			google.StartOffset = from
		}
		return nil
	}
}

func (b store) ReadAll(ctx context.Context, key string) ([]byte, error) {
	name, err := b.key("read", key)
	if err != nil {
		return nil, err
	}
	data, err := b.blobs.ReadAll(ctx, name)
	if err != nil {
		return nil, b.fault("read", key, err)
	}
	return data, nil
}

func (b store) Open(ctx context.Context, key string) (object.Reader, error) {
	name, err := b.key("open", key)
	if err != nil {
		return nil, err
	}
	attributes, err := b.blobs.Attributes(ctx, name)
	if err != nil {
		return nil, b.fault("open", key, err)
	}
	if isCold(attributes) {
		return nil, fmt.Errorf("open %s/%s: %w", b.url, key, object.ErrCold)
	}
	return &object.Ranged{
		Context: ctx, Bytes: attributes.Size, Fault: func(err error) error { return b.fault("read", key, err) },
		Ask: func(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
			return b.blobs.NewRangeReader(ctx, name, offset, length, nil)
		},
	}, nil
}

// Create looks first, so that a taken key is known before anything is sent, and asks again
// when the file is finished.
func (b store) Create(ctx context.Context, key string) (object.Writer, error) {
	name, err := b.key("create", key)
	if err != nil {
		return nil, err
	}
	taken, err := b.blobs.Exists(ctx, name)
	if err != nil {
		return nil, b.fault("create", key, err)
	}
	if taken {
		return nil, fmt.Errorf("create %s/%s: %w", b.url, key, object.ErrExists)
	}
	writing, cancel := context.WithCancel(ctx)
	w, err := b.blobs.NewWriter(writing, name, &blob.WriterOptions{IfNotExist: true})
	if err != nil {
		cancel()
		return nil, b.fault("create", key, err)
	}
	return &bucketWriter{Writer: w, ctx: ctx, bucket: b, key: key, cancel: cancel, sum: xxh3.New()}, nil
}

// bucketWriter makes the object appear when it is closed; one that is cancelled before never
// does.
type bucketWriter struct {
	*blob.Writer
	ctx    context.Context // that it was created in
	bucket store
	key    string
	cancel context.CancelFunc
	done   bool
	size   int64
	sum    *xxh3.Hasher // of what was written
}

func (w *bucketWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.size += int64(n)
	_, _ = w.sum.Write(p[:n]) // a hash takes everything
	if err != nil {
		return n, w.bucket.fault("write", w.key, err)
	}
	return n, nil
}

func (w *bucketWriter) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	defer w.cancel()
	err := w.Writer.Close()
	if err == nil {
		return nil
	}
	fault := w.bucket.fault("close", w.key, err)
	if errors.Is(fault, object.ErrExists) && w.isThere() {
		return nil
	}
	return fault
}

// isThere reports whether the key holds what was written: clients send a request again when its
// answer was lost, and the second one finds the first one's object.
func (w *bucketWriter) isThere() bool {
	there, err := w.bucket.Open(w.ctx, w.key)
	if err != nil || there.Size() != w.size {
		return false
	}
	sum := xxh3.New()
	_, err = io.Copy(sum, io.NewSectionReader(there, 0, there.Size()))
	return errors.Join(err, there.Close()) == nil && sum.Sum128() == w.sum.Sum128()
}

func (w *bucketWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	w.cancel()
	// Closing after the cancellation only ends the upload; that it failed is what was wanted.
	_ = w.Writer.Close()
	return nil
}

// PutIfAbsent asks the storage to write only where nothing is. Clients send a request again
// when its answer was lost, and the second one then finds the first one's object: a key that
// is taken by the very bytes that were to be put was put by this call. Callers whose winning
// matters put bytes that nobody else does.
func (b store) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	name, err := b.key("put", key)
	if err != nil {
		return err
	}
	err = b.blobs.WriteAll(ctx, name, data, &blob.WriterOptions{IfNotExist: true})
	if err == nil {
		return nil
	}
	fault := b.fault("put", key, err)
	if !errors.Is(fault, object.ErrExists) {
		if !definite(err) {
			fault = fmt.Errorf("%w: %w", object.ErrUncertain, fault)
		}
		return fault
	}
	there, err := b.blobs.ReadAll(ctx, name)
	if err == nil && bytes.Equal(there, data) {
		return nil
	}
	return fault
}

// definite reports whether the server said no. All else, a lost connection or a server that
// is not well, may be a request that is still on its way.
func definite(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.InvalidArgument:
		return true
	}
	var answer interface{ HTTPStatusCode() int } // of S3, whose reasons are too many to have codes
	return errors.As(err, &answer) && slices.Contains([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden}, answer.HTTPStatusCode())
}

func (b store) Delete(ctx context.Context, key string) error {
	name, err := b.key("delete", key)
	if err != nil {
		return err
	}
	// S3 deletes what is not there without an error.
	taken, err := b.blobs.Exists(ctx, name)
	if err == nil && !taken {
		return fmt.Errorf("delete %s/%s: %w", b.url, key, object.ErrNotFound)
	}
	if err := errors.Join(err, b.blobs.Delete(ctx, name)); err != nil {
		return b.fault("delete", key, err)
	}
	return nil
}

// splitURL gives the bucket's name and the prefix with its slash.
func splitURL(u *url.URL) (name, prefix string, err error) {
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", "", fmt.Errorf("want %s://BUCKET/FOLDER and nothing more", u.Scheme)
	}
	folder := strings.Trim(u.Path, "/")
	if folder == "" {
		return u.Host, "", nil
	}
	if err := object.CheckKey(folder); err != nil {
		return "", "", err
	}
	return u.Host, folder + "/", nil
}
