package bucket_test

import (
	"strings"
	"testing"

	"ajlo/job/bucket"
)

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct{ name, location, want string }{
		{"other storage", "ftp://host/x", `"ftp" is not supported`},
		{"no bucket", "s3:///x", "want s3://BUCKET/FOLDER"},
		{"settings in the address", "s3://b/x?region=y", "nothing more"},
		{"climbing out", "s3://b/../x", "not a clean relative path"},
		{"a host in a file URL", "file://host/x", "three slashes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := bucket.Open(c.location)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.location) {
				t.Errorf("error %v, want one that names %s and says %q", err, c.location, c.want)
			}
		})
	}
}
