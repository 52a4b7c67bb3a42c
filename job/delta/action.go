package delta

import "time"

// Protocol is what a client must support to read or write the table.
type Protocol struct {
	MinReader      int      `json:"minReaderVersion"`
	MinWriter      int      `json:"minWriterVersion"`
	ReaderFeatures []string `json:"readerFeatures,omitempty"`
	WriterFeatures []string `json:"writerFeatures,omitempty"`
}

// Format is the encoding of the data files; "parquet" in every table so far.
type Format struct {
	Provider string            `json:"provider"`
	Options  map[string]string `json:"options"`
}

// Metadata is the table's schema and settings.
type Metadata struct {
	ID               string            `json:"id"`
	Name             string            `json:"name,omitempty"`
	Description      string            `json:"description,omitempty"`
	Format           Format            `json:"format"`
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
	CreatedTime      int64             `json:"createdTime,omitempty"` // ms since the epoch
	// Schema is SchemaString, parsed.
	Schema Schema `json:"-"`
}

// DeletionVector names rows of a data file that are deleted.
type DeletionVector struct {
	StorageType    string `json:"storageType"`
	PathOrInlineDv string `json:"pathOrInlineDv"`
	Offset         *int32 `json:"offset,omitempty"`
	SizeInBytes    int32  `json:"sizeInBytes"`
	Cardinality    int64  `json:"cardinality"`
}

// Add is a data file that is part of the table.
type Add struct {
	// RawPath is the path as the log spells it: percent-encoded, relative to the table.
	RawPath                 string             `json:"path"`
	PartitionValues         map[string]*string `json:"partitionValues"`
	Size                    int64              `json:"size"`             // bytes
	ModificationTime        int64              `json:"modificationTime"` // ms since the epoch
	DataChange              bool               `json:"dataChange"`
	Stats                   string             `json:"stats,omitempty"` // JSON, see Statistics
	Tags                    map[string]string  `json:"tags,omitempty"`
	DeletionVector          *DeletionVector    `json:"deletionVector,omitempty"`
	BaseRowID               *int64             `json:"baseRowId,omitempty"`
	DefaultRowCommitVersion *int64             `json:"defaultRowCommitVersion,omitempty"`
	ClusteringProvider      string             `json:"clusteringProvider,omitempty"`
	// Path is RawPath decoded once: the key of the file in the table's store.
	Path string `json:"-"`
}

// Remove is a data file that is no longer part of the table.
type Remove struct {
	RawPath                 string             `json:"path"`
	DeletionTimestamp       int64              `json:"deletionTimestamp,omitempty"` // ms since the epoch
	DataChange              bool               `json:"dataChange"`
	ExtendedFileMetadata    bool               `json:"extendedFileMetadata,omitempty"`
	PartitionValues         map[string]*string `json:"partitionValues"`
	Size                    int64              `json:"size,omitempty"` // bytes
	Stats                   string             `json:"stats,omitempty"`
	Tags                    map[string]string  `json:"tags,omitempty"`
	DeletionVector          *DeletionVector    `json:"deletionVector,omitempty"`
	BaseRowID               *int64             `json:"baseRowId,omitempty"`
	DefaultRowCommitVersion *int64             `json:"defaultRowCommitVersion,omitempty"`
	Path                    string             `json:"-"`
}

// Domain is a named piece of configuration that a feature keeps in the log, such as
// "delta.clustering".
type Domain struct {
	Name          string `json:"domain"`
	Configuration string `json:"configuration"`
	Removed       bool   `json:"removed"`
}

// Transaction is the last version an application (a streaming query) says it wrote.
type Transaction struct {
	AppID       string `json:"appId"`
	Version     int64  `json:"version"`
	LastUpdated *int64 `json:"lastUpdated,omitempty"` // ms since the epoch
}

// Snapshot is one version of the table.
type Snapshot struct {
	Version      int64
	Protocol     Protocol
	Metadata     Metadata
	Files        []Add // live, sorted by Path
	Domains      map[string]Domain
	Transactions map[string]Transaction
	// ProtocolIn and MetadataIn are the files of the log that hold what counts of either; of a
	// checkpoint in parts, its first.
	ProtocolIn, MetadataIn string
	// Time is the last commit's own timestamp, or its file's time where it has none.
	Time time.Time
	// InCommitTime is the last commit's inCommitTimestamp, ms since the epoch; 0 where it has
	// none or cannot be read.
	InCommitTime int64
}
