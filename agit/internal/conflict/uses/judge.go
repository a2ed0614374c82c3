package uses

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// Judge holds two sides against each other. The trees are those of the sides.
func Judge(a, b *Side, ofA, ofB Tree) ([]Finding, error) {
	var all []Finding
	for _, way := range []struct {
		from, to *Side
		tree     Tree
		swapped  bool
	}{{b, a, ofB, false}, {a, b, ofA, true}} {
		j := &judge{from: way.from, to: way.to, tree: way.tree}
		for _, rule := range []func() error{j.definitions, j.files, j.dependencies, j.parameters} {
			if err := rule(); err != nil {
				return nil, err
			}
		}
		for _, f := range j.found {
			f.Swapped = way.swapped
			all = append(all, f)
		}
	}
	all = withoutFiles(all)
	all = append(all, duplicates(a, b)...)
	numbers, err := taken(a, b, ofA)
	if err != nil {
		return nil, err
	}
	all = append(all, numbers...)
	slices.SortStableFunc(all, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Name, y.Name))
	})
	return once(all), nil
}

// withoutFiles leaves out that a file moved where the row of a definition in it stands on the same line.
func withoutFiles(all []Finding) []Finding {
	type line struct {
		file string
		line int
	}
	told := map[line]bool{}
	for _, f := range all {
		if f.Rule == Removed || f.Rule == Renamed {
			told[line{f.File, f.Line}] = true
		}
	}
	return slices.DeleteFunc(all, func(f Finding) bool { return f.Rule == MovedFile && told[line{f.File, f.Line}] })
}

// once keeps the first row of each name in a file.
func once(all []Finding) []Finding {
	type same struct {
		rule       Rule
		file, name string
		swapped    bool
	}
	seen := map[same]bool{}
	return slices.DeleteFunc(all, func(f Finding) bool {
		k := same{f.Rule, f.File, f.Name, f.Swapped}
		had := seen[k]
		seen[k] = true
		return had
	})
}

// judge looks for what one side takes away from the other.
type judge struct {
	from, to *Side // who removed or changed, and who begins to use
	tree     Tree  // of from
	found    []Finding
}

// candidate is a use of a definition that is gone.
type candidate struct {
	key key
	g   *gone
	u   *use
}

// definitions finds uses of definitions that were removed or renamed.
func (j *judge) definitions() error {
	var all []candidate
	for _, k := range slices.SortedFunc(maps.Keys(j.from.gone), compareKeys) {
		if len(j.to.news[k]) > 0 {
			continue // it brings one of its own
		}
		for _, u := range j.to.uses[k] {
			for _, g := range j.from.gone[k] {
				if g.file == nil || !g.meant(u) {
					continue
				}
				all = append(all, candidate{k, g, u})
				break
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	elsewhere, err := j.elsewhere(all)
	if err != nil {
		return err
	}
	for _, c := range all {
		if !j.inScope(c) && elsewhere[c.key] {
			continue
		}
		f := Finding{Rule: Removed, Certain: true, Name: c.g.name, What: string(c.g.what), File: c.u.file.now.path, Line: int(c.u.line), OldFile: c.g.file.before.path, OldLine: int(c.g.line)}
		if c.g.to != "" && c.g.to != c.g.name {
			f.Rule, f.To, f.OldFile, f.OldLine = Renamed, c.g.to, c.g.near.file, int(c.g.near.line)
		}
		j.found = append(j.found, f)
	}
	return nil
}

func compareKeys(a, b key) int {
	return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.name, b.name))
}

// elsewhere returns the names that still stand in code of the side that removed their definitions.
func (j *judge) elsewhere(all []candidate) (map[key]bool, error) {
	stands := map[key]bool{}
	var ask []string
	for _, c := range all {
		if j.from.stands[c.key] > 0 {
			stands[c.key] = true
		} else if !slices.Contains(ask, c.key.name) {
			ask = append(ask, c.key.name)
		}
	}
	if len(ask) == 0 {
		return stands, nil
	}
	holding, err := j.tree.Holding(ask)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if stands[c.key] {
			continue
		}
		for i, file := range holding[c.key.name] {
			lang := languageOf(file)
			if lang == nil || lang.group != c.key.group {
				continue
			}
			if i > mostRead {
				stands[c.key] = true
				break
			}
			text, err := j.tree.Text(file)
			if err != nil {
				return nil, err
			}
			if parse(file, text).names[c.key.name] > 0 {
				stands[c.key] = true
				break
			}
		}
	}
	return stands, nil
}

// mostRead bounds the files that are read for one name; one that stands in so many is taken to stand.
const mostRead = 60

