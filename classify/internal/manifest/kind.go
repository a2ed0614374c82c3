package manifest

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// A Kind is a form of manifest, named after its usual file.
type Kind string

// The kinds of manifests, the most informative first within an ecosystem.
const (
	PackageJSON      Kind = "package.json"
	PnpmWorkspace    Kind = "pnpm-workspace.yaml"
	LernaJSON        Kind = "lerna.json"
	RushJSON         Kind = "rush.json"
	NxJSON           Kind = "nx.json"
	NxProject        Kind = "project.json" // of Nx, below an nx.json
	AngularJSON      Kind = "angular.json" // also workspace.json, its name in older versions of Nx
	DenoJSON         Kind = "deno.json"
	ComposerJSON     Kind = "composer.json"
	CargoTOML        Kind = "Cargo.toml"
	PyprojectTOML    Kind = "pyproject.toml"
	Requirements     Kind = "requirements.txt"
	SetupCfg         Kind = "setup.cfg"
	SetupPy          Kind = "setup.py"
	Pipfile          Kind = "Pipfile"
	CondaEnvironment Kind = "environment.yml"
	GoMod            Kind = "go.mod"
	GoWork           Kind = "go.work"
	PomXML           Kind = "pom.xml"
	BuildGradle      Kind = "build.gradle"
	SettingsGradle   Kind = "settings.gradle"
	VersionCatalog   Kind = "libs.versions.toml"
	BuildSBT         Kind = "build.sbt"
	ProjectClj       Kind = "project.clj"
	DepsEdn          Kind = "deps.edn"
	Gemfile          Kind = "Gemfile"
	Gemspec          Kind = "gemspec"
	DotnetProject    Kind = "csproj" // .fsproj and .vbproj too
	Solution         Kind = "sln"    // .slnx too
	PackagesProps    Kind = "Directory.Packages.props"
	BuildProps       Kind = "Directory.Build.props"
	PackagesConfig   Kind = "packages.config"
	MixExs           Kind = "mix.exs"
	PubspecYAML      Kind = "pubspec.yaml"
	MelosYAML        Kind = "melos.yaml"
	PackageSwift     Kind = "Package.swift"
	ChartYAML        Kind = "Chart.yaml"
	Cabal            Kind = "cabal"
	Opam             Kind = "opam"
	JuliaProject     Kind = "Project.toml"
	RDescription     Kind = "DESCRIPTION"
	GleamTOML        Kind = "gleam.toml"
	Nimble           Kind = "nimble"
	BuildZon         Kind = "build.zig.zon"
	Rockspec         Kind = "rockspec"
	DuneProject      Kind = "dune-project"
	Hpack            Kind = "package.yaml"
	RebarConfig      Kind = "rebar.config"
	ErlangApp        Kind = "app.src" // NAME.app in ebin too
)

// format is what is known of a kind by its name alone.
type format struct {
	kind      Kind
	ecosystem Ecosystem
	names     []string // of its files, and endings of names
	lists     bool
}

