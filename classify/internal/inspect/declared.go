package inspect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
)

// languages are the languages of ecosystems, or one of those that share its manifests.
var languages = map[manifest.Ecosystem]string{
	manifest.NPM: "javascript", manifest.Composer: "php", manifest.Cargo: "rust", manifest.PyPI: "python", manifest.Go: "go",
	manifest.Maven: "java", manifest.RubyGems: "ruby", manifest.NuGet: "c#", manifest.Hex: "elixir", manifest.Pub: "dart",
	manifest.SwiftPM: "swift", manifest.Helm: "yaml", manifest.Hackage: "haskell", manifest.OCaml: "ocaml", manifest.Julia: "julia",
	manifest.CRAN: "r", manifest.Gleam: "gleam", manifest.Nim: "nim", manifest.Zig: "zig", manifest.LuaRocks: "lua",
}

// familyOf returns the language family of an ecosystem's manifests.
func familyOf(e manifest.Ecosystem) string { return language.Family(languages[e]) }

// hasEcosystem reports whether manifests are read for a language.
func hasEcosystem(lang string) bool {
	ecosystems := []manifest.Ecosystem{manifest.NPM, manifest.Composer, manifest.Cargo, manifest.PyPI, manifest.Go, manifest.Maven,
		manifest.RubyGems, manifest.NuGet, manifest.Hex, manifest.Pub, manifest.SwiftPM}
	return slices.ContainsFunc(ecosystems, func(e manifest.Ecosystem) bool { return familyOf(e) == language.Family(lang) })
}

// declared turns manifests and the matches in them into the data by which the language is decided.
func declared(p part, found []framework.Match) []language.Declared {
	all := builds(p)
	for _, m := range p.manifests {
		if m.Name == "" && (m.Kind == manifest.RDescription || m.Kind == manifest.JuliaProject || m.Kind == manifest.Hpack) {
			continue // an environment, or another file of that name
		}
		if m.Kind == manifest.NxJSON || m.Kind == manifest.NxProject || m.Kind == manifest.AngularJSON {
			continue // a tool for projects in any language
		}
		d := language.Declared{Path: m.Path, Family: familyOf(m.Ecosystem), Depth: strings.Count(m.Path, "/"), Named: m.Name != ""}
		if m.Ecosystem == manifest.NuGet {
			d.Depth = max(0, d.Depth-1) // solutions are in src, their projects one folder below
		}
		d.Runtime = slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Group == manifest.Runtime })
		if len(m.Languages) > 0 {
			d.Hint = strings.ToLower(m.Languages[0].Language)
		}
		for _, match := range found {
			if match.Ecosystem == m.Ecosystem && speaksOf(match, m.Path) && (d.Framework == "" || match.Kind <= framework.Framework && !d.Server) {
				d.Framework, d.Server = match.Name, match.Kind <= framework.Framework
			}
		}
		all = append(all, d)
	}
	return all
}

// speaksOf reports whether a match was found in that manifest; one found only by files counts for the manifests at the root.
func speaksOf(m framework.Match, manifestPath string) bool {
	named := false
	for _, why := range m.Why {
		where, _, ok := strings.Cut(why, ":")
		if ok && where == manifestPath {
			return true
		}
		named = named || ok
	}
	return !named && !strings.Contains(manifestPath, "/")
}

// proved returns the frameworks for the decided language, after a search in the product's own sources.
func (f *Folder) proved(p part, lang string) []framework.Match {
	facts := facts(p, lang)
	found := framework.Detect(facts)
	if len(found) == 0 {
		return nil
	}
	var sources []framework.Source
	for i := range p.files {
		if file := &p.files[i]; file.Role == filetree.Source && !file.Link {
			sources = append(sources, framework.Source{Path: file.Path, Size: file.Size})
		}
	}
	return ofParts(framework.Prove(facts, sources, found), p, lang, ofSamples(p, ""))
}

