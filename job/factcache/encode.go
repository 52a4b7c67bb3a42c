package factcache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Format is the form of the files. Files of another one are not read.
const Format = 2

// headerKey is the key of the header among the Parquet file's own metadata.
const headerKey = "ajlo.facts"

// Key says which log facts were made from, and by what.
type Key struct {
	Source   string    `json:"source"` // the folder of logs
	Place    string    `json:"place"`  // of the application's log below it
	Parts    []string  `json:"parts"`
	Bytes    int64     `json:"bytes"`    // of all parts, as stored
	Modified time.Time `json:"modified"` // of the part written last
	// Code is a version of all code that turns logs into facts.
	Code string `json:"code"`
}

func (k Key) equal(other Key) bool {
	return k.Source == other.Source && k.Place == other.Place && k.Code == other.Code && k.Bytes == other.Bytes &&
		k.Modified.Equal(other.Modified) && slices.Equal(k.Parts, other.Parts)
}

// Problem is a loss in reading the log.
type Problem struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // 0 where the file as a whole is meant
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// Application is what one log says.
type Application struct {
	App        string    `json:"app"`
	Executions int       `json:"executions"`
	Cores      int       `json:"cores"`
	Unread     bool      `json:"unread,omitempty"` // a file as a whole gave nothing
	Problems   []Problem `json:"problems,omitempty"`
	Rows       []Row     `json:"-"`
}

// header is what a file says of itself.
type header struct {
	Format int `json:"format"`
	Key
	Application
}

// pageBuffer is what each of the columns holds before it is written: most applications have
// a few hundred queries.
const pageBuffer = 16 << 10 // bytes

func encode(k Key, a Application) ([]byte, error) {
	text, err := json.Marshal(header{Format, k, a})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[Row](&file, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.PageBufferSize(pageBuffer), parquet.KeyValueMetadata(headerKey, string(text)))
	if _, err := w.Write(a.Rows); err != nil {
		return nil, errors.Join(fmt.Errorf("rows: %w", err), w.Close())
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	return file.Bytes(), nil
}

// decode reads a file whose digest was right. The library panics on some files that are not
// as it writes them; that is an error like any other.
func decode(file []byte) (h header, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("is damaged: %v", r)
		}
	}()
	opened, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return h, fmt.Errorf("is no Parquet file: %w", err)
	}
	text, ok := opened.Lookup(headerKey)
	if !ok {
		return h, errors.New("does not say which log it was made from")
	}
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return h, fmt.Errorf("its header cannot be read: %w", err)
	}
	if h.Format != Format || opened.Schema().String() != parquet.SchemaOf(Row{}).String() {
		return h, fmt.Errorf("has form %d, want %d: it was written by another version", h.Format, Format)
	}
	h.Rows, err = rowsOf(opened)
	return h, err
}

// batchRows are read at once: what a file says of its own length is not believed.
const batchRows = 256

func rowsOf(file *parquet.File) (rows []Row, err error) {
	reader := parquet.NewGenericReader[Row](file)
	defer func() { err = errors.Join(err, reader.Close()) }()
	batch := make([]Row, batchRows)
	for {
		n, err := reader.Read(batch)
		rows = append(rows, batch[:n]...)
		clear(batch) // the rows keep what it points to
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && (n == 0 || int64(len(rows)) > file.NumRows()) {
			err = io.ErrNoProgress
		}
		if err != nil {
			return nil, fmt.Errorf("rows: %w", err)
		}
	}
	if int64(len(rows)) != file.NumRows() {
		return nil, fmt.Errorf("has %d rows, want %d", len(rows), file.NumRows())
	}
	return rows, nil
}
