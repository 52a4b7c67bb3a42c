package factcache_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ajlo/job/factcache"
	"ajlo/job/object"
)

var night = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// file is a name of ours for each letter.
func file(letter string) string { return fmt.Sprintf("%08x-%016x-%032x.parquet", 1, 2, letter) }

// shard is the manifest of one shard of the night, written some minutes after it; its files go by
// letters.
func shard(part, of int, letters ...string) factcache.Manifest {
	files := []string{}
	for _, letter := range letters {
		files = append(files, file(letter))
	}
	return factcache.Manifest{Sources: []string{"/logs"}, Part: part, Of: of, Start: night.AddDate(0, 0, -7), End: night,
		Written: night.Add(time.Duration(part) * time.Minute), Files: files}
}

// moved is a manifest of another window.
func moved(m factcache.Manifest, by time.Duration) factcache.Manifest {
	m.Start, m.End, m.Written = m.Start.Add(by), m.End.Add(by), m.Written.Add(by)
	return m
}

func TestSets(t *testing.T) {
	elsewhere := shard(0, 1, "z")
	elsewhere.Sources = []string{"/other"}
	for _, c := range []struct {
		name      string
		manifests []factcache.Manifest
		want      [][]string
		missing   []string
	}{
		{"a whole", []factcache.Manifest{shard(0, 1, "a", "b")}, [][]string{{"a", "b"}}, nil},
		{"two shards", []factcache.Manifest{shard(1, 2, "b"), shard(0, 2, "a", "c")}, [][]string{{"a", "b", "c"}}, nil},
		{"a shard that was empty", []factcache.Manifest{shard(0, 2, "a"), shard(1, 2)}, [][]string{{"a"}}, nil},
		{"a shard that did not end", []factcache.Manifest{shard(0, 3, "a"), shard(2, 3, "b")}, nil, []string{"1/3"}},
		{"a shard of last night", []factcache.Manifest{shard(0, 2, "a"), moved(shard(1, 2, "b"), -24*time.Hour)}, nil, []string{"1/2"}},
		{"each by its own clock", []factcache.Manifest{shard(0, 2, "a"), moved(shard(1, 2, "b"), time.Hour)}, [][]string{{"a", "b"}}, nil},
		{"shared otherwise before", []factcache.Manifest{moved(shard(0, 2, "a"), -time.Hour), moved(shard(1, 2, "b"), -time.Hour), shard(0, 1, "c")}, [][]string{{"c"}}, nil},
		{"half shared otherwise", []factcache.Manifest{moved(shard(0, 1, "c"), -time.Hour), shard(0, 2, "a")}, nil, []string{"1/2"}},
		{"two groups of sources", []factcache.Manifest{shard(0, 1, "a"), elsewhere}, [][]string{{"a"}, {"z"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			for _, m := range c.manifests {
				if err := opened(t, folder).PutManifest(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
			fill(t, folder, c.manifests)
			sets, err := opened(t, folder).Sets(t.Context())
			var lacking *factcache.MissingShards
			if errors.As(err, &lacking) != (c.missing != nil) {
				t.Fatalf("the error is %v", err)
			}
			if lacking != nil {
				if d := cmp.Diff(c.missing, lacking.Shards); d != "" {
					t.Errorf("missing (-want +got)\n%s", d)
				}
				return
			}
			byFirst := map[string][]string{}
			for _, s := range sets {
				byFirst[s.Files[0]] = s.Files
			}
			want := map[string][]string{}
			for _, letters := range c.want {
				files := shard(0, 1, letters...).Files
				want[files[0]] = files
			}
			if d := cmp.Diff(want, byFirst); d != "" {
				t.Errorf("files (-want +got)\n%s", d)
			}
		})
	}
}

// fill makes the files of manifests.
func fill(t *testing.T, folder string, manifests []factcache.Manifest) {
	t.Helper()
	for _, m := range manifests {
		for _, name := range m.Files {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What a manifest names is in its folder, under a name of ours, or nothing is read.
func TestFilesThatAreNotThere(t *testing.T) {
	for _, name := range []string{file("x"), "../" + file("x"), "./" + file("a"), "../../../../dev/zero", "/etc/passwd", ""} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			m := shard(0, 1, "a")
			fill(t, folder, []factcache.Manifest{m})
			m.Files = append(m.Files, name)
			if err := opened(t, folder).PutManifest(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			var missing *factcache.MissingFile
			if sets, err := opened(t, folder).Sets(t.Context()); !errors.As(err, &missing) || missing.File != name {
				t.Errorf("%v, %v", sets, err)
			}
		})
	}
}

// A number of shards that no scheduler starts is no number of shards.
func TestTooManyShards(t *testing.T) {
	folder := t.TempDir()
	if err := opened(t, folder).PutManifest(t.Context(), shard(0, 2_000_000_000)); err != nil {
		t.Fatal(err)
	}
	if sets, err := opened(t, folder).Sets(t.Context()); err == nil || !strings.Contains(err.Error(), "shard 0 of 2000000000") {
		t.Errorf("%v, %v", sets, err)
	}
}

// A shard that is written again has one manifest; the window is what all shards have.
func TestShardThatIsWrittenAgain(t *testing.T) {
	folder := t.TempDir()
	for _, m := range []factcache.Manifest{shard(0, 1, "a"), moved(shard(0, 1, "b"), time.Hour)} {
		if err := opened(t, folder).PutManifest(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	manifest := only(t, folder)
	fill(t, folder, []factcache.Manifest{shard(0, 1, "b")})
	sets, err := opened(t, folder).Sets(t.Context())
	want := []factcache.Set{{Start: night.AddDate(0, 0, -7).Add(time.Hour), End: night.Add(time.Hour), Files: []string{file("b")}, Sources: []string{"/logs"}}}
	if d := cmp.Diff(want, sets); d != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, []byte(strings.Replace(string(text), "/logs", "/other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if sets, err := opened(t, folder).Sets(t.Context()); err == nil {
		t.Errorf("a manifest that was changed is believed: %v", sets)
	}
}

// What ajlo wrote is deleted, with the folder where nothing else is in it.
func TestDiscard(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "facts")
	put(t, folder, key, some())
	if err := opened(t, folder).PutManifest(t.Context(), shard(0, 1)); err != nil {
		t.Fatal(err)
	}
	foreign := []string{ // the second has as many characters as one of ours
		"notes.parquet", "part-100000-985eb45b-a792-4617-a304-91d2dcc1f2f3-c000.zstd.parquet", "manifest-of-a-project.json",
	}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "manifest-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := opened(t, folder).Discard(t.Context()); n != 2 || err != nil {
		t.Errorf("%d files, %v, want 2", n, err)
	}
	for _, name := range append(foreign, "manifest-folder") {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Errorf("what ajlo did not write is gone: %v", err)
		}
	}
	for range 2 {
		if n, err := opened(t, folder).Discard(t.Context()); n != 0 || err != nil {
			t.Errorf("%d files, %v, want none", n, err)
		}
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the empty folder is still there: %v", err)
	}
}

func TestFolderWithoutManifest(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, key, some())
	if sets, err := opened(t, folder).Sets(t.Context()); !errors.Is(err, factcache.ErrNoManifest) {
		t.Errorf("%v, %v", sets, err)
	}
}

// Object storage gives the same facts; what was put there twice is there once.
func TestStoredFacts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "bucket")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	store, err := object.OpenLocal(folder)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	for range 2 {
		f, err := factcache.OpenStored(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		if name, err = f.Put(t.Context(), key, some()); err != nil {
			t.Fatal(err)
		}
		if err := f.PutManifest(t.Context(), factcache.Manifest{Of: 1, Files: []string{name}}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := factcache.OpenStored(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := f.Sets(t.Context())
	if err != nil || len(sets) != 1 {
		t.Fatalf("%v, %v", sets, err)
	}
	if d := cmp.Diff([]string{name}, sets[0].Files); d != "" {
		t.Error(d)
	}
	found, a, err := f.Read(t.Context(), name)
	if err != nil || found.Place != key.Place {
		t.Fatalf("%v, %v", found, err)
	}
	if d := cmp.Diff(some(), a, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}