func facts(p part, lang string) framework.Facts {
	files := make([]string, len(p.files))
	for i := range p.files {
		files[i] = p.files[i].Path
	}
	return framework.Facts{
		Language: lang, Manifests: p.manifests, Files: files,
		Read: func(name string) []byte {
			head, _ := p.tree.Head(name, 32<<10) // an unreadable file proves nothing
			return head
		},
	}
}

// speaks reports whether an ecosystem's frameworks are written in a language.
func speaks(e manifest.Ecosystem, lang string) bool {
	return e == "" || lang == language.Unknown || familyOf(e) == language.Family(lang)
}

func sure(confidence float64) string {
	switch {
	case confidence >= 0.8:
		return language.High
	case confidence >= 0.5:
		return language.Medium
	}
	return language.Low
}

// said reads the facts from the part's AGENTS.md, or from the file it points to.
func (f *Folder) said(p part) agentsmd.Facts {
	name := AgentsFile
	if p.dir != "" {
		name = p.dir + "/" + AgentsFile
	}
	if !f.tree.Has(name) {
		return agentsmd.Facts{}
	}
	text, err := f.tree.Head(name, agentsmd.MaxRead)
	if err != nil {
		return agentsmd.Facts{}
	}
	if f.IgnoreBlock {
		text = agentsmd.WithoutBlock(text)
	}
	facts := agentsmd.Parse(string(text), p.name)
	if target := agentsmd.Pointer(string(text)); target != "" && target != AgentsFile {
		if more, err := f.tree.Head(path.Join(p.dir, target), agentsmd.MaxRead); err == nil {
			there := agentsmd.Parse(string(more), p.name)
			for _, pair := range [][2]*agentsmd.Field{{&facts.Language, &there.Language}, {&facts.Framework, &there.Framework}, {&facts.Scope, &there.Scope}} {
				if !pair[0].Explicit() && pair[1].How != "" {
					*pair[0] = *pair[1]
				}
			}
			facts.Description = cmp.Or(facts.Description, there.Description)
		}
	}
	return facts
}

// ofMatter returns the manifests without those in folders beside a project's matter, such as scripts and its website, since the project
// does not use their dependencies. When its language has no others, they are kept.
func ofMatter(read []*manifest.Manifest, lang string) []*manifest.Manifest {
	beside := func(m *manifest.Manifest) bool { return framework.Beside(path.Dir(m.Path)) }
	all := !slices.ContainsFunc(read, func(m *manifest.Manifest) bool { return !beside(m) })
	return slices.DeleteFunc(slices.Clone(read), func(m *manifest.Manifest) bool {
		return beside(m) && !(all && speaks(m.Ecosystem, lang))
	})
}

// dependencies returns the dependencies that manifests declare for use: not those only constrained for others, not the project's own
// packages, not the plugins that are part of a build tool.
func dependencies(read []*manifest.Manifest) []profile.Dependency {
	var all []profile.Dependency
	for _, m := range read {
		for _, d := range m.Dependencies {
			if d.Local || d.Group == manifest.Managed || d.Group == manifest.Plugin && !strings.ContainsAny(d.Name, ".:") {
				continue // java and application are part of Gradle
			}
			all = append(all, profile.Dependency{Ecosystem: string(d.Ecosystem), Name: d.Name})
		}
	}
	return profile.SortDependencies(all)
}

func declaring(read []*manifest.Manifest) (paths []string) {
	for _, m := range read {
		if len(m.Dependencies) > 0 {
			paths = append(paths, m.Path)
		}
	}
	return paths
}

const maxProblems = 50

func problems(scanned []string, read []*manifest.Manifest) (all []string) {
	for _, m := range read {
		for _, p := range m.Problems {
			if len(all) == maxProblems {
				return append(all, "and more")
			}
			if p.Line > 0 {
				all = append(all, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message))
			} else {
				all = append(all, p.Path+": "+p.Message)
			}
		}
	}
	return append(all, scanned...)
}

