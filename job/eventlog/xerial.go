package eventlog

import (
	"bufio"
	"encoding/binary"
	"errors"

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

var (
	errXerialHead = errors.New("no snappy block begins where one should")
	errXerialData = errors.New("a snappy block cannot be decoded")
)

func decodeXerial(in *bufio.Reader, b *blockBuffer) ([]byte, error) {
	length, err := b.begin(in, xerialLength)
	if err != nil {
		return nil, err
	}
	if string(length) == xerialMagic[:xerialLength] {
		rest, err := b.more(in, xerialHead-xerialLength)
		if err == nil && string(rest[:xerialLength]) != xerialMagic[xerialLength:] {
			err = errXerialHead
		}
		return nil, err
	}
	packed := binary.BigEndian.Uint32(length)
	if packed > maxBlock {
		return nil, errTooLarge
	}
	data, err := b.load(in, int(packed))
	if err != nil {
		return nil, err
	}
	size, err := snappycodec.DecodedLen(data)
	switch {
	case err != nil:
		return nil, errXerialData
	case size > maxBlock:
		return nil, errTooLarge
	}
	text, err := snappycodec.Decode(b.room(size), data)
	if err != nil {
		return nil, errXerialData
	}
	return text, nil
}
