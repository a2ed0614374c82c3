package inspect

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
	"github.com/agit-suite/agit/classify/internal/profile"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
)

// Reasons are the evidence for a profile, for `explain`.
type Reasons struct {
	Languages  []language.Score  `json:"languages"`
	Frameworks []FrameworkReason `json:"frameworks"`
}

// FrameworkReason is why a framework was found.
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
	files     []filetree.File      // likewise relative to dir
	tree      subtree
}

// subtree reads a package's files by their paths in it.
type subtree struct {
	tree   *filetree.Tree
	prefix string
}

func (s subtree) Head(name string, n int64) ([]byte, error) { return s.tree.Head(s.prefix+name, n) }

func (s subtree) Tail(name string, n int64) ([]byte, error) { return s.tree.Tail(s.prefix+name, n) }

// Profiles makes the folder's profile, which lists its packages, and theirs. It returns the folder's first, and the reasons for that one.
func (f *Folder) Profiles() ([]profile.Profile, Reasons) {
	read := manifest.ReadAll(f.tree.FS(), f.manifests)
	packages := f.declaredPackages(read)
	packages = f.withTests(append(packages, f.services(packages, read)...), read)
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

// takeOutSecrets redacts the texts from a project's own files, since they are stored and shown.
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

// name returns the folder's name, for a project whose manifests have none.
func (f *Folder) name() string {
	if f.Whole() {
		return f.Identity.Name
	}
	return path.Base(f.Package)
}

// part cuts a package out of the folder.
func (f *Folder) part(pkg manifest.Package, read []*manifest.Manifest) part {
	prefix := pkg.Dir + "/"
	p := part{dir: pkg.Dir, name: cmp.Or(pkg.Name, path.Base(pkg.Dir)), tree: subtree{tree: f.tree, prefix: prefix}} // its files come from filesOf
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
	rough := facts(p, "")
	rough.Rough = true
	found := framework.Detect(rough)
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
		found[i].Main = found[i].Main && !list // the list's own site is made with it
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
	setExtends(&out, p)
	out.Languages = parts(counted)
	own := ofMatter(p.manifests, out.Language)
	out.Declared = dependencies(own)
	out.Dependencies = profile.Names(out.Declared)
	if len(out.Declared) > 0 {
		origin["dependencies"] = profile.Origin{From: strings.Join(first(declaring(own), 5), ", "), Confidence: language.High}
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

// unsay removes the names of frameworks that were not proved from the reasons for a language. The scores stay, since the frameworks are
// declared.
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

// setManifests lists the manifests, and sets the type of the one for the project's language.
func setManifests(out *profile.Profile, read []*manifest.Manifest) {
	for _, m := range read {
		out.Manifests = append(out.Manifests, m.Path)
	}
	family := language.Family(out.Language)
	from, named := "", false
	another := slices.ContainsFunc(read, func(m *manifest.Manifest) bool {
		return familyOf(m.Ecosystem) == family && !m.Kind.Lists() && !ofAnother(m, out.Language)
	})
	for _, m := range namesakeFirst(read, out.Name) {
		if !strings.Contains(m.Path, "/") && (from == "" || !named && m.Name != "") { // a list of requirements names no package
			out.ManifestType, from, named = typeOf(m), m.Path, m.Name != ""
		}
		if familyOf(m.Ecosystem) == family && !m.Kind.Lists() && !(another && ofAnother(m, out.Language)) {
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

// forms are the languages of the forms of manifests, and of their endings, that belong to one language of a family.
var forms = map[manifest.Kind]string{
	".csproj": "c#", ".fsproj": "f#", ".vbproj": "visual basic", manifest.BuildSBT: "scala",
	manifest.ProjectClj: "clojure", manifest.DepsEdn: "clojure", manifest.MixExs: "elixir", manifest.RebarConfig: "erlang", manifest.ErlangApp: "erlang",
}

// ofAnother reports whether a manifest's form belongs to another language of the same family: an F# project beside C#.
func ofAnother(m *manifest.Manifest, lang string) bool {
	own := cmp.Or(forms[m.Kind], forms[manifest.Kind(path.Ext(m.Path))])
	return own != "" && own != lang
}

// ownNames are the kinds of manifests whose files have names of their own.
var ownNames = []manifest.Kind{
	manifest.Gemspec, manifest.DotnetProject, manifest.Cabal, manifest.Opam, manifest.Nimble, manifest.Rockspec, manifest.ErlangApp,
	manifest.AngularJSON,
}

func typeOf(m *manifest.Manifest) string {
	if slices.Contains(ownNames, m.Kind) {
		return path.Base(m.Path)
	}
	return string(m.Kind)
}

func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

func first(all []string, n int) []string {
	if len(all) > n {
		return append(slices.Clone(all[:n]), fmt.Sprintf("and %d more", len(all)-n))
	}
	return all
}
