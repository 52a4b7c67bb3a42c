package fact

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is instead of comparing it with what was")

// compareGolden holds got against a file of testdata.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got)\n%s", path, diff)
	}
}

// The facts of some queries, whole and as others read them.
func TestGoldenFacts(t *testing.T) {
	for _, fixture := range []string{"spark40-delta", "spark40-iceberg"} {
		t.Run(fixture, func(t *testing.T) {
			facts := readFacts(t, fixture)
			Unify(facts.Queries)
			var text bytes.Buffer
			for _, q := range facts.Queries {
				if !slices.Contains([]string{"Q01", "Q03", "Q08", "T17", "B41", "M51", "M52", "D34"}, label(q)) {
					continue
				}
				line, err := json.MarshalIndent(q, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				text.Write(append(line, '\n'))
			}
			compareGolden(t, fixture+".json", text.Bytes())
		})
	}
}
