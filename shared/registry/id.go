package registry

import (
	"crypto/rand"
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

func newIDAt(prefix string, at time.Time) string {
	var random [4]byte
	rand.Read(random[:])
	seconds := uint64(at.Sub(idEpoch) / time.Second)
	var b strings.Builder
	b.Grow(len(prefix) + 10)
	b.WriteString(prefix)
	for shift := 25; shift >= 0; shift -= 5 {
		b.WriteByte(crockford[seconds>>shift&31])
	}
	for _, r := range random {
		b.WriteByte(crockford[r&31])
	}
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
