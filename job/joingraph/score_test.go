package joingraph

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"ajlo/job/table"
)

func TestJISOfThePapersExample(t *testing.T) {
	eachGolden(t, "factors", func(t *testing.T, part map[string]string) {
		var f Factors
		if _, err := fmt.Sscan(part["factors"], &f.F, &f.D, &f.C); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{
			"factors": part["factors"],
			"jis":     fmt.Sprintf("%.3f\n", f.JIS()),
			"mean":    fmt.Sprintf("%.3f\n", (f.F+f.D+f.C)/3),
		}
		if diff := cmp.Diff(part, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestScore(t *testing.T) {
	eachGolden(t, "score", func(t *testing.T, part map[string]string) {
		edges := parseEdges(t, part["edges"])
		Score(edges)
		var got strings.Builder
		for _, e := range edges {
			fmt.Fprintf(&got, "%s paper=%.6f jis=%.6f\n", e.Key, e.JISPaper, e.JIS)
		}
		if diff := cmp.Diff(part["scores"], got.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// eachGolden runs check on the parts of every file of a folder of testdata.
func eachGolden(t *testing.T, folder string, check func(*testing.T, map[string]string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Comment) == 0 {
				t.Error("the case does not say why it exists")
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			check(t, parts)
		})
	}
}

// parseEdges reads lines such as "a(k) = b(k) f=3 d=999 c=40"; d=? is not known.
func parseEdges(t *testing.T, text string) (edges []Edge) {
	t.Helper()
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 6 {
			t.Fatalf("edge %q: want six fields", line)
		}
		e := Edge{
			Key: EdgeKey(strings.Join(fields[:3], " ")), Self: fields[0] == fields[2],
			Left: table.Name(fields[0]), Right: table.Name(fields[2]), DSource: FromLake, CSource: FromTasks,
		}
		e.F = int64(number(t, fields[3], "f="))
		e.C = number(t, fields[5], "c=")
		if fields[4] == "d=?" {
			e.DSource = NoSource
		} else {
			e.D = number(t, fields[4], "d=")
		}
		edges = append(edges, e)
	}
	return edges
}

func number(t *testing.T, field, prefix string) float64 {
	t.Helper()
	text, ok := strings.CutPrefix(field, prefix)
	value, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil {
		t.Fatalf("field %q: want %s and a number", field, prefix)
	}
	return value
}

func TestScoreTogetherLeavesItsInputsAlone(t *testing.T) {
	before := parseEdges(t, "a(k) = b(k) f=10 d=999999 c=400\n")
	now := parseEdges(t, "a(k) = b(k) f=2 d=99 c=100\n")
	scoredBefore, scoredNow := ScoreTogether(before, now)
	if before[0].JIS != 0 || now[0].JIS != 0 {
		t.Errorf("inputs were scored: %v, %v", before[0].JIS, now[0].JIS)
	}
	if diff := cmp.Diff("1.000000 0.000125", fmt.Sprintf("%.6f %.6f", scoredBefore[0].JIS, scoredNow[0].JIS)); diff != "" {
		t.Error(diff)
	}
}

func drawEdges(t *rapid.T) []Edge {
	n := rapid.IntRange(1, 12).Draw(t, "edges")
	edges := make([]Edge, n)
	for i := range edges {
		edges[i] = Edge{
			Key:     EdgeKey("e" + strconv.Itoa(i)),
			F:       rapid.Int64Range(1, 1_000_000).Draw(t, "f"),
			D:       rapid.Float64Range(0, 1e24).Draw(t, "d"),
			C:       rapid.Float64Range(0, 1e9).Draw(t, "c"),
			Self:    rapid.Bool().Draw(t, "self"),
			DSource: rapid.SampledFrom([]CardinalitySource{FromLake, FromScan, NoSource}).Draw(t, "source"),
		}
	}
	return edges
}

func TestScoresStayBetweenTheFloorAndOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := drawEdges(t)
		Score(edges)
		for _, e := range edges {
			if !(e.JIS >= Floor*Floor*Floor*0.999999 && e.JIS <= 1) {
				t.Errorf("JIS %v of %+v", e.JIS, e)
			}
			if !(e.JISPaper >= 0 && e.JISPaper <= 1) {
				t.Errorf("JISPaper %v of %+v", e.JISPaper, e)
			}
		}
	})
}

func TestAnEdgeAboveAnotherInEveryFactorNeverScoresLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := drawEdges(t)
		Score(edges)
		for _, a := range edges {
			for _, b := range edges {
				above := a.F >= b.F && a.D >= b.D && a.C >= b.C && a.DSource != NoSource && b.DSource != NoSource
				if above && (a.JIS < b.JIS || a.JISPaper < b.JISPaper) {
					t.Errorf("%+v scores less than %+v", a, b)
				}
			}
		}
	})
}
