package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ajlo/job/table"
	"ajlo/job/unit"
)

// Bounds of numbers. Beyond them a figure is a slip of the pen, not a wish.
const (
	maxHorizon = 520   // windows: ten years of weeks
	maxRate    = 0.999 // per window; at 1 the future is worth nothing
	maxWeight  = 1000
	minShare   = 1e-6
	maxPrice   = 1e6 // for a terabyte, in any currency
	maxDays    = 366 // of logs in one window
	day        = 24 * time.Hour
)

// ParseSpan reads a length of time: "7d", "36h", "1d12h".
func ParseSpan(text string) (time.Duration, error) { return parseSpan(text, maxDays) }

// maxAge is more than auditors ask for.
const maxAge = 100 * 366 // days

// ParseAge reads a length of time that may be longer than a window: "400d".
func ParseAge(text string) (time.Duration, error) { return parseSpan(text, maxAge) }

func parseSpan(text string, most int) (time.Duration, error) {
	wrong := fmt.Errorf("length of time %q: want days or hours from 1m to %dd, such as 7d or 36h", text, most)
	rest, total := text, time.Duration(0)
	if days, after, found := strings.Cut(text, "d"); found {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, wrong
		}
		rest, total = after, time.Duration(n)*day
	}
	if rest != "" {
		part, err := time.ParseDuration(rest)
		if err != nil || part < 0 || part > time.Duration(most)*day {
			return 0, wrong
		}
		total += part
	}
	if total < time.Minute || total > time.Duration(most)*day {
		return 0, wrong
	}
	return total, nil
}

// number reads a number from low to high; NaN and the infinities lie outside.
func number(low, high float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= low && n <= high) {
			return 0, fmt.Errorf("number %q: want one from %v to %v", text, low, high)
		}
		return n, nil
	}
}

// count reads a whole number from low to high.
func count(low, high int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("number %q: want a whole one from %d to %d", text, low, high)
		}
		return n, nil
	}
}

// maxCurrency is how many characters the name of a currency has at most.
const maxCurrency = 8

func currency(text string) (string, error) {
	if text == "" || len(text) > maxCurrency || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) }) {
		return "", fmt.Errorf("currency %q: want a sign or a code, such as USD", text)
	}
	return text, nil
}

func notEmpty(text string) (string, error) {
	if text == "" {
		return "", errors.New("an empty name: give a fingerprint or a description")
	}
	return text, nil
}

func atLeast(low unit.Bytes) func(string) (unit.Bytes, error) {
	return func(text string) (unit.Bytes, error) {
		size, err := unit.ParseBytes(text)
		if err == nil && size < low {
			err = fmt.Errorf("size %q: want at least %v", text, low)
		}
		return size, err
	}
}

func yesNo(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%q: want true or false", text)
}

// path makes a path absolute, starting from the config file's folder. URLs stay as they
// are; one of a local file becomes its path.
func (r *reader) path(text string) (string, error) {
	if text == "" || strings.ContainsRune(text, 0) {
		return "", errors.New("an empty path: name a folder, a file or a URL")
	}
	if err := CheckPublic(text); err != nil {
		return "", err
	}
	local, isFile := strings.CutPrefix(text, "file://")
	if !isFile && strings.Contains(text, "://") {
		return clean(text), nil
	}
	if filepath.IsAbs(local) {
		return filepath.Clean(local), nil
	}
	if isFile {
		return "", fmt.Errorf("URL %q: a file URL has three slashes and an absolute path", text)
	}
	return filepath.Join(r.dir, local), nil
}

// folder is a path on this machine.
func (r *reader) folder(text string) (string, error) {
	path, err := r.path(text)
	if err == nil && strings.Contains(path, "://") {
		return "", fmt.Errorf("%q is not on local disk: name a folder", text)
	}
	return path, err
}

// stateStorage are the schemes of storage that keeps a state.
var stateStorage = []string{"s3", "s3a", "s3n", "gs", "azblob", "hdfs", "webhdfs", "swebhdfs"}

// stateFile is a path on this machine or an object in a storage that writes only where nothing
// is.
func (r *reader) stateFile(text string) (string, error) {
	location, err := r.path(text)
	scheme, object, found := strings.Cut(location, "://")
	if err != nil || !found {
		return location, err
	}
	if !slices.Contains(stateStorage, scheme) {
		return "", fmt.Errorf("%q: a state is kept on local disk or in s3://, gs://, azblob:// or hdfs://", text)
	}
	if bucket, key, _ := strings.Cut(object, "/"); bucket == "" || key == "" {
		return "", fmt.Errorf("%q names no state: write %s://BUCKET/FOLDER/ajlo.db", text, scheme)
	}
	return location, nil
}

// clean drops the slashes at the end, as locations are kept without.
func clean(location string) string {
	if short := strings.TrimRight(location, "/"); short != "" {
		return short
	}
	return location
}

// listener is a file on this machine or an address of the web.
func (r *reader) listener(text string) (string, error) {
	if isWeb(text) {
		return text, nil
	}
	return r.folder(text)
}

// server is an address of the web without a user's name and password, which would be printed.
func server(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || !isWeb(text) || u.User != nil {
		return "", errors.New("want the URL of a server, which starts with https:// or http:// and holds no user")
	}
	return clean(text), nil
}

func isWeb(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// variable is a name of the environment's.
var variable = regexp.MustCompile(`^env:[A-Za-z_][A-Za-z0-9_]*$`)

// fromEnvironment reads a secret, which must not stand in the config itself.
func fromEnvironment(text string) (Secret, error) {
	if !variable.MatchString(text) {
		return "", errors.New("a token does not stand in a config: write env:NAME and set that variable of the environment")
	}
	return Secret(text), nil
}

// webAddress reads a URL that may be a secret; faults do not show it.
func webAddress(text string) (Secret, error) {
	if !variable.MatchString(text) && !isWeb(text) {
		return "", errors.New("want a URL that starts with https:// or http://, or env:NAME for one in the environment")
	}
	return Secret(text), nil
}

// Bounds of what a signal is waited for: a night has other things to do.
const (
	minLimit = 100 * time.Millisecond
	maxLimit = time.Minute
)

func limit(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < minLimit || d > maxLimit {
		return 0, fmt.Errorf("time limit %q: want one from %v to %v, such as 10s", text, minLimit, maxLimit)
	}
	return d, nil
}

func tableName(text string) (table.Name, error) {
	if text == "" || strings.Contains(text, "*") {
		return "", fmt.Errorf("table name %q: want one table, such as tpch.orders", text)
	}
	return table.Name(strings.TrimPrefix(text, "spark_catalog.")), nil
}

// pattern reads an entry under `write:`. A bare `*` is refused: what may be rewritten is
// named.
func (r *reader) pattern(text string) (Pattern, error) {
	if Pattern(text).isLocation() {
		at, err := r.path(text)
		return Pattern(at), err
	}
	if _, err := tableName(strings.TrimSuffix(text, ".*")); err != nil {
		return "", fmt.Errorf("%q: want a table (tpch.orders), a database (tpch.*) or a location", text)
	}
	return Pattern(strings.TrimPrefix(text, "spark_catalog.")), nil
}
