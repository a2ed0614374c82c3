package registry

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// crockford is Douglas Crockford's base 32: no i, l, o, u, so that an id can be
// read aloud (https://www.crockford.com/base32.html).
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// idEpoch starts the seconds of made ids; 30 bits from here reach 2059.
var idEpoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// NewID makes an id people type: prefix and 10 Crockford characters, six of
// seconds and four random, so that ids sort by creation. Two made in one second
// collide once in a million pairs; the caller tries again when its insert does.
func NewID(prefix string) string { return newIDAt(prefix, time.Now()) }

// FreeIDs makes n ids like NewID's that differ from each other and from those in
// the column ref of a table, so that many rows can be made in one second.
func (tx *Tx) FreeIDs(table, prefix string, n int) ([]string, error) {
	free := make(map[string]bool, n)
	for len(free) < n {
		var tried []any
		for len(tried) < min(n-len(free), 400) {
			if id := NewID(prefix); !free[id] {
				free[id] = true
				tried = append(tried, id)
			}
		}
		taken, err := Collect(tx, One[string], `SELECT ref FROM `+table+` WHERE ref IN (`+marks(len(tried))+`)`, tried...)
		if err != nil {
			return nil, err
		}
		for _, id := range taken {
			delete(free, id)
		}
	}
	return slices.Sorted(maps.Keys(free)), nil
}

// FreeID makes one id like FreeIDs.
func (tx *Tx) FreeID(table, prefix string) (string, error) {
	ids, err := tx.FreeIDs(table, prefix, 1)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

func newIDAt(prefix string, at time.Time) string {
	seconds := uint64(at.Sub(idEpoch) / time.Second)
	var b strings.Builder
	b.Grow(len(prefix) + 10)
	b.WriteString(prefix)
	for shift := 25; shift >= 0; shift -= 5 {
		b.WriteByte(crockford[seconds>>shift&31])
	}
	b.WriteString(ShortID(4))
	return b.String()
}

// ShortID makes n random Crockford characters.
func ShortID(n int) string {
	random := make([]byte, n)
	rand.Read(random)
	for i, r := range random {
		random[i] = crockford[r&31]
	}
	return string(random)
}

// NewUID makes the identity of a row across registries: a UUID version 7, which
// sorts by creation time (RFC 9562, section 5.7).
func NewUID() string { return uuid.Must(uuid.NewV7()).String() }

// IsUID reports whether a text is an id as NewUID makes them.
func IsUID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}
