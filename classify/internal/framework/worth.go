package framework

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// The value of a match: first its kind, then the place of its declaration, then the group.
const (
	kindStep     = 20  // between two kinds
	belowRoot    = 30  // for a package below the root: more than one kind, less than two
	perLevel     = 4   // for each further level
	besideMatter = 60  // for examples, tests and documentation
	otherWorld   = 500 // for another ecosystem than the project's language, or beside the matter
)

// isLibrary reports whether a package is a published library and not a program: it has peers, or fields for its users. Its development
// dependencies are then only for trying it out.
func isLibrary(m *manifest.Manifest) bool {
	return m.Kind == manifest.PackageJSON && (m.Properties["published"] != "" && m.Properties["private"] == "" ||
		slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool { return dep.Group == manifest.Peer }))
}

// packsDesktop reports whether a package is built into a desktop program, whatever it publishes.
func packsDesktop(m *manifest.Manifest) bool {
	return m.Kind == manifest.PackageJSON && slices.ContainsFunc(m.Dependencies, func(dep manifest.Dependency) bool {
		return slices.Contains([]string{"electron-builder", "electron-packager", "@electron/packager", "@electron-forge/cli"}, dep.Name)
	})
}

// worth returns the value of a dependency by its group, negative when it proves nothing: a test dependency of a Python or Ruby project does
// not make it an application of that framework, but npm projects declare the framework that builds them as a development dependency.
func worth(dep manifest.Dependency, library bool) int {
	switch group := dep.Group; {
	case group == manifest.Runtime:
		return 100
	case group == manifest.Plugin:
		return 78 // it builds for a framework that the dependencies name too
	case group == manifest.Dev && dep.Ecosystem == manifest.NPM && !library:
		return 97
	case group == manifest.Dev && dep.Ecosystem == manifest.NPM:
		return 40
	case group == manifest.Peer, group == manifest.Optional:
		return 85
	case group == manifest.Build && dep.Ecosystem == manifest.Maven:
		return 80 // a parent, or a plugin on the build script's class path
	}
	return -1
}

func groupWord(dep manifest.Dependency) string {
	switch dep.Group {
	case manifest.Runtime:
		return "dependency"
	case manifest.Plugin:
		return "plugin"
	}
	return string(dep.Group) + " dependency"
}

// place returns the deduction for a match in a folder.
func place(dir string) int {
	if dir == "." {
		return 0
	}
	return belowRoot + perLevel*min(strings.Count(dir, "/"), 4)
}

// Beside reports whether a folder's content is beside a project's matter: examples, tests, documentation, build logic.
func Beside(dir string) bool {
	for segment := range strings.SplitSeq(strings.ToLower(dir), "/") {
		switch segment {
		case "website", "site", "www", "stubs", "scripts", "tools", ".github", "spec", "support", "contrib", "hack", "misc", "eng", "integrations", "issues", "android-test",
			"build-logic", "buildlogic", "buildsrc", "build-conventions", "build-tools", "build-plugin", "plugins-build", "testutil", "testutils", "docker", "ci", "xtask":
			return true
		}
		for word := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '-' || c == '_' || c == '.' }) {
			switch word {
			case "demo", "demos", "template", "templates", "archetype", "archetypes", "starter", "starters", "boilerplate", "boilerplates", "tutorial", "tutorials",
				"quickstart", "quickstarts", "book", "showcase", "gallery", "storybook", "integration", "benchmarking", "mock", "mocks",
				"example", "examples", "sample", "samples", "test", "tests", "testdata", "fixture", "fixtures", "e2e", "doc", "docs",
				"documentation", "playground", "playgrounds", "toys", "bench", "benches", "benchmark", "benchmarks", "sandbox":
				return true
			}
		}
	}
	return false
}
