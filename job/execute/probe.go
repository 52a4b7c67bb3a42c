package execute

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"ajlo/job/config"
	"ajlo/job/object"
)

// Probe finds out whether storages refuse a second object of one name to those who ask for that
// (If-None-Match on S3): servers that speak its protocol may pass over a header they do not know,
// and commits would take each other's place. It asks each bucket once.
type Probe struct {
	NewID func() string
	Now   func() time.Time

	mu    sync.Mutex
	heeds map[string]bool // by bucket
}

// probeKey starts the names of the objects that a Probe puts, in a folder that readers of tables and
// VACUUM pass over.
const probeKey = "_ajlo/probe-"

// probeAge is how old such an object is before it counts as one of a process that was killed: it
// takes three requests.
const probeAge = time.Hour

// Hazard puts an object of its own into the table's folder twice and takes it away again. It says
// why commits on condition are not safe there; empty where they are, or where none are made.
func (p *Probe) Hazard(ctx context.Context, store object.Store, commit config.Commit) (reason string, err error) {
	if object.Scheme(store.URL()) != onS3 || commit != config.Conditional {
		return "", nil
	}
	bucket := bucketOf(store.URL())
	p.mu.Lock()
	defer p.mu.Unlock()
	heeds, asked := p.heeds[bucket]
	if !asked {
		if heeds, err = p.ask(ctx, store); err != nil {
			return "", fmt.Errorf("find out whether %s puts on condition: %w", bucket, err)
		}
		if p.heeds == nil {
			p.heeds = map[string]bool{}
		}
		p.heeds[bucket] = heeds
	}
	if heeds {
		return "", nil
	}
	return fmt.Sprintf("the config has commit: conditional, but the storage of %s ignores the condition (If-None-Match): a second object took the place of the first, and so would a commit; keep other writers from the table and say commit: exclusive", bucket), nil
}

func bucketOf(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return location
	}
	return u.Scheme + "://" + u.Host
}

// ask reports whether the storage refused the second object.
func (p *Probe) ask(ctx context.Context, store object.Store) (heeds bool, err error) {
	if err := p.tidy(ctx, store); err != nil {
		return false, err
	}
	key := probeKey + p.NewID()
	defer func() {
		if failed := store.Delete(context.WithoutCancel(ctx), key); failed != nil && !errors.Is(failed, object.ErrNotFound) {
			err = errors.Join(err, failed)
		}
	}()
	if err := store.PutIfAbsent(ctx, key, []byte("first")); err != nil {
		return false, err
	}
	err = store.PutIfAbsent(ctx, key, []byte("second"))
	if errors.Is(err, object.ErrExists) {
		return true, nil
	}
	return false, err
}

// tidy takes away what killed processes left.
func (p *Probe) tidy(ctx context.Context, store object.Store) error {
	for info, err := range store.List(ctx, probeKey, "") {
		if err != nil {
			return err
		}
		if p.Now().Sub(info.Modified) < probeAge {
			continue
		}
		if err := store.Delete(ctx, info.Key); err != nil && !errors.Is(err, object.ErrNotFound) {
			return err
		}
	}
	return nil
}
