package config

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// secrets are the parts of a line that may be one: who asks in a URL, what follows its question mark, and
// what stands where a key wants env:NAME. The first group stays.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(://)[^\s/@"']+@`),
	regexp.MustCompile(`(://[^\s?"']*\?)[^\s"',}]+`),
	regexp.MustCompile(`(?i)((?:token|password|secret|webhook)["']?\s*:\s*["']?)[^\s"',}]+`),
}

// masked is a line as it may be shown; it is as wide as it was.
func masked(line string) string {
	for _, pattern := range secrets {
		line = pattern.ReplaceAllStringFunc(line, func(found string) string {
			kept := pattern.FindStringSubmatch(found)[1]
			rest := found[len(kept):]
			if strings.HasPrefix(rest, "env:") {
				return found
			}
			return kept + strings.Repeat("*", utf8.RuneCountInString(rest))
		})
	}
	return line
}

// CheckPublic refuses URLs that hold a password or a signature: what is read from there is named in
// messages, plans and the state.
func CheckPublic(location string) error {
	if !strings.Contains(location, "://") {
		return nil
	}
	u, err := url.Parse(location)
	if err != nil {
		return nil // whoever opens it says what is wrong
	}
	if _, secret := u.User.Password(); secret || u.RawQuery != "" {
		return errors.New("a URL with a password or a query: who may read is told by the environment of the storage's own SDK, never in the place")
	}
	return nil
}
