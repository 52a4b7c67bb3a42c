package hdfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"ajlo/job/object"
)

// Open opens hdfs://NAMENODE/FOLDER, hdfs://NAMESERVICE/FOLDER, webhdfs://HOST:PORT/FOLDER or
// swebhdfs://HOST:PORT/FOLDER. Where a name node listens for HTTP is in the configuration that
// HADOOP_CONF_DIR names, else on Hadoop's usual port; HADOOP_USER_NAME is who asks.
func Open(location string) (object.Store, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	folder := strings.Trim(u.Path, "/")
	if folder != "" {
		err = object.CheckKey(folder)
	}
	if u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		err = fmt.Errorf("want %s://HOST/FOLDER and nothing more", u.Scheme)
	}
	var known settings
	if err == nil {
		known, err = readSettings()
	}
	var servers []string
	if err == nil {
		servers, err = known.servers(u)
	}
	var user string
	if err == nil {
		user, err = caller()
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	root := strings.TrimSuffix("/"+folder, "/")
	return store{client: newClient(servers, user), root: root, url: u.Scheme + "://" + u.Host + root}, nil
}

// store is a folder of a cluster.
type store struct {
	client client
	root   string // path without a slash at its end
	url    string
}

func (s store) URL() string { return s.url }

// where is the path of a key.
func (s store) where(key string) (string, error) {
	if err := object.CheckKey(key); err != nil {
		return "", err
	}
	return s.root + "/" + key, nil
}

func (s store) fault(operation, key string, err error) error {
	return fmt.Errorf("%s %s/%s: %w", operation, s.url, key, err)
}

// List reads folder by folder, and only those that can hold what is asked for.
func (s store) List(ctx context.Context, prefix, after string) iter.Seq2[object.Info, error] {
	return func(yield func(object.Info, error) bool) {
		folder := ""
		if at := strings.LastIndexByte(prefix, '/'); at >= 0 {
			folder = prefix[:at]
		}
		s.walk(ctx, folder, prefix, after, yield)
	}
}

// walk yields what is below a folder in bytewise order of whole keys and reports whether to go on.
func (s store) walk(ctx context.Context, folder, prefix, after string, yield func(object.Info, error) bool) bool {
	found, err := s.entries(ctx, folder)
	if err != nil {
		return yield(object.Info{}, s.fault("list", prefix, err)) && false
	}
	for _, e := range found {
		key := path.Join(folder, e.PathSuffix)
		switch {
		case e.isFolder():
			if mayHold(key+"/", prefix, after) && !s.walk(ctx, key, prefix, after, yield) {
				return false
			}
		case strings.HasPrefix(key, prefix) && key > after:
			if !yield(object.Info{Key: key, Size: e.Length, Modified: time.UnixMilli(e.ModificationTime)}, nil) {
				return false
			}
		}
	}
	return true
}

// mayHold reports whether a folder (with its slash) can hold keys with the prefix after the given
// key.
func mayHold(folder, prefix, after string) bool {
	overlaps := strings.HasPrefix(folder, prefix) || strings.HasPrefix(prefix, folder)
	return overlaps && (folder > after || strings.HasPrefix(after, folder))
}

// entries are what is in one folder; one that is not there is empty.
func (s store) entries(ctx context.Context, folder string) ([]status, error) {
	var answer struct {
		FileStatuses struct{ FileStatus []status }
	}
	err := s.client.ask(ctx, http.MethodGet, cmp.Or(strings.TrimSuffix(s.root+"/"+folder, "/"), "/"), op("LISTSTATUS"), &answer)
	if err != nil && !errors.Is(err, object.ErrNotFound) {
		return nil, err
	}
	found := slices.DeleteFunc(answer.FileStatuses.FileStatus, func(e status) bool { return e.PathSuffix == "" }) // a file
	slices.SortFunc(found, func(a, b status) int { return cmp.Compare(a.sortName(), b.sortName()) })
	return found, nil
}

func (s store) stat(ctx context.Context, where string) (status, error) {
	var answer struct{ FileStatus status }
	err := s.client.ask(ctx, http.MethodGet, where, op("GETFILESTATUS"), &answer)
	return answer.FileStatus, err
}

func (s store) ReadAll(ctx context.Context, key string) ([]byte, error) {
	r, err := s.open(ctx, key)
	if err != nil {
		return nil, s.fault("read", key, err)
	}
	data := make([]byte, r.Size())
	if _, err := r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

func (s store) Open(ctx context.Context, key string) (object.Reader, error) {
	r, err := s.open(ctx, key)
	if err != nil {
		return nil, s.fault("open", key, err)
	}
	return r, nil
}

func (s store) open(ctx context.Context, key string) (*object.Ranged, error) {
	where, err := s.where(key)
	if err != nil {
		return nil, err
	}
	is, err := s.stat(ctx, where)
	if err == nil && is.isFolder() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		return nil, err
	}
	return &object.Ranged{
		Context: ctx, Bytes: is.Length, Fault: func(err error) error { return s.fault("read", key, err) },
		Ask: func(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
			answer, err := s.client.call(ctx, http.MethodGet, where,
				op("OPEN", "offset", strconv.FormatInt(offset, 10), "length", strconv.FormatInt(length, 10)))
			if err != nil {
				return nil, err
			}
			return answer.Body, nil
		},
	}, nil
}

func (s store) Delete(ctx context.Context, key string) error {
	where, err := s.where(key)
	if err != nil {
		return s.fault("delete", key, err)
	}
	left, err := s.remove(ctx, unfinished(where))
	if err != nil {
		return s.fault("delete", key, err)
	}
	there, err := s.remove(ctx, where)
	if err == nil && !there && !left {
		err = object.ErrNotFound
	}
	if err != nil {
		return s.fault("delete", key, err)
	}
	return nil
}

// remove reports whether there was something to delete.
func (s store) remove(ctx context.Context, where string) (there bool, err error) {
	var answer struct{ Boolean bool }
	err = s.client.ask(ctx, http.MethodDelete, where, op("DELETE", "recursive", "false"), &answer)
	return answer.Boolean, err
}
