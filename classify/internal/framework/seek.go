package framework

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// integrates reports whether a source is in a package named for the integrated framework: akka-http-backend/src/…, beside others that are
// not.
func integrates(file, name string) bool {
	dir, _, ok := strings.Cut(file, "/src/")
	return ok && strings.Contains(plain(path.Base(dir)), plain(name))
}

// moduleOf returns the folder of a source's Go module, "" for the one at the root.
func (p *prover) moduleOf(file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if slices.ContainsFunc(p.facts.Manifests, func(m *manifest.Manifest) bool { return m.Kind == manifest.GoMod && path.Dir(m.Path) == dir }) {
			return dir
		}
	}
	return ""
}

// A question is a search that can prove a row.
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
		called := map[int]int{} // by row, the number of using files that do not start a program
		used := map[int]int{}   // by row, the number of files that use a program's framework
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
			if head := text[:min(len(text), 1500)]; hasAny(head, "DO NOT EDIT", "@generated") {
				continue // generated code starts nothing
			}
			module := ""
			if eco == manifest.Go {
				module = p.moduleOf(file)
			}
			inside := func(dir string) bool { return dir == module }
			below := func(file string) bool { return strings.HasPrefix(file, module+"/") }
			questions = slices.DeleteFunc(questions, func(q question) bool {
				var found proof
				switch {
				case module != "" && (!slices.ContainsFunc(q.dirs, inside) || p.portion(eco, below) < fewUse):
					return false // in a module beside the program
				case eco == manifest.Maven && integrates(file, p.rows[q.row].name),
					eco == manifest.Go && plain(path.Base(path.Dir(file))) == plain(p.rows[q.row].name): // an adapter of a library to it
					return false
				case hasAny(text, q.entries...):
					if hasAny(text, q.unless...) {
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
						return false // only one part of the program calls it
					}
				}
				if eco == manifest.PyPI && p.rows[q.row].kind <= Framework && strings.Count(file, "/") >= 3 && len(files) >= 100 {
					if called[q.row]++; called[q.row] < 3 {
						return false // an add-on starts it, deep inside a large program
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

func phrases(s string) []string { return strings.FieldsFunc(s, func(c rune) bool { return c == '|' }) }

// provable returns a row's imports in the ecosystems where every use needs an import whose name follows from the package's.
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

// mentions reports whether a source imports a package, or a part of it.
func mentions(eco manifest.Ecosystem, text, name string) bool {
	switch eco {
	case manifest.Go:
		return strings.Contains(text, `"`+name)
	case manifest.NPM:
		return slices.ContainsFunc([]string{"'", `"`, "`"}, func(quote string) bool { return hasAny(text, quote+name+quote, quote+name+"/") })
	case manifest.PyPI:
		for line := range strings.Lines(text) {
			if what := imported(eco, line); what != "" && (strings.HasPrefix(what, name) && imports(eco, what, name) || strings.HasPrefix(what, name+"_")) {
				return true
			}
		}
	case manifest.Maven:
		return hasAny(text, "import "+name, "import static "+name)
	case manifest.Cargo:
		return hasAny(text, name+"::", "use "+name, "extern crate "+name)
	case manifest.Pub:
		return strings.Contains(text, "package:"+name+"/")
	case manifest.SwiftPM:
		return strings.Contains(strings.ToLower(text), "import "+name)
	}
	return false
}

// likely puts the sources that may start a program first, those nearer to the root before others, then the largest of the rest.
func likely(sources []Source) []string {
	all := make([]candidate, len(sources))
	for i, s := range sources {
		rank := 10 * min(strings.Count(s.Path, "/"), 20)
		if starts(s.Path) {
			rank -= 60
		}
		all[i] = candidate{s.Path, rank}
	}
	return foremost(all, maxProofs)
}

// starts reports whether a file is named like one that starts a program.
func starts(file string) bool {
	base := strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
	return hasAny(base, "main", "app", "server", "index", "program", "startup", "endpoint", "root", "cmd", "cli", "asgi", "wsgi", "settings", "route", "__init__", "api", "bot", "worker") ||
		strings.HasPrefix(file, "cmd/") || strings.HasPrefix(file, "src/main.") || !strings.Contains(file, "/")
}

// hasAny reports whether a text contains one of some parts.
func hasAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}
