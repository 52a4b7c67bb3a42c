package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ajlo": main,
	})
}

// TestCommandLine runs the sessions in testdata. $FIXTURE is a folder of real event logs and
// the Delta tables they ran on; a session that writes copies it first.
func TestCommandLine(t *testing.T) {
	fixture, err := filepath.Abs("../../testdata/spark40-delta")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FIXTURE", fixture)
			env.Setenv("ICEBERG", filepath.Join(filepath.Dir(fixture), "spark40-iceberg"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"copytree": copyTree,
			"cut":      cut,
			"tree":     tree,
			"zstdjunk": zstdJunk,
			"runof":    runOf,
			"firstadd": firstAdd,
		},
	})
}

// exits CODE COMMAND…: the command ends with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [argument …]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitText(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

func exitText(err error) string {
	text := err.Error()
	if code, ok := strings.CutPrefix(text, "exit status "); ok {
		return code
	}
	return text
}

// copytree FROM TO copies a folder.
func copyTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copytree from to")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

// cut FILE SIZE leaves the first SIZE bytes of a file.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut file size")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// tree FOLDER FILE lists the files of a folder with their SHA-256 in a file.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tree folder file")
	}
	var list strings.Builder
	folder := os.DirFS(ts.MkAbs(args[0]))
	ts.Check(fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		fmt.Fprintf(&list, "%x %s\n", sha256.Sum256(data), name)
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(list.String()), 0o600))
}

// zstdjunk FILE makes a file that begins as compressed logs do and holds none.
func zstdJunk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: zstdjunk file")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x28\xb5\x2f\xfdxxxx"), 0o600))
}

// runof FILE NAME: the environment's NAME is the run that the last line of a page names.
func runOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: runof file name")
	}
	found := regexp.MustCompile(`(?m)^run +([0-9a-f-]{36})`).FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("%s names no run", args[0])
	}
	ts.Setenv(args[1], found[1])
}

// firstadd COMMIT NEXT: a commit that takes out, as DELETE does, the first file that another put in.
func firstAdd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: firstadd commit next")
	}
	found := regexp.MustCompile(`"add":\{"path":"([^"]*)"`).FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("%s adds no file", args[0])
	}
	text := fmt.Sprintf(`{"commitInfo":{"timestamp":1700000000000,"operation":"DELETE","operationParameters":{}}}`+"\n"+
		`{"remove":{"path":"%s","deletionTimestamp":1,"dataChange":true,"partitionValues":{}}}`+"\n", found[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}
