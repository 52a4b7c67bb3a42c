package iceberg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"time"

	"ajlo/job/object"
)

// ErrMoved is wrapped where others have committed since the table was read.
var ErrMoved = errors.New("others have committed to the table since it was read")

// ErrCatalog is wrapped for a table whose folder is not its catalog: only the catalog may say which
// metadata counts.
var ErrCatalog = errors.New("its catalog alone says which metadata of it counts")

// folderMetadata matches the metadata of tables whose folder is their catalog, unpacked. A packed
// one may have another name beside it for the same version, so that no put is on condition.
var folderMetadata = regexp.MustCompile(`^v(\d+)\.metadata\.json$`)

// MayRollBack is ErrCatalog for a table that Rollback refuses whatever the snapshot.
func (s Snapshot) MayRollBack() error {
	if !folderMetadata.MatchString(path.Base(s.Metadata)) {
		return ErrCatalog
	}
	return nil
}

// Rollback makes an ancestor the current snapshot of a table whose folder is its catalog, on the
// metadata that was read and no other: it puts the next metadata file on condition that there is
// none. Properties are set with it, those with an empty value are taken away. Of the metadata
// only what this is about changes, so that what this program does not know stays.
func Rollback(ctx context.Context, store object.Store, read Snapshot, to int64, properties map[string]string, at time.Time) error {
	name := folderMetadata.FindStringSubmatch(path.Base(read.Metadata))
	if name == nil {
		return fmt.Errorf("roll Iceberg table %s back: %w", store.URL(), ErrCatalog)
	}
	version, err := strconv.ParseInt(name[1], 10, 64)
	if err != nil {
		return fmt.Errorf("roll Iceberg table %s back: %w", store.URL(), err)
	}
	text, err := store.ReadAll(ctx, read.Metadata)
	if err == nil {
		text, err = rolledBack(text, read, to, properties, at)
	}
	if err != nil {
		return fmt.Errorf("roll Iceberg table %s back: %w", store.URL(), err)
	}
	key := fmt.Sprintf("metadata/v%d.metadata.json", version+1)
	err = store.PutIfAbsent(ctx, key, text)
	switch there, readErr := store.ReadAll(context.WithoutCancel(ctx), key); {
	case err == nil, readErr == nil && bytes.Equal(there, text): // the reply may be lost, the file not
		return nil
	case readErr == nil, errors.Is(err, object.ErrExists):
		return fmt.Errorf("roll Iceberg table %s back: %w", store.URL(), ErrMoved)
	}
	return fmt.Errorf("roll Iceberg table %s back: %w", store.URL(), err)
}

// rolledBack is the metadata that follows another, with the fields of the format's specification.
func rolledBack(text []byte, read Snapshot, to int64, properties map[string]string, at time.Time) ([]byte, error) {
	var meta map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&meta); err != nil {
		return nil, fmt.Errorf("parse metadata: %w", err)
	}
	last, err := number(meta["last-updated-ms"])
	if err != nil {
		return nil, fmt.Errorf("last-updated-ms: %w", err)
	}
	now := max(at.UnixMilli(), last)
	meta["last-updated-ms"], meta["current-snapshot-id"] = now, to
	if refs, ok := meta["refs"].(map[string]any); ok {
		main, ok := refs["main"].(map[string]any)
		if !ok {
			return nil, errors.New("refs: no branch main")
		}
		main["snapshot-id"] = to
	}
	logs, _ := meta["snapshot-log"].([]any)
	meta["snapshot-log"] = append(logs, map[string]any{"timestamp-ms": now, "snapshot-id": to})
	files, _ := meta["metadata-log"].([]any)
	meta["metadata-log"] = append(files, map[string]any{"timestamp-ms": last, "metadata-file": read.Location + "/" + read.Metadata})
	meta["properties"] = changed(meta["properties"], properties)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err = e.Encode(meta)
	return out.Bytes(), err
}

func number(value any) (int64, error) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, fmt.Errorf("%v is no number", value)
	}
	return n.Int64()
}

// changed are a table's properties with some set and those without a value taken away.
func changed(old any, properties map[string]string) map[string]any {
	all, ok := old.(map[string]any)
	if !ok {
		all = map[string]any{}
	}
	for key, value := range properties {
		if value == "" {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	return all
}
