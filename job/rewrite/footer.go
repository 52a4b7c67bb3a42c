package rewrite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/delta"
	"ajlo/job/object"
)

// Arrow reads INT96 as 64 bits of nanoseconds, which are too few for Spark's years. So the
// footer is handed to Arrow with INT96 columns named as 12 plain bytes, which both encodings of
// INT96 are, and the bytes are turned into microseconds here.
const (
	footerTrailer    = 8         // 4 bytes of length, "PAR1"
	maxFooter        = 256 << 20 // bytes; a length beyond it is damage, not a footer
	plainMagic       = "PAR1"
	encryptedMagic   = "PARE"
	firstModernSpark = "3.1.0" // INT96 in the Gregorian calendar unless a mark says otherwise
)

var (
	errEncrypted  = errors.New("the file is encrypted")
	errNotParquet = errors.New("the file is no Parquet file or is cut short")
)

func readFooter(r object.Reader) (*format.FileMetaData, error) {
	var trailer [footerTrailer]byte
	if r.Size() < footerTrailer {
		return nil, errNotParquet
	}
	if _, err := r.ReadAt(trailer[:], r.Size()-footerTrailer); err != nil && err != io.EOF {
		return nil, err
	}
	switch string(trailer[4:]) {
	case encryptedMagic:
		return nil, errEncrypted
	case plainMagic:
	default:
		return nil, errNotParquet
	}
	length := int64(binary.LittleEndian.Uint32(trailer[:4]))
	if length > maxFooter || length > r.Size()-footerTrailer {
		return nil, errNotParquet
	}
	text := make([]byte, length)
	if _, err := r.ReadAt(text, r.Size()-footerTrailer-length); err != nil && err != io.EOF {
		return nil, err
	}
	var footer format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), text, &footer); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotParquet, err)
	}
	if footer.EncryptionAlgorithm.Value != nil {
		return nil, errEncrypted
	}
	return &footer, nil
}

// spark is what a footer says about the calendar of its dates and timestamps.
type spark struct {
	version string // "" where another program wrote the file
	legacy  bool   // dates or timestamps are in the calendar of Spark 2
}

func sparkOf(footer *format.FileMetaData) (s spark) {
	for _, kv := range footer.KeyValueMetadata {
		switch kv.Key {
		case sparkVersionKey:
			s.version = kv.Value
		case "org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96":
			s.legacy = true
		}
	}
	s.legacy = s.legacy || s.version != "" && s.version < firstModernSpark
	return s
}

// sparkVersionKey in a footer tells Spark 3 that dates before 1582 and times before 1900 are
// in the Gregorian calendar; without it Spark 3 refuses to read them.
const sparkVersionKey = "org.apache.spark.version"

// runKey in a footer names the run that made the file.
const runKey = "ajlo.run"

// WrittenBy is the run that made a data file, as the file itself says; "" for a file that does
// not say so or is not whole.
func WrittenBy(ctx context.Context, store object.Store, path string) (run string, err error) {
	r, err := store.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	footer, err := readFooter(r)
	if errors.Is(err, errNotParquet) || errors.Is(err, errEncrypted) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	for _, kv := range footer.KeyValueMetadata {
		if kv.Key == runKey {
			run = kv.Value
		}
	}
	return run, nil
}

// arrowSchemaKey in a footer holds the types of the program that wrote the file, such as texts
// with offsets of 64 bits. They say nothing that the Parquet schema does not.
const arrowSchemaKey = "ARROW:schema"

// plainFooter names INT96 leaves as 12 plain bytes and leaves out Arrow's own schema; it gives
// the footer's new text, nil where there is neither and no column was moved.
func plainFooter(footer *format.FileMetaData, moved bool) ([]byte, error) {
	known := len(footer.KeyValueMetadata)
	footer.KeyValueMetadata = slices.DeleteFunc(footer.KeyValueMetadata, func(kv format.KeyValue) bool { return kv.Key == arrowSchemaKey })
	if !hideInt96(footer) && len(footer.KeyValueMetadata) == known && !moved {
		return nil, nil
	}
	return thrift.Marshal(new(thrift.CompactProtocol), footer)
}

func hideInt96(footer *format.FileMetaData) (hidden bool) {
	for i := range footer.Schema {
		e := &footer.Schema[i]
		if e.Type.Valid && e.Type.V == format.Int96 {
			e.Type.V = format.FixedLenByteArray
			e.TypeLength = thrift.New[int32](delta.Int96Bytes)
			hidden = true
		}
	}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			if m := &footer.RowGroups[g].Columns[c].MetaData; m.Type == format.Int96 {
				m.Type = format.FixedLenByteArray
			}
		}
	}
	return hidden
}
