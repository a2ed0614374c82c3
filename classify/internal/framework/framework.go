// Package framework finds the framework on which a project is built, by a table of data rows. The evidence is the declarations of its
// manifests, its files and, when those are not enough, the imports in its sources.
//
// It decides nothing about languages and reads no manifest: its callers pass both. It is safe for concurrent use; the table is never
// changed.
package framework

import (
	"slices"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// A Kind ranks a row: of several frameworks, the first kind is the project's main one.
type Kind int

// The kinds, from the most to the least significant for a project.
const (
	Meta      Kind = iota // a framework around another one: Next.js, Nuxt, Spring Boot
	Framework             // the base of a program: Express, Django, Rails
	UI                    // a view library: React, Vue
	Library               // a library that shapes a program without being a framework: cobra, clap, PyTorch
	Tool                  // a build tool, when nothing else is found: Vite, Parcel
)

// Facts are the data of a project for a detection.
type Facts struct {
	// Language is the project's main language in linguist's terms ("PHP"), "" when unknown. Rows of its ecosystem come first: the assets
	// beside a Laravel application are not its main framework.
	Language string
	// Manifests of the project, as manifest.ReadAll returns them. Those nearer to the root count more.
	Manifests []*manifest.Manifest
	// Files of the project, slash-separated, relative to the same root.
	Files []string
	// Rough skips the sources: enough to find out which languages have declared frameworks.
	Rough bool
	// Read returns the beginning of a file, at most a few dozen kB, nil when it cannot be read. It is called for few files, and for sources
	// only when the manifests settle nothing. May be nil.
	Read func(path string) []byte
}

// A Match is a framework that a project uses.
type Match struct {
	Name       string // the canonical name: "next.js", "laravel", "spring-boot"
	Ecosystem  manifest.Ecosystem
	Kind       Kind
	Main       bool     // it is in the ecosystem of the project's language, and may be the main framework
	Confidence float64  // 0 to 1: 0.95 for a dependency at the root, 0.6 for a file, 0.5 for an import
	Why        []string // "package.json: dependency next", "file artisan", "app.py: import flask"

	// Arguments means that it only parses command-line arguments: that indicates a command-line tool, not a server.
	Arguments bool

	// Router means that it only routes requests. It shows that a program has a server, which need not be its main function.
	Router bool

	// Few means that few of a program's many sources use it: it is a part, such as the server that one command starts.
	Few bool

	// Book means that it makes pages of documentation or of a book.
	Book bool

	score int            // the sort key of matches
	row   int            // index in the table
	group manifest.Group // of the strongest dependency
	dirs  []string       // of the packages that declare it
	sure  bool           // found by a file that only the framework writes
}

// A row of the table: one framework and the evidence for its use. Lists are words in one string, so that a row is one line.
type row struct {
	name string
	eco  manifest.Ecosystem // set by table
	kind Kind
	// any are dependencies of which one is enough: names of the row's ecosystem, "io.quarkus:*" as a prefix.
	any string
	// also are such dependencies of other ecosystems: "cargo:tauri".
	also string
	// with is a folder that a package must have for dependencies of other ecosystems to count.
	with string
	// weak are accompanying dependencies, which are weaker evidence: plugins and extensions declare them.
	weak string
	// all are dependencies that the same package must also have, each of any group.
	all string
	// not are dependencies that exclude the row.
	not string
	// run means that a program needs it to run: a development dependency on it is only for tests.
	run bool
	// arguments means that it parses command-line arguments: it can be the main framework of command-line programs.
	arguments bool
	// site means that it makes documentation: beside a program, it is for the program's documentation.
	site bool
	// router means that it only routes requests: a framework beside it is the program's base.
	router bool
	// command means that it parses command-line arguments: in a package that installs no command, only scripts use it.
	command bool
	// files are files of which one is enough, by the end of their path. "config.toml~base_url" also requires a word in the file (& for a
	// space in it), "+content/" a folder beside it and "+index.md" a file; "!bin/rails" is stronger than any dependency.
	files string
	// entry are phrases between bars, one of which a program contains that starts it or serves with it. With entry, a program whose sources
	// have none of the phrases only calls the library, or is made for others that start it.
	entry string
	// ext is the extension of its component files, when they have one of their own.
	ext string
	// jsx means that its components are written in JSX: a package with little JSX only shows a page somewhere.
	jsx bool
	// unless are phrases between bars: a file that contains one also starts something else, and does not prove an entry.
	unless string
	// imports are the imports in source files of the ecosystem, used only when nothing is declared. By default they are the dependencies,
	// if the language imports by package name.
	imports string
	// aka are other spellings, between bars.
	aka string
}

// AtRoot reports whether a package at the root declares the match.
func (m *Match) AtRoot() bool { return slices.Contains(m.dirs, ".") }

// DeclaredIn reports whether one of the packages that declare the match is in a folder that fits.
func (m *Match) DeclaredIn(fits func(dir string) bool) bool { return slices.ContainsFunc(m.dirs, fits) }
