package object

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Opener opens the store of a folder named by URL.
type Opener func(location string) (Store, error)

// Open is the store of a local folder that exists: file:///data/lake, or a bare path. Package
// bucket opens those of object storage.
func Open(location string) (Store, error) {
	if scheme := Scheme(location); !IsLocal(location) {
		return nil, fmt.Errorf("open %s: storage %q is not supported; use a local folder or a file:// URL", location, scheme)
	} else if scheme == "" {
		return OpenLocal(location)
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

// IsLocal reports whether a path or URL is on this machine.
func IsLocal(location string) bool {
	scheme := Scheme(location)
	return scheme == "" || scheme == "file"
}

// Split parts a path or URL into its folder and the last name: what Open takes, and a key there.
func Split(location string) (folder, name string) {
	at := strings.LastIndexAny(location, "/"+string(filepath.Separator))
	if at < 0 {
		return ".", location
	}
	return location[:at+1], location[at+1:]
}

// Scheme is the scheme of a URL, in small letters; none for a bare path.
func Scheme(location string) string {
	scheme, _, found := strings.Cut(location, ":")
	if !found || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) { // also C:\data
		return ""
	}
	return strings.ToLower(scheme)
}
