package uses

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// duplicates finds definitions that both sides added to one scope and that git's merge keeps twice.
func duplicates(a, b *Side) (all []Finding) {
	type id struct{ file, name string }
	twice := map[id]bool{}
	var scopes []string // beside all
	for _, k := range slices.SortedFunc(maps.Keys(a.news), compareKeys) {
		for _, x := range a.news[k] {
			for _, y := range b.news[k] {
				if !x.clashes(y) {
					continue
				}
				all = append(all, Finding{Rule: Duplicate, Certain: true, Name: x.name, What: string(x.what), File: x.file.now.path, Line: int(x.line), OldFile: y.file.now.path, OldLine: int(y.line)})
				scopes = append(scopes, x.scope)
				twice[id{x.file.now.path, x.name}] = true
			}
		}
	}
	var outer []Finding // the finding of the outer definition covers those inside it
	for i, f := range all {
		if !slices.ContainsFunc(strings.Split(scopes[i], "."), func(part string) bool { return twice[id{f.File, part}] }) {
			outer = append(outer, f)
		}
	}
	return outer
}

// clashes reports whether two new definitions of one name cannot coexist.
func (x *fresh) clashes(y *fresh) bool {
	lang := x.file.now.lang
	if x.marked || y.marked || x.hidden != y.hidden || x.scope != y.scope || lang.group == "sql" || x.name == "init" || x.name == "main" || x.what == Module {
		return false
	}
	if lang.overloads && x.called && y.called && !slices.Equal(typesOrCount(lang, x.params), typesOrCount(lang, y.params)) {
		return false
	}
	if x.file.now.path == y.file.now.path {
		if x.file.before.text == "" || y.file.before.text == "" {
			return false // git compares such files as a whole
		}
		// Definitions that both sides put at the same place are kept once or reported as a conflict by git.
		return x.file.added.anchor[x.line] != y.file.added.anchor[y.line] && x.file.before.text == y.file.before.text
	}
	if lang.group != "go" || path.Dir(x.file.now.path) != path.Dir(y.file.now.path) {
		return false
	}
	if x.file.before.text == "" && x.file.now.text == y.file.now.text {
		return false
	}
	return packageOf(x.file.now) == packageOf(y.file.now) && !constrained(x.file.now) && !constrained(y.file.now)
}

func typesOrCount(lang *language, params []param) []string {
	if t := types(lang, params); t != nil {
		return t
	}
	return make([]string, len(params))
}

// constrained reports whether a Go file is built on some systems only.
func constrained(f *parsed) bool {
	if strings.Contains(f.text, "//go:build") || strings.Contains(f.text, "// +build") {
		return true
	}
	parts := strings.Split(strings.TrimSuffix(stem(f.path), "_test"), "_")
	last := parts[len(parts)-1]
	return len(parts) > 1 && strings.Contains(" linux windows darwin freebsd netbsd openbsd solaris plan9 js wasm unix amd64 arm64 386 arm s390x ppc64le riscv64 aix android ios dragonfly ", " "+last+" ")
}

// taken finds numbers and addresses that both sides took.
func taken(a, b *Side, tree Tree) (all []Finding, err error) {
	type id struct{ what, domain, value string }
	byID := map[id][]numbered{}
	for _, n := range a.numbers {
		at := id{n.what, n.domain, n.value}
		byID[at] = append(byID[at], n)
	}
	seen := map[id]bool{}
	numbers := slices.SortedFunc(slices.Values(b.numbers), func(x, y numbered) int {
		return cmp.Or(strings.Compare(x.file, y.file), cmp.Compare(x.line, y.line))
	})
	for _, y := range numbers {
		at := id{y.what, y.domain, y.value}
		for _, x := range byID[at] {
			if seen[at] || x.taker != "" && x.taker == y.taker || x.file == y.file && x.anchor == y.anchor || x.anchor >= 0 && x.file != y.file && x.what != "port" {
				continue
			}
			if x.what == "migration" {
				unique, err := uniqueNumbers(tree, x.domain)
				if err != nil {
					return nil, err
				}
				if !unique {
					continue
				}
			}
			seen[at] = true
			all = append(all, Finding{Rule: Taken, Certain: x.sure, Name: y.value, What: x.what, File: x.file, Line: int(x.line), OldFile: y.file, OldLine: int(y.line)})
		}
	}
	return all, nil
}

// uniqueNumbers reports whether each number in a folder has been used for one thing only so far.
func uniqueNumbers(tree Tree, dir string) (bool, error) {
	paths, err := tree.Paths()
	if err != nil {
		return false, err
	}
	names := map[string]string{}
	for _, file := range paths {
		in, base := path.Split(file)
		m := migrationFile.Regexp().FindStringSubmatch(base)
		if in != dir || m == nil {
			continue
		}
		number, bare := strings.TrimLeft(m[1], "0"), bareMigration(m[2])
		if other, ok := names[number]; ok && other != bare {
			return false, nil
		}
		names[number] = bare
	}
	return true, nil
}
