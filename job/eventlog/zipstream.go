package eventlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// The head of a zip's entry, little-endian (APPNOTE.TXT 4.3.7), and what may follow the
// entries.
const (
	zipEntryMagic      = "PK\x03\x04"
	zipDescriptorMagic = "PK\x07\x08"
	zipDirectoryMagic  = "PK\x01\x02"
	zipEndMagic        = "PK\x05\x06"
	zipEntryHead       = 30     // bytes, the magic among them
	zipDescribed       = 1 << 3 // flag: sizes and checksum stand behind the data
	zipEncrypted       = 1 << 0
	zipStored          = 0
	zipDeflated        = 8
)

var (
	errZipEntry  = errors.New("no zip entry begins where one should")
	errZipMethod = errors.New("a zip entry is stored in a way that cannot be read in sequence")
	errZipSum    = errors.New("a zip entry has a wrong checksum")
)

// zipStream reads the text of a zip's entries one after the other, in the order they stand
// there and without the directory at its end: that is all there is of a download that was
// cut. Each entry may be packed again.
type zipStream struct {
	in    *bufio.Reader
	entry *zipEntry
	text  *unpacked
	err   error
}

func (z *zipStream) Read(p []byte) (int, error) {
	for z.err == nil {
		if z.text == nil {
			if z.err = z.begin(); z.err != nil {
				break
			}
		}
		n, err := z.text.Read(p)
		if errors.Is(err, io.EOF) {
			err = z.end()
		}
		z.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, z.err
}

// begin opens the next entry, or gives io.EOF at the directory.
func (z *zipStream) begin() error {
	entry, err := readZipEntry(z.in)
	if err != nil {
		return err
	}
	z.entry = entry
	z.text, err = unpack(bufio.NewReaderSize(entry, packedBytes))
	return err
}

// end closes an entry: what its decoder left is read over.
func (z *zipStream) end() error {
	z.text.release()
	z.text = nil
	if _, err := io.Copy(io.Discard, z.entry); err != nil {
		return err
	}
	return z.entry.check(z.in)
}

// zipEntry is the data of one entry, without zip's own compression.
type zipEntry struct {
	data      io.Reader
	sum       hash.Hash32
	want      uint32
	described bool
}

func (e *zipEntry) Read(p []byte) (int, error) {
	n, err := e.data.Read(p)
	e.sum.Write(p[:n]) // a hash never fails
	return n, err
}

func readZipEntry(in *bufio.Reader) (*zipEntry, error) {
	var head [zipEntryHead]byte
	if n, err := io.ReadFull(in, head[:4]); err != nil {
		if n > 0 || errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF // a whole zip ends in its directory
		}
		return nil, err
	}
	switch string(head[:4]) {
	case zipEntryMagic:
	case zipDirectoryMagic, zipEndMagic:
		return nil, io.EOF
	default:
		return nil, errZipEntry
	}
	if _, err := io.ReadFull(in, head[4:]); err != nil {
		return nil, insideBlock(err)
	}
	names := int64(binary.LittleEndian.Uint16(head[26:])) + int64(binary.LittleEndian.Uint16(head[28:]))
	if _, err := io.CopyN(io.Discard, in, names); err != nil {
		return nil, insideBlock(err)
	}
	return openZipEntry(in, head)
}

func openZipEntry(in *bufio.Reader, head [zipEntryHead]byte) (*zipEntry, error) {
	flags, method := binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint16(head[8:])
	size := int64(binary.LittleEndian.Uint32(head[18:]))
	e := &zipEntry{sum: crc32.NewIEEE(), want: binary.LittleEndian.Uint32(head[14:]), described: flags&zipDescribed != 0}
	switch {
	case flags&zipEncrypted != 0:
		return nil, errZipMethod
	case method == zipDeflated:
		e.data = flate.NewReader(in)
	case method == zipStored && !e.described:
		e.data = &exactly{in: in, left: size}
	default:
		return nil, errZipMethod
	}
	return e, nil
}

// How long a descriptor is without its magic: sizes have four bytes, or eight in a zip64.
const descriptorBytes, descriptor64Bytes = 4 + 2*4, 4 + 2*8

// check reads what stands behind an entry's data and compares the checksum.
func (e *zipEntry) check(in *bufio.Reader) error {
	if e.described {
		if err := e.describe(in); err != nil {
			return err
		}
	}
	if e.sum.Sum32() != e.want {
		return errZipSum
	}
	return nil
}

// describe reads a descriptor: an optional magic, the checksum, two sizes of four or eight
// bytes each. Only what follows tells how long they are.
func (e *zipEntry) describe(in *bufio.Reader) error {
	if magic, err := in.Peek(4); err == nil && string(magic) == zipDescriptorMagic {
		if _, err := in.Discard(4); err != nil {
			return err
		}
	}
	long, _ := in.Peek(descriptor64Bytes + 2)
	if len(long) < descriptorBytes {
		return io.ErrUnexpectedEOF
	}
	e.want = binary.LittleEndian.Uint32(long)
	size := descriptorBytes
	if len(long) > descriptor64Bytes && string(long[descriptor64Bytes:]) == "PK" {
		size = descriptor64Bytes
	}
	_, err := in.Discard(size)
	return err
}

// exactly gives the next left bytes, and io.ErrUnexpectedEOF where there are fewer.
type exactly struct {
	in   io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.in.Read(p[:min(int64(len(p)), e.left)])
	if e.left -= int64(n); e.left > 0 {
		err = insideBlock(err)
	} else {
		err = nil
	}
	return n, err
}
