package framework

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

const (
	// unproved is the confidence of a framework that is declared and not seen in the sources: too low to be told.
	unproved = 0.3
	// fewUse is the part of the sources that a package has to hold for a framework of its own to name the whole, unless the framework
	// is started there.
	fewUse = 0.15
	// muchUse is that part for a view or a library: one of several that a project is made for is not what it is built on.
	muchUse = 0.4
	// fewSources is the size, in bytes, below which sources disprove nothing: a project that was just begun declares what it will use.
	fewSources = 8 << 10
	// calledByOne: a library shapes a program when one in so many of its files uses it, or one that starts the program.
	calledByOne = 10
	// usedByFew: a framework that fewer than one in so many files of a program use is a part of it.
	usedByFew = 40
	// maxProofs bounds the source files that are looked into, the ones named like an entry point first.
	maxProofs = 600
)

// A Source is a file of the product's own: no test, sample, documentation or build script.
type Source struct {
	Path string
	Size int64
}

// Prove looks for what was declared in the product's own sources. A framework with a server or another entry point has to be started
// there, others have to be imported, and one that only packages with a small part of the sources declare does not name the whole. What
// fails keeps its reasons, loses its confidence and goes to the end. Nothing changes where there are no sources to look into.
func Prove(f Facts, sources []Source, matches []Match) []Match {
	p := prover{facts: f, rows: table(), sources: map[manifest.Ecosystem][]Source{}}
	for _, s := range sources {
		if Beside(path.Dir(s.Path)) {
			continue
		}
		for _, eco := range ecosystemsOfExt(path.Ext(s.Path)) {
			p.sources[eco] = append(p.sources[eco], s)
		}
	}
	p.search(matches)
	several := p.several(matches)
	for i := range matches {
		m := &matches[i]
		m.Few = p.few[m.row]
		switch p.proof(m) {
		case none:
			m.Confidence, m.Main = min(m.Confidence, unproved), false
			m.Why = append(m.Why, "not seen in the sources")
		case weak:
			if share, ok := p.share(m); ok && (share < fewUse || m.Kind >= UI && share < muchUse) {
				m.Confidence, m.Main = min(m.Confidence, unproved), false
				m.Why = append(m.Why, "in a small part of the sources")
			} else if ok {
				m.score += int(60 * share)
			}
		case extra:
			m.Confidence, m.Main = min(m.Confidence, unproved), false
			m.Why = append(m.Why, "installed with an extra alone")
		case strong:
			share, ok := p.share(m)
			if ok && (m.sure && share < muchUse || share < fewUse && madeFor(m)) { // a part of several that is made for it
				m.Confidence, m.Main = min(m.Confidence, unproved), false
				m.Why = append(m.Why, "in a small part of the sources")
			} else if ok {
				m.score += int(60 * share)
			}
		}
		if several[m.Ecosystem] && m.Kind <= Framework && m.Confidence > unproved && m.AtRoot() {
			m.Confidence, m.Main = unproved, false
			m.Why = append(m.Why, "one of several that it works with")
		}
		if !m.Main && m.Confidence < 0.5 {
			m.score -= otherWorld
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.score, a.score) })
	return matches
}

// several are the ecosystems in which a package at the root declares so many frameworks that it connects to them: a program is built on
// one, or on two while it moves.
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

// How well a framework's use is proved.
type proof uint8

const (
	weak   proof = iota // imported, or it cannot be told
	strong              // started
	none
	extra // what those ask for who want more than the program itself
)

type prover struct {
	facts   Facts
	rows    []*row
	sources map[manifest.Ecosystem][]Source
	seen    map[int]proof // by row, of those that were looked for
	few     map[int]bool  // rows that few sources of many use
}

// byFiles tells a match that no manifest declares.
func byFiles(m *Match) bool {
	return !slices.ContainsFunc(m.Why, func(why string) bool { return !strings.HasPrefix(why, "file ") })
}

// gem tells a Ruby library, which says itself what it runs with.
func (p *prover) gem() bool {
	return slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool {
		return m.Kind == manifest.Gemspec && !strings.Contains(m.Path, "/")
	})
}

// madeFor tells a match that only packages declare which are named for it: an integration of NAME is called so.
func madeFor(m *Match) bool {
	return !slices.ContainsFunc(m.dirs, func(dir string) bool { return !strings.Contains(plain(path.Base(dir)), plain(m.Name)) })
}

// integrates tells a source in a package that is called after what it connects to: akka-http-backend/src/…, beside others that are not.
func integrates(file, name string) bool {
	dir, _, ok := strings.Cut(file, "/src/")
	return ok && strings.Contains(plain(path.Base(dir)), plain(name))
}

// moduleOf is the folder of the Go module that a source belongs to, "" for the one at the root.
func (p *prover) moduleOf(file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool { return m.Kind == manifest.GoMod && path.Dir(m.Path) == dir }) {
			return dir
		}
	}
	return ""
}

// written is how much of an ecosystem's sources is in files of an extension.
func (p *prover) written(eco manifest.Ecosystem, ext string) float64 {
	var own int64
	for _, s := range p.sources[eco] {
		if strings.HasSuffix(s.Path, ext) {
			own += s.Size
		}
	}
	return float64(own) / float64(max(p.size(eco), 1))
}

