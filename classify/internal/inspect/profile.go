package inspect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/classify/internal/scan"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Reasons are what a profile was judged by, for `explain`.
type Reasons struct {
	Languages  []language.Score  `json:"languages"`
	Frameworks []FrameworkReason `json:"frameworks"`
}

// FrameworkReason says why a framework was found.
type FrameworkReason struct {
	Framework  string   `json:"framework"`
	Confidence string   `json:"confidence"`
	Why        []string `json:"why"`
}

// part is the folder, or one package in it.
type part struct {
	dir       string // relative to the folder, "" for all of it
	name      string
	manifests []*manifest.Manifest // with paths relative to dir
	files     []scan.File          // likewise
	tree      subtree
}

// subtree reads a package's files by their paths in it.
type subtree struct {
	tree   *scan.Tree
	prefix string
}

func (s subtree) Head(name string, n int64) ([]byte, error) { return s.tree.Head(s.prefix+name, n) }

// Profiles makes the folder's profile and those of its packages, which the first
// one lists, and says what the first one was judged by.
func (f *Folder) Profiles() ([]profile.Profile, Reasons) {
	read := manifest.ReadAll(f.tree.FS(), f.manifests)
	packages := f.withTests(packagesOf(read), read)
	whole, reasons := f.profile(part{
		name: f.name(), manifests: read, files: f.tree.Files, tree: subtree{tree: f.tree},
	})
	whole.Problems = problems(f.tree.Problems, read)
	all := []profile.Profile{whole}
	files := f.filesOf(packages)
	for _, pkg := range packages {
		p := f.part(pkg, read)
		p.files = files[pkg.Dir]
		one, _ := f.profile(p)
		all = append(all, one)
		all[0].Packages = append(all[0].Packages, profile.Brief{
			Package: one.Package, Name: one.Name, Language: one.Language, Framework: one.Framework,
		})
	}
	for i := range all {
		takeOutSecrets(&all[i])
	}
	for _, f := range reasons.Frameworks {
		cleanAll(f.Why)
	}
	return all, reasons
}

// takeOutSecrets cleans what a project's own files say: it is stored and shown.
func takeOutSecrets(p *profile.Profile) {
	for _, s := range []*string{&p.Name, &p.Scope, &p.DeclaredName, &p.Domain, &p.Description} {
		*s = redact.Stored(*s)
	}
	cleanAll(p.Dependencies)
	cleanAll(p.Problems)
	for i := range p.Declared {
		p.Declared[i].Name = redact.Clean(p.Declared[i].Name)
	}
	for i := range p.Packages {
		p.Packages[i].Name = redact.Clean(p.Packages[i].Name)
	}
	for field, o := range p.Origins {
		o.From = redact.Clean(o.From)
		p.Origins[field] = o
	}
}

func cleanAll(texts []string) {
	for i, s := range texts {
		texts[i] = redact.Clean(s)
	}
}

// name is what the folder is called when no manifest says.
func (f *Folder) name() string {
	if f.Whole() {
		return f.Identity.Name
	}
	return path.Base(f.Package)
}

// packagesOf are the folders that workspaces name, without the root, and those
// that declare themselves without being named by one: projects side by side
// without a manifest at the root, and two or more below one.
func packagesOf(read []*manifest.Manifest) []manifest.Package {
	all := slices.DeleteFunc(manifest.Packages(read), func(p manifest.Package) bool { return p.Dir == "." || p.Dir == "" })
	if len(read) == 0 {
		return all
	}
	if len(all) > 0 || !strings.Contains(read[0].Path, "/") {
		return unnamed(all, read)
	}
	byDir := map[string]*manifest.Package{}
	var dirs []string
	for _, m := range read {
		dir := path.Dir(m.Path)
		p := byDir[dir]
		if p == nil {
			if slices.ContainsFunc(dirs, func(above string) bool { return strings.HasPrefix(dir, above+"/") }) {
				continue
			}
			p = &manifest.Package{Dir: dir, Ecosystem: m.Ecosystem}
			byDir[dir] = p
			dirs = append(dirs, dir)
		}
		p.Manifests = append(p.Manifests, m)
	}
	if len(dirs) < 2 {
		return nil
	}
	for _, dir := range dirs {
		all = append(all, *byDir[dir])
	}
	return all
}

