package state

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cenkalti/backoff/v5"

	"ajlo/job/object"
)

// versions are those of one state in object storage, as one process follows them.
type versions struct {
	Stored
	folder string // local, with the copy that is worked on; "" where none is

	mu      sync.Mutex
	version int64 // that the copy was made of or put as; 0 before there is any
	// unsure are the sums of what may have become the version after it: the storage did not say.
	unsure [][sha256.Size]byte
	behind bool // another process has put a version after it
}

// keptVersions is how many versions stay in the storage: about a night's, for whoever wants to
// look back by hand.
const keptVersions = 32

// putTries is how often a version is put whose outcome the storage does not tell.
const putTries = 5

// fetchTries is how often the newest version is looked for that is deleted before it is read:
// that takes keptVersions newer ones in between.
const fetchTries = 5

// errBehind is a version that another process has put before this one.
var errBehind = fmt.Errorf("another process has put a newer version of the state: %w", ErrLeaseLost)

// versionDigits make keys sort as their numbers do.
const versionDigits = 20

const versionEnding = ".db"

func (v *versions) key(version int64) string {
	return fmt.Sprintf("%s/%0*d%s", v.Name, versionDigits, version, versionEnding)
}

// list yields the versions after the given one, oldest first. Other files are passed over.
func (v *versions) list(ctx context.Context, after int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for info, err := range v.Objects.List(ctx, v.Name+"/", v.key(after)) {
			if err != nil {
				yield(0, err)
				return
			}
			version, ours := v.parse(info.Key)
			if ours && !yield(version, nil) {
				return
			}
		}
	}
}

func (v *versions) parse(key string) (version int64, ok bool) {
	digits := strings.TrimSuffix(strings.TrimPrefix(key, v.Name+"/"), versionEnding)
	version, err := strconv.ParseInt(digits, 10, 64)
	return version, err == nil && v.key(version) == key
}

// newest gives the newest version, 0 and no bytes where there is none.
func (v *versions) newest(ctx context.Context) (version int64, data []byte, err error) {
	for try := 1; ; try++ {
		version = 0
		for found, err := range v.list(ctx, 0) {
			if err != nil {
				return 0, nil, fmt.Errorf("finding its newest version: %w", err)
			}
			version = found
		}
		if version == 0 {
			return 0, nil, nil
		}
		data, err = v.Objects.ReadAll(ctx, v.key(version))
		if err == nil || !errors.Is(err, object.ErrNotFound) || try == fetchTries {
			return version, data, err
		}
	}
}

// download puts the newest version into a file of its own folder.
func (v *versions) download(ctx context.Context) (file string, err error) {
	version, data, err := v.newest(ctx)
	if err != nil {
		return "", err
	}
	if v.folder, err = os.MkdirTemp(v.Scratch, ".ajlo-state-*"); err != nil {
		return "", fmt.Errorf("making a folder for a copy of it: %w", err)
	}
	file = filepath.Join(v.folder, "state.db")
	if version > 0 {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return "", errors.Join(fmt.Errorf("keeping a copy of it: %w", err), v.forget())
		}
	}
	v.version, v.unsure, v.behind = version, nil, false
	return file, nil
}

// forget deletes the local copy.
func (v *versions) forget() error {
	if v.folder == "" {
		return nil
	}
	folder := v.folder
	v.folder = ""
	return os.RemoveAll(folder)
}

// named says which version an error is about, and what to do where that one is damaged.
func (v *versions) named(err error) error {
	return fmt.Errorf("%s/%s: %w; versions before it are kept beside it: where it is damaged, move it away and the one before counts",
		v.Objects.URL(), v.key(v.version), err)
}

// put makes data the next version, or fails with errBehind where there is one.
func (v *versions) put(ctx context.Context, data []byte) error {
	if v.behind {
		return errBehind
	}
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := v.putOnce(ctx, data)
		if err != nil && !errors.Is(err, object.ErrUncertain) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxTries(putTries))
	if err != nil {
		v.behind = v.behind || errors.Is(err, errBehind)
		return err
	}
	if err := v.checkNewest(ctx); err != nil {
		return err
	}
	if v.version%keptVersions == 0 {
		v.prune(ctx)
	}
	return nil
}

func (v *versions) putOnce(ctx context.Context, data []byte) error {
	err := v.Objects.PutIfAbsent(ctx, v.key(v.version+1), data)
	if errors.Is(err, object.ErrExists) {
		ours, readErr := v.wasOurs(ctx)
		if readErr != nil {
			return readErr
		}
		if !ours {
			return errBehind
		}
		v.version, v.unsure = v.version+1, nil
		err = v.Objects.PutIfAbsent(ctx, v.key(v.version+1), data)
		if errors.Is(err, object.ErrExists) {
			return errBehind
		}
	}
	if err != nil {
		v.unsure = append(v.unsure, sha256.Sum256(data))
		return fmt.Errorf("putting version %d: %w", v.version+1, err)
	}
	v.version, v.unsure = v.version+1, nil
	return nil
}

// wasOurs reports whether the next version is one that this process put without being told so.
func (v *versions) wasOurs(ctx context.Context) (bool, error) {
	if len(v.unsure) == 0 {
		return false, nil
	}
	there, err := v.Objects.ReadAll(ctx, v.key(v.version+1))
	if err != nil {
		return false, fmt.Errorf("reading version %d back: %w", v.version+1, err)
	}
	return slices.Contains(v.unsure, sha256.Sum256(there)), nil
}

// checkNewest fails where there are newer versions: this process slept so long that those right
// after its own were deleted again.
func (v *versions) checkNewest(ctx context.Context) error {
	for _, err := range v.list(ctx, v.version) {
		if err != nil {
			return fmt.Errorf("looking for newer versions: %w", err)
		}
		v.behind = true
		return errBehind
	}
	return nil
}

// prune deletes old versions. What fails is deleted with the next ones.
func (v *versions) prune(ctx context.Context) {
	for version, err := range v.list(ctx, 0) {
		if err != nil || version > v.version-keptVersions {
			return
		}
		if err := v.Objects.Delete(ctx, v.key(version)); err != nil {
			return
		}
	}
}
