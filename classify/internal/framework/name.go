package framework

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// names finds a row by its normalised name; it is built on first use.
var names = sync.OnceValue(func() map[string]int {
	byName := make(map[string]int, 2*len(table()))
	for r, row := range table() {
		for spelling := range strings.SplitSeq(row.name+"|"+row.aka, "|") {
			if key := plain(spelling); key != "" {
				if _, ok := byName[key]; !ok {
					byName[key] = r
				}
			}
		}
	}
	return byName
})

// Canonical returns the table's name of a framework as people write it ("NextJS", "Ruby on Rails", "Spring Boot 3"), and false when the
// table does not have it.
func Canonical(name string) (string, bool) {
	if len(name) > 60 {
		return "", false
	}
	r, ok := lookUp(name)
	if !ok {
		return "", false
	}
	return table()[r].name, true
}

// EcosystemOf returns the ecosystem of a framework of the table, "" for an unknown one.
func EcosystemOf(name string) manifest.Ecosystem {
	if r, ok := lookUp(name); ok {
		return table()[r].eco
	}
	return ""
}

// Itself reports whether a project is the framework of that name, by the packages it declares: a framework is not its own base.
func Itself(name string, manifests []*manifest.Manifest) bool {
	r, ok := lookUp(name)
	if !ok {
		return false
	}
	row := table()[r]
	first, _, _ := strings.Cut(row.any, " ")
	return slices.ContainsFunc(manifests, func(m *manifest.Manifest) bool {
		return m.Ecosystem == row.eco && (m.Name == row.name || m.Name == first) && !Beside(path.Dir(m.Path))
	})
}

func lookUp(name string) (int, bool) {
	byName := names()
	words := strings.Fields(name)
	// A version or a word such as "framework" may follow the name: the longest beginning is tried first.
	for n := len(words); n > 0; n-- {
		if n < len(words) && !isQualifier(words[n:]) {
			continue
		}
		key := plain(strings.Join(words[:n], " "))
		for _, try := range []string{key, strings.TrimSuffix(key, "js"), key + "js", strings.TrimRight(key, "0123456789")} {
			if r, ok := byName[try]; ok && try != "" {
				return r, true
			}
		}
	}
	return 0, false
}

// isQualifier reports whether words contain no other name: versions, "framework", "(App Router)".
func isQualifier(words []string) bool {
	first := words[0]
	return strings.ContainsAny(first[:1], "(0123456789<>=~^") ||
		len(first) > 1 && (first[0] == 'v' || first[0] == 'V') && first[1] >= '0' && first[1] <= '9' ||
		slices.Contains([]string{"framework", "app", "application", "project"}, strings.ToLower(first))
}

// plain returns a name in lower case without the characters that spellings vary: spaces, dots, dashes.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '#', c > 0x7f:
			return c
		}
		return -1
	}, s)
}
