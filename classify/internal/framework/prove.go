package framework

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

const (
	// unproved is the confidence of a framework that is declared but not found in the sources: too low to be shown.
	unproved = 0.3
	// fewUse is the share of the sources that a package must have for its framework to be the main one, unless the framework is started
	// there.
	fewUse = 0.15
	// muchUse is that share for a view or a library: one of several supported ones is not the project's base.
	muchUse = 0.4
	// fewSources is the size, in bytes, below which sources disprove nothing: a new project declares what it will use.
	fewSources = 8 << 10
	// calledByOne: a library shapes a program when one in that many of its files uses it, or a file that starts the program.
	calledByOne = 10
	// usedByFew: a framework is a part of a program when fewer than one in that many of its files use it.
	usedByFew = 40
	// maxProofs bounds the source files that are read, those named like an entry point first.
	maxProofs = 600
)

// A Source is a file of the product itself: not a test, sample, documentation or build script.
type Source struct {
	Path string
	Size int64
}

// Prove looks for the declared frameworks in the product's own sources. A framework with a server or another entry point must be
// started there, others must be imported. A framework that only packages with a small share of the sources declare is not the main one.
// A framework that fails keeps its reasons, loses its confidence and moves to the end. Without sources nothing changes.
func Prove(f Facts, sources []Source, matches []Match) []Match {
	p := prover{facts: f, rows: table(), sources: map[manifest.Ecosystem][]Source{}}
	for _, s := range sources {
		dir, _, _ := strings.Cut(path.Dir(s.Path), "src/main/") // the folders below are package names: src/main/java/site/quill
		if Beside(dir) {
			continue
		}
		eco := cmp.Or(importing[path.Ext(s.Path)], others[path.Ext(s.Path)])
		p.sources[eco] = append(p.sources[eco], s)
	}
	p.search(matches)
	several, programs := p.several(matches), programs(matches)
	for i := range matches {
		m := &matches[i]
		m.Few = p.few[m.row]
		switch found := p.proof(m); found {
		case none:
			m.fails("not seen in the sources")
		case extra:
			m.fails("installed with an extra alone")
		default:
			share, ok := p.share(m)
			switch {
			case !ok:
			case found == weak && (share < fewUse || (m.Kind >= UI || m.Kind == Meta && programs[m.Ecosystem] > 1) && share < muchUse),
				found == strong && (m.sure && share < muchUse || share < fewUse && madeFor(m)): // a part made for it, among several
				m.fails("in a small part of the sources")
			default:
				m.score += int(60 * share)
			}
		}
		if several[m.Ecosystem] && m.Kind <= Framework && m.Confidence > unproved && m.AtRoot() {
			m.fails("one of several that it works with")
		}
		if !m.Main && m.Confidence < 0.5 {
			m.score -= otherWorld
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.score, a.score) })
	return matches
}

// fails makes a match one that is not shown.
func (m *Match) fails(why string) {
	m.Confidence, m.Main = min(m.Confidence, unproved), false
	m.Why = append(m.Why, why)
}

// several returns the ecosystems in which a package at the root declares so many frameworks that it must be an adapter for them: a program
// has one base, or two during a migration.
func (p *prover) several(matches []Match) map[manifest.Ecosystem]bool {
	count := map[manifest.Ecosystem]int{}
	for i := range matches {
		if m := &matches[i]; m.Kind <= Framework && m.AtRoot() && p.seen[m.row] != none && m.Ecosystem != manifest.NPM {
			count[m.Ecosystem]++
		}
	}
	all := map[manifest.Ecosystem]bool{}
	for eco, n := range count {
		all[eco] = n >= 4
	}
	return all
}

// programs counts, by ecosystem, the meta frameworks that packages below the root declare: when there are several, each belongs to one
// program among others.
func programs(matches []Match) map[manifest.Ecosystem]int {
	count := map[manifest.Ecosystem]int{}
	for i := range matches {
		if m := &matches[i]; m.Kind == Meta && len(m.dirs) > 0 && !m.AtRoot() && !table()[m.row].site {
			count[m.Ecosystem]++
		}
	}
	return count
}

