package object_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ajlo/job/object"
)

func open(t *testing.T, dir string) object.Store {
	t.Helper()
	s, err := object.OpenLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func keys(t *testing.T, s object.Store, prefix, after string) []string {
	t.Helper()
	found := []string{}
	for info, err := range s.List(t.Context(), prefix, after) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, info.Key)
	}
	return found
}

func TestListIsSortedByWholeKey(t *testing.T) {
	s := open(t, t.TempDir())
	all := []string{"a.b", "a/1", "a/2/x", "a0", "b/c", "log/00.json", "log/01.json", "log/02.json", "log2"}
	for _, k := range all {
		if err := s.PutIfAbsent(t.Context(), k, []byte(k)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, prefix, after string
		want                []string
	}{
		{"everything", "", "", all},
		{"a dot sorts before a slash", "a", "", []string{"a.b", "a/1", "a/2/x", "a0"}},
		{"one folder", "log/", "", []string{"log/00.json", "log/01.json", "log/02.json"}},
		{"after a key that is there", "log/", "log/00.json", []string{"log/01.json", "log/02.json"}},
		{"after a key that is not there", "log/", "log/01", []string{"log/01.json", "log/02.json"}},
		{"after a key in a subfolder", "", "a/1", []string{"a/2/x", "a0", "b/c", "log/00.json", "log/01.json", "log/02.json", "log2"}},
		{"half a name", "log/0", "log/02", []string{"log/02.json"}},
		{"nothing", "no/such/", "", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, keys(t, s, tt.prefix, tt.after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestListAgreesWithSortedKeys(t *testing.T) {
	part := rapid.StringMatching(`[ab.\-0/]{1,3}`)
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			r.Fatal(err)
		}
		s := open(t, dir)
		var want []string
		for _, k := range rapid.SliceOfN(part, 1, 12).Draw(r, "keys") {
			if s.PutIfAbsent(t.Context(), k, nil) == nil { // others are no keys, taken, or folders
				want = append(want, k)
			}
		}
		prefix, after := rapid.StringMatching(`[ab.]{0,2}/?`).Draw(r, "prefix"), part.Draw(r, "after")
		if strings.HasPrefix(prefix, "/") || strings.Contains(prefix, "./") {
			r.Skip("no prefix of a key")
		}
		want = slices.DeleteFunc(want, func(k string) bool { return !strings.HasPrefix(k, prefix) || k <= after })
		slices.Sort(want)
		if diff := cmp.Diff(append([]string{}, want...), keys(t, s, prefix, after)); diff != "" {
			r.Fatal(diff)
		}
	})
}

func TestKeysStayInside(t *testing.T) {
	parent := t.TempDir()
	outside := filepath.Join(parent, "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(parent, "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, root)
	for _, key := range []string{"", ".", "..", "../outside", "a/../../outside", outside, "a//b", "a/", "./a", "a\x00b"} {
		operations := map[string]func() error{
			"read":   func() error { _, err := s.ReadAll(t.Context(), key); return err },
			"open":   func() error { _, err := s.Open(t.Context(), key); return err },
			"create": func() error { _, err := s.Create(t.Context(), key); return err },
			"put":    func() error { return s.PutIfAbsent(t.Context(), key, nil) },
			"delete": func() error { return s.Delete(t.Context(), key) },
		}
		for name, operation := range operations {
			if err := operation(); !errors.Is(err, object.ErrBadKey) {
				t.Errorf("%s %q: got %v, want ErrBadKey", name, key, err)
			}
		}
	}
	for _, err := range s.List(t.Context(), "../", "") {
		if !errors.Is(err, object.ErrBadKey) {
			t.Errorf("list ../: got %v, want ErrBadKey", err)
		}
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "secret" {
		t.Errorf("the file outside is %q, %v", got, err)
	}
}

func TestPutIfAbsentHasOneWinner(t *testing.T) {
	dir := t.TempDir()
	var wins atomic.Int64
	var wait sync.WaitGroup
	const writers, versions = 8, 50
	for w := range writers {
		s := open(t, dir)
		wait.Go(func() {
			for v := range versions {
				err := s.PutIfAbsent(t.Context(), fmt.Sprintf("log/%03d", v), []byte{byte(w)})
				switch {
				case err == nil:
					wins.Add(1)
				case !errors.Is(err, object.ErrExists):
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if wins.Load() != versions {
		t.Errorf("%d wins for %d keys", wins.Load(), versions)
	}
	left := keys(t, open(t, dir), "", "")
	if len(left) != versions {
		t.Errorf("files after: %v", left)
	}
}

func TestCreate(t *testing.T) {
	s := open(t, t.TempDir())
	w, err := s.Create(t.Context(), "data/part-0")
	if err != nil {
		t.Fatal(err)
	}
	late, err := s.Create(t.Context(), "data/part-0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "hello"); err != nil {
		t.Fatal(err)
	}
	if half := keys(t, s, "data/part", ""); len(half) > 0 {
		t.Errorf("%v is seen before it is whole", half)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := late.Close(); !errors.Is(err, object.ErrExists) {
		t.Errorf("close of the second: %v, want ErrExists", err)
	}
	if _, err := s.Create(t.Context(), "data/part-0"); !errors.Is(err, object.ErrExists) {
		t.Errorf("third create: %v, want ErrExists", err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("abort after close: %v", err)
	}
	r, err := s.Open(t.Context(), "data/part-0")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if _, err := r.ReadAt(got, 2); err != nil || string(got) != "llo" || r.Size() != 5 {
		t.Errorf("read %q of %d bytes, %v", got, r.Size(), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	w, err := s.Create(t.Context(), "part-0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("close after abort: %v", err)
	}
	if left := keys(t, s, "", ""); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestErrorsNameTheKey(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		do   func() error
		want error
		text string
	}{
		{"read what is not there", func() error { _, err := s.ReadAll(t.Context(), "gone"); return err }, object.ErrNotFound, "read gone:"},
		{"open what is not there", func() error { _, err := s.Open(t.Context(), "gone"); return err }, object.ErrNotFound, "open gone:"},
		{"open a folder", func() error { _, err := s.Open(t.Context(), "folder"); return err }, nil, "open folder: it is a folder"},
		{"delete what is not there", func() error { return s.Delete(t.Context(), "gone") }, object.ErrNotFound, "delete gone:"},
		{"put below a file", func() error { return s.PutIfAbsent(t.Context(), "file/x", nil) }, nil, "put file/x:"},
		{"put where a folder is", func() error { return s.PutIfAbsent(t.Context(), "folder", nil) }, object.ErrExists, "put folder:"},
		{"canceled", func() error { return s.PutIfAbsent(canceled, "x", nil) }, context.Canceled, "put x:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do()
			if err == nil || !strings.HasPrefix(err.Error(), tt.text) || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %q wrapping %v", err, tt.text, tt.want)
			}
		})
	}
	if left := keys(t, s, "", ""); !slices.Equal(left, []string{"file"}) {
		t.Errorf("left: %v", left)
	}
}

func TestFolderThatMayNotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	s := open(t, dir)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := s.PutIfAbsent(t.Context(), "x", nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want a permission error", err)
	}
}

func TestDelete(t *testing.T) {
	for _, tt := range []struct {
		name  string
		there []string
		want  error
	}{
		{"a file", []string{"a/x"}, nil},
		{"a file that was never finished", []string{"a/.ajlo-tmp-x"}, nil},
		{"both", []string{"a/x", "a/.ajlo-tmp-x"}, nil},
		{"none", nil, object.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, t.TempDir())
			for _, key := range append(tt.there, "a/y") {
				if err := s.PutIfAbsent(t.Context(), key, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Delete(t.Context(), "a/x"); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if left := keys(t, s, "", ""); !slices.Equal(left, []string{"a/y"}) {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with space")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	encoded := strings.ReplaceAll(dir, " ", "%20")
	tests := []struct{ name, location, wrong string }{
		{"path", dir, ""},
		{"URL", "file://" + encoded, ""},
		{"URL as Spark writes it", "file:" + encoded, ""},
		{"URL with a host", "file://host" + encoded, `host "host"`},
		{"other storage", "hdfs://host/x", `storage "hdfs" is not supported`},
		{"no folder", filepath.Join(dir, "gone"), "no such file"},
		{"a file", file, "it is a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := object.Open(tt.location)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) || !strings.Contains(err.Error(), tt.location) {
					t.Errorf("got %v, want %q and the location", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := s.ReadAll(t.Context(), "file")
			if err != nil || !bytes.Equal(data, []byte("x")) || s.URL() != "file://"+encoded {
				t.Errorf("read %q, %v from %s", data, err, s.URL())
			}
		})
	}
}

func TestIsTemporary(t *testing.T) {
	for key, want := range map[string]bool{"_delta_log/.ajlo-tmp-X": true, "_delta_log/00.json": false, ".ajlo-tmp-X/a": false} {
		if got := object.IsTemporary(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
