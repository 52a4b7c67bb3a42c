package factcache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"ajlo/job/factcache"
	"ajlo/job/predicate"
)

func TestContract(t *testing.T) {
	text, err := os.ReadFile("../../schema/facts.parquet.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "```\n")
	if len(parts) != 3 {
		t.Fatalf("schema/facts.parquet.md has %d parts, want one block of code", len(parts))
	}
	if d := cmp.Diff(parquet.SchemaOf(factcache.Row{}).String()+"\n", parts[1]); d != "" {
		t.Errorf("schema/facts.parquet.md (-code +contract); a change is a new Format:\n%s", d)
	}
}

var key = factcache.Key{
	Source: "/logs", Place: "eventlog_v2_local-1", Parts: []string{"eventlog_v2_local-1/events_1"}, Bytes: 12,
	Modified: time.Date(2026, 11, 29, 1, 2, 3, 4, time.UTC), Code: "1",
}

// some is an application that fills every column.
func some() factcache.Application {
	return factcache.Application{App: "local-1", Executions: 3, Cores: 2, Rows: []factcache.Row{{
		App: "local-1", Execution: 7, Query: "q", Fingerprint: "f", Start: -1, WallMS: 2, TaskMS: 3, TasksMeasured: true, Status: "succeeded",
		Scans: []factcache.Scan{{Table: "t", Location: "/t", Format: "delta", FilesRead: 1, BytesRead: 2, Rows: 3, Measured: true,
			Predicate: []factcache.Node{{Op: "eq", Column: "c", Values: []factcache.Value{{Kind: "int", Int: 1 << 60}}}}, RunTime: []string{"p"}}},
		Joins: []factcache.Join{{Left: []factcache.Column{{Table: "t", Column: "c"}}, Right: []factcache.Column{{Table: "u", Column: "c"}}, Type: "inner", Build: "right", Expression: []string{"x"}}},
		Lost:  factcache.Lost{Predicates: 1, Joins: 2},
	}}}
}

func put(t *testing.T, folder string, k factcache.Key, a factcache.Application) {
	t.Helper()
	if _, err := opened(t, folder).Put(t.Context(), k, a); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, folder string) factcache.Folder {
	t.Helper()
	f, err := factcache.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// only is the one file of a folder.
func only(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files, %v, want 1", len(entries), err)
	}
	return filepath.Join(folder, entries[0].Name())
}

// Whatever the rows hold, they come back the same: bytes that are no UTF-8, NaN, empty lists.
func TestRowsComeBack(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cache")
	rapid.Check(t, func(r *rapid.T) {
		a := factcache.Application{App: "a", Rows: rapid.SliceOfN(rapid.Make[factcache.Row](), 0, 2).Draw(r, "rows")}
		f, err := factcache.Open(t.Context(), folder)
		if err != nil {
			r.Fatal(err)
		}
		if _, err := f.Put(t.Context(), key, a); err != nil {
			r.Fatal(err)
		}
		if f, err = factcache.Open(t.Context(), folder); err != nil {
			r.Fatal(err)
		}
		got, ok := f.Get(t.Context(), key)
		if !ok {
			r.Fatal("what was put is not there")
		}
		if d := cmp.Diff(a, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
			r.Fatal(d)
		}
	})
}

func TestPredicatesComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := predicates(4).Draw(r, "predicate")
		got, err := factcache.Tree(factcache.Flatten(&want))
		if err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(&want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); d != "" {
			r.Fatal(d)
		}
	})
}

func predicates(depth int) *rapid.Generator[predicate.Predicate] {
	return rapid.Custom(func(t *rapid.T) predicate.Predicate {
		p := predicate.Predicate{Op: predicate.Op(rapid.SampledFrom([]string{"and", "not", "eq", "in", "unknown"}).Draw(t, "op"))}
		if depth > 0 {
			p.Args = rapid.SliceOfN(predicates(depth-1), 0, 3).Draw(t, "args")
		}
		for range rapid.IntRange(0, 3).Draw(t, "values") {
			v := rapid.Make[predicate.Value]().Draw(t, "value")
			v.Kind %= predicate.LocalTime + 1
			p.Values = append(p.Values, v)
		}
		return p
	})
}

func TestNodesThatAreNoTree(t *testing.T) {
	if p, err := factcache.Tree(factcache.Flatten(nil)); p != nil || err != nil {
		t.Errorf("%v, %v, want nothing", p, err)
	}
	chain := make([]factcache.Node, 20_000)
	for i := range chain {
		chain[i] = factcache.Node{Op: "not", Args: 1}
	}
	for _, c := range []struct {
		name  string
		nodes []factcache.Node
	}{
		{"an argument is missing", []factcache.Node{{Op: "and", Args: 2}, {Op: "unknown"}}},
		{"a second tree", []factcache.Node{{Op: "unknown"}, {Op: "unknown"}}},
		{"a kind of later versions", []factcache.Node{{Op: "eq", Values: []factcache.Value{{Kind: "interval"}}}}},
		{"too deep", append(chain, factcache.Node{Op: "unknown"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p, err := factcache.Tree(c.nodes); err == nil {
				t.Errorf("gives %v", p)
			}
		})
	}
}

// Facts are believed for the very log and code they were made from.
func TestKeys(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, key, some())
	for _, c := range []struct {
		name   string
		change func(*factcache.Key)
	}{
		{"another size", func(k *factcache.Key) { k.Bytes++ }},
		{"another time", func(k *factcache.Key) { k.Modified = k.Modified.Add(time.Nanosecond) }},
		{"other code", func(k *factcache.Key) { k.Code = "2" }},
		{"another part", func(k *factcache.Key) { k.Parts = append(k.Parts, "events_2") }},
		{"another source", func(k *factcache.Key) { k.Source = "/other" }},
		{"another place", func(k *factcache.Key) { k.Place = "other" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := key
			c.change(&other)
			if _, ok := opened(t, folder).Get(t.Context(), other); ok {
				t.Error("is believed")
			}
		})
	}
	if a, ok := opened(t, folder).Get(t.Context(), key); !ok || a.Rows[0].Execution != 7 {
		t.Errorf("%v, %v", a, ok)
	}
}

// A log that grew has one file, not two.
func TestLaterFactsTakeThePlaceOfEarlier(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, key, some())
	first := only(t, folder)
	grown := key
	grown.Bytes++
	put(t, folder, grown, some())
	if only(t, folder) == first {
		t.Error("the first file is still there")
	}
}

func TestDamageIsNotBelieved(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, key, some())
	file := only(t, folder)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../../testdata/expected-joins.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := opened(t, folder).Get(t.Context(), key); ok {
			t.Errorf("%s: is believed", name)
		}
		if _, _, err := opened(t, folder).Read(t.Context(), filepath.Base(file)); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: the error is %v, want one that names the file", name, err)
		}
	}
	for n := 0; n < len(whole); n += 61 {
		check("cut", whole[:n])
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1
		check("a bit flipped", flipped)
	}
	check("longer", append(bytes.Clone(whole), 0))
	check("foreign", other)
	put(t, folder, key, some())
	if _, ok := opened(t, folder).Get(t.Context(), key); !ok {
		t.Error("a damaged file is not written again")
	}
}

func TestForItsOwnerAlone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	put(t, folder, key, some())
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Dir(folder): 0o700, only(t, folder): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

// A process that was killed while it wrote leaves nothing that is believed, and the next
// sweep clears it away, but not what another process is writing now.
func TestKilledWhileWriting(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, key, some())
	whole, err := os.ReadFile(only(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(only(t, folder), filepath.Join(folder, ".ajlo-tmp-1")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".ajlo-tmp-1"), whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	f := opened(t, folder)
	if _, ok := f.Get(t.Context(), key); ok || len(f.Strangers()) > 0 {
		t.Error("half a file is believed")
	}
	if err := f.Sweep(t.Context(), key.Source, nil, time.Now(), 0); err != nil {
		t.Error(err)
	}
	only(t, folder)
	if err := f.Sweep(t.Context(), key.Source, nil, time.Now().Add(2*time.Hour), 0); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v were left", entries, err)
	}
}

// Facts of logs that are gone go too; those of other sources, and foreign files, stay.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	gone, other := key, key
	gone.Place, other.Source = "gone", "/other"
	for _, k := range []factcache.Key{key, gone, other} {
		put(t, folder, k, some())
	}
	if err := os.WriteFile(filepath.Join(folder, "notes.parquet"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := opened(t, folder).Sweep(t.Context(), key.Source, []string{key.Place}, time.Now(), time.Hour); err != nil {
		t.Fatal(err)
	}
	f := opened(t, folder)
	if _, spared := f.Get(t.Context(), gone); !spared {
		t.Error("facts of another log went before their time")
	}
	if err := f.Sweep(t.Context(), key.Source, []string{key.Place}, time.Now().Add(2*time.Hour), time.Hour); err != nil {
		t.Fatal(err)
	}
	f = opened(t, folder)
	for k, want := range map[*factcache.Key]bool{&key: true, &gone: false, &other: true} {
		if _, got := f.Get(t.Context(), *k); got != want {
			t.Errorf("%s in %s: there %v, want %v", k.Place, k.Source, got, want)
		}
	}
	if d := cmp.Diff([]string{"notes.parquet"}, f.Strangers()); d != "" {
		t.Errorf("files that ajlo did not write (-want +got)\n%s", d)
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := factcache.Open(t.Context(), file); err == nil {
		t.Error("a file is opened as a folder")
	}
	folder := filepath.Join(filepath.Dir(file), "folder")
	f := opened(t, folder)
	if err := os.Symlink(file, folder); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Put(t.Context(), key, some()); err == nil {
		t.Error("facts were put into a file")
	}
}
