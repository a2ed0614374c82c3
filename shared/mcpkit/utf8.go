package mcpkit

import "strconv"

// loneSurrogate reports whether JSON text holds half of a \u pair, which encoding/json replaces silently, as it does broken UTF-8.
func loneSurrogate(raw []byte) bool {
	low := func(i int) bool { u, ok := escape(raw, i); return ok && u >= 0xdc00 && u < 0xe000 }
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch u, ok := escape(raw, i); {
		case !ok:
			i++ // of two bytes
		case u >= 0xd800 && u < 0xdc00 && low(i+6):
			i += 11
		case u >= 0xd800 && u < 0xe000:
			return true
		default:
			i += 5
		}
	}
	return false
}

// escape reads the \uXXXX at raw[i:].
func escape(raw []byte, i int) (uint64, bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
	return u, err == nil
}
