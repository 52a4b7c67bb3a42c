package eventlog

import (
	"bufio"
	"encoding/binary"
	"math/bits"

	lz4codec "github.com/pierrec/lz4/v4"
)

// The framing of lz4-java's LZ4BlockOutputStream, little-endian: the magic; a byte whose
// high half is the method and whose low half the stream's block size as a power of two; the
// packed length, the text's length and the text's checksum, four bytes each; the data. A
// block of no text ends a stream, behind which another may begin.
const (
	lz4BlockMagic    = "LZ4Block"
	lz4BlockHead     = len(lz4BlockMagic) + 1 + 3*4 // bytes
	lz4BlockStored   = 0x10
	lz4BlockPacked   = 0x20
	lz4BlockMinLog   = 10         // the least block size is 1 KiB
	lz4BlockSeed     = 0x9747b28c // of its XXH32
	lz4BlockSumShown = 0x0FFFFFFF // of the checksum the top four bits are not kept
)

const (
	errNoLZ4Block = damage("no lz4 block begins where one should")
	errLZ4Head    = damage("an lz4 block's head contradicts itself")
	errLZ4Data    = damage("an lz4 block cannot be decoded")
	errLZ4Sum     = damage("an lz4 block has a wrong checksum")
)

func decodeLZ4Block(in *bufio.Reader, b *blockBuffer) error {
	head, err := b.begin(in, lz4BlockHead)
	if err != nil {
		return err
	}
	if string(head[:len(lz4BlockMagic)]) != lz4BlockMagic {
		return errNoLZ4Block
	}
	token, lengths := head[len(lz4BlockMagic)], head[len(lz4BlockMagic)+1:]
	packed, size := binary.LittleEndian.Uint32(lengths), binary.LittleEndian.Uint32(lengths[4:])
	sum := binary.LittleEndian.Uint32(lengths[8:])
	method := token & 0xF0
	switch limit := uint32(1) << (lz4BlockMinLog + token&0x0F); {
	case packed > maxBlock || size > maxBlock:
		return errTooLarge
	case size > limit, packed > size, (size == 0) != (packed == 0), method == lz4BlockStored && packed != size:
		return errLZ4Head
	case size == 0:
		return nil
	}
	text, err := lz4Text(in, b, method, int(packed), int(size))
	if err == nil && xxh32(text, lz4BlockSeed)&lz4BlockSumShown != sum {
		return errLZ4Sum
	}
	return err
}

func lz4Text(in *bufio.Reader, b *blockBuffer, method byte, packed, size int) ([]byte, error) {
	switch method {
	case lz4BlockStored:
		return b.store(in, size)
	case lz4BlockPacked:
		data, err := b.load(in, packed)
		if err != nil {
			return nil, err
		}
		text := b.room(size)
		if n, err := lz4codec.UncompressBlock(data, text); err != nil || n != size {
			return nil, errLZ4Data
		}
		return text, nil
	}
	return nil, errLZ4Head
}

// The primes of XXH32 (xxHash specification, section XXH32).
const (
	xxPrime1 uint32 = 0x9E3779B1
	xxPrime2 uint32 = 0x85EBCA77
	xxPrime3 uint32 = 0xC2B2AE3D
	xxPrime4 uint32 = 0x27D4EB2F
	xxPrime5 uint32 = 0x165667B1
)

// xxh32 is the 32-bit xxHash of data.
func xxh32(data []byte, seed uint32) uint32 {
	sum := seed + xxPrime5
	size := uint32(len(data))
	if len(data) >= 16 {
		a, b, c, d := seed+xxPrime1+xxPrime2, seed+xxPrime2, seed, seed-xxPrime1
		for ; len(data) >= 16; data = data[16:] {
			lanes := data[:16:16] // one check of bounds for four reads
			a = xxRound(a, binary.LittleEndian.Uint32(lanes[0:4]))
			b = xxRound(b, binary.LittleEndian.Uint32(lanes[4:8]))
			c = xxRound(c, binary.LittleEndian.Uint32(lanes[8:12]))
			d = xxRound(d, binary.LittleEndian.Uint32(lanes[12:16]))
		}
		sum = bits.RotateLeft32(a, 1) + bits.RotateLeft32(b, 7) + bits.RotateLeft32(c, 12) + bits.RotateLeft32(d, 18)
	}
	sum += size
	for ; len(data) >= 4; data = data[4:] {
		sum = bits.RotateLeft32(sum+binary.LittleEndian.Uint32(data)*xxPrime3, 17) * xxPrime4
	}
	for _, c := range data {
		sum = bits.RotateLeft32(sum+uint32(c)*xxPrime5, 11) * xxPrime1
	}
	sum = (sum ^ sum>>15) * xxPrime2
	sum = (sum ^ sum>>13) * xxPrime3
	return sum ^ sum>>16
}

func xxRound(lane, input uint32) uint32 {
	return bits.RotateLeft32(lane+input*xxPrime2, 13) * xxPrime1
}
