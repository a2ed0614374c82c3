package manifest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// fuzz reads any input as one kind of manifest, seeded with the fixtures, and checks the properties of every result.
func fuzz(f *testing.F, file string) {
	kind, ok := manifest.KindOf(file)
	if !ok {
		f.Fatalf("%s is not a manifest", file)
	}
	fixtures, _ := filepath.Glob("testdata/*/*.txtar")
	for _, fixture := range fixtures {
		data, err := os.ReadFile(fixture)
		if err != nil {
			f.Fatal(err)
		}
		_, files := archive(string(data))
		for name, content := range files {
			if k, ok := manifest.KindOf(name); ok && k == kind {
				f.Add([]byte(content))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := fstest.MapFS{file: {Data: data}}
		all := manifest.ReadAll(files, []string{file})
		if len(all) == 0 && kind == manifest.SetupPy {
			return // a module of a program that only has the name
		}
		if len(all) != 1 || all[0].Path != file {
			t.Fatalf("%d manifests", len(all))
		}
		m := all[0]
		for i, dep := range m.Dependencies {
			if dep.Name == "" || dep.Ecosystem == "" || dep.Name == dep.Alias {
				t.Errorf("dependency %+v", dep)
			}
			if slices.ContainsFunc(m.Dependencies[:min(i, 200)], func(other manifest.Dependency) bool {
				return other.Name == dep.Name && other.Group == dep.Group && other.Ecosystem == dep.Ecosystem
			}) {
				t.Errorf("%s is there twice", dep.Name)
			}
		}
		for _, p := range m.Problems {
			if p.Path != file || p.Message == "" || p.Line < 0 || p.Line > 1+strings.Count(string(data), "\n")+strings.Count(string(data), "\r") {
				t.Errorf("problem %+v", p)
			}
		}
		for _, p := range manifest.Packages(all) {
			if p.Dir != "." && (strings.HasPrefix(p.Dir, "..") || strings.HasPrefix(p.Dir, "/")) {
				t.Errorf("package outside: %+v", p)
			}
		}
	})
}

func FuzzPackageJSON(f *testing.F)    { fuzz(f, "package.json") }
func FuzzNx(f *testing.F)             { fuzz(f, "nx.json") }
func FuzzAngular(f *testing.F)        { fuzz(f, "angular.json") }
func FuzzPnpmWorkspace(f *testing.F)  { fuzz(f, "pnpm-workspace.yaml") }
func FuzzDeno(f *testing.F)           { fuzz(f, "deno.jsonc") }
func FuzzComposer(f *testing.F)       { fuzz(f, "composer.json") }
func FuzzCargo(f *testing.F)          { fuzz(f, "Cargo.toml") }
func FuzzPyproject(f *testing.F)      { fuzz(f, "pyproject.toml") }
func FuzzRequirements(f *testing.F)   { fuzz(f, "requirements.txt") }
func FuzzSetupCfg(f *testing.F)       { fuzz(f, "setup.cfg") }
func FuzzSetupPy(f *testing.F)        { fuzz(f, "setup.py") }
func FuzzPipfile(f *testing.F)        { fuzz(f, "Pipfile") }
func FuzzConda(f *testing.F)          { fuzz(f, "environment.yml") }
func FuzzGoMod(f *testing.F)          { fuzz(f, "go.mod") }
func FuzzGoWork(f *testing.F)         { fuzz(f, "go.work") }
func FuzzPom(f *testing.F)            { fuzz(f, "pom.xml") }
func FuzzGradle(f *testing.F)         { fuzz(f, "build.gradle") }
func FuzzSettingsGradle(f *testing.F) { fuzz(f, "settings.gradle.kts") }
func FuzzCatalog(f *testing.F)        { fuzz(f, "gradle/libs.versions.toml") }
func FuzzSBT(f *testing.F)            { fuzz(f, "build.sbt") }
func FuzzProjectClj(f *testing.F)     { fuzz(f, "project.clj") }
func FuzzDepsEdn(f *testing.F)        { fuzz(f, "deps.edn") }
func FuzzCabal(f *testing.F)          { fuzz(f, "x.cabal") }
func FuzzOpam(f *testing.F)           { fuzz(f, "x.opam") }
func FuzzRDescription(f *testing.F)   { fuzz(f, "DESCRIPTION") }
func FuzzJuliaProject(f *testing.F)   { fuzz(f, "Project.toml") }
func FuzzGleam(f *testing.F)          { fuzz(f, "gleam.toml") }
func FuzzNimble(f *testing.F)         { fuzz(f, "x.nimble") }
func FuzzZon(f *testing.F)            { fuzz(f, "build.zig.zon") }
func FuzzRockspec(f *testing.F)       { fuzz(f, "x-1.0-1.rockspec") }
func FuzzDuneProject(f *testing.F)    { fuzz(f, "dune-project") }
func FuzzHpack(f *testing.F)          { fuzz(f, "package.yaml") }
func FuzzRebar(f *testing.F)          { fuzz(f, "rebar.config") }
func FuzzErlangApp(f *testing.F)      { fuzz(f, "x.app.src") }
func FuzzGemfile(f *testing.F)        { fuzz(f, "Gemfile") }
func FuzzGemspec(f *testing.F)        { fuzz(f, "x.gemspec") }
func FuzzDotnetProject(f *testing.F)  { fuzz(f, "App.csproj") }
func FuzzSolution(f *testing.F)       { fuzz(f, "App.sln") }
func FuzzSolutionXML(f *testing.F)    { fuzz(f, "App.slnx") }
func FuzzPackagesProps(f *testing.F)  { fuzz(f, "Directory.Packages.props") }
func FuzzPackagesConfig(f *testing.F) { fuzz(f, "packages.config") }
func FuzzMix(f *testing.F)            { fuzz(f, "mix.exs") }
func FuzzPubspec(f *testing.F)        { fuzz(f, "pubspec.yaml") }
func FuzzMelos(f *testing.F)          { fuzz(f, "melos.yaml") }
func FuzzPackageSwift(f *testing.F)   { fuzz(f, "Package.swift") }
