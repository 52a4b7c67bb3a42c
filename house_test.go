// Package ajlo_test holds the house to its rules: what stands at the top, who may import whom,
// that packages say what they are for, and that the pieces stay small. What it finds is named
// with its place and the rule.
package ajlo_test

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The top level is fixed; what belongs to a part lives in its folder.
var topLevel = []string{
	"job", "state", "schema", "dags", "scripts", "testdata", "go.mod", "go.sum", "Dockerfile",
	"README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "house_test.go",
}

// stages in the order of a run: each may import those before it, and leaves.
var stages = []string{"eventlog", "fact", "joingraph", "drift", "plan", "script", "execute", "merge", "verify", "report"}

// leaves are used by stages and know none of them.
var leaves = []string{
	"unit", "table", "window", "pause", "schedule", "object", "hdfs", "bucket", "factcache", "catalog", "config", "predicate", "prune", "layout",
	"dialect", "delta", "iceberg", "lake", "rewrite", "signal",
}

// Sizes that keep a reader's place: files that scroll, functions that fit the screen.
const (
	maxFileLines     = 700
	longFunction     = 40   // lines
	shareOfShort     = 0.90 // of functions are shorter than that
	maxMedianLines   = 10   // of a function
	minPackageDoc    = 2    // lines
	minReasonOfATodo = 3    // words
)

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) && !built(name) {
			t.Errorf("%s: does not belong at the top level, which holds %s and dot files", name, strings.Join(topLevel, ", "))
		}
	}
}

// built reports whether git ignores the file as something that was built here.
func built(name string) bool {
	return name == "ajlo" || name == "dist" || hasEnding(name, []string{".test", ".prof"})
}

// source is one parsed Go file.
type source struct {
	path string // with slashes, from the top
	file *ast.File
	set  *token.FileSet
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) dir() string { return path.Dir(s.path) }

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	set := token.NewFileSet()
	for _, p := range files(t, ".go") {
		file, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{path: filepath.ToSlash(p), file: file, set: set})
	}
	if len(all) == 0 {
		t.Fatal("no Go files were found")
	}
	return all
}

// files lists the project's files whose names end in one of the given ways; all without one.
func files(t *testing.T, endings ...string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == ".cache" || e.Name() == "dist"):
			return fs.SkipDir
		case e.Type().IsRegular() && hasEnding(p, endings):
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func hasEnding(name string, endings []string) bool {
	return len(endings) == 0 || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

func TestImportDirections(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || strings.HasPrefix(s.path, "job/sparktest/") {
			continue // tests look at everything
		}
		for _, i := range s.file.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, own := strings.CutPrefix(imported, "ajlo/")
			if !own {
				continue
			}
			if rule := forbidden(s.dir(), to); rule != "" {
				t.Errorf("%s imports %s: %s", s.set.Position(i.Pos()), to, rule)
			}
		}
	}
}

// forbidden gives the rule that an import breaks, or nothing.
func forbidden(from, to string) string {
	switch {
	case to == "job/ajlo":
		return "nothing imports the command line"
	case strings.HasPrefix(to, "job/sparktest"):
		return "only tests use a real Spark"
	case to == "state" && from != "job":
		return "only job imports state"
	case to == "job" && from != "job/ajlo":
		return "only the command line imports job"
	}
	inFrom, inTo := part(from), part(to)
	stage, imports := slices.Index(stages, inFrom), slices.Index(stages, inTo)
	switch {
	case slices.Contains(leaves, inFrom) && imports >= 0:
		return "a leaf knows no stage"
	case stage >= 0 && imports > stage:
		return "a stage imports earlier stages only"
	}
	return ""
}

// part is the stage or leaf that a package belongs to: "execute" for job/execute/embedded.
func part(dir string) string {
	below, _ := strings.CutPrefix(dir, "job/")
	name, _, _ := strings.Cut(below, "/")
	return name
}

// Every folder under job is a stage, a leaf or one of the few that are neither, so that no
// package escapes the directions by being new.
func TestEveryPackageHasItsPlace(t *testing.T) {
	entries, err := os.ReadDir("job")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		neither := name == "ajlo" || name == "sparktest" || name == "testdata"
		if e.IsDir() && !neither && !slices.Contains(stages, name) && !slices.Contains(leaves, name) {
			t.Errorf("job/%s is neither a stage nor a leaf: put it into one of the lists in house_test.go", name)
		}
	}
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	comments := map[string][]string{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		comments[s.dir()] = append(comments[s.dir()], docLines(s)...)
	}
	for dir, docs := range comments {
		if len(docs) != 1 {
			t.Errorf("%s: %d files have a package comment, want one: %s", dir, len(docs), strings.Join(docs, " "))
		}
	}
}

