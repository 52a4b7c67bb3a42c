package joingraph_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ajlo/job/eventlog"
	"ajlo/job/fact"
	"ajlo/job/joingraph"
	"ajlo/job/window"
)

// versionGolden has a Version and the SHA-256 of the graphs that it gives of the testdata's logs.
const versionGolden = "testdata/version"

// Whatever changes a graph raises Version: windows of the version before would be compared as they
// were scored then.
func TestVersionIsRaised(t *testing.T) {
	golden, err := os.ReadFile(versionGolden)
	if err != nil {
		t.Fatal(err)
	}
	now := fmt.Sprintf("%d %s", joingraph.Version, graphSum(t))
	if was := strings.TrimSpace(string(golden)); was != now {
		t.Errorf("%s is %q, and the graphs of the testdata's logs are now %q: raise Version where they changed (facts alone that changed raise factsVersion), and write that into it", versionGolden, was, now)
	}
}

func graphSum(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	all := window.Window{Start: time.Unix(0, 0).UTC(), End: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, folder := range []string{"../../testdata/spark40-delta/eventlogs", "../../testdata/spark40-iceberg/eventlogs"} {
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
			if err := json.NewEncoder(sum).Encode(joingraph.Build(all, facts.Queries, nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
