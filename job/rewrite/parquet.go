package rewrite

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go/format"

	"ajlo/job/unit"
)

// rowGroupBytes is the size of a row group, Spark's parquet.block.size.
const rowGroupBytes = 128 * unit.MiB

// encoding is how files are compressed and what their names say about it, as Spark's do.
type encoding struct {
	codec     compress.Compression
	extension string
}

func encodingOf(codec format.CompressionCodec) encoding {
	switch codec {
	case format.Uncompressed:
		return encoding{compress.Codecs.Uncompressed, ".parquet"}
	case format.Gzip:
		return encoding{compress.Codecs.Gzip, ".gz.parquet"}
	case format.Brotli:
		return encoding{compress.Codecs.Brotli, ".br.parquet"}
	case format.Zstd:
		return encoding{compress.Codecs.Zstd, ".zstd.parquet"}
	case format.Lz4Raw:
		return encoding{compress.Codecs.Lz4Raw, ".lz4raw.parquet"}
	}
	return encoding{compress.Codecs.Snappy, ".snappy.parquet"}
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
		properties = append(properties, parquet.WithDictionaryCostFallbackFor(path, true))
	}
	pw, err := pqarrow.NewFileWriter(schema, writerOnly{w}, parquet.NewWriterProperties(properties...), pqarrow.NewArrowWriterProperties())
	if err != nil || sparkVersion == "" {
		return pw, err
	}
	return pw, pw.AppendKeyValueMetadata(sparkVersionKey, sparkVersion)
}

func leafPaths(schema *arrow.Schema) ([]string, error) {
	stored, err := pqarrow.ToParquet(schema, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	paths := make([]string, stored.NumColumns())
	for i := range paths {
		paths[i] = stored.Column(i).Path()
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
