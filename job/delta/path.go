package delta

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
)

// scheme is how an absolute URI starts. A relative path of Spark never looks like one: it
// encodes the colon.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// decodePath turns a path of the log into the key of the file below the table's folder.
// The log holds relative URIs: percent-encoded once, over names that may themselves hold a
// percent sign (a partition folder "a%3A0" is logged as "a%253A0").
func decodePath(raw string) (string, error) {
	if scheme.MatchString(raw) || strings.HasPrefix(raw, "/") {
		return "", fmt.Errorf("path %q is absolute; ajlo handles only files below the table's folder", raw)
	}
	key, err := url.PathUnescape(raw)
	if err != nil {
		return "", fmt.Errorf("path %q is not percent-encoded: %w", raw, err)
	}
	if !fs.ValidPath(key) || key == "." || strings.ContainsRune(key, 0) {
		return "", fmt.Errorf("path %q does not stay below the table's folder", raw)
	}
	return key, nil
}

// encodePath is the reverse, for keys that ajlo made.
func encodePath(key string) (string, error) {
	raw := (&url.URL{Path: key}).EscapedPath()
	back, err := decodePath(raw)
	if err == nil && back != key {
		err = errors.New("its encoding does not decode to it")
	}
	if err != nil {
		return "", fmt.Errorf("encode path %q: %w", key, err)
	}
	return raw, nil
}