// inScope reports whether the use can mean nothing but the definition that is gone, whatever stands elsewhere.
func (j *judge) inScope(c candidate) bool {
	lang := c.u.file.now.lang
	if c.u.qualifier != "" && !slices.Contains([]string{"self", "this", "cls"}, c.u.qualifier) || c.g.what == Method && (lang.bare || lang.group == "go") {
		return false
	}
	if c.u.file.before.path != c.g.file.before.path || c.g.scope != "" && c.g.what != Method {
		return false
	}
	if lang.group == "c" && !c.g.hidden {
		return false
	}
	// The file of the definition, as the other side has it now, holds the name no more: neither defined nor imported.
	return c.g.file.now.names[c.g.name] == 0 && c.g.file.now.tokens != nil
}

// meant reports whether a use can be one of the definition.
func (g *gone) meant(u *use) bool { return means(&g.definition, g.file.before, u) }

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
		return u.qualifier != "" && !goPackage(u) || lang.bare && !u.imported
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

// goPackage reports whether the qualifier of a use is a package.
func goPackage(u *use) bool {
	return u.file.now.lang.group == "go" && u.file.binding(u.qualifier) != nil
}

// goMeans tells by package which definitions of Go a use can mean.
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

// packageOf is the name behind the word package.
func packageOf(f *parsed) string {
	for i := range f.tokens {
		if f.tokens[i].text == "package" && i+1 < len(f.tokens) {
			return f.tokens[i+1].text
		}
	}
	return ""
}

// files finds new references to files that were removed or moved.
func (j *judge) files() error {
	var paths []string
	for _, file := range slices.Sorted(maps.Keys(j.from.removed)) {
		for i := range j.to.refs {
			r := &j.to.refs[i]
			if !r.leads(file) || strings.Contains(r.file.before.text, r.text) && !r.imported {
				continue
			}
			if paths == nil {
				all, err := j.tree.Paths()
				if err != nil {
					return err
				}
				paths = append(all, "")
			}
			if slices.ContainsFunc(paths, func(p string) bool { return p != "" && r.leads(p) }) || j.brings(r) {
				continue
			}
			f := Finding{Rule: MovedFile, Certain: true, Name: file, What: "file", To: j.from.removed[file], File: r.file.now.path, Line: int(r.line), OldFile: file, OldLine: 0}
			j.found = append(j.found, f)
		}
	}
	return nil
}

// brings reports whether the side that names a file has made or changed it itself.
func (j *judge) brings(r *ref) bool {
	for file, c := range j.to.files {
		if r.leads(file) && (c.now.text != "" || c.before.text == "") {
			return true
		}
	}
	return false
}

// dependencies finds new imports of packages that manifests name no more.
func (j *judge) dependencies() error {
	for _, d := range j.from.dropped {
		if j.to.kept[d.key()] && j.to.addsDependency(d) || j.from.kept[d.key()] {
			continue
		}
		for i := range j.to.refs {
			r := &j.to.refs[i]
			if !d.covers(r.file.now.path) || !d.provides(r) || strings.Contains(r.file.before.text, r.text) {
				continue
			}
			other, err := j.otherManifest(d)
			if err != nil {
				return err
			}
			if other {
				break
			}
			j.found = append(j.found, Finding{Rule: Dropped, Certain: true, Name: d.name, What: "dependency", File: r.file.now.path, Line: int(r.line), OldFile: d.file, OldLine: int(d.line)})
			break
		}
	}
	return nil
}

// addsDependency reports whether the side itself adds a package to a manifest.
func (s *Side) addsDependency(d dependency) bool {
	for _, c := range s.files {
		for _, now := range dependencies(c.now.path, c.now.text) {
			if now.key() == d.key() && c.added.lines[now.line] {
				return true
			}
		}
	}
	return false
}

// otherManifest reports whether a manifest that was not changed names the package too.
func (j *judge) otherManifest(d dependency) (bool, error) {
	paths, err := j.tree.Paths()
	if err != nil {
		return false, err
	}
	for _, file := range paths {
		if path.Base(file) != path.Base(d.file) && path.Ext(file) != path.Ext(d.file) || j.from.files[file] != nil || !(dependency{file: file}).covers(d.file) {
			continue
		}
		text, err := j.tree.Text(file)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(dependencies(file, text), func(o dependency) bool { return o.key() == d.key() }) {
			return true, nil
		}
	}
	return false, nil
}

// parameters finds new calls of definitions that take other parameters now.
func (j *judge) parameters() error {
	for _, r := range j.from.reshaped {
		k := key{r.file.now.lang.group, r.before.name}
		if len(j.to.news[k]) > 0 {
			continue
		}
		for _, u := range j.to.uses[k] {
			if u.args < 0 || u.imported || !means(&r.before, j.from.beforeOf(r), u) || !fits(r.before.params, u) || !r.breaks(u) {
				continue
			}
			unique, err := j.onlyOne(r, u)
			if err != nil {
				return err
			}
			if !unique {
				break
			}
			j.found = append(j.found, Finding{Rule: Parameters, Name: r.before.name, What: string(r.before.what), To: FormatParams(r.now.params), File: u.file.now.path, Line: int(u.line), OldFile: r.file.now.path, OldLine: int(r.now.line)})
		}
	}
	return nil
}

