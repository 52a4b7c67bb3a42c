package config

import (
	"errors"
	"testing"
)

// Whatever the file holds, Parse gives a checked configuration or a fault with its place.
func FuzzParse(f *testing.F) {
	f.Add([]byte(least))
	f.Add([]byte("sources: [{logs: x, path_map: {a: b}}]\nbudget:\n  rewrite: 1GB\nwrite: [a.*]\nwindow: 1d2h\n"))
	f.Add([]byte("\ufeffsources: &a [*a]\n--- |\n  x\n"))
	f.Add([]byte("budget: {<<: {rewrite: 1}}\nlake: {tables: [{name: a}]}\t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, "/etc/ajlo")
		if err == nil {
			if len(c.Sources) == 0 || c.Window <= 0 || c.Budget.Rewrite < 0 || c.Engine.TargetFileSize <= 0 || c.Hash() == "" {
				t.Fatalf("accepted %+v", c)
			}
			return
		}
		fault, ok := errors.AsType[*Error](err)
		if !ok || fault.Line < 1 || fault.Column < 1 || fault.Message == "" || err.Error() == "" {
			t.Fatalf("error %#v has no place or message", err)
		}
	})
}
