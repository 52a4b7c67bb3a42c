package object

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Open is the store of a folder named by URL: file:///data/lake or a bare local path, which
// have to exist, s3://bucket/folder, gs://bucket/folder or azblob://container/folder. Spark's
// s3a and s3n are s3.
func Open(location string) (Store, error) {
	scheme, rest, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) {
		return OpenLocal(location)
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "file":
		return openFileURL(location)
	case "s3a", "s3n":
		scheme = "s3"
	case "s3", "gs", "azblob":
	default:
		return nil, fmt.Errorf("open %s: storage %q is not supported; use a local folder or a file://, s3://, gs:// or azblob:// URL", location, scheme)
	}
	u, err := url.Parse(scheme + ":" + rest)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	// Opening asks the network for nothing but credentials, which the SDKs bound in time.
	store, err := openBucket(context.Background(), u)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	return store, nil
}

func openFileURL(location string) (Store, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	if u.Host != "" && u.Host != "localhost" {
		return nil, fmt.Errorf("open %s: host %q in a file URL; write file:///path with three slashes", location, u.Host)
	}
	return OpenLocal(filepath.FromSlash(u.Path))
}
