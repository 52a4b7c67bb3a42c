package eventlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEveryCodecGivesTheSame(t *testing.T) {
	_, text := realLog(t, "spark40-iceberg")
	text = text[:bytes.LastIndexByte(text[:2<<20], '\n')+1]
	want, _ := readOne(t, text)
	for name, content := range everyCodec(t, text) {
		t.Run(name, func(t *testing.T) {
			got, r := readOne(t, content)
			if len(r.Problems) > 0 || !reflect.DeepEqual(want, got) {
				t.Errorf("%d events, not the %d of the text; problems %v", len(got), len(want), r.Problems)
			}
		})
	}
}

// Streams joined end to end, as writers leave them that were started again.
func TestJoinedStreams(t *testing.T) {
	one, two := []byte(`{"Event":"SparkListenerApplicationEnd","Time`), []byte(`stamp":5}`+"\n")
	want := []Event{ApplicationStart{ID: "a"}, ApplicationEnd{Time: millis(5)}}
	first, second := everyCodec(t, one), everyCodec(t, two)
	for _, name := range []string{"zstd", "gzip", "lz4", "lzf", "snappy"} {
		got, r := readOne(t, append(first[name], second[name]...))
		if diff := cmp.Diff(want, got); diff != "" || len(r.Problems) > 0 {
			t.Errorf("%s: problems %v, events (-want +got)\n%s", name, r.Problems, diff)
		}
	}
}

// Cut at any byte, every codec gives the text's beginning and then says that it was cut.
func TestEveryCodecCutAnywhere(t *testing.T) {
	_, text := realLog(t, "spark40-iceberg")
	text = text[:300_000]
	for name, content := range everyCodec(t, text) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			at := rapid.IntRange(8*headBytes, len(content)-1).Draw(t, "at")
			got, err := textOf(content[:at])
			if !bytes.HasPrefix(text, got) {
				t.Fatalf("%d bytes that are not the text's first", len(got))
			}
			whole := name == "plain" || len(got) == len(text)
			if !whole && !errors.Is(err, io.ErrUnexpectedEOF) && !boundary(name) {
				t.Fatalf("ended with %v", err)
			}
			// Blocks of zstd and of lz4's frames are as large as this text.
			if lost := at*len(text)/len(content) - len(got); lost > 4*sparkBlock && !strings.Contains(name, "zstd") && name != "lz4 frame" {
				t.Fatalf("%d bytes before the cut are lost", lost)
			}
		}))
	}
}

// boundary tells framings without an end of their own: cut between two blocks they are whole.
func boundary(name string) bool { return slices.Contains([]string{"lz4", "lzf", "snappy"}, name) }

func textOf(content []byte) ([]byte, error) {
	text, err := unpack(bufio.NewReader(bytes.NewReader(content)))
	if err != nil {
		return nil, err
	}
	defer text.release()
	var got bytes.Buffer
	_, err = text.WriteTo(&got)
	return got.Bytes(), err
}

// A flipped bit is found and named, and what stands before it counts.
func TestWrongChecksums(t *testing.T) {
	line := []byte(`{"Event":"SparkListenerApplicationEnd","Timestamp":5}` + "\n")
	noise := make([]byte, 4*sparkBlock) // no compression gains on it
	for i := range noise {
		noise[i] = byte(xxh32(binary.LittleEndian.AppendUint32(nil, uint32(i)), 1))
	}
	tests := []struct{ name, want string }{
		{"lz4", "damaged inside, what follows was read: an lz4 block has a wrong checksum"},
		{"gzip", "damaged from here on: gzip: invalid checksum"},
		{"zip", "damaged from here on: a zip entry has a wrong checksum"},
		{"zstd", "damaged from here on: CRC check failed"},
	}
	for _, test := range tests {
		content := everyCodec(t, append(bytes.Repeat(line, sparkBlock/len(line)+1), noise...))[test.name]
		content[len(content)-sparkBlock] ^= 1
		events, r := readOne(t, content)
		named := slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Reason == test.want && p.Count == 1 })
		if !named || len(events) < sparkBlock/len(line) {
			t.Errorf("%s: %d events, problems %v", test.name, len(events), r.Problems)
		}
	}
}

