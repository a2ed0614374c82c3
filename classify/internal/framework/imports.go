package framework

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// maxSources bounds the source files that are read. A program's start is among the first: those nearest to the root or named like an entry
// point.
const maxSources = 24

// fromImports matches the imports in the sources, for projects without declarations.
func (d *detection) fromImports() {
	if d.Read == nil {
		return
	}
	for _, eco := range d.main {
		if d.declares(eco) {
			continue
		}
		d.eachImport(eco, func() []importRule { return importRules(eco) }, func(file string, rule importRule) {
			if eco == manifest.SwiftPM { // the file starts the app, which is in a folder of its name
				d.add(rule.row, eco, 80, ".", file+": begins an app of "+rule.what)
				return
			}
			d.add(rule.row, eco, 50, path.Dir(file), file+": import "+rule.what)
		})
	}
}

// eachImport applies the rules to the sources that are most likely to start a program.
func (d *detection) eachImport(eco manifest.Ecosystem, ask func() []importRule, found func(file string, rule importRule)) {
	files := sources(d.Files, eco)
	if len(files) == 0 {
		return
	}
	rules := ask()
	for _, file := range files {
		for line := range strings.SplitSeq(string(d.Read(file)), "\n") {
			what := imported(eco, line)
			if what == "" {
				continue
			}
			for _, rule := range rules {
				if imports(eco, what, rule.what) {
					found(file, rule)
				}
			}
		}
	}
}

// breakTie reads the sources when several rows are declared alike, as in a frozen list of requirements: imported ones come before the
// others.
func (d *detection) breakTie() {
	best := -1 << 20
	for _, m := range d.found {
		best = max(best, m.score)
	}
	var tied []int
	var eco manifest.Ecosystem
	for r, m := range d.found {
		if m.score == best {
			tied, eco = append(tied, r), m.Ecosystem
		}
	}
	if len(tied) < 2 || d.Read == nil {
		return
	}
	rules := slices.DeleteFunc(importRules(eco), func(rule importRule) bool { return !slices.Contains(tied, rule.row) })
	for _, r := range tied {
		if !slices.ContainsFunc(rules, func(rule importRule) bool { return rule.row == r }) {
			return // imports cannot show it
		}
	}
	seen := map[int]bool{}
	d.eachImport(eco, func() []importRule { return rules }, func(file string, rule importRule) {
		if !seen[rule.row] {
			seen[rule.row] = true
			d.found[rule.row].score++
			d.found[rule.row].Why = append(d.found[rule.row].Why, file+": import "+rule.what)
		}
	})
}

// declares reports whether the project declares its runtime dependencies, in an ecosystem where only declared ones can be used. Python, PHP
// and the JVM find undeclared packages, and the frameworks of Apple's systems are part of them.
func (d *detection) declares(eco manifest.Ecosystem) bool {
	if eco == manifest.PyPI || eco == manifest.Composer || eco == manifest.Maven || eco == manifest.SwiftPM {
		return false
	}
	return slices.ContainsFunc(d.Manifests, func(m *manifest.Manifest) bool {
		return m.Ecosystem == eco && slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Group == manifest.Runtime })
	})
}

// sources picks the source files of an ecosystem that are most likely to start a program.
func sources(files []string, eco manifest.Ecosystem) []string {
	var all []candidate
	for _, file := range files {
		if importing[path.Ext(file)] != eco || Beside(path.Dir(file)) {
			continue
		}
		base := strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
		if strings.HasSuffix(base, "_test") || strings.HasSuffix(base, ".test") || strings.HasPrefix(base, "test_") {
			continue
		}
		rank := 10 * strings.Count(file, "/")
		switch base {
		case "main", "app", "index", "server", "application", "wsgi", "asgi", "config", "run", "api", "function", "__init__", "mod", "hello", "start":
			rank -= 25
		}
		if eco == manifest.SwiftPM && (strings.HasSuffix(base, "app") || strings.HasSuffix(base, "appdelegate")) {
			rank -= 25
		}
		all = append(all, candidate{file, rank})
	}
	return foremost(all, maxSources)
}

// A candidate is a source that may start a program: the more likely, the lower its rank.
type candidate struct {
	file string
	rank int
}

// foremost returns at most so many files of the lowest ranks.
func foremost(all []candidate, most int) (files []string) {
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.file, b.file)) })
	for _, c := range all[:min(len(all), most)] {
		files = append(files, c.file)
	}
	return files
}

