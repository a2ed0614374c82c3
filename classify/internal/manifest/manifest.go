// Package manifest reads the files in which projects declare themselves: package.json, Cargo.toml, go.mod, pyproject.toml, pom.xml,
// build.gradle, build.sbt, project.clj, composer.json, Gemfile, *.csproj, mix.exs, pubspec.yaml, Package.swift, Chart.yaml, *.cabal,
// *.opam, DESCRIPTION, Project.toml, gleam.toml, *.nimble, build.zig.zon, *.rockspec, rebar.config, *.app.src and their relatives.
//
// It returns a manifest's direct declarations: names are normalised as in the ecosystem's registry; nothing is resolved, downloaded or
// executed. Lock files are not manifests. An error in a manifest becomes a Problem of it; no content makes a function of this package
// fail or panic. Files are read through an fs.FS that must stay inside its folder (as os.Root's does), at most MaxSize bytes each, and
// only if they are regular files.
//
// The functions share no state and are safe for concurrent use; a *Manifest is not changed after ReadAll or Read returned it.
package manifest

// MaxSize is the number of bytes above which a manifest is reported and not read. The largest one written by people is a hundred times
// smaller; a larger file is generated, or hostile.
const MaxSize = 4 << 20

// An Ecosystem is a package registry and the names in it.
type Ecosystem string

// The ecosystems whose manifests are read.
const (
	NPM      Ecosystem = "npm"      // JavaScript and TypeScript
	Composer Ecosystem = "composer" // PHP
	Cargo    Ecosystem = "cargo"    // Rust
	PyPI     Ecosystem = "pypi"     // Python
	Go       Ecosystem = "go"
	Maven    Ecosystem = "maven"    // Java, Kotlin, Groovy, Scala and Clojure; Gradle's and Leiningen's names too
	RubyGems Ecosystem = "rubygems" // Ruby
	NuGet    Ecosystem = "nuget"    // C#, F# and Visual Basic
	Hex      Ecosystem = "hex"      // Elixir and Erlang
	Pub      Ecosystem = "pub"      // Dart
	SwiftPM  Ecosystem = "swiftpm"  // Swift
	Helm     Ecosystem = "helm"     // charts, which are YAML
	Hackage  Ecosystem = "hackage"  // Haskell
	OCaml    Ecosystem = "opam"     // OCaml
	Julia    Ecosystem = "julia"
	CRAN     Ecosystem = "cran"     // R
	Gleam    Ecosystem = "gleam"    // its packages are Hex's
	Nim      Ecosystem = "nimble"   // Nim
	Zig      Ecosystem = "zig"      // names that a build assigns to addresses
	LuaRocks Ecosystem = "luarocks" // Lua
	Native   Ecosystem = "native"   // C, C++ and engines with a language of their own: no manifest names their packages
)

// A Group is the purpose of a dependency. The zero value means needed to run.
type Group string

// The groups of dependencies.
const (
	Runtime  Group = ""         // needed to run
	Dev      Group = "dev"      // for developing and testing
	Optional Group = "optional" // extras and features, not always installed
	Build    Group = "build"    // needed to build, not to run; a Maven parent too
	Peer     Group = "peer"     // the user of the package must provide it
	Plugin   Group = "plugin"   // a plugin of the build tool: Gradle plugin ids, Maven plugins, Cargo none
	Managed  Group = "managed"  // constrained for others (workspace tables, dependency management, catalogues), not used here
)

// A Dependency is a package that a manifest names.
type Dependency struct {
	Ecosystem Ecosystem
	// Name is normalised for the ecosystem: PEP 503 for Python, lower case for Composer, NuGet and Swift, group:artifact for Maven,
	// the module path for Go, the real name rather than the local one for npm aliases and Cargo renames.
	Name string
	// Alias is the local name of a renamed dependency, "" otherwise.
	Alias string
	Group Group
	// Local means that it is another package of the same workspace, or a folder beside it.
	Local bool
}

// A Hint is evidence in a manifest for a language, such as Kotlin by its Gradle plugin.
type Hint struct {
	Language string // in the words of linguist: "TypeScript", "Kotlin", "Java"
	Why      string // "plugin org.jetbrains.kotlin.jvm"
}

// A Problem is an error in a manifest. It never stops the reading of others.
type Problem struct {
	Path    string
	Line    int // 1-based; 0 when no line is at fault
	Message string
}

// A Manifest is the declarations of one file.
type Manifest struct {
	Path      string // slash-separated, relative to the root of the reader
	Kind      Kind
	Ecosystem Ecosystem
	// Name, Description and Version are the package's own; "" when the file has none.
	Name, Description, Version string
	// Languages are hints for languages, surest first; empty when there is no more evidence than the ecosystem.
	Languages []Hint
	// Dependencies are sorted by group, then name, each name once a group.
	Dependencies []Dependency
	// Workspace means that the file declares a workspace, even one whose members could not be read.
	Workspace bool
	// Members are the folders of a workspace as declared: globs relative to the manifest's folder, a leading "!" for an
	// exclusion. Maven modules and Gradle includes are given as folders.
	Members []string
	// Includes are the files that were read with this one and whose dependencies are among its own (requirements -r).
	Includes []string
	// Properties are a few other facts for rules, by dotted name: "engines.vscode", "bin", "private", "published", "scripts.start",
	// "packaging", "type", "sdk", "uses", "keywords".
	Properties map[string]string
	Problems   []Problem
}
