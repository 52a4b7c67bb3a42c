package factcache

import (
	"context"
	"errors"
	"strings"

	"ajlo/job/object"
)

// stored is a folder in object storage, whose rights say who may read the literals in it.
type stored struct{ store object.Store }

func (s stored) path(name string) string { return s.store.URL() + "/" + name }

func (s stored) list(ctx context.Context) (names []string, err error) {
	for info, err := range s.store.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if !strings.Contains(info.Key, "/") {
			names = append(names, info.Key)
		}
	}
	return names, nil
}

func (s stored) read(ctx context.Context, name string) ([]byte, error) {
	return s.store.ReadAll(ctx, name)
}

func (s stored) remove(ctx context.Context, name string) error { return s.store.Delete(ctx, name) }

func (s stored) close(context.Context) error { return nil }

func (s stored) write(ctx context.Context, name string, file []byte) error {
	if err := s.store.PutIfAbsent(ctx, name, file); !errors.Is(err, object.ErrExists) {
		return err
	}
	return nil
}
