package uses

import (
	"cmp"
	"maps"
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
