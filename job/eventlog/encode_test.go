package eventlog

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/gzip"
	snappycodec "github.com/klauspost/compress/snappy"
	lz4codec "github.com/pierrec/lz4/v4"
)

// Spark's block of lz4 and snappy.
const sparkBlock = 32 << 10

// pieces cuts text into blocks.
func pieces(text []byte, size int) [][]byte {
	var all [][]byte
	for len(text) > size {
		all = append(all, text[:size])
		text = text[size:]
	}
	return append(all, text)
}

// asLZ4Blocks writes what lz4-java's LZ4BlockOutputStream does.
func asLZ4Blocks(t testing.TB, text []byte) []byte {
	t.Helper()
	var out []byte
	for _, piece := range pieces(text, sparkBlock) {
		out = appendLZ4Block(t, out, piece)
	}
	return append(out, lz4End()...)
}

func lz4End() []byte {
	return append([]byte(lz4BlockMagic+"\x15"), make([]byte, 12)...)
}

func appendLZ4Block(t testing.TB, out, text []byte) []byte {
	t.Helper()
	packed := make([]byte, lz4codec.CompressBlockBound(len(text)))
	var c lz4codec.Compressor
	n, err := c.CompressBlock(text, packed)
	if err != nil {
		t.Fatal(err)
	}
	method, data := byte(lz4BlockPacked), packed[:n]
	if n == 0 || n >= len(text) {
		method, data = lz4BlockStored, text
	}
	log := byte(0)
	for 1<<(lz4BlockMinLog+log) < len(text) {
		log++
	}
	out = append(append(out, lz4BlockMagic...), method|log)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = binary.LittleEndian.AppendUint32(out, xxh32(text, lz4BlockSeed)&lz4BlockSumShown)
	return append(out, data...)
}

// asXerial writes what xerial's SnappyOutputStream does.
func asXerial(text []byte) []byte {
	out := append([]byte(xerialMagic), 0, 0, 0, 1, 0, 0, 0, 1)
	for _, piece := range pieces(text, sparkBlock) {
		packed := snappycodec.Encode(nil, piece)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(packed))), packed...)
	}
	return out
}

// asLZF writes chunks as compress-lzf does, stored and packed ones by turns; the packed
// ones hold runs of literals only, which needs no search.
func asLZF(text []byte) []byte {
	var out []byte
	for i, piece := range pieces(text, sparkBlock) {
		data, kind := piece, byte(lzfStored)
		if i%2 == 1 {
			data, kind = nil, lzfPacked
			for _, run := range pieces(piece, lzfRuns) {
				data = append(append(data, byte(len(run)-1)), run...)
			}
		}
		out = binary.BigEndian.AppendUint16(append(append(out, lzfMagic...), kind), uint16(len(data)))
		if kind == lzfPacked {
			out = binary.BigEndian.AppendUint16(out, uint16(len(piece)))
		}
		out = append(out, data...)
	}
	return out
}

func asGzip(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asLZ4Frame(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := lz4codec.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// entry is a file of a zip; one whose name ends in a slash is a folder.
type entry struct {
	name    string
	content []byte
}

// asZip writes entries as Java's ZipOutputStream does: deflated, with the sizes behind.
func asZip(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// everyCodec stores the same text in every way.
func everyCodec(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"plain": text, "zstd": compress(t, text), "gzip": asGzip(t, text), "lz4": asLZ4Blocks(t, text),
		"lz4 frame": asLZ4Frame(t, text), "lzf": asLZF(text), "snappy": asXerial(text),
		"zip": asZip(t, entry{"local-1", text}), "zip of zstd": asZip(t, entry{"local-1.zstd", compress(t, text)}),
		"gzip of zstd": asGzip(t, compress(t, text)),
	}
}
