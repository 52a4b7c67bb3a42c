//go:build spark

package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"ajlo/job/execute"
	"ajlo/job/execute/embedded"
	"ajlo/job/lake"
	"ajlo/job/layout"
	"ajlo/job/object"
	"ajlo/job/plan"
	"ajlo/job/table"
	"ajlo/job/unit"
)

// made is one table as its maker describes it.
type made struct {
	Name    string         `json:"name"`
	Keys    []table.Column `json:"keys"`
	Refused string         `json:"refused"` // what a refusal must name, "" where there must be none
	Ask     []string       `json:"ask"`     // features of which more is asked
	Error   string         `json:"error"`   // why it could not be made

	before, after string // folders: as it was made, and rewritten
	changed       bool   // by the rewrite: an empty table is not
	version       int64  // of the rewrite's commit
}

func (m made) asks(feature string) bool { return slices.Contains(m.Ask, feature) }

// copyAside copies the table to where it stays as it was made.
func (m *made) copyAside(t *testing.T, folder string) {
	t.Helper()
	m.after, m.before = filepath.Join(folder, m.Name), filepath.Join(folder, "before", m.Name)
	if err := os.CopyFS(m.before, os.DirFS(m.after)); err != nil {
		t.Fatal(err)
	}
}

// rewrite rewrites the table, or holds that it is refused by name and stays as it was. It
// reports whether there is something to compare.
func (m *made) rewrite(t *testing.T) bool {
	t.Helper()
	before := digest(t, m.after)
	result, err := m.apply(t)
	if want := m.Refused; want != "" {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a refusal that names %q", m.Name, err, want)
		}
		if diff := cmp.Diff(before, digest(t, m.after)); diff != "" {
			t.Errorf("%s: the refused table changed: %s", m.Name, diff)
		}
		return false
	}
	if err != nil {
		t.Errorf("%s: rewrite: %v", m.Name, err)
		return false
	}
	m.changed, m.version = result.Changed, result.Version
	return true
}

// knowsBounds holds that every file has bounds of the keys, wherever the log keeps them.
func (m *made) knowsBounds(t *testing.T) {
	t.Helper()
	store, err := object.Open(m.after)
	if err != nil {
		t.Fatal(err)
	}
	s, err := lake.Open(t.Context(), store, table.Name(m.Name), table.Location(m.after))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		for _, key := range m.Keys {
			if b := f.Bounds[key]; f.Rows <= 0 || b.Min.IsNull() || b.Max.IsNull() {
				t.Errorf("%s: of file %s with %d rows, %s is from %v to %v", m.Name, f.Path, f.Rows, key, b.Min, b.Max)
			}
		}
	}
	if len(s.Files) == 0 {
		t.Errorf("%s has no files", m.Name)
	}
}

func (m *made) apply(t *testing.T) (execute.Result, error) {
	t.Helper()
	store, err := object.Open(m.after)
	if err != nil {
		t.Fatal(err)
	}
	engine := embedded.New(embedded.Options{
		Version: "conformance", NewID: uuid.NewString, Now: time.Now,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	s, err := lake.Open(t.Context(), store, table.Name(m.Name), table.Location(m.after))
	if err != nil {
		return execute.Result{}, err
	}
	step := plan.Step{
		Table: s.Table, Kind: plan.Rekey, Location: s.Location, Layout: m.layout(), Version: s.Version,
		SchemaHash: s.SchemaHash, Protocol: s.Protocol, Owner: s.Owner, Was: s.Layout, Declared: s.Declared, TargetFile: max(s.Bytes()/outputFiles, unit.KB),
	}
	if err := engine.Check(t.Context(), step); err != nil {
		return execute.Result{}, err
	}
	return engine.Apply(t.Context(), step, recorder{})
}

// outputFiles is about how many files a table becomes, so that its order shows.
const outputFiles = 3

// layout is Hilbert's curve on the keys, and for tables that are not clustered a sort on one.
func (m *made) layout() layout.Layout {
	order := layout.Hilbert
	if len(m.Keys) == 1 && !m.asks("clustered") {
		order = layout.Sort
	}
	return layout.ClusteredBy(order, m.Keys...)
}

// recorder allows everything.
type recorder struct{}

func (recorder) Intend(context.Context, table.Location, []string) error { return nil }
func (recorder) Spend(unit.Bytes) error                                 { return nil }
func (recorder) Progress(_, _ unit.Bytes)                               {}
func (recorder) Stamp() execute.Stamp {
	return execute.Stamp{Run: "conformance", Step: 1, PlanHash: "none"}
}

// digest is every file below a folder with a hash of its bytes.
func digest(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		name, err := filepath.Rel(dir, path)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