// listed decides whether a part is a list of links, by its README.
func listed(p part, counted language.Weights) (language.Verdict, bool) {
	for i := range p.files {
		f := &p.files[i]
		if f.Link || f.Size < language.LeastList || !strings.EqualFold(f.Path, "README.md") {
			continue
		}
		text, err := p.tree.Head(f.Path, filetree.MaxFile)
		if err != nil {
			continue
		}
		return language.List(counted, f.Size, agentsmd.Entries(string(text)))
	}
	return language.Verdict{}, false
}

// maxKeywords is how many words of a README are stored for searches.
const maxKeywords = 250

// hiddenReadme is in a folder that is not listed.
const hiddenReadme = ".github/README.md"

var readmes = [...]string{"README.md", "README.MD", "readme.md", "Readme.md", "README.markdown", "README.rst", "README.adoc", "README.txt", "README", "README.mdx", "README.rdoc", "README.org", "README.textile", "Readme.adoc", "readme.adoc", "readme.txt", "readme.rst", "Readme.rst", "ReadMe.md", hiddenReadme, "docs/README.md"}

// readmeRead is how many bytes of a README are read for its description of the project.
const readmeRead = 24 << 10

// readme returns the sentence of a README that describes the project, the file, and whether the sentence is an explicit definition.
func readme(p part) (sentence, from string, sure bool) {
	for _, name := range readmes {
		if !p.tree.tree.Has(p.tree.prefix+name) && name != hiddenReadme {
			continue
		}
		text, err := p.tree.Head(name, readmeRead)
		if err != nil {
			continue
		}
		if sentence, sure = agentsmd.About(string(text), p.name); sentence != "" {
			return sentence, name, sure
		}
	}
	return "", "", false
}

// Keywords returns the words by which a search finds the folder: those of the README, and the names of the sources at the root.
func (f *Folder) Keywords() (all []string) {
	for _, name := range readmes {
		if text, err := f.tree.Head(name, 12<<10); err == nil {
			all = agentsmd.Words(string(text), maxKeywords)
			break
		}
	}
	for i := range f.tree.Files {
		if file := &f.tree.Files[i]; file.Role == filetree.Source && !strings.Contains(file.Path, "/") && len(all) < maxKeywords+60 {
			all = append(all, strings.ToLower(strings.TrimSuffix(file.Path, path.Ext(file.Path))))
		}
	}
	return all
}

// builds are the files at the root that build a program of a language whose manifests are not read, one for each language.
func builds(p part) (all []language.Declared) {
	modules := 0 // files of a Terraform module
	for i := range p.files {
		file := &p.files[i]
		if file.Link || strings.Contains(file.Path, "/") {
			continue
		}
		lang := cmp.Or(builders[file.Path], builders[path.Ext(file.Path)])
		if path.Ext(file.Path) == ".tf" {
			if modules++; modules == 2 {
				lang = "hcl"
			}
		}
		if lang != "" && !slices.ContainsFunc(all, func(d language.Declared) bool { return d.Hint == lang }) {
			all = append(all, language.Declared{Path: file.Path, Family: language.Family(lang), Named: true, Runtime: true, Hint: lang})
		}
	}
	return all
}

// builders are the languages of the programs that files build, by their names and endings.
var builders = map[string]string{
	"build.zig": "zig", "stack.yaml": "haskell", "dune-project": "ocaml", "shard.yml": "crystal", "gleam.toml": "gleam",
	"rebar.config": "erlang", "erlang.mk": "erlang",
	"cpanfile": "perl", "dist.ini": "perl", "Makefile.PL": "perl", "Build.PL": "perl",
	"platformio.ini": "c++", "library.properties": "c++", "CMakeLists.txt": "c++", "meson.build": "c++",
	"configure.ac": "c++", "conanfile.py": "c++",
	"elm.json": "elm", "project.godot": "gdscript", "foundry.toml": "solidity", ".nimble": "nim", ".rockspec": "lua", ".psd1": "powershell",
}
