package framework

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// fromManifests matches the dependencies of each package, with all manifests of a folder together.
func (d *detection) fromManifests() {
	var dirs []string
	byDir := map[string][]*manifest.Manifest{}
	for _, m := range d.Manifests {
		dir := path.Dir(m.Path)
		if path.Base(dir) == "requirements" || path.Base(dir) == "gradle" {
			dir = path.Dir(dir)
		}
		if byDir[dir] == nil {
			dirs = append(dirs, dir)
		}
		byDir[dir] = append(byDir[dir], m)
		d.matter = d.matter || !Beside(dir)
		if dir == "." {
			d.atRoot[m.Ecosystem] = true
		}
	}
	for _, dir := range dirs {
		if d.matter && Beside(dir) {
			continue
		}
		for _, m := range byDir[dir] {
			if !m.Kind.Lists() {
				d.packages[m.Ecosystem]++
			}
			if m.Name != "" {
				d.own[declaration{m.Ecosystem, m.Name}] = true
			}
		}
	}
	for _, dir := range dirs {
		d.fromPackage(dir, byDir[dir])
	}
}

// itself reports whether the project is the row's framework, which is not its own base.
func (d *detection) itself(r int) bool {
	row := d.rows[r]
	first, _, _ := strings.Cut(row.any, " ") // the others accompany it, and may be in the same repository as a program
	for own := range d.own {
		if own.eco == row.eco && (own.name == row.name || own.name == first ||
			row.eco == manifest.Go && slices.Contains([]string{row.name, first}, withoutMajor(own.name))) {
			return true
		}
	}
	return false
}

// A use is one dependency of a package that is evidence for a row.
type use struct {
	dep   manifest.Dependency
	from  *manifest.Manifest
	worth int
}

func (d *detection) fromPackage(dir string, manifests []*manifest.Manifest) {
	declared := map[declaration]bool{}
	for _, m := range manifests {
		for _, dep := range m.Dependencies {
			if dep.Group != manifest.Managed {
				declared[declaration{dep.Ecosystem, dep.Name}] = true
			}
		}
	}
	best := map[int]use{}
	for _, m := range manifests {
		library := isLibrary(m) && !packsDesktop(m)
		dependencies := m.Dependencies
		if kind := m.Properties["type"]; kind != "" && m.Kind == manifest.ComposerJSON { // Composer's types name the extended program
			dependencies = append(slices.Clone(dependencies), manifest.Dependency{Ecosystem: manifest.Composer, Name: "type:" + kind})
		}
		dependencies = append(dependencies[:len(dependencies):len(dependencies)], switches(m)...)
		for _, dep := range dependencies {
			base := worth(dep, library)
			if base < 0 || dep.Group == manifest.Peer && forTests(m.Name) {
				continue
			}
			for _, h := range rowsOf(dep) {
				value := base
				if h.weak {
					value -= 35
				}
				if d.rows[h.row].command && m.Properties["bin"] == "" {
					continue
				}
				if d.rows[h.row].run && dep.Group == manifest.Dev {
					if library {
						continue
					}
					value -= 35
				}
				if old, ok := best[h.row]; !ok || value > old.worth {
					best[h.row] = use{dep, m, value}
				}
			}
		}
	}
	for r, u := range best {
		if with := d.rows[r].with; with != "" && u.dep.Ecosystem != d.rows[r].eco && !d.has(dir, with+"/") {
			continue
		}
		if d.holds(r, declared) {
			before := d.found[r]
			building := u.dep.Group == manifest.Dev || u.dep.Group == manifest.Build && u.from.Kind == manifest.BuildGradle
			d.tooling = dir == "." && building && d.packages[u.dep.Ecosystem] > 1
			d.add(r, u.dep.Ecosystem, u.worth, dir, u.from.Path+": "+groupWord(u.dep)+" "+u.dep.Name)
			if m := d.found[r]; m != nil && (before == nil || u.dep.Group == manifest.Runtime) {
				m.group = u.dep.Group
			}
			d.tooling = false
		}
	}
}

// forTests reports whether a package is a test tool: its peer dependencies are the things under test.
func forTests(name string) bool {
	words := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("-_/@.", c) })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains([]string{"test", "tests", "testing", "mock", "mocks", "jest", "vitest", "eslint", "storybook"}, word)
	})
}

// switches returns the features that a .NET project, a pubspec or a convention plugin enables without naming a package.
func switches(m *manifest.Manifest) (all []manifest.Dependency) {
	if sdk := m.Properties["sdk"]; sdk != "" && m.Ecosystem == manifest.NuGet {
		all = append(all, manifest.Dependency{Ecosystem: manifest.NuGet, Name: "sdk:" + sdk})
	}
	for what := range strings.FieldsSeq(m.Properties["uses"]) {
		all = append(all, manifest.Dependency{Ecosystem: m.Ecosystem, Name: "uses:" + what})
	}
	if m.Ecosystem == manifest.Maven {
		for _, dep := range m.Dependencies {
			if _, what, ok := strings.Cut(dep.Name, ".android."); ok && dep.Group == manifest.Plugin && (what == "application" || what == "library") {
				all = append(all, manifest.Dependency{Ecosystem: manifest.Maven, Name: "com.android." + what, Group: manifest.Plugin}) // a plugin of the project's own applies it
			}
		}
	}
	return all
}

// A declaration is a dependency by its name alone.
type declaration struct {
	eco  manifest.Ecosystem
	name string
}

// holds reports whether a row's further conditions are met by a package's dependencies.
func (d *detection) holds(r int, declared map[declaration]bool) bool {
	row := d.rows[r]
	met := func(pattern string) bool { return has(declared, row.eco, pattern) }
	return !slices.ContainsFunc(strings.Fields(row.not), met) &&
		!slices.ContainsFunc(strings.Fields(row.all), func(want string) bool { return !met(want) })
}

// has looks up a dependency pattern of a row.
func has(declared map[declaration]bool, eco manifest.Ecosystem, pattern string) bool {
	prefix, wild := strings.CutSuffix(pattern, "*")
	if !wild {
		return declared[declaration{eco, pattern}]
	}
	for dep := range declared {
		if dep.eco == eco && strings.HasPrefix(dep.name, prefix) {
			return true
		}
	}
	return false
}
