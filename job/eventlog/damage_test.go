package eventlog

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// numbered is a log whose events say by their time which line they are.
func numbered(lines int) []byte {
	var text []byte
	for i := range lines {
		text = fmt.Appendf(text, `{"Event":"SparkListenerApplicationEnd","Timestamp":%d}`+"\n", i)
	}
	return text
}

// numbersOf are the lines that events came from.
func numbersOf(events []Event) (numbers []int64) {
	for _, e := range events {
		if end, ok := e.(ApplicationEnd); ok {
			numbers = append(numbers, end.Time.UnixMilli())
		}
	}
	return numbers
}

// asFrames writes zstd as Spark does: a flush, behind some lines, ends a frame.
func asFrames(t testing.TB, text []byte, lines int) (out []byte) {
	t.Helper()
	all := slices.Collect(bytes.Lines(text))
	for some := range slices.Chunk(all, lines) {
		out = append(out, compress(t, bytes.Join(some, nil))...)
	}
	return out
}

// What comes behind a damaged block counts wherever the framing says where the next begins:
// one loss, named once, of no more than the block and the lines that it tore.
func TestDamagedBlock(t *testing.T) {
	const lines = 20_000
	text := numbered(lines)
	snappy := asXerial(text)
	length := string(snappy[xerialHead:][:xerialLength])
	tests := []struct {
		name    string
		content []byte
		block   string // what the block that is hit begins with
		from    int    // where it is looked for
		into    int    // how far behind its beginning it is hit
	}{
		{"an lz4 block's head", asLZ4Blocks(t, text), lz4BlockMagic, 50_000, 0},
		{"an lz4 block's lengths", asLZ4Blocks(t, text), lz4BlockMagic, 50_000, 9},
		{"an lz4 block's data", asLZ4Blocks(t, text), lz4BlockMagic, 50_000, 40},
		{"an lzf chunk's head", asLZF(text), lzfMagic, 500_000, 0},
		{"a zstd frame's head", asFrames(t, text, 300), zstdMagic, 10_000, 0},
		{"a zstd frame's block", asFrames(t, text, 300), zstdMagic, 10_000, 6},
		{"a zstd frame's data", asFrames(t, text, 300), zstdMagic, 10_000, 40},
		{"a snappy block's data", snappy, length, 50_000, xerialLength},
		{"a snappy block's length, another stream behind", slices.Concat(asXerial(text[:sparkBlock]), asXerial(text[sparkBlock:])), length, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			content := bytes.Clone(test.content)
			at := test.from + bytes.Index(content[test.from:], []byte(test.block)) + test.into
			copy(content[at:], "\xFF\xFF\xFF\xFF")
			events, r := readOne(t, content)
			numbers := numbersOf(events)
			if len(numbers) < lines-3*sparkBlock/50 || numbers[len(numbers)-1] != lines-1 || !slices.IsSorted(numbers) {
				t.Errorf("%d events of %d lines, the last %d", len(numbers), lines, numbers[len(numbers)-1])
			}
			if len(r.Problems) != 1 || r.Problems[0].Count != 1 || !strings.HasPrefix(r.Problems[0].Reason, "damaged inside, what follows was read: ") {
				t.Errorf("problems %+v", r.Problems)
			}
		})
	}
}

// Whatever is flipped, cut out or put in where checksums are kept: no event comes of it that
// the log does not have, and none twice.
func TestDamageMakesNoEvents(t *testing.T) {
	text := numbered(3000)
	content := asLZ4Blocks(t, text)
	rapid.Check(t, func(t *rapid.T) {
		damaged := bytes.Clone(content)
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			at := rapid.IntRange(0, len(damaged)-1).Draw(t, "at")
			to := min(len(damaged), at+rapid.IntRange(0, 3000).Draw(t, "length"))
			with := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "with")
			damaged = slices.Replace(damaged, at, to, with...)
		}
		if codecOf(damaged) != lz4Block {
			return
		}
		var r Reading
		p := partReader{ctx: t.Context(), file: "part", reading: &r, limit: maxLine, held: newLatest()}
		last := time.UnixMilli(-1)
		p.yield = func(e Event, err error) bool {
			if end, ok := e.(ApplicationEnd); ok && (!end.Time.After(last) || end.Time.UnixMilli() >= 3000) || err != nil {
				t.Fatalf("%v after %v, %v", e, last, err)
			} else if ok {
				last = end.Time
			}
			return true
		}
		u, err := unpack(bufio.NewReader(bytes.NewReader(damaged)))
		if err != nil {
			t.Fatal(err)
		}
		p.readText(u)
	})
}
