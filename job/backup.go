package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ajlo/job/object"
	"ajlo/state"
)

// Backup is a copy of a state that was put somewhere and read back.
type Backup struct {
	State  string `json:"state"`
	Place  string `json:"place"`
	SHA256 string `json:"sha256"` // of the copy; it stands in PLACE.sha256, too, as sha256sum writes it
	Bytes  int    `json:"bytes"`
	Format int    `json:"format"`
	Runs   int    `json:"runs"`
	Newest string `json:"newest_night"`
}

// digestEnding is that of the file beside a copy that names its SHA-256.
const digestEnding = ".sha256"

// MakeBackup copies a state, as it is at one moment, to a path on this machine or a URL where
// nothing is yet, and reads the copy back. A run may be at work meanwhile.
func MakeBackup(ctx context.Context, from StateFile, to string) (b Backup, err error) {
	err = withScratch(func(folder string) error {
		c, err := from.copy(ctx, filepath.Join(folder, "copy.db"))
		if err != nil {
			return err
		}
		data, err := os.ReadFile(c.Path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		b = Backup{from.Location, to, hex.EncodeToString(sum[:]), len(data), c.Format, c.Runs, c.Newest}
		return putBackup(ctx, from.opener(), b, data)
	})
	return b, err
}

// withScratch gives a local folder that is gone afterwards.
func withScratch(use func(folder string) error) (err error) {
	folder, err := os.MkdirTemp("", ".ajlo-copy-*")
	if err != nil {
		return fmt.Errorf("a folder for a copy of the state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return use(folder)
}

func putBackup(ctx context.Context, open object.Opener, b Backup, data []byte) error {
	folder, name := object.Split(b.Place)
	objects, err := open(folder)
	if err != nil {
		return fmt.Errorf("backup %s: %w", b.Place, err)
	}
	err = objects.PutIfAbsent(ctx, name, data)
	if errors.Is(err, object.ErrExists) {
		return &UsageError{fmt.Sprintf("backup %s: it is there already, and no backup is ever overwritten: name another place", b.Place)}
	}
	if err != nil {
		return fmt.Errorf("backup %s: %w", b.Place, err)
	}
	back, err := objects.ReadAll(ctx, name)
	if err != nil {
		return fmt.Errorf("backup %s: reading it back: %w", b.Place, err)
	}
	if sum := sha256.Sum256(back); hex.EncodeToString(sum[:]) != b.SHA256 {
		return fmt.Errorf("backup %s: what was read back is not what was put there: do not rely on it, and look at the storage", b.Place)
	}
	if err := objects.PutIfAbsent(ctx, name+digestEnding, []byte(b.SHA256+"  "+name+"\n")); err != nil {
		return fmt.Errorf("backup %s: it is whole, and its digest could not be put beside it: %w", b.Place, err)
	}
	return nil
}

// Restoring says what a restore may do beyond the plain case.
type Restoring struct {
	Replace bool // a state that knows of runs that the backup does not; it is kept aside all the same
	Upgrade bool // a backup of an older format, which is brought up to date first
}

// Restored is what a restore did.
type Restored struct {
	State  string `json:"state"`
	From   string `json:"from"`
	SHA256 string `json:"sha256,omitempty"` // of the backup where it stood beside it; "" where nothing did
	Runs   int    `json:"runs"`
	Newest string `json:"newest_night"`
	// Aside is where what was there before is kept; "" where nothing was.
	Aside string `json:"aside,omitempty"`
}

// Restore puts a backup in the place of a state. What was there is kept beside it, whatever it
// was. A state that is newer than the backup is refused, unless the caller says otherwise, and so is
// a backup of an older format; a damaged state is none that could be newer.
func Restore(ctx context.Context, to StateFile, from string, how Restoring, clock func() time.Time) (r Restored, err error) {
	err = withScratch(func(folder string) error {
		c, digest, err := to.backup(ctx, from, folder)
		if err == nil {
			c, err = upgraded(ctx, c, from, how)
		}
		if err != nil {
			return err
		}
		r = Restored{State: to.Location, From: from, SHA256: digest, Runs: c.Runs, Newest: c.Newest}
		r.Aside, err = to.replaceBy(ctx, c, how, clock)
		return err
	})
	return r, err
}

func upgraded(ctx context.Context, c state.Copy, from string, how Restoring) (state.Copy, error) {
	latest, err := state.Latest()
	if err != nil || c.Format == latest {
		return c, err
	}
	if !how.Upgrade {
		return c, &Incomplete{state.Refused, fmt.Sprintf("backup %s has format %d and this ajlo writes %d: restore it by the ajlo that wrote it, or say --upgrade", from, c.Format, latest)}
	}
	return c.Upgrade(ctx)
}

// replaceBy puts the copy in the state's place.
func (f StateFile) replaceBy(ctx context.Context, c state.Copy, how Restoring, clock func() time.Time) (aside string, err error) {
	store, moved, err := f.openDamagedToo(ctx, clock)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	may := state.KeepNewer
	if how.Replace {
		may = state.Replace
	}
	aside, err = store.Restore(ctx, c, may, holderDead)
	var newer *state.Newer
	if errors.As(err, &newer) {
		return "", &Incomplete{state.Refused, fmt.Sprintf("restore: %v: nothing was changed; --replace puts the backup in its place and keeps the state as it is beside it", newer)}
	}
	if err != nil && moved != "" {
		err = fmt.Errorf("%w (the damaged state is at %s)", err, moved)
	}
	if moved != "" {
		aside = moved
	}
	return aside, err
}

// openDamagedToo opens a state; one that is damaged is moved aside, and moved is where it is then.
func (f StateFile) openDamagedToo(ctx context.Context, clock func() time.Time) (store *state.Store, moved string, err error) {
	store, err = f.open(ctx, clock)
	if err == nil || !state.IsDamaged(err) {
		return store, "", err
	}
	at, stored, wrong := f.folder()
	if wrong != nil {
		return nil, "", wrong
	}
	if stored {
		store, err = state.OpenStoredAfresh(ctx, at, clock)
		return store, f.Location + " (the damaged version, which stays)", err
	}
	moved, err = state.MoveAside(f.Location, "damaged-"+clock().UTC().Format("20060102T150405.000000Z"))
	if err != nil {
		return nil, "", err
	}
	store, err = f.open(ctx, clock)
	return store, moved, err
}

// backup reads what a place holds into a local copy: one file, or the newest version of a state in
// object storage. A digest that stands beside a file must be its own.
func (f StateFile) backup(ctx context.Context, place, folder string) (c state.Copy, digest string, err error) {
	at, name := object.Split(place)
	objects, err := f.opener()(at)
	if err != nil {
		return c, "", fmt.Errorf("backup %s: %w", place, err)
	}
	to := filepath.Join(folder, "copy.db")
	data, err := objects.ReadAll(ctx, name)
	if errors.Is(err, fs.ErrNotExist) && !object.IsLocal(place) {
		if c, err = (state.Stored{Objects: objects, Name: name}).Copy(ctx, to); err == nil {
			return c, "", nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return c, "", &UsageError{fmt.Sprintf("%s: there is none: name a state, or a file that state backup wrote", place)}
	}
	if err != nil {
		return c, "", fmt.Errorf("backup %s: %w", place, err)
	}
	if digest, err = checkDigest(ctx, objects, name, data); err != nil {
		return c, "", fmt.Errorf("backup %s: %w", place, err)
	}
	if object.IsLocal(place) && digest == "" { // perhaps a state that was in use, with a log of SQLite's beside it
		c, err = state.CopyOf(ctx, filepath.Join(at, name), to)
		return c, "", err
	}
	whole := filepath.Join(folder, "backup.db")
	if err := os.WriteFile(whole, data, 0o600); err != nil {
		return c, "", err
	}
	if c, err = state.CopyOf(ctx, whole, to); err != nil {
		err = fmt.Errorf("backup %s: %w", place, err)
	}
	return c, digest, err
}

// checkDigest gives the digest that stands beside a file, "" where there is none.
func checkDigest(ctx context.Context, objects object.Store, name string, data []byte) (string, error) {
	text, err := objects.ReadAll(ctx, name+digestEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	want, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	sum := sha256.Sum256(data)
	if have := hex.EncodeToString(sum[:]); have != want {
		return "", &Incomplete{state.Refused, fmt.Sprintf("its SHA-256 is %s, %s says %s: it is not what was put there, take another backup", have, path.Base(name)+digestEnding, want)}
	}
	return want, nil
}

// copy copies the state as it is at one moment to a local file.
func (f StateFile) copy(ctx context.Context, to string) (c state.Copy, err error) {
	at, stored, err := f.folder()
	switch {
	case err != nil:
	case stored:
		c, err = at.Copy(ctx, to)
	default:
		c, err = state.CopyOf(ctx, f.Location, to)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = &UsageError{err.Error()}
	}
	return c, err
}

// opener is Open or what stands for it.
func (f StateFile) opener() object.Opener {
	if f.Open == nil {
		return object.Open
	}
	return f.Open
}