// importing are the extensions of the sources whose imports are read, and others those of further sources.
var (
	importing = map[string]manifest.Ecosystem{
		".js": manifest.NPM, ".ts": manifest.NPM, ".mjs": manifest.NPM, ".cjs": manifest.NPM,
		".jsx": manifest.NPM, ".tsx": manifest.NPM, ".mts": manifest.NPM,
		".py": manifest.PyPI, ".go": manifest.Go, ".rs": manifest.Cargo, ".rb": manifest.RubyGems,
		".ru": manifest.RubyGems, ".php": manifest.Composer, ".swift": manifest.SwiftPM,
		".java": manifest.Maven, ".kt": manifest.Maven, ".groovy": manifest.Maven, ".scala": manifest.Maven,
		".clj": manifest.Maven, ".cljs": manifest.Maven, ".cljc": manifest.Maven,
	}
	others = map[string]manifest.Ecosystem{
		".vue": manifest.NPM, ".svelte": manifest.NPM, ".astro": manifest.NPM, ".cts": manifest.NPM,
		".ex": manifest.Hex, ".exs": manifest.Hex, ".heex": manifest.Hex, ".dart": manifest.Pub,
		".cs": manifest.NuGet, ".fs": manifest.NuGet, ".vb": manifest.NuGet, ".razor": manifest.NuGet,
		".cshtml": manifest.NuGet, ".xaml": manifest.NuGet,
	}
)

// imported returns the import in a line of source, "" when it imports nothing.
func imported(eco manifest.Ecosystem, line string) string {
	line = strings.TrimSpace(line)
	switch eco {
	case manifest.PyPI:
		for _, word := range []string{"import ", "from "} {
			if rest, ok := strings.CutPrefix(line, word); ok {
				return cutAt(strings.TrimSpace(rest), " ,;#")
			}
		}
	case manifest.NPM:
		i := strings.Index(line, " from ")
		if i < 0 {
			i = strings.Index(line, "require(")
		}
		if i < 0 && strings.HasPrefix(line, "import ") {
			i = 0
		}
		if i >= 0 {
			return quoted(line[i:])
		}
	case manifest.Go:
		if q := quoted(line); strings.Contains(q, ".") && strings.Contains(q, "/") && (strings.HasSuffix(line, `"`) || strings.Contains(line, `" //`)) {
			return q
		}
	case manifest.RubyGems:
		if rest, ok := strings.CutPrefix(line, "require "); ok {
			return quoted(rest)
		}
		if strings.HasPrefix(line, "class ") || strings.HasPrefix(line, "run ") {
			_, parent, _ := strings.Cut(line, "<")
			return strings.TrimSpace(parent)
		}
	case manifest.Cargo:
		for _, word := range []string{"use ", "extern crate ", "pub use "} {
			if rest, ok := strings.CutPrefix(line, word); ok {
				return strings.ReplaceAll(cutAt(rest, ":; "), "_", "-")
			}
		}
	case manifest.Composer:
		if rest, ok := strings.CutPrefix(line, "use "); ok {
			return strings.TrimPrefix(cutAt(rest, "; ("), `\`)
		}
		if i := strings.Index(line, "extends "); i >= 0 {
			return strings.TrimPrefix(cutAt(line[i+len("extends "):], " {;"), `\`)
		}
		if strings.Contains(line, "Plugin Name:") || strings.Contains(line, "Theme Name:") {
			return "wordpress-header"
		}
		if strings.HasPrefix(line, "require") {
			return quoted(line)
		}
	case manifest.SwiftPM:
		switch { // a view library imports them, too: only the start of an app shows its framework
		case strings.HasPrefix(line, "struct ") && (strings.HasSuffix(line, ": App {") || strings.Contains(line, ": SwiftUI.App")):
			return "SwiftUI"
		case strings.Contains(line, "class ") && strings.Contains(line, "UIApplicationDelegate"):
			return "UIKit"
		case strings.Contains(line, "class ") && strings.Contains(line, "NSApplicationDelegate"):
			return "AppKit"
		}
	case manifest.Maven:
		if rest, ok := strings.CutPrefix(line, "import "); ok {
			return cutAt(strings.TrimPrefix(rest, "static "), "; ")
		}
	}
	return ""
}

// imports reports whether an import is of a package or a part of it.
func imports(eco manifest.Ecosystem, what, of string) bool {
	rest, ok := strings.CutPrefix(what, of)
	if !ok && eco == manifest.NPM {
		rest, ok = strings.CutPrefix(strings.TrimPrefix(what, "npm:"), of)
		if !ok && strings.HasPrefix(what, "https://") {
			rest, ok = strings.CutPrefix(manifest.DenoModule(what), of)
		}
	}
	return ok && (rest == "" || strings.IndexByte(`./\:@`, rest[0]) >= 0)
}

func cutAt(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

// quoted returns the first string literal of a line.
func quoted(line string) string {
	start := strings.IndexAny(line, `"'`)
	if start < 0 {
		return ""
	}
	end := strings.IndexByte(line[start+1:], line[start])
	if end < 0 {
		return ""
	}
	return line[start+1 : start+1+end]
}
