package delta

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"ajlo/job/object"
)

// Properties that say when a checkpoint is due and what it holds.
const (
	intervalKey    = "delta.checkpointInterval"
	jsonStatsKey   = "delta.checkpoint.writeStatsAsJson"
	retentionKey   = "delta.deletedFileRetentionDuration"
	protectFeature = "checkpointProtection"

	defaultInterval  = 10                // commits, as in Delta
	defaultRetention = "interval 1 week" // as in Delta

	// maxCheckpointed is how many files a checkpoint may list: about 1 KB each is held at once.
	maxCheckpointed = 100_000
)

// checkpointDue reports whether the version of a table is one that gets a checkpoint, and may
// get it from ajlo: not where statistics are kept in typed columns only, which it does not write,
// and not where the table is kept from readers that a checkpoint would let in.
func checkpointDue(read Snapshot, version int64) bool {
	settings := read.Metadata.Configuration
	interval, err := numberProperty(settings, intervalKey, defaultInterval)
	return err == nil && interval > 0 && version%int64(interval) == 0 && len(read.Files) <= maxCheckpointed &&
		!strings.EqualFold(settings[jsonStatsKey], "false") &&
		!slices.Contains(read.Protocol.WriterFeatures, protectFeature)
}

// writeCheckpoint writes the classic checkpoint of a version, which every reader of the
// table's protocol understands. One that is there already is left as it is. What says which
// checkpoint is the last is not touched: it may be behind, and readers look further.
func writeCheckpoint(ctx context.Context, store object.Store, version int64, now time.Time) error {
	err := tryCheckpoint(ctx, store, version, now)
	if err != nil && !errors.Is(err, object.ErrExists) {
		return fmt.Errorf("write checkpoint of version %d: %w", version, err)
	}
	return nil
}

func tryCheckpoint(ctx context.Context, store object.Store, version int64, now time.Time) error {
	segment, err := findSegment(ctx, store, version)
	if err != nil {
		return err
	}
	state := newState()
	state.removed = map[string]*Remove{}
	if err := replayInto(ctx, store, segment, state); err != nil {
		return err
	}
	s, err := state.snapshot(segment)
	if err != nil {
		return err
	}
	data, err := encodeCheckpoint(s, state.tombstones(s.Metadata, now))
	if err != nil {
		return err
	}
	return store.PutIfAbsent(ctx, fmt.Sprintf("%s%020d.checkpoint.parquet", logFolder, version), data)
}

// tombstones are the removed files that VACUUM may not forget yet, sorted by path.
func (s *state) tombstones(m Metadata, now time.Time) []*Remove {
	kept := slices.Collect(maps.Values(s.removed))
	if keep, ok := m.KeptFor(); ok {
		oldest := now.Add(-keep).UnixMilli()
		kept = slices.DeleteFunc(kept, func(r *Remove) bool { return r.DeletionTimestamp < oldest })
	}
	slices.SortFunc(kept, func(a, b *Remove) int {
		return cmp.Compare(fileID(a.RawPath, a.DeletionVector), fileID(b.RawPath, b.DeletionVector))
	})
	return kept
}

// KeptFor is how long VACUUM leaves files that are no longer part of the table, counted from when
// they were taken out; ok is false where the table says it in a way that is not known.
func (m Metadata) KeptFor() (keep time.Duration, ok bool) {
	return retention(cmp.Or(m.Configuration[retentionKey], defaultRetention))
}

var retentionText = regexp.MustCompile(`^(?i:interval\s+)?(\d{1,6})\s+(?i:(hour|day|week)s?)$`)

// retention reads "interval 30 days"; ok is false for other spellings.
func retention(text string) (keep time.Duration, ok bool) {
	m := retentionText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	n, _ := strconv.Atoi(m[1]) // six digits by the pattern
	hours := map[string]int{"hour": 1, "day": 24, "week": 7 * 24}[strings.ToLower(m[2])]
	return time.Duration(n*hours) * time.Hour, true
}

