package delta

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// z85Digits are the digits of Z85 (rfc.zeromq.org/spec/32), in which the log spells bytes:
// five digits for each four bytes.
const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

const (
	z85Chars = 5
	z85Bytes = 4
)

func decodeZ85(text string) ([]byte, error) {
	if len(text)%z85Chars != 0 {
		return nil, fmt.Errorf("%d characters of Z85, want a multiple of %d", len(text), z85Chars)
	}
	data := make([]byte, 0, len(text)/z85Chars*z85Bytes)
	for at := 0; at < len(text); at += z85Chars {
		var word uint64
		for _, c := range []byte(text[at : at+z85Chars]) {
			digit := strings.IndexByte(z85Digits, c)
			if digit < 0 {
				return nil, fmt.Errorf("%q is no digit of Z85", c)
			}
			word = word*uint64(len(z85Digits)) + uint64(digit)
		}
		if word > 1<<32-1 {
			return nil, fmt.Errorf("%q is no number of Z85", text[at:at+z85Chars])
		}
		data = append(data, byte(word>>24), byte(word>>16), byte(word>>8), byte(word))
	}
	return data, nil
}

// encodeZ85 is the reverse of decodeZ85, with zeros at the end where bytes are missing.
func encodeZ85(data []byte) string {
	for len(data)%z85Bytes != 0 {
		data = append(data[:len(data):len(data)], 0)
	}
	var text []byte
	for at := 0; at < len(data); at += z85Bytes {
		word, digits := binary.BigEndian.Uint32(data[at:]), [z85Chars]byte{}
		for i := z85Chars - 1; i >= 0; i-- {
			digits[i] = z85Digits[word%uint32(len(z85Digits))]
			word /= uint32(len(z85Digits))
		}
		text = append(text, digits[:]...)
	}
	return string(text)
}
