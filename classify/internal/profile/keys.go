package profile

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strings"
)

// keyLen is the length of one dependency's key: with 48 bits, the chance that two among a million names share one is 1 in 600.
const keyLen = 12

// Keys returns the keys of dependencies, sorted, without separators.
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

// Shared counts the keys that two results of Keys have in common, and the keys of the longer one.
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