// docLines gives the file's name where it has a package comment that is long enough.
func docLines(s source) []string {
	if s.file.Doc == nil || len(strings.Split(strings.TrimSpace(s.file.Doc.Text()), "\n")) < minPackageDoc {
		return nil
	}
	return []string{s.path}
}

func TestNamesOfPackages(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc", "base", "shared"}
	for _, s := range sources(t) {
		if slices.Contains(vague, s.file.Name.Name) || slices.Contains(vague, path.Base(s.dir())) {
			t.Errorf("%s: a package named %s says nothing: name the thing it holds", s.path, s.file.Name.Name)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if lines := s.set.File(s.file.Pos()).LineCount(); lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: it holds more than one idea", s.path, lines, maxFileLines)
		}
	}
}

func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				lengths = append(lengths, s.set.Position(f.End()).Line-s.set.Position(f.Pos()).Line+1)
			}
		}
	}
	slices.Sort(lengths)
	short, _ := slices.BinarySearch(lengths, longFunction)
	median, share := lengths[len(lengths)/2], float64(short)/float64(len(lengths))
	t.Logf("%d functions: median %d lines, %.1f %% under %d, longest %d", len(lengths), median, 100*share, longFunction, lengths[len(lengths)-1])
	if median > maxMedianLines || share < shareOfShort {
		t.Errorf("median %d lines, want at most %d; %.1f %% under %d lines, want %.0f %%", median, maxMedianLines, 100*share, longFunction, 100*shareOfShort)
	}
}

// A bare bool among other arguments says nothing at the call: two functions or a named type
// do. One that stands alone is what the function is about.
func TestNoBareBools(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.Params.NumFields() < 2 {
				continue
			}
			for _, p := range f.Type.Params.List {
				if name, ok := p.Type.(*ast.Ident); ok && name.Name == "bool" {
					t.Errorf("%s: %s takes a bare bool", s.set.Position(p.Pos()), f.Name.Name)
				}
			}
		}
	}
}

func TestNothingRegistersItself(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s: init runs unasked: let main fill in what is needed", s.set.Position(f.Pos()))
			}
		}
	}
}

// Lines that must not be in any text file of the project.
var (
	machinePath = regexp.MustCompile(`(^|[^\w./-])/(root|work|home)/`)
	todo        = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b:?(.*)`)
)

func TestTextIsFitForEveryMachine(t *testing.T) {
	for _, p := range files(t, ".go", ".md", ".py", ".sql", ".json", ".yaml", ".txt", ".txtar", ".env", ".mod", "Dockerfile", "/run", "/test", "/demo", "/soak", "/install-spark", "/make-testdata") {
		for n, line := range lines(t, p) {
			if machinePath.MatchString(line) {
				t.Errorf("%s:%d names a place on one machine: %s", p, n+1, strings.TrimSpace(line))
			}
			if reason := todo.FindStringSubmatch(line); p != "house_test.go" && reason != nil && len(strings.Fields(reason[2])) < minReasonOfATodo {
				t.Errorf("%s:%d: what is left to do, and why not now? %s", p, n+1, strings.TrimSpace(line))
			}
		}
	}
}

func lines(t *testing.T, p string) []string {
	t.Helper()
	f, err := os.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		all = append(all, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return all
}

// Libraries were tried and chosen once; a second one for the same need is not taken in.
func TestLibraries(t *testing.T) {
	mod := strings.Join(lines(t, "go.mod"), "\n")
	chosen := []string{
		"alecthomas/kong", "goccy/go-yaml", "goccy/go-json", "apache/arrow-go", "parquet-go/parquet-go",
		"klauspost/compress", "modernc.org/sqlite", "cenkalti/backoff", "lmittmann/tint", "schollz/progressbar",
		"google/go-cmp", "rogpeppe/go-internal", "pgregory.net/rapid",
	}
	for _, name := range chosen {
		if !strings.Contains(mod, name) {
			t.Errorf("go.mod: %s is missing, which was chosen for this job", name)
		}
	}
	others := []string{
		"spf13/cobra", "urfave/cli", "spf13/viper", "gopkg.in/yaml.v", "mattn/go-sqlite3", "stretchr/testify",
		"golang/mock", "uber.org/zap", "sirupsen/logrus", "bytedance/sonic", "xitongsys/parquet-go",
	}
	for _, name := range others {
		// Indirect ones came with a chosen library.
		direct := regexp.MustCompile(regexp.QuoteMeta(name) + `[^\n]* v[^\s]+\s*(\n|$)`)
		if direct.MatchString(mod) {
			t.Errorf("go.mod: %s stands beside the library chosen for the same need", name)
		}
	}
}