// How well the use of a framework is proved.
type proof uint8

const (
	weak   proof = iota // imported, or undecidable
	strong              // started
	none
	extra // only for users who want more than the program itself
)

type prover struct {
	facts   Facts
	rows    []*row
	sources map[manifest.Ecosystem][]Source
	seen    map[int]proof // by row, of those that were searched for
	few     map[int]bool  // rows that few of many sources use
}

// byFiles reports whether no manifest declares a match.
func byFiles(m *Match) bool {
	return !slices.ContainsFunc(m.Why, func(why string) bool { return !strings.HasPrefix(why, "file ") })
}

// gem reports whether the project is a Ruby library, which declares its own runtime dependencies.
func (p *prover) gem() bool {
	return slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool {
		return m.Kind == manifest.Gemspec && !strings.Contains(m.Path, "/")
	})
}

// madeFor reports whether only packages named for the match declare it: an integration has the name of its framework.
func madeFor(m *Match) bool {
	return !slices.ContainsFunc(m.dirs, func(dir string) bool { return !strings.Contains(plain(path.Base(dir)), plain(m.Name)) })
}

// portion returns the share, 0 to 1, of an ecosystem's sources in the files that picks accepts.
func (p *prover) portion(eco manifest.Ecosystem, picks func(file string) bool) float64 {
	var own int64
	for _, s := range p.sources[eco] {
		if picks(s.Path) {
			own += s.Size
		}
	}
	return float64(own) / float64(max(p.size(eco), 1))
}

// size returns the size of an ecosystem's sources, in bytes.
func (p *prover) size(eco manifest.Ecosystem) (all int64) {
	for _, s := range p.sources[eco] {
		all += s.Size
	}
	return all
}

// proof returns the result of the search for a match.
func (p *prover) proof(m *Match) proof {
	row := p.rows[m.row]
	if p.size(m.Ecosystem) >= fewSources {
		switch {
		case len(m.dirs) == 0, // declared beside the matter, or for building all packages
			row.site && (m.group != manifest.Runtime || row.eco != manifest.NPM), // it makes the project's documentation
			row.kind == Library && m.group != manifest.Runtime && !m.sure,        // for the package's users, or for trying it out
			row.kind == Library && byFiles(m) && p.gem(),                         // it is only for trying the library out
			row.ext != "" && p.portion(m.Ecosystem, func(file string) bool { return strings.HasSuffix(file, row.ext) }) < fewUse,
			row.jsx && !p.showsPages(m) && !p.madeToGoWith(m),                      // a page beside its main purpose
			row.kind == Tool && row.eco == manifest.NPM && !row.site && !p.page(m): // libraries are built with it too
			return none
		case row.eco == manifest.Cargo && row.kind <= Framework && m.group == manifest.Optional && !m.sure, row.eco == manifest.PyPI && row.kind <= Framework && m.group == manifest.Optional && !m.sure && p.runsAlone():
			return extra
		}
	}
	if m.sure {
		return strong
	}
	found, asked := p.seen[m.row]
	if !asked {
		return weak
	}
	return found
}

// showsPages reports whether the packages that declare a match are written in components, if that can be determined: JSX in TypeScript has
// an extension of its own. A program at the root always counts, since it has much other code.
func (p *prover) showsPages(m *Match) bool {
	if m.AtRoot() && !slices.ContainsFunc(p.facts.Manifests, func(one *manifest.Manifest) bool { return one.Path == "package.json" && isLibrary(one) }) {
		return true
	}
	var all, typed, pages int64
	for _, s := range p.sources[m.Ecosystem] {
		if !slices.ContainsFunc(m.dirs, func(dir string) bool { return dir == "." || strings.HasPrefix(s.Path, dir+"/") }) {
			continue
		}
		all += s.Size
		switch path.Ext(s.Path) {
		case ".ts":
			typed += s.Size
		case ".tsx", ".jsx":
			typed, pages = typed+s.Size, pages+s.Size
		}
	}
	return typed*2 < all || float64(pages) >= fewUse*float64(all)
}

