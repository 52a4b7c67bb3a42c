package object

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Open is the store of a folder named by URL: file:///data/lake, or a bare local path. The
// folder has to exist.
func Open(location string) (Store, error) {
	scheme, _, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) {
		return OpenLocal(location)
	}
	if !strings.EqualFold(scheme, "file") {
		return nil, fmt.Errorf("open %s: storage %q is not supported; use a local folder or a file:// URL", location, scheme)
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", location, err)
	}
	if u.Host != "" && u.Host != "localhost" {
		return nil, fmt.Errorf("open %s: host %q in a file URL; write file:///path with three slashes", location, u.Host)
	}
	return OpenLocal(filepath.FromSlash(u.Path))
}
