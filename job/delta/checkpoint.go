package delta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
)

// checkpointRow is one row of a checkpoint. Every field is optional: writers leave out the
// groups they have no use for.
type checkpointRow struct {
	Txn      *checkpointTxn      `parquet:"txn,optional"`
	Add      *checkpointAdd      `parquet:"add,optional"`
	Remove   *checkpointRemove   `parquet:"remove,optional"`
	Metadata *checkpointMetadata `parquet:"metaData,optional"`
	Protocol *checkpointProtocol `parquet:"protocol,optional"`
	Domain   *checkpointDomain   `parquet:"domainMetadata,optional"`
	Sidecar  *sidecar            `parquet:"sidecar,optional"`
	Own      *ownVersion         `parquet:"checkpointMetadata,optional"`
}

type checkpointTxn struct {
	AppID       string `parquet:"appId,optional"`
	Version     int64  `parquet:"version,optional"`
	LastUpdated *int64 `parquet:"lastUpdated,optional"`
}

type checkpointAdd struct {
	Path                    string                    `parquet:"path,optional"`
	PartitionValues         map[string]*string        `parquet:"partitionValues,optional" parquet-value:",optional"`
	Size                    int64                     `parquet:"size,optional"`
	ModificationTime        int64                     `parquet:"modificationTime,optional"`
	DataChange              bool                      `parquet:"dataChange,optional"`
	Stats                   string                    `parquet:"stats,optional"`
	Tags                    map[string]string         `parquet:"tags,optional" parquet-value:",optional"`
	DeletionVector          *checkpointDeletionVector `parquet:"deletionVector,optional"`
	BaseRowID               *int64                    `parquet:"baseRowId,optional"`
	DefaultRowCommitVersion *int64                    `parquet:"defaultRowCommitVersion,optional"`
	ClusteringProvider      string                    `parquet:"clusteringProvider,optional"`
}

type checkpointRemove struct {
	Path                    string                    `parquet:"path,optional"`
	DeletionTimestamp       int64                     `parquet:"deletionTimestamp,optional"`
	ExtendedFileMetadata    bool                      `parquet:"extendedFileMetadata,optional"`
	PartitionValues         map[string]*string        `parquet:"partitionValues,optional" parquet-value:",optional"`
	Size                    int64                     `parquet:"size,optional"`
	DeletionVector          *checkpointDeletionVector `parquet:"deletionVector,optional"`
	BaseRowID               *int64                    `parquet:"baseRowId,optional"`
	DefaultRowCommitVersion *int64                    `parquet:"defaultRowCommitVersion,optional"`
}

type checkpointDeletionVector struct {
	StorageType    string `parquet:"storageType,optional"`
	PathOrInlineDv string `parquet:"pathOrInlineDv,optional"`
	Offset         *int32 `parquet:"offset,optional"`
	SizeInBytes    int32  `parquet:"sizeInBytes,optional"`
	Cardinality    int64  `parquet:"cardinality,optional"`
}

type checkpointMetadata struct {
	ID               string            `parquet:"id,optional"`
	Name             string            `parquet:"name,optional"`
	Description      string            `parquet:"description,optional"`
	Format           checkpointFormat  `parquet:"format,optional"`
	SchemaString     string            `parquet:"schemaString,optional"`
	PartitionColumns []string          `parquet:"partitionColumns,list,optional" parquet-element:",optional"`
	Configuration    map[string]string `parquet:"configuration,optional" parquet-value:",optional"`
	CreatedTime      int64             `parquet:"createdTime,optional"`
}

type checkpointFormat struct {
	Provider string            `parquet:"provider,optional"`
	Options  map[string]string `parquet:"options,optional" parquet-value:",optional"`
}

