package uses

import (
	"path"
	"slices"
	"strings"
)

// means reports whether a use may refer to a definition in a file.
func means(def *definition, where *parsed, u *use) bool {
	here := u.file.before.path == where.path || u.file.now.path == where.path
	lang, group := u.file.now.lang, u.file.now.lang.group
	if def.hidden && !here || u.qualifier == "" && u.file.bound[def.name] {
		return false
	}
	if from := u.file.binding(def.name); from != nil && !from.mentions(where.path) && u.qualifier == "" {
		return false // it comes from somewhere else
	}
	self := slices.Contains([]string{"self", "this", "super", "cls", "Self", "crate"}, u.qualifier)
	foreign := false
	if from := u.file.binding(u.qualifier); u.qualifier != "" && !self && from != nil {
		foreign = !from.mentions(where.path)
	}
	switch {
	case foreign:
		return false
	case def.what == Method:
		if u.args == -1 && !u.imported && !def.marked && group != "ruby" {
			return false
		}
		isPackage := group == "go" && u.file.binding(u.qualifier) != nil
		return u.qualifier != "" && !isPackage || lang.bare && !u.imported
	case group == "go":
		return goMeans(where, u)
	case u.qualifier == "" || u.imported:
		return true
	case def.what == Function || def.what == Constant && def.scope == "":
		if self {
			return group == "rust" || group == "php"
		}
		return group == "c" && u.qualifier != "." || u.file.binding(u.qualifier) != nil || u.qualifier == stem(where.path) || u.qualifier == path.Base(path.Dir(where.path)) || lang.bare && def.scope == ""
	case def.scope != "" && def.what == Constant: // of an enumeration or a class
		return u.qualifier == def.scope || strings.HasSuffix(def.scope, "."+u.qualifier) || self
	}
	return true
}

// goMeans reports whether, judging by packages, a use in Go may refer to a definition in where.
func goMeans(where *parsed, u *use) bool {
	dir := path.Dir(where.path)
	if path.Dir(u.file.now.path) == dir || path.Dir(u.file.before.path) == dir {
		return u.qualifier == "" || strings.HasSuffix(u.file.now.path, "_test.go") && u.qualifier == packageOf(where)
	}
	if u.qualifier == "" || u.qualifier == "." {
		return false
	}
	if u.qualifier == packageOf(where) {
		return true
	}
	from := u.file.binding(u.qualifier)
	return from != nil && from.words[path.Base(dir)]
}

// packageOf returns the name after the word package.
func packageOf(f *parsed) string {
	for i := range f.tokens {
		if f.tokens[i].text == "package" && i+1 < len(f.tokens) {
			return f.tokens[i+1].text
		}
	}
	return ""
}
