package factcache_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
)

// factsGolden has a factsVersion and the SHA-256 of the facts that it gives of the testdata's
// logs.
const factsGolden = "testdata/factsversion"

var factsVersion = regexp.MustCompile(`(?m)^const factsVersion = (\d+)$`)

// Whatever changes what a log gives raises factsVersion: kept facts of the version before
// would be taken for facts of this one.
func TestFactsVersionIsRaised(t *testing.T) {
	golden, code := fileText(t, factsGolden), fileText(t, "../cached.go")
	was, sum, ok := strings.Cut(strings.TrimSpace(golden), " ")
	version := factsVersion.FindStringSubmatch(code)
	if !ok || version == nil {
		t.Fatalf("%s is %q, the version in job/cached.go %q", factsGolden, golden, version)
	}
	got := factsSum(t)
	switch {
	case version[1] == was && got != sum:
		t.Errorf("the facts of the testdata's logs changed, and factsVersion is still %s: raise it in job/cached.go, and write it and %s into %s",
			was, got, factsGolden)
	case version[1] != was:
		t.Errorf("factsVersion is %s, and %s is of %s: write %q into it", version[1], factsGolden, was, version[1]+" "+got)
	}
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func factsSum(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	for _, folder := range []string{"../../testdata/spark40-delta/eventlogs", "../../testdata/spark40-iceberg/eventlogs", "../fact/testdata/logs", "../eventlog/testdata"} {
		fsys := os.DirFS(folder)
		applications, err := eventlog.Find(fsys, ".")
		if err != nil || len(applications) == 0 {
			t.Fatalf("%s: %d applications, %v", folder, len(applications), err)
		}
		for _, a := range applications {
			var r eventlog.Reading
			facts, err := fact.Extract(eventlog.Events(t.Context(), fsys, a, &r))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewEncoder(sum).Encode([]any{facts, r.Problems}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
