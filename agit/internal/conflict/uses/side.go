package uses

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// File is a file that a side changed.
type File struct {
	Path    string // its present name; its old one, when it was removed
	OldPath string // its old name, when it was moved
	Base    string // its text before; empty when it was added
	Now     string // its text now; empty when Removed
	Removed bool
}

func (f *File) oldPath() string {
	return cmp.Or(f.OldPath, f.Path)
}

// Side is what one side of a merge changed, summed up.
type Side struct {
	files    map[string]*changed // by path now
	gone     map[key][]*gone
	reshaped []*reshaped
	uses     map[key][]*use
	news     map[key][]*fresh
	stands   map[key]int       // how often names occur in the code of the changed files
	removed  map[string]string // paths that no longer exist, with their new names
	refs     []ref
	dropped  []dependency
	kept     map[string]bool // dependencies in manifests that were changed, by their keys
	numbers  []numbered
}

// key is a name in a group of languages.
type key struct{ group, name string }

// changed is a file before and after.
type changed struct {
	before, now *parsed
	added       added
	bound       map[string]bool // names that its added lines bind to something of their own
	imports     []statement
}

// gone is a definition that a side no longer has.
type gone struct {
	definition
	file *changed
	to   string // its new name, when that is known
	near place  // where that stands
}

// reshaped is a definition with other parameters.
type reshaped struct {
	before, now definition
	file        *changed
}

// fresh is a definition that a side added.
type fresh struct {
	definition
	file *changed
}

// use is a name in an added line.
type use struct {
	file      *changed
	line      int32
	qualifier string // the name before a dot; "." when it is not a name
	next      string
	args      int // of a call; -1 when it is not a call
	named     []string
	imported  bool // it stands in an import
}

type place struct {
	file string
	line int32
}

// usesKey is a name, alone or after a qualifier.
type usesKey struct {
	key
	bare bool
}

// mostUses bounds the uses of one name in a file that are kept.
const mostUses = 12

// NewSide sums up the files that a side changed, each against its version in the merge base.
func NewSide(files []File) *Side {
	s := &Side{files: map[string]*changed{}, gone: map[key][]*gone{}, uses: map[key][]*use{}, news: map[key][]*fresh{}, stands: map[key]int{},
		removed: map[string]string{}, kept: map[string]bool{}}
	for i := range files {
		f := &files[i]
		switch {
		case f.Removed:
			s.removed[f.oldPath()] = ""
		case f.OldPath != "":
			s.removed[f.OldPath] = f.Path
		}
		c := &changed{before: parse(f.oldPath(), f.Base), now: parse(f.Path, f.Now), bound: map[string]bool{}}
		if !f.Removed {
			c.added = compare(f.Base, f.Now)
		}
		s.files[f.Path] = c
		s.manifest(f)
	}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		s.read(s.files[file])
	}
	s.findGone()
	s.findNumbers()
	return s
}

// read collects the uses and definitions in a file's added lines.
func (s *Side) read(c *changed) {
	if len(c.added.lines) > 0 {
		s.findRefs(c)
	}
	f := c.now
	if f.lang == nil || f.tokens == nil {
		return
	}
	group := f.lang.group
	for n, count := range f.names {
		s.stands[key{group, n}] += count
	}
	c.imports = f.statements()
	defined := map[int]bool{}
	for i := range f.defs {
		def := &f.defs[i]
		defined[def.at] = true
		if c.added.lines[def.line] {
			for _, p := range def.params {
				c.bound[p.name] = true
			}
		}
	}
	kept := map[usesKey]int{}
	imported := map[int32]bool{}
	for _, st := range c.imports {
		for line := st.first; line <= st.last; line++ {
			imported[line] = true
		}
	}
	for i, t := range f.tokens {
		if t.kind != name || !c.added.lines[t.line] || defined[i] || len(t.text) < 3 || isReserved(t.text) {
			continue
		}
		u, used := f.useAt(i)
		if !used {
			c.bound[t.text] = c.bound[t.text] || u.qualifier == ""
			continue
		}
		k := key{group, t.text}
		kept[usesKey{k, u.qualifier == ""}]++
		if kept[usesKey{k, u.qualifier == ""}] <= mostUses {
			u.file, u.imported = c, imported[t.line]
			s.uses[k] = append(s.uses[k], u)
		}
	}
}

// useAt describes the use of a name in code; used is false when the code defines the name, or when it is only a label.
func (f *parsed) useAt(i int) (u *use, used bool) {
	d := &definer{parsed: f}
	t, before, after := d.tok(i), d.tok(i-1), d.tok(i+1)
	u = &use{line: t.line, next: after.text, args: -1}
	if before.kind == symbol && slices.Contains([]string{".", "->", "::", "?."}, before.text) {
		u.qualifier = "."
		if q := d.tok(i - 2); q.kind == name {
			u.qualifier = q.text
		}
	}
	if after.kind == symbol {
		open := i + 1
		if f.lang.typed || f.lang.group == "js" || f.lang.group == "cs" || f.lang.group == "jvm" || f.lang.group == "swift" {
			open = d.angle(open)
		}
		if f.lang.group == "rust" && d.is(i+1, "::") && d.is(i+2, "<") {
			open = d.angle(i + 2)
		}
		if f.lang.group == "go" && d.is(open, "[") {
			if end := d.closing(open); end > 0 && d.is(end+1, "(") {
				open = end + 1
			}
		}
		if d.is(open, "(") {
			u.countArgs(d, open)
		}
		switch after.text {
		case "=", ":=":
			return u, false
		case ":":
			if before.kind == symbol && slices.Contains([]string{"{", ",", "("}, before.text) || t.first {
				return u, false
			}
		}
		declared := f.lang.typed && u.qualifier == "" && slices.Contains([]string{";", ",", ")", "["}, after.text) &&
			(before.kind == name && (!isReserved(before.text) || isTypeWord(before.text)) || before.kind == symbol && (before.text == ">" || before.text == "*" && d.tok(i-2).kind == name && !t.first))
		if declared {
			return u, false
		}
	}
	if before.kind == name && slices.Contains([]string{"let", "var", "const", "val", "mut", "as", "local", "for"}, before.text) {
		return u, false
	}
	return u, true
}

