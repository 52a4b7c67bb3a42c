package fact

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ajlo/job/predicate"
)

// wanted parts a file of testdata/plans: why the case exists and a plan of real Spark, then
// what is read from it.
const wanted = "---- facts\n"

// digestPlans reads the plans of an execution that no other hands anything.
func digestPlans(first, last plan, z zones) digest {
	return reader{zones: z, top: true}.digest(first, last)
}

// Plans of Spark 4.0.2 with Delta 4.0.1, one thing worth knowing in each.
func TestPlans(t *testing.T) { comparePlans(t, "testdata/plans/*.txt", 30) }

// comparePlans reads the plans of a folder, of which there are at least so many.
func comparePlans(t *testing.T, pattern string, least int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%d plans, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text, want, _ := strings.Cut(string(content), wanted)
			_, body, _ := strings.Cut(text, "\n")
			got := spellDigest(digestPlans(plan{}, plan{text: body}, zones{jvm: zone("America/New_York"), session: zone("Asia/Tokyo")}))
			if *update {
				want = got
				if err := os.WriteFile(path, []byte(text+wanted+got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func spellDigest(d digest) string {
	var b strings.Builder
	for _, s := range d.scans {
		fmt.Fprintf(&b, "scan %s %s %s\n", s.Format, s.Table, spellPredicate(s.Predicate))
	}
	for _, j := range d.joins {
		fmt.Fprintf(&b, "join %s %s", j.Type, j.Strategy)
		for i := range j.Left {
			fmt.Fprintf(&b, " %s=%s", j.Left[i], j.Right[i])
		}
		if len(j.Expression) > 0 {
			fmt.Fprintf(&b, " over %q", j.Expression)
		}
		b.WriteByte('\n')
	}
	if d.lost != (Lost{}) {
		fmt.Fprintf(&b, "lost %+v\n", d.lost)
	}
	return b.String()
}

func spellPredicate(p *predicate.Predicate) string {
	if p == nil {
		return "-"
	}
	parts := []string{}
	if p.Column != "" {
		parts = append(parts, string(p.Column))
	}
	for _, v := range p.Values {
		parts = append(parts, fmt.Sprintf("%q", v.Text()))
	}
	for i := range p.Args {
		parts = append(parts, spellPredicate(&p.Args[i]))
	}
	return string(p.Op) + "(" + strings.Join(parts, " ") + ")"
}
