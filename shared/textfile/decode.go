package textfile

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// sniffed is how many bytes of a file are looked at to tell text from other data; git looks at as many.
const sniffed = 8000

// decode returns data as UTF-8 without a byte order mark. Text that is not in a Unicode encoding is taken as Latin-1. ok is false when data
// is not text.
func decode(data []byte) (text []byte, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return wide(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return wide(data[2:], binary.BigEndian)
	}
	start := data[:min(len(data), sniffed)]
	if bytes.IndexByte(start, 0) >= 0 {
		order := unmarked(start)
		if order == nil {
			return nil, false
		}
		return wide(data, order)
	}
	if utf8.Valid(data) {
		return data, true
	}
	return latin(data), true
}

// unmarked recognises UTF-16 without a byte order mark: nearly all of it is
// ASCII, so that every other byte is zero.
func unmarked(p []byte) binary.ByteOrder {
	var zero [2]int
	pairs := len(p) / 2
	for i := range pairs * 2 {
		if p[i] == 0 {
			zero[i%2]++
		}
	}
	switch {
	case pairs < 4:
	case zero[0] == 0 && zero[1]*10 >= pairs*9:
		return binary.LittleEndian
	case zero[1] == 0 && zero[0]*10 >= pairs*9:
		return binary.BigEndian
	}
	return nil
}

func wide(data []byte, order binary.ByteOrder) ([]byte, bool) {
	units := make([]uint16, len(data)/2)
	for i := range units {
		if units[i] = order.Uint16(data[2*i:]); units[i] == 0 {
			return nil, false
		}
	}
	text := make([]byte, 0, len(units)+len(units)/8)
	for _, r := range utf16.Decode(units) {
		text = utf8.AppendRune(text, r)
	}
	return text, true
}

func latin(data []byte) []byte {
	text := make([]byte, 0, len(data)+len(data)/8)
	for _, c := range data {
		text = utf8.AppendRune(text, rune(c))
	}
	return text
}