func isTypeWord(word string) bool {
	return strings.Contains(" int long short char float double bool boolean string byte unsigned signed auto void size_t ", " "+word+" ")
}

// countArgs counts the arguments of a call whose bracket is at open.
func (u *use) countArgs(d *definer, open int) {
	end := d.closing(open)
	if end < 0 {
		return
	}
	u.args = 0
	depth, any := 0, false
	for k := open + 1; k < end; k++ {
		t := d.tokens[k]
		if t.inside {
			continue
		}
		any = true
		if t.kind == symbol {
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			case ",":
				if depth == 0 && k+1 < end {
					u.args++
				}
			case "=", ":":
				if depth == 0 && d.tok(k-1).kind == name {
					u.named = append(u.named, d.tok(k-1).text)
				}
			case "*", "...", ".":
				if depth == 0 && (d.is(k-1, ",") || d.is(k-1, "(")) || t.text == "." && d.is(k+1, ".") {
					u.args = -2 // the number is not known
					return
				}
			}
		}
	}
	if any {
		u.args++
	}
}

// findGone finds the definitions that a side removed, renamed, added or gave other parameters.
func (s *Side) findGone() {
	type id struct {
		key
		scope string
	}
	before, now := map[id][]*gone{}, map[id][]*fresh{}
	for _, file := range slices.Sorted(maps.Keys(s.files)) {
		c := s.files[file]
		for i := range c.before.defs {
			def := c.before.defs[i]
			at := id{key{c.before.lang.group, def.name}, def.scope}
			before[at] = append(before[at], &gone{definition: def, file: c})
		}
		for i := range c.now.defs {
			def := c.now.defs[i]
			at := id{key{c.now.lang.group, def.name}, def.scope}
			now[at] = append(now[at], &fresh{def, c})
		}
	}
	for at, defs := range before {
		for _, g := range defs {
			inFile := slices.ContainsFunc(now[at], func(f *fresh) bool { return f.file == g.file })
			if !inFile {
				s.gone[at.key] = append(s.gone[at.key], g)
			}
		}
		if r := changedParams(defs, now[at]); r != nil {
			s.reshaped = append(s.reshaped, r)
		}
	}
	var fresher []*fresh
	for at, defs := range now {
		for _, f := range defs {
			if f.file.added.lines[f.line] && !slices.ContainsFunc(before[at], func(g *gone) bool { return g.file == f.file }) {
				s.news[at.key] = append(s.news[at.key], f)
				fresher = append(fresher, f)
			}
		}
	}
	slices.SortFunc(fresher, func(a, b *fresh) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.file.now.path, b.file.now.path))
	})
	for k, all := range s.gone {
		slices.SortFunc(all, func(a, b *gone) int { return strings.Compare(a.file.before.path, b.file.before.path) })
		for _, g := range all {
			g.findNewName(k.group, fresher)
		}
	}
	slices.SortFunc(s.reshaped, func(a, b *reshaped) int {
		return cmp.Or(strings.Compare(a.before.name, b.before.name), strings.Compare(a.file.now.path, b.file.now.path), cmp.Compare(a.now.at, b.now.at))
	})
}

// changedParams returns the definition whose parameters changed. It returns nil when none changed, or when the name has several
// definitions, which a call does not distinguish. Declarations of it elsewhere do not count.
func changedParams(before []*gone, now []*fresh) *reshaped {
	before = slices.DeleteFunc(slices.Clone(before), func(g *gone) bool { return g.declared })
	now = slices.DeleteFunc(slices.Clone(now), func(f *fresh) bool { return f.declared })
	if len(before) != 1 || len(now) != 1 || !before[0].called || !now[0].called || sameParams(before[0].params, now[0].params) {
		return nil
	}
	return &reshaped{before[0].definition, now[0].definition, now[0].file}
}

// findNewName looks for the new name of a definition: that of an equal definition, or of the only new one of its kind in the same file and
// scope, if its parameters are the same and its name is alike.
func (g *gone) findNewName(group string, all []*fresh) {
	var only *fresh
	for _, f := range all {
		if f.file.now.lang.group != group || f.what != g.what {
			continue
		}
		if f.body == g.body && g.body != 0 {
			g.to, g.near = f.name, place{f.file.now.path, f.line}
			return
		}
		if f.file != g.file || f.scope != g.scope || !sameParams(f.params, g.params) {
			continue
		}
		if only != nil {
			only = nil
			break
		}
		only = f
	}
	if only != nil && only.name != g.name && alike(only.name, g.name) {
		g.to, g.near = only.name, place{only.file.now.path, only.line}
	}
}

// alike reports whether one name contains half of the other.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	half := (len(a) + 1) / 2
	for i := 0; i+half <= len(a); i++ {
		if strings.Contains(b, a[i:i+half]) {
			return true
		}
	}
	return false
}

func sameParams(a, b []param) bool {
	return slices.EqualFunc(a, b, func(x, y param) bool { return x.text == y.text && x.optional == y.optional })
}

func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}
