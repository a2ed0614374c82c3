package manifest

import (
	"path"
	"strings"
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

// KindOf returns the kind of manifest of the file at the slash-separated path, by its name alone.
func KindOf(file string) (Kind, bool) {
	base := path.Base(file)
	switch base {
	case "package.json", "package.json5": // pnpm reads the second too
		return PackageJSON, true
	case "pnpm-workspace.yaml", "pnpm-workspace.yml":
		return PnpmWorkspace, true
	case "lerna.json":
		return LernaJSON, true
	case "rush.json":
		return RushJSON, true
	case "nx.json":
		return NxJSON, true
	case "project.json":
		return NxProject, true
	case "angular.json", "workspace.json":
		return AngularJSON, true
	case "deno.json", "deno.jsonc", "import_map.json":
		return DenoJSON, true
	case "composer.json":
		return ComposerJSON, true
	case "Cargo.toml":
		return CargoTOML, true
	case "pyproject.toml":
		return PyprojectTOML, true
	case "setup.cfg":
		return SetupCfg, true
	case "setup.py":
		return SetupPy, true
	case "Pipfile":
		return Pipfile, true
	case "environment.yml", "environment.yaml", "conda.yml", "conda.yaml":
		return CondaEnvironment, true
	case "go.mod":
		return GoMod, true
	case "go.work":
		return GoWork, true
	case "pom.xml":
		return PomXML, true
	case "settings.gradle", "settings.gradle.kts":
		return SettingsGradle, true
	case "build.sbt":
		return BuildSBT, true
	case "project.clj":
		return ProjectClj, true
	case "deps.edn":
		return DepsEdn, true
	case "Gemfile", "gems.rb":
		return Gemfile, true
	case "Directory.Packages.props":
		return PackagesProps, true
	case "Directory.Build.props", "Directory.Build.targets":
		return BuildProps, true
	case "packages.config":
		return PackagesConfig, true
	case "mix.exs":
		return MixExs, true
	case "pubspec.yaml":
		return PubspecYAML, true
	case "melos.yaml":
		return MelosYAML, true
	case "Package.swift":
		return PackageSwift, true
	case "Chart.yaml":
		return ChartYAML, true
	case "Project.toml", "JuliaProject.toml":
		return JuliaProject, true
	case "DESCRIPTION":
		return RDescription, true
	case "gleam.toml":
		return GleamTOML, true
	case "build.zig.zon":
		return BuildZon, true
	case "dune-project":
		return DuneProject, true
	case "package.yaml":
		return Hpack, true
	case "rebar.config":
		return RebarConfig, true
	case "opam": // the file of a single package, from before they had names
		return Opam, true
	}
	switch ext := path.Ext(base); ext {
	case ".gradle":
		return BuildGradle, true
	case ".kts":
		if strings.HasSuffix(base, ".gradle.kts") {
			return BuildGradle, true
		}
	case ".gemspec":
		return Gemspec, true
	case ".cabal":
		return Cabal, true
	case ".opam":
		return Opam, true
	case ".nimble":
		return Nimble, true
	case ".rockspec":
		return Rockspec, true
	case ".csproj", ".fsproj", ".vbproj":
		return DotnetProject, true
	case ".sln", ".slnx":
		return Solution, true
	case ".toml":
		if strings.HasSuffix(base, ".versions.toml") {
			return VersionCatalog, true
		}
	case ".txt", ".pip", ".in":
		if isRequirements(file, strings.TrimSuffix(base, ext)) {
			return Requirements, true
		}
	case ".yml", ".yaml":
		if strings.HasPrefix(base, "environment-") || strings.HasPrefix(base, "environment.") {
			return CondaEnvironment, true
		}
	case ".src":
		if strings.HasSuffix(base, ".app.src") {
			return ErlangApp, true
		}
	case ".app":
		if path.Base(path.Dir(file)) == "ebin" {
			return ErlangApp, true
		}
	case ".sbt":
		if path.Base(path.Dir(file)) == "project" {
			return BuildSBT, true // project/plugins.sbt
		}
	}
	return "", false
}

// isRequirements recognises requirements.txt, dev-requirements.in, requirements-test.txt, requirements.prod.txt and requirements/base.txt
// among other texts.
func isRequirements(file, stem string) bool {
	stem = strings.ToLower(stem)
	if path.Base(path.Dir(file)) == "requirements" {
		return true
	}
	i := strings.Index(stem, "requirements")
	if i < 0 {
		return false
	}
	for _, c := range stem[:i] {
		if !isWord(c) && c != '-' {
			return false
		}
	}
	rest := stem[i+len("requirements"):]
	if rest == "" {
		return true
	}
	if rest[0] != '-' && rest[0] != '.' && rest[0] != '_' {
		return false
	}
	for _, c := range rest[1:] {
		if !isWord(c) && c != '-' && c != '.' {
			return false
		}
	}
	return len(rest) > 1
}

func isWord(c rune) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Lists reports whether a kind only lists packages or names, whose uses other manifests declare.
func (k Kind) Lists() bool {
	switch k {
	case PnpmWorkspace, LernaJSON, RushJSON, NxJSON, AngularJSON, GoWork, SettingsGradle, VersionCatalog, Solution, PackagesProps, BuildProps, MelosYAML:
		return true
	}
	return false
}

// Ecosystem returns the registry of the names in a manifest of this kind.
func (k Kind) Ecosystem() Ecosystem {
	switch k {
	case PackageJSON, PnpmWorkspace, LernaJSON, RushJSON, NxJSON, NxProject, AngularJSON, DenoJSON:
		return NPM
	case ComposerJSON:
		return Composer
	case CargoTOML:
		return Cargo
	case PyprojectTOML, Requirements, SetupCfg, SetupPy, Pipfile, CondaEnvironment:
		return PyPI
	case GoMod, GoWork:
		return Go
	case PomXML, BuildGradle, SettingsGradle, VersionCatalog, BuildSBT, ProjectClj, DepsEdn:
		return Maven
	case Gemfile, Gemspec:
		return RubyGems
	case DotnetProject, Solution, PackagesProps, BuildProps, PackagesConfig:
		return NuGet
	case MixExs, RebarConfig, ErlangApp:
		return Hex
	case PubspecYAML, MelosYAML:
		return Pub
	case PackageSwift:
		return SwiftPM
	case ChartYAML:
		return Helm
	case Cabal, Hpack:
		return Hackage
	case Opam, DuneProject:
		return OCaml
	case GleamTOML:
		return Gleam
	case Nimble:
		return Nim
	case BuildZon:
		return Zig
	case Rockspec:
		return LuaRocks
	case JuliaProject:
		return Julia
	case RDescription:
		return CRAN
	}
	return ""
}
