package framework

import (
	"cmp"
	"path"
	"strings"
	"sync"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// An index finds the rows that a dependency, a file or an import speaks for, without going through the table.
type index struct {
	rows    []row
	exact   map[string][]hit      // "npm:next"
	prefix  map[string][]wildcard // by ecosystem and first letters, those that end in *
	files   map[string][]fileRule // by base name, or "*.ext"
	imports map[manifest.Ecosystem][]importRule
}

// A hit is a row that something speaks for, weakly or not.
type hit struct {
	row  int
	weak bool
}

type wildcard struct {
	prefix string
	hit
}

type fileRule struct {
	row  int
	path string // the end of the path
	word string // that the file must hold
	dir  string // that must stand beside it
	sure bool   // nothing but the framework writes this file
}

type importRule struct {
	row  int
	what string
}

// theIndex is built when something is first detected, not when the program starts.
var theIndex = sync.OnceValue(func() *index {
	x := &index{
		rows:    table(),
		exact:   make(map[string][]hit, 2*len(table())),
		prefix:  map[string][]wildcard{},
		files:   map[string][]fileRule{},
		imports: map[manifest.Ecosystem][]importRule{},
	}
	for r := range x.rows {
		row := &x.rows[r]
		for pattern := range strings.FieldsSeq(row.any) {
			x.dependency(qualified(row.eco, pattern), hit{r, false})
		}
		for pattern := range strings.FieldsSeq(row.weak) {
			x.dependency(qualified(row.eco, pattern), hit{r, true})
		}
		for rule := range strings.FieldsSeq(row.files) {
			rule, sure := strings.CutPrefix(rule, "!")
			rule, beside, _ := strings.Cut(rule, "+")
			file, word, _ := strings.Cut(rule, "~")
			base := path.Base(file)
			if strings.HasPrefix(base, "*") {
				base = "*" + path.Ext(base)
			}
			x.files[base] = append(x.files[base], fileRule{r, file, strings.ReplaceAll(word, "&", " "), beside, sure})
		}
		for what := range strings.FieldsSeq(cmp.Or(row.imports, defaultImports(row))) {
			x.imports[row.eco] = append(x.imports[row.eco], importRule{r, what})
		}
	}
	return x
})

func (x *index) dependency(key string, h hit) {
	prefix, wild := strings.CutSuffix(key, "*")
	if !wild {
		x.exact[key] = append(x.exact[key], h)
		return
	}
	head := wildHead(prefix)
	x.prefix[head] = append(x.prefix[head], wildcard{prefix, h})
}

// defaultImports are the dependencies of a row as sources import them, where that can be told from the name.
func defaultImports(r *row) string {
	if r.kind > UI {
		return "" // a library that is only used does not name a project that declares nothing
	}
	switch r.eco {
	case manifest.PyPI:
		return strings.ReplaceAll(r.any, "-", "_")
	case manifest.NPM, manifest.Go, manifest.Cargo:
		return r.any
	}
	return ""
}

// qualified is a dependency with its ecosystem, which a pattern may name itself.
func qualified(eco manifest.Ecosystem, pattern string) string {
	if head, _, ok := strings.Cut(pattern, ":"); ok {
		switch e := manifest.Ecosystem(head); e {
		case manifest.NPM, manifest.Composer, manifest.Cargo, manifest.PyPI, manifest.Go, manifest.Maven, manifest.RubyGems:
			return pattern
		}
	}
	return string(eco) + ":" + pattern
}

// wildHead is the part of a name that wildcards are found by.
func wildHead(key string) string {
	eco, name, _ := strings.Cut(key, ":")
	return eco + ":" + name[:min(3, len(name))]
}

// rowsOf are the rows that a dependency speaks for.
func (x *index) rowsOf(dep manifest.Dependency) []hit {
	name := dep.Name
	if dep.Ecosystem == manifest.Go {
		name = withoutMajor(name)
	}
	key := string(dep.Ecosystem) + ":" + name
	found := x.exact[key]
	for _, w := range x.prefix[wildHead(key)] {
		if strings.HasPrefix(key, w.prefix) {
			found = append(found[:len(found):len(found)], w.hit)
		}
	}
	return found
}

// withoutMajor drops the major version that ends a Go module path: /v2, or .v1 of gopkg.in.
func withoutMajor(module string) string {
	stem := strings.TrimRight(module, "0123456789")
	if len(stem) < len(module) && (strings.HasSuffix(stem, "/v") || strings.HasSuffix(stem, ".v")) {
		return stem[:len(stem)-2]
	}
	return module
}

// under tells whether the file ends in the rule's path, and the folder that the path is then relative to.
func (r fileRule) under(file string) (dir string, ok bool) {
	if ext, wild := strings.CutPrefix(r.path, "*"); wild {
		return path.Dir(file), strings.HasSuffix(file, ext)
	}
	if file == r.path {
		return ".", true
	}
	if strings.HasSuffix(file, "/"+r.path) {
		return file[:len(file)-len(r.path)-1], true
	}
	return "", false
}
