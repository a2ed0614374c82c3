package redact

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
)

// Text is Redact for texts that are stored: the secrets taken out are remembered until Taken, each once however many texts hold it.
func Text(s string) (clean string, kinds []string) {
	clean, kinds = Redact(s)
	if kinds != nil {
		taken.remember(s)
	}
	return clean, kinds
}

// Stored is Text for callers that do not count the secrets.
func Stored(s string) string {
	clean, _ := Text(s)
	return clean
}

// Document is Stored for a text in a format: "adf" and "json" are redacted by JSON, "html" by
// HTML, any other as plain text.
func Document(format, s string) string {
	var clean string
	var kinds []string
	switch format {
	case "adf", "json":
		var document []byte
		document, kinds = JSON([]byte(s))
		clean = string(document)
	case "html":
		clean, kinds = HTML(s)
	default:
		return Stored(s)
	}
	taken.note(s, kinds)
	return clean
}

// Taken returns the kinds of the secrets that Text has taken out since the last call. A command calls it once, at its end. Servers never
// do: their calls run side by side, and each reports the secrets in its own arguments.
func Taken() []string { return taken.forget() }

// Sentence returns a sentence about what was taken out before storing; "" for nothing.
func Sentence(kinds []string) string {
	switch len(kinds) {
	case 0:
		return ""
	case 1:
		return "1 secret was taken out before storing: " + kinds[0]
	}
	return fmt.Sprintf("%d secrets were taken out before storing: %s", len(kinds), Kinds(kinds))
}

// remembered bounds what accumulates in a server, which never calls Taken.
const remembered = 1000

type memory struct {
	mu    sync.Mutex
	seed  maphash.Seed
	seen  map[uint64]bool // hashes, since secrets are not kept
	kinds []string
}

var taken memory

// remember notes the secrets of a text, each once.
func (m *memory) remember(s string) {
	hits := find(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range hits {
		m.once(s[h.from:h.to], h.kind)
	}
}

// note records the secrets taken out of a document, once for the same document.
func (m *memory) note(document string, kinds []string) {
	if kinds == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, kind := range kinds {
		m.once(strconv.Itoa(i)+document, kind)
	}
}

// once records a kind unless the text in which it was found is known.
func (m *memory) once(found, kind string) {
	if m.seen == nil {
		m.seed, m.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	sum := maphash.String(m.seed, found)
	if len(m.kinds) >= remembered || m.seen[sum] {
		return
	}
	m.seen[sum] = true
	m.kinds = append(m.kinds, kind)
}

func (m *memory) forget() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	kinds := slices.Clone(m.kinds)
	m.kinds, m.seen = nil, nil
	return kinds
}
