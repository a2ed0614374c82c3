package uses

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// Judge compares two sides. The trees are those of the sides.
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

// withoutFiles drops the finding that a file moved when a removed or renamed definition has a finding on the same line.
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

// once keeps the first finding of each name in a file.
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

// judge looks for what one side removed or changed and the other begins to use.
type judge struct {
	from, to *Side // from removed or changed, to begins to use
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
				if g.file == nil || !means(&g.definition, g.file.before, u) {
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

// elsewhere returns the names that still occur in code of the side that removed their definitions.
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

// mostRead bounds the files that are read for one name; a name that occurs in more files is taken to exist still.
const mostRead = 60

// inScope reports whether the use can only mean the definition that is gone, whatever else has that name.
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
	// On the side that removed the definition, its file no longer contains the name, neither defined nor imported.
	return c.g.file.now.names[c.g.name] == 0 && c.g.file.now.tokens != nil
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

// dependencies finds new imports of packages that manifests no longer name.
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
