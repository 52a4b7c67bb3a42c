package fact

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// realPlans are the plans of testdata/plans.
func realPlans(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/plans/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d plans, %v", len(files), err)
	}
	plans := map[string]string{}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(content), wanted)
		_, body, _ := strings.Cut(text, "\n")
		plans[filepath.Base(path)] = body
	}
	return plans
}

func shapeOfText(text string) string {
	p := plan{text: text}
	return shapeOf(p, p.readable().roots)
}

var (
	anyID      = regexp.MustCompile(`#(\d+)`)
	planID     = regexp.MustCompile(`plan_id=\d+`)
	partitions = regexp.MustCompile(`(hashpartitioning\(.*), 2\)`)
	statistics = regexp.MustCompile(`sizeInBytes=[^,)]*`)
)

// Other ids, plan ids, numbers of tasks and sizes make no other query.
func TestFingerprintIsStable(t *testing.T) {
	plans := realPlans(t)
	rapid.Check(t, func(r *rapid.T) {
		offset := rapid.IntRange(1, 1_000_000).Draw(r, "offset")
		tasks := rapid.IntRange(3, 4000).Draw(r, "tasks")
		for name, text := range plans {
			if strings.HasPrefix(name, "odd") || strings.HasPrefix(name, "literal") {
				continue // what looks like an id there is none
			}
			other := anyID.ReplaceAllStringFunc(text, func(id string) string {
				n, err := strconv.Atoi(id[1:])
				if err != nil {
					r.Fatal(err)
				}
				return "#" + strconv.Itoa(n+offset)
			})
			other = planID.ReplaceAllString(other, fmt.Sprintf("plan_id=%d", offset))
			other = partitions.ReplaceAllString(other, fmt.Sprintf("$1, %d)", tasks))
			other = statistics.ReplaceAllString(other, "sizeInBytes=1.0 B")
			if a, b := shapeOfText(text), shapeOfText(other); a != b {
				r.Fatalf("%s:\n%s\nis not\n%s", name, a, b)
			}
		}
	})
}

// Literals make no other query; columns, join types, operators and functions do.
func TestFingerprintTellsQueriesApart(t *testing.T) {
	plans := realPlans(t)
	tests := []struct {
		name, plan, old, new string
		same                 bool
	}{
		{"another number", "cast-key.txt", "10", "1234", true},
		{"another text", "dynamic-pruning.txt", "name#4644 = 1", "name#4644 = other", true},
		{"another column", "cast-key.txt", "ki", "kj", false},
		{"another table", "cast-key.txt", "spark_catalog.d.b", "spark_catalog.d.bb", false},
		{"another join type", "outer-joins.txt", "Join type: LeftOuter", "Join type: Inner", false},
		{"another comparison", "float-key.txt", "dd#3145 > 1.5", "dd#3145 < 1.5", false},
		{"another function", "window.txt", "Window", "Windows", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := plans[test.plan]
			if !strings.Contains(text, test.old) {
				t.Fatalf("%s does not hold %q", test.plan, test.old)
			}
			a, b := shapeOfText(text), shapeOfText(strings.ReplaceAll(text, test.old, test.new))
			if same := a == b; same != test.same {
				t.Errorf("same %v, want %v\n%s\n%s", same, test.same, a, b)
			}
		})
	}
}

// No two labels of a real log have one fingerprint.
func TestFingerprintsOfRealLogs(t *testing.T) {
	for _, fixture := range []string{"spark40-delta", "spark40-iceberg"} {
		seen := map[string]string{}
		for _, q := range readFacts(t, fixture).Queries {
			if other, ok := seen[q.Fingerprint]; ok {
				t.Errorf("%s: %q and %q are both %s", fixture, other, q.Query, q.Fingerprint)
			}
			seen[q.Fingerprint] = q.Query
		}
	}
}