func (s *Side) beforeOf(r *reshaped) *parsed { return r.file.before }

// tidy joins the tokens of a parameter as people write them.
var tidy = strings.NewReplacer(" . . . ", " ...", ". . . ", "...", " . ", ".", " :: ", "::", " : ", ": ", "* ", "*", "& ", "&", " < ", "<", " >", ">", "[ ] ", "[]", " [", "[", "[ ", "[", " ]", "]", "( ", "(", " )", ")", " ,", ",", " ?", "?")

// FormatParams is a list of parameters as people read it.
func FormatParams(all []param) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = tidy.Replace(p.text)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// fits reports whether a call has as many arguments as the parameters take.
func fits(params []param, u *use) bool {
	least, most := 0, len(params)
	for _, p := range params {
		if !p.optional {
			least++
		}
		if strings.Contains(p.text, "*") && p.optional || strings.Contains(p.text, ".") && strings.Contains(strings.ReplaceAll(p.text, " ", ""), "...") {
			most = 1 << 20
		}
	}
	return least <= u.args && u.args <= most
}

// breaks reports whether a call that was written for the old parameters fails with the new ones, or means another thing.
func (r *reshaped) breaks(u *use) bool {
	if !fits(r.now.params, u) {
		return true
	}
	lang := r.file.now.lang
	for _, given := range u.named {
		is := func(p param) bool { return p.name == given }
		if slices.ContainsFunc(r.before.params, is) && !slices.ContainsFunc(r.now.params, is) && lang.named {
			return true
		}
	}
	if lang.overloads && lang.group == "js" && !lang.typed && len(r.before.params) == 0 {
		return false
	}
	n := min(u.args, len(r.before.params), len(r.now.params))
	typesBefore, typesNow := types(lang, r.before.params), types(lang, r.now.params)
	if typesBefore != nil && typesNow != nil && !slices.Equal(typesBefore[:n], typesNow[:n]) {
		return true
	}
	// The same names in another order.
	var before, now []string
	for i := range n {
		before, now = append(before, r.before.params[i].name), append(now, r.now.params[i].name)
	}
	if slices.Equal(before, now) {
		return false
	}
	slices.Sort(before)
	slices.Sort(now)
	return slices.Equal(before, now)
}

// types are parameters without their names; nil where the language does not write any.
func types(lang *language, params []param) []string {
	all := make([]string, len(params))
	switch lang.group {
	case "python", "ruby", "php", "shell", "lua", "perl", "elixir":
		return nil
	}
	for i := len(params) - 1; i >= 0; i-- {
		words := strings.Fields(params[i].text)
		switch {
		case lang.typed:
			if len(words) > 1 {
				words = words[:len(words)-1]
			}
			words = slices.DeleteFunc(words, func(w string) bool { return w == "final" || w == "const" })
		case lang.group == "go":
			if len(words) > 1 && words[0] != "[" && words[0] != "*" && words[1] != "." {
				words = words[1:]
			} else if len(words) == 1 && i+1 < len(params) && len(strings.Fields(params[i+1].text)) > 1 {
				words = []string{all[i+1]}
			}
		case lang.name == "JavaScript":
			return nil
		default:
			_, after, found := strings.Cut(params[i].text, ":")
			if !found {
				return nil
			}
			words = strings.Fields(after)
		}
		all[i] = strings.Join(words, " ")
	}
	return all
}

// onlyOne reports whether a call can mean no other definition of the name: there is none, or the call stands beside it.
func (j *judge) onlyOne(r *reshaped, u *use) (bool, error) {
	group := r.file.now.lang.group
	here := path.Dir(r.file.now.path)
	other := func(f *parsed) bool {
		return f.lang != nil && f.lang.group == group && slices.ContainsFunc(f.defs, func(d definition) bool {
			return d.name == r.before.name && !(f.path == r.file.now.path && d.scope == r.now.scope) && !(group == "c" && !d.called) &&
				!d.declared && (group != "go" || r.before.what == Method || d.scope == "" && path.Dir(f.path) == here)
		})
	}
	for _, c := range j.from.files {
		if other(c.now) {
			return false, nil
		}
	}
	if u.file.now.path == r.file.now.path && u.qualifier == "" && r.before.what == Function {
		return true, nil
	}
	holding, err := j.tree.Holding([]string{r.before.name})
	if err != nil {
		return false, err
	}
	for i, file := range holding[r.before.name] {
		if lang := languageOf(file); lang == nil || lang.group != group || group == "go" && r.before.what != Method && path.Dir(file) != here {
			continue
		}
		if i > 4*mostRead {
			return false, nil
		}
		text, err := j.tree.Text(file)
		if err != nil {
			return false, err
		}
		if other(parse(file, text)) {
			return false, nil
		}
	}
	return true, nil
}