// part is how much of an ecosystem's sources stands below a folder.
func (p *prover) part(eco manifest.Ecosystem, dir string) float64 {
	var own int64
	for _, s := range p.sources[eco] {
		if strings.HasPrefix(s.Path, dir+"/") {
			own += s.Size
		}
	}
	return float64(own) / float64(max(p.size(eco), 1))
}

// size is that of an ecosystem's sources, in bytes.
func (p *prover) size(eco manifest.Ecosystem) (all int64) {
	for _, s := range p.sources[eco] {
		all += s.Size
	}
	return all
}

// A question is what to look for to prove a row.
type question struct {
	row     int
	entries []string
	unless  []string
	imports []string
	dirs    []string // of the packages that declare it
}

// search looks for all rows of an ecosystem in one pass over its sources, which ends when all are found.
func (p *prover) search(matches []Match) {
	p.seen, p.few = map[int]proof{}, map[int]bool{}
	asked := map[manifest.Ecosystem][]question{}
	for i := range matches {
		m := &matches[i]
		row := p.rows[m.row]
		eco := row.eco
		if m.Confidence < 0.5 || m.sure || p.size(eco) < fewSources {
			continue
		}
		q := question{row: m.row, entries: phrases(row.entry), unless: phrases(row.unless), dirs: m.dirs}
		if len(q.entries) == 0 {
			q.imports = provable(row)
		}
		if len(q.entries)+len(q.imports) > 0 {
			asked[eco] = append(asked[eco], q)
			p.seen[m.row] = none
		}
	}
	if p.facts.Read == nil {
		clear(p.seen)
		return
	}
	for eco, questions := range asked {
		files := likely(p.sources[eco])
		called := map[int]int{} // in how many files that start nothing, by row
		used := map[int]int{}   // in how many files a framework of a program is, by row
		many := 1
		if eco == manifest.Go || eco == manifest.Cargo {
			many = (len(files) + usedByFew - 1) / usedByFew
		}
		for _, file := range files {
			if len(questions) == 0 {
				break
			}
			start := starts(file)
			text := string(p.facts.Read(file))
			if head := text[:min(len(text), 1500)]; strings.Contains(head, "DO NOT EDIT") || strings.Contains(head, "@generated") {
				continue // it starts nothing by itself
			}
			module := ""
			if eco == manifest.Go {
				module = p.moduleOf(file)
			}
			inside := func(dir string) bool { return dir == module }
			questions = slices.DeleteFunc(questions, func(q question) bool {
				var found proof
				switch {
				case module != "" && (!slices.ContainsFunc(q.dirs, inside) || p.part(eco, module) < fewUse):
					return false // of a module beside the program
				case eco == manifest.Maven && integrates(file, p.rows[q.row].name):
					return false
				case slices.ContainsFunc(q.entries, func(entry string) bool { return strings.Contains(text, entry) }):
					if slices.ContainsFunc(q.unless, func(other string) bool { return strings.Contains(text, other) }) {
						return false
					}
					found = strong
				case slices.ContainsFunc(q.imports, func(name string) bool { return mentions(eco, text, name) }):
					found = weak
				default:
					return false
				}
				if p.rows[q.row].kind == Library && !start {
					if called[q.row]++; called[q.row]*calledByOne < len(files) {
						return false // one part of the program calls it
					}
				}
				if eco == manifest.PyPI && p.rows[q.row].kind <= Framework && strings.Count(file, "/") >= 3 && len(files) >= 100 {
					if called[q.row]++; called[q.row] < 3 {
						return false // an add-on starts it, deep in a program of some size
					}
				}
				p.seen[q.row] = found
				if p.rows[q.row].kind <= Framework && len(q.entries) == 0 {
					used[q.row]++
					p.few[q.row] = used[q.row] < many
				}
				return !p.few[q.row]
			})
		}
	}
}

