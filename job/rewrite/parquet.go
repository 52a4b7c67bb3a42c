package rewrite

import (
	"fmt"
	"io"
	"path"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/unit"
)

// encoding is how files are compressed and what their names say about it, as Spark's do.
type encoding struct {
	codec     compress.Compression
	extension string
	nan       nanColumns
	wide      map[string]bool // columns of which neither dictionary nor bounds are worth their memory
	run       string          // that makes the files, "" where none is to be named
}

// path is a new file's in Spark's form.
func (e encoding) path(folder string, number int, id string) string {
	return path.Join(folder, fmt.Sprintf("part-%05d-%s-c000%s", number, id, e.extension))
}

func encodingOf(codec format.CompressionCodec) encoding {
	switch codec {
	case format.Uncompressed:
		return encoding{codec: compress.Codecs.Uncompressed, extension: ".parquet"}
	case format.Gzip:
		return encoding{codec: compress.Codecs.Gzip, extension: ".gz.parquet"}
	case format.Brotli:
		return encoding{codec: compress.Codecs.Brotli, extension: ".br.parquet"}
	case format.Zstd:
		return encoding{codec: compress.Codecs.Zstd, extension: ".zstd.parquet"}
	case format.Lz4Raw:
		return encoding{codec: compress.Codecs.Lz4Raw, extension: ".lz4raw.parquet"}
	}
	return encoding{codec: compress.Codecs.Snappy, extension: ".snappy.parquet"}
}

// newParquetWriter writes as Spark does: dictionaries where they are smaller than the values
// they stand for, statistics, decimals in the smallest integer, pages of version 1; plus the
// page index. The Arrow schema is not stored: engines take the table's. Closing it does not
// close w.
func newParquetWriter(w io.Writer, schema *arrow.Schema, e encoding, sparkVersion string) (*pqarrow.FileWriter, error) {
	properties := []parquet.WriterProperty{
		parquet.WithCompression(e.codec),
		parquet.WithDictionaryDefault(true),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithStats(true),
		parquet.WithPageIndexEnabled(true),
		parquet.WithStoreDecimalAsInteger(true),
	}
	leaves, err := leafPaths(schema)
	if err != nil {
		return nil, err
	}
	for _, path := range leaves {
		leaf := path.String()
		properties = append(properties, parquet.WithDictionaryCostFallbackFor(leaf, true))
		if e.nan.plain[path[0]] || e.wide[path[0]] {
			properties = append(properties, parquet.WithDictionaryFor(leaf, false))
		}
		if e.nan.unbounded[path[0]] || e.wide[path[0]] {
			properties = append(properties, parquet.WithStatsFor(leaf, false), parquet.WithPageIndexEnabledFor(leaf, false))
		}
	}
	pw, err := pqarrow.NewFileWriter(schema, writerOnly{w}, parquet.NewWriterProperties(properties...), pqarrow.NewArrowWriterProperties())
	if err == nil && sparkVersion != "" {
		err = pw.AppendKeyValueMetadata(sparkVersionKey, sparkVersion)
	}
	if err == nil && e.run != "" {
		err = pw.AppendKeyValueMetadata(runKey, e.run)
	}
	return pw, err
}

func leafPaths(schema *arrow.Schema) ([]parquet.ColumnPath, error) {
	stored, err := pqarrow.ToParquet(schema, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	paths := make([]parquet.ColumnPath, stored.NumColumns())
	for i := range paths {
		paths[i] = stored.Column(i).ColumnPath()
	}
	return paths, nil
}

// writerOnly hides Close from a library that would call it.
type writerOnly struct{ io.Writer }

// counted counts what is written.
type counted struct {
	io.Writer
	bytes unit.Bytes
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += unit.Bytes(n)
	return n, err
}
