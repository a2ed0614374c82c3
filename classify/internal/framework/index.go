package framework

import (
	"cmp"
	"path"
	"strings"
	"sync"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// An index finds the rows for a dependency of one ecosystem without searching the table.
type index struct {
	exact    map[string][]hit // by the name of the dependency
	prefixes []wildcard       // those that end in *
}

// A hit is a row with evidence, weak or not.
type hit struct {
	row  int
	weak bool
}

type wildcard struct {
	prefix string
	hit
}

type fileRule struct {
	row    int
	path   string // the end of the path
	word   string // a word that the file must contain
	beside string // a file that must be beside it, or a folder, which ends in a slash
	sure   bool   // only the framework writes this file
}

type importRule struct {
	row  int
	what string
}

// indexes are built when an ecosystem first comes up, not when the program starts: a project has one or two.
var indexes sync.Map

func indexOf(eco manifest.Ecosystem) *index {
	x, ok := indexes.Load(eco)
	if !ok {
		x, _ = indexes.LoadOrStore(eco, buildIndex(eco))
	}
	return x.(*index)
}

func buildIndex(eco manifest.Ecosystem) *index {
	x := &index{exact: make(map[string][]hit, 512)}
	hits := make([]hit, 0, 1024) // one allocation for most entries
	dependency := func(pattern string, h hit) {
		if prefix, wild := strings.CutSuffix(pattern, "*"); wild {
			x.prefixes = append(x.prefixes, wildcard{prefix, h})
			return
		}
		if old, ok := x.exact[pattern]; ok {
			x.exact[pattern] = append(old[:len(old):len(old)], h)
			return
		}
		hits = append(hits, h)
		x.exact[pattern] = hits[len(hits)-1 : len(hits) : len(hits)]
	}
	for r, row := range table() {
		for pattern := range strings.FieldsSeq(row.also) {
			if name, ok := strings.CutPrefix(pattern, string(eco)+":"); ok {
				dependency(name, hit{r, false})
			}
		}
		if row.eco != eco {
			continue
		}
		for pattern := range strings.FieldsSeq(row.any) {
			dependency(pattern, hit{r, false})
		}
		for pattern := range strings.FieldsSeq(row.weak) {
			dependency(pattern, hit{r, true})
		}
	}
	return x
}

// fileRules finds the rows for a file, by its base name or "*.ext".
var fileRules = sync.OnceValue(func() map[string][]fileRule {
	rules := make(map[string][]fileRule, 256)
	for r, row := range table() {
		for rule := range strings.FieldsSeq(row.files) {
			rule, sure := strings.CutPrefix(rule, "!")
			rule, beside, _ := strings.Cut(rule, "+")
			file, word, _ := strings.Cut(rule, "~")
			base := file[strings.LastIndexByte(file, '/')+1:]
			if strings.HasPrefix(base, "*") {
				base = "*" + path.Ext(base)
			}
			rules[base] = append(rules[base], fileRule{r, file, strings.ReplaceAll(word, "&", " "), beside, sure})
		}
	}
	return rules
})

// importRules are built when sources are read, which is rare.
func importRules(eco manifest.Ecosystem) []importRule {
	var rules []importRule
	for r, row := range table() {
		if row.eco != eco {
			continue
		}
		for what := range strings.FieldsSeq(cmp.Or(row.imports, defaultImports(row))) {
			rules = append(rules, importRule{r, what})
		}
	}
	return rules
}

// defaultImports returns the dependencies of a row as sources import them, if the name determines that.
func defaultImports(r *row) string {
	if r.kind > UI {
		return "" // a library that is only imported is not the framework of a project without declarations
	}
	switch r.eco {
	case manifest.PyPI:
		return strings.ReplaceAll(r.any, "-", "_")
	case manifest.NPM, manifest.Go, manifest.Cargo:
		return r.any
	}
	return ""
}

// rowsOf returns the rows for a dependency.
func rowsOf(dep manifest.Dependency) []hit {
	x := indexOf(dep.Ecosystem)
	name := dep.Name
	if dep.Ecosystem == manifest.Go {
		name = withoutMajor(name)
	}
	found := x.exact[name]
	for _, w := range x.prefixes {
		if strings.HasPrefix(name, w.prefix) {
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

// under reports whether a path ends in the rule's path, and returns the folder that contains that.
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