// What a head declares costs nothing until it is there.
func TestDeclaredSizes(t *testing.T) {
	tooLarge := "damaged from here on: " + errTooLarge.Error()
	huge := binary.AppendUvarint(nil, 1<<31)
	tests := []struct{ name, content, want string }{
		{"lz4 text", "LZ4Block\x2F\x10\x00\x00\x00\xFF\xFF\xFF\x7F\x00\x00\x00\x00", tooLarge},
		{"lz4 data", "LZ4Block\x2F\xFF\xFF\xFF\xFF\x10\x00\x00\x00\x00\x00\x00\x00", tooLarge},
		{"lz4 more than the stream's blocks", "LZ4Block\x20\x10\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00", "damaged from here on: " + errLZ4Head.Error()},
		{"snappy data", xerialMagic + "\x00\x00\x00\x01\x00\x00\x00\x01\x7F\xFF\xFF\xFF", tooLarge},
		{"snappy text", xerialMagic + "\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x05" + string(huge), tooLarge},
		{"zstd window", "\x28\xB5\x2F\xFD\x00\xFF\x01\x00\x00", "damaged from here on: window size exceeded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r Reading
			used := allocated(func() { _, r = readOne(t, []byte(test.content)) })
			if diff := cmp.Diff([]Problem{{File: "part", Reason: test.want, Count: 1}}, r.Problems); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
			if used > 4<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A gigabyte line out of less than a megabyte: memory has its bound, the line is named once
// and what follows it counts.
func TestBombs(t *testing.T) {
	const layer = 8 << 20
	x := bytes.Repeat([]byte("x"), layer)
	begin, end := []byte(`{"Event":"SparkListenerApplicationStart","App Name":"`), []byte("\"}\n"+`{"Event":"SparkListenerApplicationEnd","Timestamp":1}`+"\n")
	tests := []struct {
		name   string
		stored func(text []byte) []byte
		layers int
	}{
		{"zstd", func(text []byte) []byte { return compress(t, text) }, 128},
		{"gzip", func(text []byte) []byte { return asGzip(t, text) }, 16},
		{"lz4", func(text []byte) []byte { return appendLZ4Block(t, nil, text) }, 16},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			content := slices.Concat(test.stored(begin), bytes.Repeat(test.stored(x), test.layers), test.stored(end))
			var events []Event
			var r Reading
			used := allocated(func() { events, r = readOne(t, content) })
			if diff := cmp.Diff([]Event{ApplicationStart{ID: "a"}, ApplicationEnd{Time: millis(1)}}, events); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff([]Problem{{File: "part", Line: 1, Reason: fmt.Sprintf("line is longer than %d MiB", maxLine>>20), Count: 1}}, r.Problems); diff != "" {
				t.Errorf("problems (-want +got)\n%s", diff)
			}
			if size := int64(test.layers) * layer; len(content) > 1<<20 || r.Bytes < size {
				t.Errorf("%d bytes out of %d, want more than %d out of a megabyte", r.Bytes, len(content), size)
			}
			if used > 8*maxLine {
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}

// Sums of the xxHash project's own tests, and of each way through the loop.
func TestXXH32(t *testing.T) {
	tests := []struct {
		text string
		seed uint32
		want uint32
	}{
		{"", 0, 0x02CC5D05}, {"abc", 0, 0x32D153FF}, {"", 0x9E3779B1, 0x36B78AE7},
		{"Nobody inspects the spammish repetition", 0, 0xE2293B2F},
	}
	for _, test := range tests {
		if got := xxh32([]byte(test.text), test.seed); got != test.want {
			t.Errorf("%q, %#x: %#x, want %#x", test.text, test.seed, got, test.want)
		}
	}
}

func TestUnpackLZF(t *testing.T) {
	tests := []struct {
		name, data, want string
		size             int
		ok               bool
	}{
		{"literals", "\x02abc", "abc", 3, true},
		{"a copy", "\x02abc\x20\x02", "abcabc", 6, true},
		{"a copy that runs into itself", "\x00a\xE0\x05\x00", "aaaaaaaaaaaaaaa", 15, true},
		{"nothing", "", "", 0, true},
		{"too few literals", "\x05ab", "", 6, false},
		{"before the beginning", "\x00a\x20\x01", "", 4, false},
		{"more text than declared", "\x02abc\x20\x02", "", 5, false},
		{"less text than declared", "\x02abc", "", 4, false},
		{"a copy cut short", "\x02abc\xE0", "", 12, false},
	}
	for _, test := range tests {
		text := make([]byte, test.size)
		if ok := unpackLZF(text, []byte(test.data)); ok != test.ok || ok && string(text) != test.want {
			t.Errorf("%s: %v, %q", test.name, ok, text)
		}
	}
}

func TestPackedTooOften(t *testing.T) {
	content := []byte(`{"Event":"SparkListenerApplicationEnd"}`)
	for range maxLayers + 1 {
		content = asGzip(t, content)
	}
	_, r := readOne(t, content)
	if diff := cmp.Diff([]Problem{{File: "part", Reason: errLayers.Error(), Count: 1}}, r.Problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// No bytes make a decoder fail otherwise than by an error, or give more than they may.
func FuzzContainers(f *testing.F) {
	for _, content := range everyCodec(f, []byte(`{"Event":"SparkListenerApplicationEnd","Timestamp":1}`+"\n")) {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, err := unpack(bufio.NewReader(bytes.NewReader(content)))
		if err != nil {
			return
		}
		defer text.release()
		n, err := io.Copy(io.Discard, io.LimitReader(text, maxBlock))
		if err == nil && n == 0 && len(content) > 0 && codecOf(content) == plain {
			t.Error("plain text was lost")
		}
	})
}

// Each framing of our own against its writer: whatever the text, it comes back.
func TestFramingsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 400).Draw(t, "unit"), rapid.IntRange(1, 400).Draw(t, "times"))
		for name, content := range map[string][]byte{"lzf": asLZF(text), "snappy": asXerial(text)} {
			got, err := textOf(content)
			if err != nil || !bytes.Equal(text, got) {
				if codecOf(text) == plain {
					t.Fatalf("%s: %d of %d bytes, %v", name, len(got), len(text), err)
				}
			}
		}
	})
}

// Find looks inside what is packed: not every gzip is a log.
func TestFindLooksInside(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, content := range everyCodec(t, []byte("stderr of a container\n")) {
		fsys["text "+name] = &fstest.MapFile{Data: content}
	}
	logs := everyCodec(t, []byte(`{"Event":"SparkListenerLogStart"}`+"\n"))
	for name, content := range logs {
		fsys["log "+name] = &fstest.MapFile{Data: content}
	}
	found, err := Find(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if !strings.HasPrefix(a.Parts[0], "log ") {
			t.Errorf("%s is no log", a.Parts[0])
		}
	}
	if len(found) != len(logs) {
		t.Errorf("%d found of %d", len(found), len(logs))
	}
}