// unnamed adds the packages that no workspace names to those that one does.
func unnamed(all []manifest.Package, read []*manifest.Manifest) []manifest.Package {
	workspace := map[manifest.Ecosystem]bool{manifest.Helm: true} // a chart beside a program is how it is installed
	taken := map[string]bool{}
	for _, m := range read {
		workspace[m.Ecosystem] = workspace[m.Ecosystem] || m.Workspace
	}
	for _, p := range all {
		taken[p.Dir] = true
	}
	inside := func(dir string) bool {
		for ; dir != "."; dir = path.Dir(dir) {
			if taken[dir] {
				return true
			}
		}
		return false
	}
	var more []manifest.Package
	for _, m := range read {
		dir := path.Dir(m.Path)
		if m.Name == "" || m.Kind.Lists() || dir == "." || strings.Count(dir, "/") > 1 || workspace[m.Ecosystem] && strings.Contains(dir, "/") && !amongCharts(m) || framework.Beside(dir) || scan.InAssets(dir) || inside(dir) {
			continue
		}
		taken[dir] = true
		more = append(more, manifest.Package{Dir: dir, Name: m.Name, Ecosystem: m.Ecosystem, Manifests: []*manifest.Manifest{m}})
	}
	if len(all)+len(more) < 2 && !(len(more) == 1 && amongCharts(more[0].Manifests[0])) {
		return all
	}
	all = append(all, more...)
	slices.SortFunc(all, func(a, b manifest.Package) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// amongCharts tells a chart in a folder that is there for charts: it is released by itself.
func amongCharts(m *manifest.Manifest) bool {
	above := path.Dir(path.Dir(m.Path))
	return m.Ecosystem == manifest.Helm && (above == "charts" || above == "helm")
}

// withTests adds the projects in folders of tests and samples that a solution lists: they are packages, and name nothing of the whole.
func (f *Folder) withTests(all []manifest.Package, read []*manifest.Manifest) []manifest.Package {
	for _, m := range read {
		if m.Kind != manifest.Solution {
			continue
		}
		for _, member := range m.Members {
			dir := path.Join(path.Dir(m.Path), member)
			if slices.Contains(f.beside, dir) && !slices.ContainsFunc(all, func(p manifest.Package) bool { return p.Dir == dir }) {
				all = append(all, manifest.Package{Dir: dir, Name: path.Base(dir), Ecosystem: m.Ecosystem, By: m.Path})
			}
		}
	}
	slices.SortFunc(all, func(a, b manifest.Package) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// filesOf gives each package its files, with paths in it: one pass, since a
// monorepo may have thousands of both.
func (f *Folder) filesOf(packages []manifest.Package) map[string][]scan.File {
	if len(packages) == 0 {
		return nil
	}
	all := make(map[string][]scan.File, len(packages))
	for _, p := range packages {
		all[p.Dir] = nil
	}
	for _, file := range f.tree.Files {
		for i, c := range file.Path {
			if c != '/' {
				continue
			}
			if own, ok := all[file.Path[:i]]; ok {
				inner := file
				inner.Path = file.Path[i+1:]
				all[file.Path[:i]] = append(own, inner)
			}
		}
	}
	for _, own := range all {
		ofItself(own)
	}
	return all
}

// ofItself makes sources of what a package consists of when it is a sample or a test as a whole: to itself it is the matter.
func ofItself(files []scan.File) {
	beside := func(f scan.File) bool { return f.Role == scan.Sample || f.Role == scan.Test }
	if !slices.ContainsFunc(files, beside) || slices.ContainsFunc(files, func(f scan.File) bool {
		_, kind := language.OfName(path.Base(f.Path))
		return f.Role == scan.Source && kind == language.Programming
	}) {
		return
	}
	for i := range files {
		if beside(files[i]) {
			files[i].Role = scan.Source
		}
	}
}

// part cuts a package out of the folder.
func (f *Folder) part(pkg manifest.Package, read []*manifest.Manifest) part {
	prefix := pkg.Dir + "/"
	p := part{dir: pkg.Dir, name: pkg.Name, tree: subtree{tree: f.tree, prefix: prefix}} // its files come from filesOf
	if p.name == "" {
		p.name = path.Base(pkg.Dir)
	}
	for _, m := range read {
		if rel, ok := strings.CutPrefix(m.Path, prefix); ok {
			moved := *m
			moved.Path = rel
			p.manifests = append(p.manifests, &moved)
		}
	}
	return p
}

// profile judges a part.
func (f *Folder) profile(p part) (profile.Profile, Reasons) {
	said := f.said(p)
	found := f.frameworks(p, "")
	counted := language.Count(p.tree, p.files, nil)
	verdict, list := listed(p, counted)
	documents := language.Documents(p.files)
	site := false
	if f.site && p.dir == "" && !list {
		verdict, site = language.Site(counted, documents)
	}
	if !list && !site {
		verdict = language.Decide(counted, documents, declared(p, found))
	}
	if said.Language.Explicit() {
		verdict.Language = said.Language.Value
	}
	found = f.proved(p, verdict.Language)
	for i := range found {
		found[i].Main = found[i].Main && !list // it is what the list's own site is made with
	}
	unsay(&verdict, found)
	reasons := Reasons{Languages: append([]language.Score{}, verdict.Scores...), Frameworks: []FrameworkReason{}}
	for _, m := range found {
		reasons.Frameworks = append(reasons.Frameworks, FrameworkReason{m.Name, sure(m.Confidence), m.Why})
	}

	out := profile.Profile{
		Project: f.Identity.UID, Name: p.name, Package: path.Join(f.Package, p.dir), Path: filepath.Join(f.Path, filepath.FromSlash(p.dir)),
		Language: verdict.Language, Framework: profile.Unknown, Scope: profile.Unknown, ManifestType: profile.Unknown,
		InputHash: f.Hash,
		Details:   profile.Details{Manifests: []string{}, Frameworks: []string{}, Origins: map[string]profile.Origin{}},
	}
	if p.dir == "" {
		out.AgentsmdHash = f.AgentsHash
	}
	origin := out.Origins
	origin["language"] = profile.Origin{From: verdict.Why, Confidence: verdict.Confidence}
	if said.Language.Explicit() {
		origin["language"] = profile.Origin{From: AgentsFile, Confidence: language.High}
	} else if verdict.Language == language.Unknown && said.Language.How != "" {
		out.Language, origin["language"] = said.Language.Value, profile.Origin{From: AgentsFile, Confidence: language.Medium}
	} else if verdict.Confidence == language.Low && verdict.Language != language.Unknown {
		out.Language, origin["language"] = profile.Unknown, profile.Origin{From: "not sure enough: " + verdict.Why, Confidence: language.Low}
	}
	setScope(&out, said, p)
	setFramework(&out, said, found, p)
	setManifests(&out, p.manifests)
	out.Languages = parts(counted)
	out.Declared = dependencies(p.manifests)
	out.Dependencies = profile.Names(out.Declared)
	if len(out.Declared) > 0 {
		origin["dependencies"] = profile.Origin{From: strings.Join(first(declaring(p.manifests), 5), ", "), Confidence: language.High}
	}
	return out, reasons
}

func parts(counted language.Weights) (parts []profile.Part) {
	for _, w := range counted {
		if w.Share >= 0.01 && len(parts) < 8 {
			parts = append(parts, profile.Part{Language: w.Language, Files: w.Files, Share: float64(int(w.Share*1000+0.5)) / 1000})
		}
	}
	return parts
}

func setFramework(out *profile.Profile, said agentsmd.Facts, found []framework.Match, p part) {
	for _, m := range found {
		if sure(m.Confidence) != language.Low && !slices.Contains(out.Frameworks, m.Name) {
			out.Frameworks = append(out.Frameworks, m.Name)
		}
	}
	main := mainFramework(found, out.Language)
	if domain := agentsmd.Domain(out.Description); (domain == "CLI" || domain == "TUI") && !strings.Contains(out.Description, " serve") {
		main = forCommandLine(found, main)
	}
	if main != nil && main.Few && !agentsmd.Serves(out.Description) {
		if program := forCommandLine(found, main); program != main {
			main = program
		} else if agentsmd.ForCommandLine(out.Description) {
			main = nil
		}
	}
	if main != nil && main.Router && !agentsmd.Server(out.Description) && slices.ContainsFunc(found, func(m framework.Match) bool { return m.Arguments && sure(m.Confidence) != language.Low }) {
		main = nil // a program of commands, one of which serves
	}
	if main == nil && (out.Domain == "CLI" || agentsmd.Domain(out.Description) == "CLI") {
		main = ofNamesake(found, p)
	}
	if main != nil && main.Arguments && out.Description != "" && !agentsmd.ForCommandLine(out.Description) && !agentsmd.Slogan(out.Description) && !p.programAlone() {
		main = nil
	}
	switch {
	case said.Framework.Explicit():
		out.Framework = said.Framework.Value
		out.Origins["framework"] = profile.Origin{From: AgentsFile, Confidence: language.High}
	case main != nil && sure(main.Confidence) != language.Low:
		out.Framework = main.Name
		out.Origins["framework"] = profile.Origin{From: strings.Join(first(main.Why, 3), ", "), Confidence: sure(main.Confidence)}
	case said.Framework.How != "" && !p.called(said.Framework.Value) && speaks(framework.EcosystemOf(said.Framework.Value), out.Language) && !unproved(found, said.Framework.Value):
		out.Framework = said.Framework.Value
		out.Origins["framework"] = profile.Origin{From: AgentsFile, Confidence: language.Medium}
	default:
		out.Origins["framework"] = profile.Origin{From: whyNone(found, out.Language), Confidence: language.Low}
	}
	if out.Framework != profile.Unknown && !slices.Contains(out.Frameworks, out.Framework) {
		out.Frameworks = slices.Insert(out.Frameworks, 0, out.Framework)
	}
}

// programAlone tells a Rust crate that is a program and offers no library: its only framework reads what people type.
func (p part) programAlone() bool {
	return p.tree.tree.Has(p.tree.prefix+"src/main.rs") && !p.tree.tree.Has(p.tree.prefix+"src/lib.rs")
}

// unsay takes the frameworks that were not proved out of the reasons for a language: what speaks for it is that they are declared.
func unsay(v *language.Verdict, found []framework.Match) {
	doubted := func(why string) bool {
		return slices.ContainsFunc(found, func(m framework.Match) bool { return m.Name == why && sure(m.Confidence) == language.Low })
	}
	for i := range v.Scores {
		v.Scores[i].Why = slices.DeleteFunc(v.Scores[i].Why, doubted)
	}
	if len(v.Scores) > 0 && v.Scores[0].Language == v.Language && len(v.Scores[0].Why) > 0 {
		v.Why = strings.Join(v.Scores[0].Why, ", ")
	}
}

// called reports whether a part has that name, by its folder or by a manifest at its root: a framework is not built on itself.
func (p part) called(name string) bool {
	return agentsmd.SameName(name, p.name) || slices.ContainsFunc(p.manifests, func(m *manifest.Manifest) bool {
		return !strings.Contains(m.Path, "/") && agentsmd.SameName(name, m.Name)
	})
}

// declaredName is what a manifest of a part calls it.
func declaredName(p part, file string) string {
	for _, m := range p.manifests {
		if m.Path == file {
			return m.Name
		}
	}
	return ""
}

// whyNone says why no framework names a project: none was found, or none of those that were is what it is built on.
func whyNone(found []framework.Match, lang string) string {
	for _, m := range found {
		if (speaks(m.Ecosystem, lang) || !hasEcosystem(lang)) && len(m.Why) > 0 {
			why := m.Name + " by " + m.Why[0]
			if last := m.Why[len(m.Why)-1]; sure(m.Confidence) == language.Low && !strings.Contains(last, ":") && !strings.HasPrefix(last, "file ") {
				return why + ", but " + last
			}
			return why + ", but not what the project is built on"
		}
	}
	return "nothing declared or found"
}

// forCommandLine prefers what reads the arguments of a program for the command
// line to the server that one of its commands starts.
func forCommandLine(found []framework.Match, main *framework.Match) *framework.Match {
	for i := range found {
		if m := &found[i]; main != nil && m.Main && m.Arguments && m.Ecosystem == main.Ecosystem && sure(m.Confidence) != language.Low {
			return m
		}
	}
	return main
}

// ofNamesake is what reads the arguments of the package that is called as the project: the program among libraries of its own.
func ofNamesake(found []framework.Match, p part) *framework.Match {
	for i := range found {
		m := &found[i]
		if m.Arguments && sure(m.Confidence) != language.Low && m.DeclaredIn(func(dir string) bool { return p.called(path.Base(dir)) }) {
			return m
		}
	}
	return nil
}

// unproved tells a framework that was looked for in vain.
func unproved(found []framework.Match, name string) bool {
	return slices.ContainsFunc(found, func(m framework.Match) bool { return m.Name == name && sure(m.Confidence) == language.Low })
}

// mainFramework is the first one written in the project's language: a web front
// end inside a Go service does not name it. A language without an ecosystem of
// its own takes any.
func mainFramework(found []framework.Match, lang string) *framework.Match {
	for i := range found {
		m := &found[i]
		if (lang == "markdown" || lang == "yaml") && (!m.AtRoot() || m.Kind >= framework.UI) {
			continue // one of the samples among texts, or what their page is dressed with
		}
		if m.Main && (speaks(m.Ecosystem, lang) || !hasEcosystem(lang)) {
			return m
		}
	}
	return nil
}

// setManifests lists them, and names the one that speaks for the language.
func setManifests(out *profile.Profile, read []*manifest.Manifest) {
	for _, m := range read {
		out.Manifests = append(out.Manifests, m.Path)
	}
	family := language.Family(out.Language)
	from := ""
	for _, m := range read {
		if from == "" && !strings.Contains(m.Path, "/") {
			out.ManifestType, from = typeOf(m), m.Path
		}
		if familyOf(m.Ecosystem) == family && !m.Kind.Lists() {
			out.ManifestType, from = typeOf(m), m.Path
			if m.Name != out.Name && !strings.Contains(m.Path, "/") {
				out.DeclaredName = text.Cut(clean(m.Name), maxDescription)
			}
			break
		}
	}
	if from != "" {
		out.Origins["manifestType"] = profile.Origin{From: from, Confidence: language.High}
	}
}

func typeOf(m *manifest.Manifest) string {
	if m.Kind == manifest.Gemspec || m.Kind == manifest.DotnetProject {
		return path.Base(m.Path)
	}
	return string(m.Kind)
}

const maxDescription = 300 // bytes

// maxScope is the length of a scope, in characters: one line of a terminal and a half.
const maxScope = 120

// setScope takes what the project is for: said outright, or the sentence about it,
// with the known word that the sentence goes with.
func setScope(out *profile.Profile, said agentsmd.Facts, p part) {
	description, from, sure := describe(out, said, p)
	origin := profile.Origin{From: from, Confidence: language.Medium}
	if sure {
		out.Description = text.Cut(description, maxDescription)
	}
	switch {
	case said.Scope.Explicit():
		out.Scope, origin = said.Scope.Value, profile.Origin{From: AgentsFile, Confidence: language.High}
		if said.Scope.How == agentsmd.Block {
			out.Domain = agentsmd.Domain(out.Scope) // the line was written from a description
		}
	case description == "":
		origin = profile.Origin{From: "no file says", Confidence: language.Low}
	case !sure:
		origin = profile.Origin{From: from + " says nothing of it for sure", Confidence: language.Low}
	default:
		out.Scope, out.Domain = oneLine(description), agentsmd.Domain(description)
		if profile.ScopeKey(description) == profile.ScopeKey(out.Domain) && out.Domain != "" {
			out.Scope = out.Domain // "an API"
		}
	}
	if out.Domain == out.Scope {
		out.Domain = ""
	}
	out.Origins["scope"] = origin
}

// describe returns the sentence that says what a part is, where it stands, and
// whether that is sure. AGENTS.md says it first, then a manifest of the
// language at the root, the README, and the other manifests there.
func describe(out *profile.Profile, said agentsmd.Facts, p part) (sentence, from string, sure bool) {
	if said.Description != "" {
		return said.Description, AgentsFile, true
	}
	family := language.Family(out.Language)
	declared := func(own bool) bool {
		for _, m := range p.manifests {
			if m.Description != "" && (!strings.Contains(m.Path, "/")) && (familyOf(m.Ecosystem) == family) == own && !agentsmd.SaysNothing(m.Description) {
				if len(strings.Fields(m.Description)) > 1 || strings.IndexFunc(m.Description, func(r rune) bool { return r > 0x2e80 }) >= 0 {
					sentence, from, sure = clean(m.Description), m.Path, true
					return true
				}
			}
		}
		return false
	}
	if chart, by := onlyChart(p); chart != "" {
		return chart, by, true
	}
	if declared(true) {
		if agentsmd.Slogan(sentence) {
			if told, by, ok := readme(p); ok && (agentsmd.Outright(told, p.name) || agentsmd.Outright(told, declaredName(p, from))) {
				return told, by, true
			}
		}
		return sentence, from, sure
	}
	if sentence, from, sure = readme(p); sure {
		return sentence, from, sure
	}
	unsure, unsureFrom := sentence, from
	if declared(false) {
		return sentence, from, sure
	}
	if sentence, from = packaged(p); sentence != "" {
		return sentence, from, true
	}
	if sentence, from = namesake(p); sentence != "" {
		return sentence, from, true
	}
	return unsure, unsureFrom, false
}

// onlyChart returns what the one chart of a part installs; its README tells of that program.
func onlyChart(p part) (sentence, from string) {
	for _, m := range p.manifests {
		switch {
		case m.Kind != manifest.ChartYAML && !m.Kind.Lists(), sentence != "":
			return "", "" // something else stands beside it
		case m.Kind == manifest.ChartYAML && m.Description != "":
			sentence, from = clean(m.Description), m.Path
		}
	}
	if lower := strings.ToLower(sentence); sentence != "" && !strings.Contains(lower, "chart") && !strings.Contains(lower, "helm") {
		sentence = "Helm chart: " + sentence
	}
	return sentence, from
}

// namesake returns what the package that is called as the project says of itself: where the root is only the place of several, the
// first of them says what they are about.
func namesake(p part) (sentence, from string) {
	for _, m := range p.manifests {
		if m.Description == "" || !strings.Contains(m.Path, "/") || framework.Beside(path.Dir(m.Path)) || agentsmd.SaysNothing(m.Description) || len(strings.Fields(m.Description)) < 2 {
			continue
		}
		if agentsmd.SameName(path.Base(path.Dir(m.Path)), p.name) || agentsmd.SameName(m.Name, p.name) {
			return clean(m.Description), m.Path
		}
	}
	return "", ""
}

// oneLine shortens a sentence to a scope's length, at the end of a word.
func oneLine(s string) string {
	if utf8.RuneCountInString(s) <= maxScope {
		return s
	}
	s = string([]rune(s)[:maxScope-1])
	if end := strings.LastIndexByte(s, ' '); end > maxScope/2 {
		s = s[:end]
	}
	return strings.TrimRight(s, " ,;:–-(") + "…"
}

func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

func first(all []string, n int) []string {
	if len(all) > n {
		return append(slices.Clone(all[:n]), fmt.Sprintf("and %d more", len(all)-n))
	}
	return all
}