// madeToGoWith reports whether the project is a library for the match: its users must bring that framework, its description names it, and
// its sources import it. Hooks, for example, are written without components.
func (p *prover) madeToGoWith(m *Match) bool {
	row := p.rows[m.row]
	names := strings.Fields(row.any)
	return slices.ContainsFunc(p.facts.Manifests, func(one *manifest.Manifest) bool {
		return one.Path == "package.json" && isFor(one, row.name) && slices.ContainsFunc(one.Dependencies, func(dep manifest.Dependency) bool {
			return dep.Group == manifest.Peer && slices.Contains(names, dep.Name)
		})
	}) && p.facts.Read != nil && slices.ContainsFunc(likely(p.sources[m.Ecosystem]), func(file string) bool {
		text := string(p.facts.Read(file))
		return slices.ContainsFunc(names, func(name string) bool { return mentions(m.Ecosystem, text, name) })
	})
}

// isFor reports whether a package's description and keywords name this view library and no other.
func isFor(one *manifest.Manifest, name string) bool {
	words := strings.FieldsFunc(strings.ToLower(one.Description+" "+one.Properties["keywords"]), func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') })
	return slices.Contains(words, name) && !slices.ContainsFunc(words, func(word string) bool {
		return word != name && slices.Contains([]string{"react", "vue", "angular", "svelte", "solid", "preact", "lit", "agnostic"}, word)
	})
}

// runsAlone reports whether a Python program has runtime dependencies: then its extras are not its matter.
func (p *prover) runsAlone() bool {
	return slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool {
		return m.Ecosystem == manifest.PyPI && slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Group == manifest.Runtime })
	})
}

// page reports whether a package of the match has an index.html, with which a build tool begins.
func (p *prover) page(m *Match) bool {
	return slices.ContainsFunc(m.dirs, func(dir string) bool { return slices.Contains(p.facts.Files, path.Join(dir, "index.html")) })
}

// partsOf returns the folders of the packages that declare a match, plus the crates that a server among them is composed of: a crate that
// is only a program consists of the crates beside it.
func (p *prover) partsOf(m *Match) []string {
	parts := slices.Clone(m.dirs)
	if m.Ecosystem != manifest.Cargo || m.Kind > Framework {
		return parts
	}
	for _, one := range p.facts.Manifests {
		dir := path.Dir(one.Path)
		if one.Kind != manifest.CargoTOML || !slices.Contains(m.dirs, dir) || !slices.Contains(p.facts.Files, dir+"/src/main.rs") || slices.Contains(p.facts.Files, dir+"/src/lib.rs") {
			continue
		}
		for _, beside := range p.facts.Manifests {
			if beside.Kind == manifest.CargoTOML && beside.Name != "" && slices.ContainsFunc(one.Dependencies, func(dep manifest.Dependency) bool {
				return dep.Local && dep.Name == beside.Name
			}) {
				parts = append(parts, path.Dir(beside.Path))
			}
		}
	}
	return parts
}

// share returns the share of an ecosystem's sources in the packages that declare the match; false for a match at the root, and without
// sources.
func (p *prover) share(m *Match) (float64, bool) {
	if len(m.dirs) == 0 || slices.Contains(m.dirs, ".") {
		return 0, false
	}
	packages := map[string]bool{}
	for _, one := range p.facts.Manifests {
		if one.Ecosystem == m.Ecosystem && !one.Kind.Lists() {
			packages[path.Dir(one.Path)] = true
		}
	}
	parts := p.partsOf(m)
	var own, all int64
	for _, s := range p.sources[m.Ecosystem] {
		all += s.Size
		dir := path.Dir(s.Path)
		for dir != "." && !packages[dir] {
			dir = path.Dir(dir)
		}
		if slices.ContainsFunc(parts, func(of string) bool { return dir == of || strings.HasPrefix(s.Path, of+"/") }) {
			own += s.Size
		}
	}
	if all < fewSources {
		return 0, false
	}
	return float64(own) / float64(all), true
}
