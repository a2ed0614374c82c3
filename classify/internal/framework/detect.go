package framework

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// Detect gives the frameworks that a project uses, the one it is named after first; empty when it uses none.
func Detect(f Facts) []Match {
	d := &detection{Facts: f, rows: table(), main: ecosystemsOf(f.Language), found: map[int]*Match{}, atRoot: map[manifest.Ecosystem]bool{}}
	d.fromManifests()
	d.fromFiles()
	if d.settled() {
		d.breakTie()
	} else {
		d.fromImports()
	}
	return d.result()
}

// A detection gathers what speaks for each row.
type detection struct {
	Facts
	rows []row
	main []manifest.Ecosystem // those of the project's language, all when it says nothing
	// matter says that there is a package outside of the folders beside a project's matter; without one, these are the matter.
	matter bool
	// atRoot are the ecosystems with a manifest at the root; a library used below it does not name such a project.
	atRoot map[manifest.Ecosystem]bool
	found  map[int]*Match // by row
	asked  int            // how many files were read for a word in them
}

// What a match is worth: its kind first, then where it is said, then how.
const (
	kindStep     = 20  // between two kinds
	belowRoot    = 30  // for standing in a package below the root: more than one kind, less than two
	perLevel     = 4   // for each further level
	besideMatter = 60  // for standing among examples, tests and documentation
	otherWorld   = 500 // for being of another ecosystem than the project's language, or beside the matter
)

// fromManifests matches the dependencies of each package, a folder's manifests taken together.
func (d *detection) fromManifests() {
	type group struct {
		dir       string
		manifests []*manifest.Manifest
	}
	var groups []group
	at := map[string]int{}
	for _, m := range d.Manifests {
		dir := path.Dir(m.Path)
		if path.Base(dir) == "requirements" || path.Base(dir) == "gradle" {
			dir = path.Dir(dir)
		}
		i, ok := at[dir]
		if !ok {
			i = len(groups)
			at[dir] = i
			groups = append(groups, group{dir: dir})
		}
		groups[i].manifests = append(groups[i].manifests, m)
	}
	for _, g := range groups {
		d.matter = d.matter || !Beside(g.dir)
		if g.dir == "." {
			for _, m := range g.manifests {
				d.atRoot[m.Ecosystem] = true
			}
		}
	}
	for _, g := range groups {
		d.fromPackage(g.dir, g.manifests)
	}
}

// A use is one dependency of a package that speaks for a row.
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
		library := isLibrary(m)
		dependencies := m.Dependencies
		if kind := m.Properties["type"]; kind != "" && m.Kind == manifest.ComposerJSON { // Composer's types name what a package extends
			dependencies = append(slices.Clone(dependencies), manifest.Dependency{Ecosystem: manifest.Composer, Name: "type:" + kind})
		}
		for _, dep := range dependencies {
			base := worth(dep, m, library)
			if base < 0 {
				continue
			}
			for _, h := range rowsOf(dep) {
				value := base
				if h.weak {
					value -= 35
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
		if d.holds(r, declared) {
			d.add(r, u.dep.Ecosystem, u.worth, dir, u.from.Path+": "+groupWord(u.dep)+" "+u.dep.Name)
		}
	}
}

// A declaration is a dependency by its name alone.
type declaration struct {
	eco  manifest.Ecosystem
	name string
}

// holds tells whether a row's further conditions hold among a package's dependencies.
func (d *detection) holds(r int, declared map[declaration]bool) bool {
	row := &d.rows[r]
	for want := range strings.FieldsSeq(row.all) {
		if !has(declared, row.eco, want) {
			return false
		}
	}
	for unwanted := range strings.FieldsSeq(row.not) {
		if has(declared, row.eco, unwanted) {
			return false
		}
	}
	return true
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

// isLibrary tells a published package from a program: it has peers, or fields that those who install it need, so what it is developed
// with is for trying it out.
func isLibrary(m *manifest.Manifest) bool {
	if m.Kind != manifest.PackageJSON {
		return false
	}
	return m.Properties["published"] != "" && m.Properties["private"] == "" || slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool {
		return dep.Group == manifest.Peer
	})
}

// worth is how much a dependency says by its group, negative when it says nothing: what a Python or Ruby project is tested with does
// not make it an application of that, whereas npm projects declare the framework that builds them as a development dependency.
func worth(dep manifest.Dependency, from *manifest.Manifest, library bool) int {
	switch dep.Group {
	case manifest.Runtime:
		return 100
	case manifest.Plugin:
		return 78 // it builds for something that the dependencies name too
	case manifest.Dev:
		switch {
		case dep.Ecosystem == manifest.NPM && !library:
			return 97
		case dep.Ecosystem == manifest.NPM:
			return 40
		}
		return -1
	case manifest.Peer:
		return 85
	case manifest.Optional:
		return 85
	case manifest.Build:
		if dep.Ecosystem == manifest.Maven {
			return 80 // a plugin on the build script's class path
		}
		return -1
	case manifest.Managed:
		if (from.Kind == manifest.PomXML || from.Kind == manifest.BuildGradle) && strings.Contains(dep.Name, ":") {
			return 75 // a parent or a bill of materials
		}
		return -1 // what others may use
	}
	return -1
}

func groupWord(dep manifest.Dependency) string {
	switch dep.Group {
	case manifest.Runtime:
		return "dependency"
	case manifest.Plugin:
		return "plugin"
	}
	return string(dep.Group) + " dependency"
}

// place is what standing in a folder costs a match.
func place(dir string) int {
	if dir == "." {
		return 0
	}
	return belowRoot + perLevel*min(strings.Count(dir, "/"), 4)
}

// Beside tells the folders whose content is beside a project's matter: examples, tests, documentation, build
// logic.
func Beside(dir string) bool {
	for segment := range strings.SplitSeq(strings.ToLower(dir), "/") {
		switch segment {
		case "demo", "demos", "website", "site", "www", "template", "templates", "stubs", "scripts", "tools", ".github", "storybook", "spec",
			"build-logic", "buildsrc", "build-conventions":
			return true
		}
		for word := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '-' || c == '_' || c == '.' }) {
			switch word {
			case "example", "examples", "sample", "samples", "test", "tests", "testdata", "fixture", "fixtures", "e2e", "doc", "docs",
				"documentation", "playground", "playgrounds", "bench", "benches", "benchmark", "benchmarks", "sandbox":
				return true
			}
		}
	}
	return false
}