var formats = []format{
	{kind: PackageJSON, ecosystem: NPM, names: []string{"package.json", "package.json5"}}, // pnpm reads the second too
	{kind: PnpmWorkspace, ecosystem: NPM, names: []string{"pnpm-workspace.yaml", "pnpm-workspace.yml"}, lists: true},
	{kind: LernaJSON, ecosystem: NPM, names: []string{"lerna.json"}, lists: true},
	{kind: RushJSON, ecosystem: NPM, names: []string{"rush.json"}, lists: true},
	{kind: NxJSON, ecosystem: NPM, names: []string{"nx.json"}, lists: true},
	{kind: NxProject, ecosystem: NPM, names: []string{"project.json"}},
	{kind: AngularJSON, ecosystem: NPM, names: []string{"angular.json", "workspace.json"}, lists: true},
	{kind: DenoJSON, ecosystem: NPM, names: []string{"deno.json", "deno.jsonc", "import_map.json"}},
	{kind: ComposerJSON, ecosystem: Composer, names: []string{"composer.json"}},
	{kind: CargoTOML, ecosystem: Cargo, names: []string{"Cargo.toml"}},
	{kind: PyprojectTOML, ecosystem: PyPI, names: []string{"pyproject.toml"}},
	{kind: Requirements, ecosystem: PyPI},
	{kind: SetupCfg, ecosystem: PyPI, names: []string{"setup.cfg"}},
	{kind: SetupPy, ecosystem: PyPI, names: []string{"setup.py"}},
	{kind: Pipfile, ecosystem: PyPI, names: []string{"Pipfile"}},
	{kind: CondaEnvironment, ecosystem: PyPI, names: []string{"environment.yml", "environment.yaml", "conda.yml", "conda.yaml"}},
	{kind: GoMod, ecosystem: Go, names: []string{"go.mod"}},
	{kind: GoWork, ecosystem: Go, names: []string{"go.work"}, lists: true},
	{kind: PomXML, ecosystem: Maven, names: []string{"pom.xml"}},
	{kind: BuildGradle, ecosystem: Maven, names: []string{".gradle"}},
	{kind: SettingsGradle, ecosystem: Maven, names: []string{"settings.gradle", "settings.gradle.kts"}, lists: true},
	{kind: VersionCatalog, ecosystem: Maven, lists: true},
	{kind: BuildSBT, ecosystem: Maven, names: []string{"build.sbt"}},
	{kind: ProjectClj, ecosystem: Maven, names: []string{"project.clj"}},
	{kind: DepsEdn, ecosystem: Maven, names: []string{"deps.edn"}},
	{kind: Gemfile, ecosystem: RubyGems, names: []string{"Gemfile", "gems.rb"}},
	{kind: Gemspec, ecosystem: RubyGems, names: []string{".gemspec"}},
	{kind: DotnetProject, ecosystem: NuGet, names: []string{".csproj", ".fsproj", ".vbproj"}},
	{kind: Solution, ecosystem: NuGet, names: []string{".sln", ".slnx"}, lists: true},
	{kind: PackagesProps, ecosystem: NuGet, names: []string{"Directory.Packages.props"}, lists: true},
	{kind: BuildProps, ecosystem: NuGet, names: []string{"Directory.Build.props", "Directory.Build.targets"}, lists: true},
	{kind: PackagesConfig, ecosystem: NuGet, names: []string{"packages.config"}},
	{kind: MixExs, ecosystem: Hex, names: []string{"mix.exs"}},
	{kind: PubspecYAML, ecosystem: Pub, names: []string{"pubspec.yaml"}},
	{kind: MelosYAML, ecosystem: Pub, names: []string{"melos.yaml"}, lists: true},
	{kind: PackageSwift, ecosystem: SwiftPM, names: []string{"Package.swift"}},
	{kind: ChartYAML, ecosystem: Helm, names: []string{"Chart.yaml"}},
	{kind: Cabal, ecosystem: Hackage, names: []string{".cabal"}},
	{kind: Opam, ecosystem: OCaml, names: []string{"opam", ".opam"}}, // the file of a single package, from before they had names
	{kind: JuliaProject, ecosystem: Julia, names: []string{"Project.toml", "JuliaProject.toml"}},
	{kind: RDescription, ecosystem: CRAN, names: []string{"DESCRIPTION"}},
	{kind: GleamTOML, ecosystem: Gleam, names: []string{"gleam.toml"}},
	{kind: Nimble, ecosystem: Nim, names: []string{".nimble"}},
	{kind: BuildZon, ecosystem: Zig, names: []string{"build.zig.zon"}},
	{kind: Rockspec, ecosystem: LuaRocks, names: []string{".rockspec"}},
	{kind: DuneProject, ecosystem: OCaml, names: []string{"dune-project"}},
	{kind: Hpack, ecosystem: Hackage, names: []string{"package.yaml"}},
	{kind: RebarConfig, ecosystem: Hex, names: []string{"rebar.config"}},
	{kind: ErlangApp, ecosystem: Hex},
}

// kinds are the kinds by the names and endings of their files.
var kinds = sync.OnceValue(func() map[string]Kind {
	byName := map[string]Kind{}
	for _, f := range formats {
		for _, name := range f.names {
			byName[name] = f.kind
		}
	}
	return byName
})

// KindOf returns the kind of manifest of the file at the slash-separated path, by its name alone.
func KindOf(file string) (Kind, bool) {
	base := path.Base(file)
	ext := path.Ext(base)
	for _, name := range [...]string{base, ext} {
		if kind, ok := kinds()[name]; ok {
			return kind, true
		}
	}
	var kind Kind
	is := false
	switch ext {
	case ".kts":
		kind, is = BuildGradle, strings.HasSuffix(base, ".gradle.kts")
	case ".toml":
		kind, is = VersionCatalog, strings.HasSuffix(base, ".versions.toml")
	case ".txt", ".pip", ".in":
		kind, is = Requirements, isRequirements(file, strings.TrimSuffix(base, ext))
	case ".yml", ".yaml":
		kind, is = CondaEnvironment, strings.HasPrefix(base, "environment-") || strings.HasPrefix(base, "environment.")
	case ".src":
		kind, is = ErlangApp, strings.HasSuffix(base, ".app.src")
	case ".app":
		kind, is = ErlangApp, path.Base(path.Dir(file)) == "ebin"
	case ".sbt":
		kind, is = BuildSBT, path.Base(path.Dir(file)) == "project" // project/plugins.sbt
	}
	if !is {
		return "", false
	}
	return kind, true
}

// isRequirements recognises requirements.txt, dev-requirements.in, requirements-test.txt, requirements.prod.txt and requirements/base.txt
// among other texts.
func isRequirements(file, stem string) bool {
	if path.Base(path.Dir(file)) == "requirements" {
		return true
	}
	before, rest, found := strings.Cut(strings.ToLower(stem), "requirements")
	if !found || !wordsOnly(before, "-") {
		return false
	}
	return rest == "" || len(rest) > 1 && strings.IndexByte("-._", rest[0]) >= 0 && wordsOnly(rest[1:], "-.")
}

// wordsOnly reports whether a text consists of words and the other characters.
func wordsOnly(s, others string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return !isWord(c) && !strings.ContainsRune(others, c) })
}

func isWord(c rune) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func (k Kind) format() (f format) {
	if i := slices.IndexFunc(formats, func(f format) bool { return f.kind == k }); i >= 0 {
		f = formats[i]
	}
	return f
}

// Lists reports whether a kind only lists packages or names, whose uses other manifests declare.
func (k Kind) Lists() bool { return k.format().lists }

// Ecosystem returns the registry of the names in a manifest of this kind.
func (k Kind) Ecosystem() Ecosystem { return k.format().ecosystem }
