package profile

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"
)

// keyLen is the length of one dependency's key: 48 bits, so that among a million
// names two share one with a chance of 1 in 600.
const keyLen = 12

// Keys writes dependencies as their keys, sorted, without anything between.
func Keys(all []Dependency) string {
	keys := make([]string, len(all))
	for i, d := range all {
		h := fnv.New64a()
		h.Write([]byte(d.Ecosystem + "\x00" + d.Name))
		keys[i] = hex.EncodeToString(h.Sum(nil)[2:])
	}
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "")
}

// Shared counts the keys that two texts of Keys have in common, and those of the
// longer one.
func Shared(a, b string) (shared, most int) {
	for i, j := 0, 0; i+keyLen <= len(a) && j+keyLen <= len(b); {
		switch x, y := a[i:i+keyLen], b[j:j+keyLen]; {
		case x == y:
			shared++
			i, j = i+keyLen, j+keyLen
		case x < y:
			i += keyLen
		default:
			j += keyLen
		}
	}
	return shared, max(len(a), len(b)) / keyLen
}