// add keeps what speaks for a row, in the ecosystem that it was found in.
func (d *detection) add(r int, eco manifest.Ecosystem, worth int, dir, why string) {
	row := &d.rows[r]
	m := d.found[r]
	if m == nil {
		m = &Match{Name: row.name, Kind: row.kind, score: -1 << 20}
		d.found[r] = m
	}
	score := worth - place(dir)
	main := slices.Contains(d.main, eco)
	if d.matter && Beside(dir) {
		score -= besideMatter
		main = false
	}
	if row.kind >= Library && dir != "." && d.atRoot[eco] {
		main = false
	}
	m.Confidence = max(m.Confidence, min(0.95, float64(max(score, 5))/105))
	score -= kindStep * int(row.kind)
	if !main {
		score -= otherWorld
	}
	if score > m.score {
		m.score, m.Ecosystem, m.Main = score, eco, main
		m.Why = slices.Insert(m.Why, 0, why)
	} else if len(m.Why) < 5 {
		m.Why = append(m.Why, why)
	}
}

// fromFiles matches the files of the project, in the ecosystems of its language and of its manifests.
func (d *detection) fromFiles() {
	ecosystems := slices.Clone(d.main)
	for _, m := range d.Manifests {
		if !slices.Contains(ecosystems, m.Ecosystem) {
			ecosystems = append(ecosystems, m.Ecosystem)
		}
	}
	for _, eco := range ecosystems {
		rules := indexOf(eco).files
		for _, file := range d.Files {
			base := file[strings.LastIndexByte(file, '/')+1:]
			candidates := rules[base]
			if candidates == nil {
				if dot := strings.LastIndexByte(base, '.'); dot > 0 {
					candidates = rules["*"+base[dot:]]
				}
			}
			for _, c := range candidates {
				dir, ok := c.under(file)
				if !ok || c.dir != "" && !d.hasFolder(path.Join(dir, c.dir)+"/") || c.word != "" && !d.contains(file, c.word) {
					continue
				}
				worth := 65
				if c.sure {
					worth = 101 // a dependency may be for trying things
				}
				d.add(c.row, eco, worth, dir, "file "+file)
			}
		}
	}
}

// hasFolder tells whether there is a file in the folder; rules that ask it are rare.
func (d *detection) hasFolder(prefix string) bool {
	return slices.ContainsFunc(d.Files, func(file string) bool { return strings.HasPrefix(file, prefix) })
}

// maxAsked bounds how many files are read for a word in them.
const maxAsked = 200

// contains looks for a word in a file; a project has few files that are asked for one.
func (d *detection) contains(file, word string) bool {
	if d.asked++; d.asked > maxAsked || d.Read == nil {
		return false
	}
	return strings.Contains(string(d.Read(file)), word)
}

// settled tells whether something was found that may name the project.
func (d *detection) settled() bool {
	for _, m := range d.found {
		if m.Main && m.Kind <= UI {
			return true
		}
	}
	return false
}

// result puts the matches in order.
func (d *detection) result() []Match {
	order := make([]int, 0, len(d.found))
	for r := range d.found {
		order = append(order, r)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(d.found[b].score, d.found[a].score), cmp.Compare(a, b))
	})
	matches := make([]Match, len(order))
	for i, r := range order {
		matches[i] = *d.found[r]
	}
	return matches
}

// ecosystemsOf gives the ecosystems that a language's frameworks come from; all of them for a language of documents, which says nothing about
// the program that serves them.
func ecosystemsOf(language string) []manifest.Ecosystem {
	switch strings.ToLower(language) {
	case "javascript", "typescript", "jsx", "tsx", "vue", "svelte", "astro", "coffeescript", "marko", "riot", "mdx", "ejs", "pug", "elm", "rescript":
		return []manifest.Ecosystem{manifest.NPM}
	case "php", "blade", "twig", "hack":
		return []manifest.Ecosystem{manifest.Composer}
	case "rust":
		return []manifest.Ecosystem{manifest.Cargo}
	case "python", "jupyter notebook", "cython":
		return []manifest.Ecosystem{manifest.PyPI}
	case "go", "templ":
		return []manifest.Ecosystem{manifest.Go}
	case "java", "kotlin", "groovy", "scala":
		return []manifest.Ecosystem{manifest.Maven}
	case "ruby", "haml", "slim":
		return []manifest.Ecosystem{manifest.RubyGems}
	case "", "unknown", "html", "css", "scss", "sass", "less", "stylus", "markdown", "yaml", "json", "toml", "xml", "liquid", "html+erb", "mustache",
		"handlebars", "nunjucks", "jinja", "dockerfile", "makefile", "shell":
		return []manifest.Ecosystem{manifest.NPM, manifest.Composer, manifest.Cargo, manifest.PyPI, manifest.Go, manifest.Maven, manifest.RubyGems}
	}
	return nil
}