type checkpointProtocol struct {
	MinReader      int32    `parquet:"minReaderVersion,optional"`
	MinWriter      int32    `parquet:"minWriterVersion,optional"`
	ReaderFeatures []string `parquet:"readerFeatures,list,optional" parquet-element:",optional"`
	WriterFeatures []string `parquet:"writerFeatures,list,optional" parquet-element:",optional"`
}

type checkpointDomain struct {
	Domain        string `parquet:"domain,optional"`
	Configuration string `parquet:"configuration,optional"`
	Removed       bool   `parquet:"removed,optional"`
}

// sidecar is a file that holds some of a checkpoint's files.
type sidecar struct {
	Path        string `parquet:"path,optional" json:"path"`
	SizeInBytes int64  `parquet:"sizeInBytes,optional" json:"sizeInBytes"`
}

// ownVersion is what a checkpoint of the v2 form says of itself.
type ownVersion struct {
	Version int64 `parquet:"version,optional" json:"version"`
}

// checkpointBatch is how many rows are decoded at a time.
const checkpointBatch = 1024

// readCheckpoint gives each action of a checkpoint, its sidecars' included, to take. Removed
// files in it only tell VACUUM what to keep.
func readCheckpoint(ctx context.Context, store object.Store, c *checkpoint, take func(action)) error {
	var beside []sidecar
	for _, key := range slices.Sorted(slices.Values(c.keys)) {
		err := readActions(ctx, store, key, func(a action) error {
			switch {
			case a.Sidecar != nil:
				beside = append(beside, *a.Sidecar)
			case a.Checkpoint != nil && a.Checkpoint.Version != c.version:
				return fmt.Errorf("it says that it is of version %d", a.Checkpoint.Version)
			default:
				take(a)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, s := range beside {
		if err := s.read(ctx, store, take); err != nil {
			return err
		}
	}
	return nil
}

// readActions reads a file of a checkpoint, whose name says how it is encoded.
func readActions(ctx context.Context, store object.Store, key string, yield func(action) error) error {
	if !strings.HasSuffix(key, ".json") {
		return readParquet(ctx, store, key, anySize, yield)
	}
	data, err := store.ReadAll(ctx, key)
	if err != nil {
		return err
	}
	actions, err := decodeCommit(data)
	for i := 0; i < len(actions) && err == nil; i++ {
		err = yield(actions[i])
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// sidecarFolder is where a table keeps them.
const sidecarFolder = logFolder + "_sidecars/"

// read gives the actions of a sidecar to take. It must be where sidecars are, and as long as
// its checkpoint says.
func (s sidecar) read(ctx context.Context, store object.Store, take func(action)) error {
	name, err := decodePath(s.Path)
	if err == nil && strings.Contains(name, "/") {
		err = fmt.Errorf("path %q is not in %s", s.Path, sidecarFolder)
	}
	if err != nil {
		return fmt.Errorf("sidecar: %w", err)
	}
	err = readParquet(ctx, store, sidecarFolder+name, s.SizeInBytes, func(a action) error {
		if a.Sidecar != nil || a.Checkpoint != nil {
			return errors.New("a sidecar must hold files only")
		}
		take(a)
		return nil
	})
	if err != nil {
		return fmt.Errorf("sidecar: %w", err)
	}
	return nil
}

// anySize is for files whose size nothing says.
const anySize = -1

// readParquet calls yield for each action of a Parquet file of the given size in bytes.
func readParquet(ctx context.Context, store object.Store, key string, size int64, yield func(action) error) (err error) {
	file, err := store.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	// parquet-go gives up by panic on some damaged files.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is damaged: %v", key, p)
		}
	}()
	if size != anySize && size != file.Size() {
		return fmt.Errorf("%s has %d bytes, its checkpoint says %d", key, file.Size(), size)
	}
	if err := readRows(ctx, file, yield); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func readRows(ctx context.Context, file object.Reader, yield func(action) error) (err error) {
	opened, err := parquet.OpenFile(file, file.Size())
	if err != nil {
		return err
	}
	typed := typedStatsOf(opened)
	defer func() { err = errors.Join(err, typed.Close()) }()
	reader := parquet.NewGenericReader[checkpointRow](opened)
	rows := make([]checkpointRow, checkpointBatch)
	for before := int64(0); ; {
		clear(rows)
		n, err := reader.Read(rows)
		for i := range rows[:n] {
			if err := rows[i].fill(typed, before+int64(i)); err != nil {
				return errors.Join(err, reader.Close())
			}
			if err := yieldRow(&rows[i], yield); err != nil {
				return errors.Join(err, reader.Close())
			}
		}
		before += int64(n)
		if errors.Is(err, io.EOF) {
			return reader.Close()
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return errors.Join(err, reader.Close())
		}
	}
}

// fill gives a file whose statistics are in typed columns only their text.
func (r *checkpointRow) fill(typed typedStats, row int64) (err error) {
	if r.Add != nil && r.Add.Stats == "" {
		r.Add.Stats, err = typed.of(row)
	}
	return err
}

func yieldRow(row *checkpointRow, yield func(action) error) error {
	a := row.action()
	if err := a.complete(); err != nil {
		return err
	}
	return yield(a)
}

// action gives the row as a line of a commit would.
func (r *checkpointRow) action() action {
	switch {
	case r.Add != nil:
		return action{Add: r.Add.add()}
	case r.Remove != nil:
		return action{Remove: r.Remove.remove()}
	case r.Metadata != nil:
		m := r.Metadata
		return action{Metadata: &Metadata{
			ID: m.ID, Name: m.Name, Description: m.Description, Format: Format(m.Format),
			SchemaString: m.SchemaString, PartitionColumns: m.PartitionColumns,
			Configuration: m.Configuration, CreatedTime: m.CreatedTime,
		}}
	case r.Protocol != nil:
		p := r.Protocol
		return action{Protocol: &Protocol{
			MinReader: int(p.MinReader), MinWriter: int(p.MinWriter),
			ReaderFeatures: p.ReaderFeatures, WriterFeatures: p.WriterFeatures,
		}}
	case r.Txn != nil:
		return action{Txn: &Transaction{AppID: r.Txn.AppID, Version: r.Txn.Version, LastUpdated: r.Txn.LastUpdated}}
	case r.Domain != nil:
		return action{Domain: &Domain{Name: r.Domain.Domain, Configuration: r.Domain.Configuration, Removed: r.Domain.Removed}}
	}
	return action{Sidecar: r.Sidecar, Checkpoint: r.Own}
}

func (a *checkpointAdd) add() *Add {
	add := &Add{
		RawPath: a.Path, PartitionValues: a.PartitionValues, Size: a.Size, ModificationTime: a.ModificationTime,
		DataChange: a.DataChange, Stats: a.Stats, Tags: a.Tags, BaseRowID: a.BaseRowID,
		DefaultRowCommitVersion: a.DefaultRowCommitVersion, ClusteringProvider: a.ClusteringProvider,
	}
	add.DeletionVector = a.DeletionVector.vector()
	return add
}

func (r *checkpointRemove) remove() *Remove {
	return &Remove{
		RawPath: r.Path, DeletionTimestamp: r.DeletionTimestamp, ExtendedFileMetadata: r.ExtendedFileMetadata,
		PartitionValues: r.PartitionValues, Size: r.Size, DeletionVector: r.DeletionVector.vector(),
		BaseRowID: r.BaseRowID, DefaultRowCommitVersion: r.DefaultRowCommitVersion,
	}
}

func (v *checkpointDeletionVector) vector() *DeletionVector {
	if v == nil {
		return nil
	}
	return &DeletionVector{
		StorageType: v.StorageType, PathOrInlineDv: v.PathOrInlineDv, Offset: v.Offset,
		SizeInBytes: v.SizeInBytes, Cardinality: v.Cardinality,
	}
}
