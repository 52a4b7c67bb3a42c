package delta

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
)

// checkpointRow is one row of a checkpoint. Every field is optional: writers leave out the
// groups they have no use for.
type checkpointRow struct {
	Txn      *checkpointTxn      `parquet:"txn,optional"`
	Add      *checkpointAdd      `parquet:"add,optional"`
	Metadata *checkpointMetadata `parquet:"metaData,optional"`
	Protocol *checkpointProtocol `parquet:"protocol,optional"`
	Domain   *checkpointDomain   `parquet:"domainMetadata,optional"`
	Sidecar  *checkpointSidecar  `parquet:"sidecar,optional"`
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

type checkpointSidecar struct {
	Path string `parquet:"path,optional"`
}

// checkpointBatch is how many rows are decoded at a time.
const checkpointBatch = 1024

// readCheckpoint calls yield for each action of one checkpoint file. Removed files are not
// among them: in a checkpoint they only tell VACUUM what to keep.
func readCheckpoint(ctx context.Context, store object.Store, key string, yield func(action) error) (err error) {
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
	if err := readCheckpointRows(ctx, file, yield); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func readCheckpointRows(ctx context.Context, file object.Reader, yield func(action) error) error {
	opened, err := parquet.OpenFile(file, file.Size())
	if err != nil {
		return err
	}
	reader := parquet.NewGenericReader[checkpointRow](opened)
	rows := make([]checkpointRow, checkpointBatch)
	for {
		clear(rows)
		n, err := reader.Read(rows)
		for i := range rows[:n] {
			if err := yieldRow(&rows[i], yield); err != nil {
				return errors.Join(err, reader.Close())
			}
		}
		if errors.Is(err, io.EOF) {
			return reader.Close()
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return errors.Join(err, reader.Close())
		}
	}
}

func yieldRow(row *checkpointRow, yield func(action) error) error {
	if row.Sidecar != nil {
		return errors.New("it has sidecar files of the v2Checkpoint feature, which ajlo does not read")
	}
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
	return action{}
}

func (a *checkpointAdd) add() *Add {
	add := &Add{
		RawPath: a.Path, PartitionValues: a.PartitionValues, Size: a.Size, ModificationTime: a.ModificationTime,
		DataChange: a.DataChange, Stats: a.Stats, Tags: a.Tags, BaseRowID: a.BaseRowID,
		DefaultRowCommitVersion: a.DefaultRowCommitVersion, ClusteringProvider: a.ClusteringProvider,
	}
	if v := a.DeletionVector; v != nil {
		add.DeletionVector = &DeletionVector{
			StorageType: v.StorageType, PathOrInlineDv: v.PathOrInlineDv, Offset: v.Offset,
			SizeInBytes: v.SizeInBytes, Cardinality: v.Cardinality,
		}
	}
	return add
}
