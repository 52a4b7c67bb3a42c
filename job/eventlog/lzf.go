package eventlog

import (
	"bufio"
	"encoding/binary"
)

// The chunks of compress-lzf, big-endian: the magic; a byte that says whether the data is
// packed; the data's length in two bytes; where it is packed, the text's length in two
// bytes; the data. Nothing ends a stream. No chunk can be larger than 64 KiB.
const (
	lzfMagic  = "ZV"
	lzfHead   = len(lzfMagic) + 1 + 2 // bytes
	lzfStored = 0
	lzfPacked = 1
)

const (
	errLZFHead = damage("no lzf chunk begins where one should")
	errLZFData = damage("an lzf chunk cannot be decoded")
)

func decodeLZF(in *bufio.Reader, b *blockBuffer) error {
	head, err := b.begin(in, lzfHead)
	if err != nil {
		return err
	}
	kind, length := head[len(lzfMagic)], int(binary.BigEndian.Uint16(head[len(lzfMagic)+1:]))
	if string(head[:len(lzfMagic)]) != lzfMagic || kind > lzfPacked {
		return errLZFHead
	}
	if kind == lzfStored {
		_, err := b.store(in, length)
		return err
	}
	size, err := b.more(in, 2)
	if err != nil {
		return err
	}
	text := b.room(int(binary.BigEndian.Uint16(size)))
	data, err := b.load(in, length)
	if err == nil && !unpackLZF(text, data) {
		return errLZFData
	}
	return err
}

// Of LZF's control bytes those below lzfRuns begin a run of literals, one more than they
// say. In the others the top three bits are the length of a copy less two (seven: another
// byte is added), and the rest with the byte that follows how far back it begins, less one.
const (
	lzfRuns     = 32
	lzfLong     = 7
	lzfMinMatch = 2
)

// unpackLZF fills text from data; false where they do not fit each other.
func unpackLZF(text, data []byte) bool {
	at := 0
	for len(data) > 0 {
		control := int(data[0])
		data = data[1:]
		if control < lzfRuns {
			run := control + 1
			if run > len(data) || run > len(text)-at {
				return false
			}
			at += copy(text[at:], data[:run])
			data = data[run:]
			continue
		}
		length := control >> 5
		if length == lzfLong && len(data) > 0 {
			length += int(data[0])
			data = data[1:]
		}
		if len(data) == 0 {
			return false
		}
		from := at - (control&(lzfRuns-1)<<8 | int(data[0])) - 1
		data = data[1:]
		if length += lzfMinMatch; from < 0 || length > len(text)-at {
			return false
		}
		at = copyWithin(text, at, from, length)
	}
	return at == len(text)
}

// copyWithin repeats length bytes of text that begin at from, which may run into what is
// being written, and gives the place after them.
func copyWithin(text []byte, at, from, length int) int {
	for end := at + length; at < end; {
		at += copy(text[at:end], text[from:at])
	}
	return at
}
