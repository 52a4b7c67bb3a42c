package eventlog

import (
	"bufio"
	"encoding/binary"

	snappycodec "github.com/klauspost/compress/snappy"
)

// The framing of xerial's SnappyOutputStream, big-endian: the magic, a version and the
// least version that reads it, four bytes each; then blocks of a four-byte length and raw
// snappy. Where streams are joined, a head stands in place of a length.
const (
	xerialMagic  = "\x82SNAPPY\x00"
	xerialHead   = len(xerialMagic) + 2*4 // bytes
	xerialLength = 4                      // bytes
)

const (
	errXerialHead = damage("no snappy block begins where one should")
	errXerialData = damage("a snappy block cannot be decoded")
)

func decodeXerial(in *bufio.Reader, b *blockBuffer) error {
	length, err := b.begin(in, xerialLength)
	if err != nil {
		return err
	}
	if string(length) == xerialMagic[:xerialLength] {
		rest, err := b.more(in, xerialHead-xerialLength)
		if err == nil && string(rest[:xerialLength]) != xerialMagic[xerialLength:] {
			err = errXerialHead
		}
		return err
	}
	packed := binary.BigEndian.Uint32(length)
	if packed > maxBlock {
		return errTooLarge
	}
	data, err := b.load(in, int(packed))
	if err != nil {
		return err
	}
	size, err := snappycodec.DecodedLen(data)
	switch {
	case err != nil:
		return errXerialData
	case size > maxBlock:
		return errTooLarge
	}
	if _, err := snappycodec.Decode(b.room(size), data); err != nil {
		return errXerialData
	}
	return nil
}
