package manifest

import (
	"path"
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
	ecosystem Ecosystem
	parse     func(d *draft, text string)
	lists     bool   // only packages or names, whose uses other manifests declare
	names     string // of its files, and endings of names
}

// known are the formats by kind, and the kinds by the names and endings of their files. They are written down at the first use, since the
// parsers among them look kinds up too.
var known struct {
	once    sync.Once
	formats map[Kind]format
	kinds   map[string]Kind
}

func know() {
	known.kinds = map[string]Kind{}
	known.formats = map[Kind]format{
		PackageJSON:      {NPM, parsePackageJSON, false, "package.json package.json5"}, // pnpm reads the second too
		PnpmWorkspace:    {NPM, parsePnpmWorkspace, true, "pnpm-workspace.yaml pnpm-workspace.yml"},
		LernaJSON:        {NPM, parseLerna, true, "lerna.json"},
		RushJSON:         {NPM, parseRush, true, "rush.json"},
		NxJSON:           {NPM, parseNx, true, "nx.json"},
		NxProject:        {NPM, parseNxProject, false, "project.json"},
		AngularJSON:      {NPM, parseProjects, true, "angular.json workspace.json"},
		DenoJSON:         {NPM, parseDeno, false, "deno.json deno.jsonc import_map.json"},
		ComposerJSON:     {Composer, parseComposer, false, "composer.json"},
		CargoTOML:        {Cargo, parseCargo, false, "Cargo.toml"},
		PyprojectTOML:    {PyPI, parsePyproject, false, "pyproject.toml"},
		Requirements:     {PyPI, parseRequirements, false, ""},
		SetupCfg:         {PyPI, parseSetupCfg, false, "setup.cfg"},
		SetupPy:          {PyPI, parseSetupPy, false, "setup.py"},
		Pipfile:          {PyPI, parsePipfile, false, "Pipfile"},
		CondaEnvironment: {PyPI, parseConda, false, "environment.yml environment.yaml conda.yml conda.yaml"},
		GoMod:            {Go, parseGoMod, false, "go.mod"},
		GoWork:           {Go, parseGoWork, true, "go.work"},
		PomXML:           {Maven, parsePom, false, "pom.xml"},
		BuildGradle:      {Maven, parseGradle, false, ".gradle"},
		SettingsGradle:   {Maven, parseGradle, true, "settings.gradle settings.gradle.kts"},
		VersionCatalog:   {Maven, parseCatalog, true, ""},
		BuildSBT:         {Maven, parseSBT, false, "build.sbt"},
		ProjectClj:       {Maven, parseProjectClj, false, "project.clj"},
		DepsEdn:          {Maven, parseDepsEdn, false, "deps.edn"},
		Gemfile:          {RubyGems, parseGemfile, false, "Gemfile gems.rb"},
		Gemspec:          {RubyGems, parseGemfile, false, ".gemspec"},
		DotnetProject:    {NuGet, parseDotnetProject, false, ".csproj .fsproj .vbproj"},
		Solution:         {NuGet, parseSolution, true, ".sln .slnx"},
		PackagesProps:    {NuGet, parsePackagesProps, true, "Directory.Packages.props"},
		BuildProps:       {NuGet, parseDotnetProject, true, "Directory.Build.props Directory.Build.targets"},
		PackagesConfig:   {NuGet, parsePackagesConfig, false, "packages.config"},
		MixExs:           {Hex, parseMix, false, "mix.exs"},
		PubspecYAML:      {Pub, parsePubspec, false, "pubspec.yaml"},
		MelosYAML:        {Pub, parseMelos, true, "melos.yaml"},
		PackageSwift:     {SwiftPM, parsePackageSwift, false, "Package.swift"},
		ChartYAML:        {Helm, parseChart, false, "Chart.yaml"},
		Cabal:            {Hackage, parseCabal, false, ".cabal"},
		Opam:             {OCaml, parseOpam, false, "opam .opam"}, // the file of a single package, from before they had names
		JuliaProject:     {Julia, parseJuliaProject, false, "Project.toml JuliaProject.toml"},
		RDescription:     {CRAN, parseRDescription, false, "DESCRIPTION"},
		GleamTOML:        {Gleam, parseGleam, false, "gleam.toml"},
		Nimble:           {Nim, parseNimble, false, ".nimble"},
		BuildZon:         {Zig, parseZon, false, "build.zig.zon"},
		Rockspec:         {LuaRocks, parseRockspec, false, ".rockspec"},
		DuneProject:      {OCaml, parseDuneProject, false, "dune-project"},
		Hpack:            {Hackage, parseHpack, false, "package.yaml"},
		RebarConfig:      {Hex, parseRebar, false, "rebar.config"},
		ErlangApp:        {Hex, parseApp, false, ""},
	}
	for kind, f := range known.formats {
		for name := range strings.FieldsSeq(f.names) {
			known.kinds[name] = kind
		}
	}
}

// KindOf returns the kind of manifest of the file at the slash-separated path, by its name alone.
func KindOf(file string) (Kind, bool) {
	base := path.Base(file)
	ext := path.Ext(base)
	known.once.Do(know)
	for _, name := range [...]string{base, ext} {
		if kind, ok := known.kinds[name]; ok {
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

func (k Kind) format() format {
	known.once.Do(know)
	return known.formats[k]
}

// Lists reports whether a kind only lists packages or names, whose uses other manifests declare.
func (k Kind) Lists() bool { return k.format().lists }

// Ecosystem returns the registry of the names in a manifest of this kind.
func (k Kind) Ecosystem() Ecosystem { return k.format().ecosystem }
