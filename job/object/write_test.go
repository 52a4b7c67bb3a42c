package object

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Where a file system makes no nameless files, one is under a temporary name until it is whole.
func TestTemporaryNames(t *testing.T) {
	for _, tt := range []struct {
		name  string
		taken bool
		end   func(*localWriter) error
		want  error
		left  map[string]string
	}{
		{"closed", false, (*localWriter).Close, nil, map[string]string{"x": "new"}},
		{"aborted", false, (*localWriter).Abort, nil, map[string]string{}},
		{"somebody was first", true, (*localWriter).Close, ErrExists, map[string]string{"x": "theirs"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "x")
			f, err := os.Create(unfinished(name))
			if err != nil {
				t.Fatal(err)
			}
			w := &localWriter{file: f, key: "x", name: name, temporary: f.Name()}
			if _, err := w.Write([]byte("new")); err != nil {
				t.Fatal(err)
			}
			if tt.taken {
				if err := os.WriteFile(name, []byte("theirs"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := tt.end(w); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != len(tt.left) {
				t.Errorf("left %v, %v", entries, err)
			}
			for name, want := range tt.left {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
					t.Errorf("%s is %q, %v", name, got, err)
				}
			}
		})
	}
}
