package iceberg

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"ajlo/job/object"
)

// ErrNoTable is wrapped when a folder holds no metadata file.
var ErrNoTable = errors.New("no Iceberg metadata file in metadata/")

// metadataFile matches v12.metadata.json (folders are the catalog) and
// 00012-uuid.metadata.json (a catalog knows the newest), plain and compressed.
var metadataFile = regexp.MustCompile(`^(?:v(\d+)|(\d+)-[^/]+)(?:\.gz)?\.metadata\.json(?:\.gz)?$`)

// Holds reports whether the store's root is the folder of an Iceberg table.
func Holds(ctx context.Context, store object.Store) bool {
	for info, err := range store.List(ctx, "metadata/", "") {
		if err != nil {
			return false
		}
		if metadataFile.MatchString(path.Base(info.Key)) {
			return true
		}
	}
	return false
}

// newest finds the metadata file with the greatest number. Writers of folder tables put a
// hint beside them that may be behind, so it is not asked. A catalog that a folder table was registered
// with goes on from 0 beside the files of before: numbers of both kinds say nothing of each other.
func newest(ctx context.Context, store object.Store) (key string, err error) {
	greatest, rival := int64(-1), ""
	var ofFolder, ofCatalog string
	for info, err := range store.List(ctx, "metadata/", "") {
		if err != nil {
			return "", err
		}
		n, ok := metadataNumber(path.Base(info.Key))
		if ok && strings.HasPrefix(path.Base(info.Key), "v") {
			ofFolder = info.Key
		} else if ok {
			ofCatalog = info.Key
		}
		switch {
		case !ok || n < greatest:
		case n == greatest:
			rival = info.Key
		default:
			greatest, key, rival = n, info.Key, ""
		}
	}
	if key == "" {
		return "", fmt.Errorf("%w of %s", ErrNoTable, store.URL())
	}
	if ofFolder != "" && ofCatalog != "" {
		return "", fmt.Errorf("%s is of a table whose folder is its catalog, %s of one with a catalog: only that knows which counts; move files of the first kind away if it was registered with the catalog", ofFolder, ofCatalog)
	}
	if rival != "" {
		return "", fmt.Errorf("%s and %s have the same number: only the table's catalog knows which one counts; write to the table once, then look again", key, rival)
	}
	return key, nil
}

func metadataNumber(name string) (int64, bool) {
	found := metadataFile.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(found[1]+found[2], 10, 64)
	return n, err == nil
}

// maxMetadata bounds one metadata file unpacked: 1 GB are millions of snapshots.
const maxMetadata = 1 << 30

// gzipMagic starts every gzip stream: content counts, names differ between versions.
var gzipMagic = []byte{0x1f, 0x8b}

func readMetadata(ctx context.Context, store object.Store, key string) ([]byte, error) {
	data, err := store.ReadAll(ctx, key)
	if err != nil || !bytes.HasPrefix(data, gzipMagic) {
		return data, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", key, err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxMetadata+1))
	if err == nil && len(text) > maxMetadata {
		err = fmt.Errorf("more than %d bytes unpacked", maxMetadata)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", key, err)
	}
	return text, nil
}

// below gives the key of an address below the table's location; ok is false for one outside
// it, or one that climbs out.
func below(location, address string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(bare(address), bare(location)+"/")
	if !ok || path.Clean(rest) != rest || strings.HasPrefix(rest, "../") {
		return address, false
	}
	return rest, true
}

// bare gives one spelling to addresses that engines spell in several: file: URLs with one or
// three slashes, s3a and s3n.
func bare(address string) string {
	if rest, ok := strings.CutPrefix(address, "file:"); ok {
		return "/" + strings.TrimLeft(rest, "/")
	}
	for _, scheme := range []string{"s3a://", "s3n://"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok {
			return "s3://" + rest
		}
	}
	return address
}