// The rows of a checkpoint as they are written. Fields without "optional" are never NULL:
// readers take them for granted.
type (
	writtenRow struct {
		Txn      *writtenTxn      `parquet:"txn,optional"`
		Add      *writtenAdd      `parquet:"add,optional"`
		Remove   *writtenRemove   `parquet:"remove,optional"`
		Metadata *writtenMetadata `parquet:"metaData,optional"`
		Protocol *writtenProtocol `parquet:"protocol,optional"`
		Domain   *writtenDomain   `parquet:"domainMetadata,optional"`
	}

	writtenTxn struct {
		AppID       string `parquet:"appId"`
		Version     int64  `parquet:"version"`
		LastUpdated *int64 `parquet:"lastUpdated,optional"`
	}

	writtenVector struct {
		StorageType    string `parquet:"storageType"`
		PathOrInlineDv string `parquet:"pathOrInlineDv"`
		Offset         *int32 `parquet:"offset,optional"`
		SizeInBytes    int32  `parquet:"sizeInBytes"`
		Cardinality    int64  `parquet:"cardinality"`
	}

	writtenAdd struct {
		Path                    string             `parquet:"path"`
		PartitionValues         map[string]*string `parquet:"partitionValues" parquet-value:",optional"`
		Size                    int64              `parquet:"size"`
		ModificationTime        int64              `parquet:"modificationTime"`
		DataChange              bool               `parquet:"dataChange"`
		Stats                   *string            `parquet:"stats,optional"`
		Tags                    map[string]*string `parquet:"tags,optional" parquet-value:",optional"`
		DeletionVector          *writtenVector     `parquet:"deletionVector,optional"`
		BaseRowID               *int64             `parquet:"baseRowId,optional"`
		DefaultRowCommitVersion *int64             `parquet:"defaultRowCommitVersion,optional"`
		ClusteringProvider      *string            `parquet:"clusteringProvider,optional"`
	}

	writtenRemove struct {
		Path                    string             `parquet:"path"`
		DeletionTimestamp       *int64             `parquet:"deletionTimestamp,optional"`
		DataChange              bool               `parquet:"dataChange"`
		ExtendedFileMetadata    bool               `parquet:"extendedFileMetadata"`
		PartitionValues         map[string]*string `parquet:"partitionValues,optional" parquet-value:",optional"`
		Size                    *int64             `parquet:"size,optional"`
		DeletionVector          *writtenVector     `parquet:"deletionVector,optional"`
		BaseRowID               *int64             `parquet:"baseRowId,optional"`
		DefaultRowCommitVersion *int64             `parquet:"defaultRowCommitVersion,optional"`
	}

	writtenMetadata struct {
		ID               string            `parquet:"id"`
		Name             *string           `parquet:"name,optional"`
		Description      *string           `parquet:"description,optional"`
		Format           writtenFormat     `parquet:"format"`
		SchemaString     string            `parquet:"schemaString"`
		PartitionColumns []string          `parquet:"partitionColumns,list"`
		Configuration    map[string]string `parquet:"configuration"`
		CreatedTime      *int64            `parquet:"createdTime,optional"`
	}

	writtenFormat struct {
		Provider string            `parquet:"provider"`
		Options  map[string]string `parquet:"options"`
	}

	writtenProtocol struct {
		MinReader      int32    `parquet:"minReaderVersion"`
		MinWriter      int32    `parquet:"minWriterVersion"`
		ReaderFeatures []string `parquet:"readerFeatures,list,optional"`
		WriterFeatures []string `parquet:"writerFeatures,list,optional"`
	}

	writtenDomain struct {
		Domain        string `parquet:"domain"`
		Configuration string `parquet:"configuration"`
		Removed       bool   `parquet:"removed"`
	}
)

// encodeCheckpoint gives the file: the same bytes for the same table.
func encodeCheckpoint(s Snapshot, removed []*Remove) ([]byte, error) {
	p, m := s.Protocol, s.Metadata
	rows := []writtenRow{
		{Protocol: &writtenProtocol{int32(p.MinReader), int32(p.MinWriter), p.ReaderFeatures, p.WriterFeatures}},
		{Metadata: &writtenMetadata{
			m.ID, some(m.Name), some(m.Description), writtenFormat(m.Format), m.SchemaString, m.PartitionColumns, m.Configuration, some(m.CreatedTime),
		}},
	}
	for _, name := range slices.Sorted(maps.Keys(s.Transactions)) {
		t := s.Transactions[name]
		rows = append(rows, writtenRow{Txn: &writtenTxn{t.AppID, t.Version, t.LastUpdated}})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Domains)) {
		rows = append(rows, writtenRow{Domain: &writtenDomain{Domain: name, Configuration: s.Domains[name].Configuration}})
	}
	for _, f := range s.Files {
		rows = append(rows, writtenRow{Add: f.written()})
	}
	for _, r := range removed {
		rows = append(rows, writtenRow{Remove: r.written()})
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, parquet.Compression(&parquet.Snappy)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// written has dataChange=false: a checkpoint tells what is there, not what changed.
func (a Add) written() *writtenAdd {
	return &writtenAdd{
		a.RawPath, noNull(a.PartitionValues), a.Size, a.ModificationTime, false, some(a.Stats), pointed(a.Tags),
		a.DeletionVector.written(), a.BaseRowID, a.DefaultRowCommitVersion, some(a.ClusteringProvider),
	}
}

func (r *Remove) written() *writtenRemove {
	return &writtenRemove{
		r.RawPath, some(r.DeletionTimestamp), false, r.ExtendedFileMetadata, r.PartitionValues, some(r.Size),
		r.DeletionVector.written(), r.BaseRowID, r.DefaultRowCommitVersion,
	}
}

func (d *DeletionVector) written() *writtenVector {
	if d == nil {
		return nil
	}
	return &writtenVector{d.StorageType, d.PathOrInlineDv, d.Offset, d.SizeInBytes, d.Cardinality}
}

// pointed gives values that parquet-go writes: those of an optional kind that are no pointers
// become NULL in a map, whatever they are.
func pointed(texts map[string]string) map[string]*string {
	if texts == nil {
		return nil
	}
	to := make(map[string]*string, len(texts))
	for name, text := range texts {
		to[name] = &text
	}
	return to
}

// some is the value, nil for what stands for none.
func some[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}