func phrases(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

// provable are a row's imports in the ecosystems where nothing is used that is not imported by a name that follows from the package's.
func provable(r *row) []string {
	switch {
	case r.eco == manifest.NPM && !r.run, r.kind == Tool:
		return nil
	case r.eco == manifest.Pub, r.eco == manifest.SwiftPM:
		return strings.Fields(r.any)
	case r.eco == manifest.Maven:
		return strings.Fields(r.imports)
	case r.eco != manifest.Go && r.eco != manifest.PyPI && r.eco != manifest.Cargo && r.eco != manifest.NPM:
		return nil
	}
	names := strings.Fields(r.imports)
	if len(names) == 0 || r.eco != manifest.PyPI {
		names = append(names, strings.Fields(r.any+" "+r.weak)...)
	}
	for i, name := range names {
		if r.eco == manifest.PyPI || r.eco == manifest.Cargo {
			names[i] = strings.TrimSuffix(strings.ReplaceAll(name, "-", "_"), "_*")
		}
	}
	return names
}

// mentions tells whether a source imports a package, or something in it.
func mentions(eco manifest.Ecosystem, text, name string) bool {
	switch eco {
	case manifest.Go:
		return strings.Contains(text, `"`+name)
	case manifest.NPM:
		for _, quote := range [...]string{"'", `"`, "`"} {
			if strings.Contains(text, quote+name+quote) || strings.Contains(text, quote+name+"/") {
				return true
			}
		}
		return false
	case manifest.PyPI:
		for line := range strings.Lines(text) {
			if what := imported(eco, line); what != "" && (strings.HasPrefix(what, name) && imports(eco, what, name) || strings.HasPrefix(what, name+"_")) {
				return true
			}
		}
		return false
	case manifest.Maven:
		return strings.Contains(text, "import "+name) || strings.Contains(text, "import static "+name)
	case manifest.Cargo:
		return strings.Contains(text, name+"::") || strings.Contains(text, "use "+name) || strings.Contains(text, "extern crate "+name)
	case manifest.Pub:
		return strings.Contains(text, "package:"+name+"/")
	case manifest.SwiftPM:
		return strings.Contains(strings.ToLower(text), "import "+name)
	}
	return false
}

// proof is what the search found out about a match.
func (p *prover) proof(m *Match) proof {
	row := p.rows[m.row]
	if p.size(m.Ecosystem) >= fewSources {
		switch {
		case len(m.dirs) == 0, // said beside the matter, or for building all packages
			row.site && (m.group != manifest.Runtime || row.eco != manifest.NPM), // the documentation of what there is
			row.kind == Library && m.group != manifest.Runtime && !m.sure,        // for those who use it, or to try it with
			row.kind == Library && byFiles(m) && p.gem(),                         // it is tried out with it
			row.ext != "" && p.written(m.Ecosystem, row.ext) < fewUse,
			row.kind == Tool && row.eco == manifest.NPM && !row.site && !p.page(m): // a library is built with it too
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

// runsAlone tells a Python program that needs something to run with: its extras are beside the matter.
func (p *prover) runsAlone() bool {
	return slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool {
		return m.Ecosystem == manifest.PyPI && slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Group == manifest.Runtime })
	})
}

// page tells whether a package of the match has a page that a build tool begins with.
func (p *prover) page(m *Match) bool {
	return slices.ContainsFunc(m.dirs, func(dir string) bool { return slices.Contains(p.facts.Files, path.Join(dir, "index.html")) })
}

// share is the part of an ecosystem's sources that stands in the packages which declare the match; false for one at the root, and
// where there are no sources.
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
	var own, all int64
	for _, s := range p.sources[m.Ecosystem] {
		all += s.Size
		dir := path.Dir(s.Path)
		for dir != "." && !packages[dir] {
			dir = path.Dir(dir)
		}
		if slices.ContainsFunc(m.dirs, func(of string) bool { return dir == of || strings.HasPrefix(s.Path, of+"/") }) {
			own += s.Size
		}
	}
	if all < fewSources {
		return 0, false
	}
	return float64(own) / float64(all), true
}

// likely puts the sources that may start a program first, and those nearer to the root before others; the biggest of the rest.
func likely(sources []Source) []string {
	type candidate struct {
		path string
		rank int
	}
	all := make([]candidate, len(sources))
	for i, s := range sources {
		rank := 10 * min(strings.Count(s.Path, "/"), 20)
		if starts(s.Path) {
			rank -= 60
		}
		all[i] = candidate{s.Path, rank}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.path, b.path)) })
	all = all[:min(len(all), maxProofs)]
	paths := make([]string, len(all))
	for i, c := range all {
		paths[i] = c.path
	}
	return paths
}

// starts tells a file that is named like one which starts a program.
func starts(file string) bool {
	base := strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	for _, word := range [...]string{"main", "app", "server", "index", "program", "startup", "endpoint", "root", "cmd", "cli", "asgi", "wsgi", "settings", "route", "__init__", "api", "bot", "worker"} {
		if strings.Contains(base, word) {
			return true
		}
	}
	return strings.HasPrefix(file, "cmd/") || strings.HasPrefix(file, "src/main.") || !strings.Contains(file, "/")
}

// ecosystemsOfExt returns the ecosystem whose sources have an extension.
func ecosystemsOfExt(ext string) []manifest.Ecosystem {
	switch ext {
	case ".vue", ".svelte", ".astro", ".mts", ".cts":
		return []manifest.Ecosystem{manifest.NPM}
	case ".cs", ".fs", ".vb", ".razor", ".cshtml", ".xaml":
		return []manifest.Ecosystem{manifest.NuGet}
	case ".ex", ".exs", ".heex":
		return []manifest.Ecosystem{manifest.Hex}
	case ".dart":
		return []manifest.Ecosystem{manifest.Pub}
	case ".swift":
		return []manifest.Ecosystem{manifest.SwiftPM}
	}
	for _, eco := range [...]manifest.Ecosystem{manifest.NPM, manifest.PyPI, manifest.Go, manifest.Cargo, manifest.RubyGems, manifest.Composer, manifest.Maven} {
		if isSource(ext, eco) {
			return []manifest.Ecosystem{eco}
		}
	}
	return nil
}
