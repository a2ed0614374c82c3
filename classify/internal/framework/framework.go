// Package framework says which framework a project is built on, by a table of data rows over what its manifests declare, which files
// it has and, when those say nothing, what its sources import.
//
// It decides nothing about languages and reads no manifest: it is given both. It is safe for concurrent use; the table is never
// changed.
package framework

import (
	"slices"

	"github.com/agit-suite/agit/classify/internal/manifest"
)

// A Kind ranks what a row stands for: a project that uses several is named after the first of them.
type Kind int

// The kinds, from the one that says most about a project to the one that says least.
const (
	Meta      Kind = iota // a framework around another one: Next.js, Nuxt, Spring Boot
	Framework             // what the program is built on: Express, Django, Rails
	UI                    // a library of the view: React, Vue
	Library               // what shapes a program without being a framework around it: cobra, clap, PyTorch
	Tool                  // a build tool, when it is the only thing to say: Vite, Parcel
)

// Facts are what a project is judged by.
type Facts struct {
	// Language is the project's main language in the words of linguist ("PHP"), "" when unknown. Rows of its ecosystem come first:
	// the assets beside a Laravel application do not name it.
	Language string
	// Manifests of the project, as manifest.ReadAll gives them. Those nearer to the root count more.
	Manifests []*manifest.Manifest
	// Files of the project, slash-separated, relative to the same root.
	Files []string
	// Rough leaves out looking into sources: enough for finding out which language's frameworks are declared.
	Rough bool
	// Read returns the beginning of a file, at most a few dozen kB, nil when it cannot be read. It is asked for few files, and for
	// sources only when the manifests settle nothing. May be nil.
	Read func(path string) []byte
}

// A Match is a framework that a project uses.
type Match struct {
	Name       string // the canonical name: "next.js", "laravel", "spring-boot"
	Ecosystem  manifest.Ecosystem
	Kind       Kind
	Main       bool     // it is of the ecosystem of the project's language, and so may name the project
	Confidence float64  // 0 to 1: 0.95 for a dependency at the root, 0.6 for a file, 0.5 for an import
	Why        []string // "package.json: dependency next", "file artisan", "app.py: import flask"

	// Arguments says that it only reads the program's arguments, which names a tool of the command line and no server.
	Arguments bool

	// Router says that it only tells requests apart: a part of a server, which some programs have beside the rest.
	Router bool

	// Few says that few of a program's many sources use it: a part of it, such as the server that one command starts.
	Few bool

	// Book says that it makes pages of documentation or of a book.
	Book bool

	score int            // by which matches are ordered
	row   int            // of the table
	group manifest.Group // of the dependency that says most
	dirs  []string       // of the packages that declare it
	sure  bool           // by a file that nothing else writes
}

// A row of the table: one framework and how to tell that a project uses it. Lists are words in one string, so that a row is one line.
type row struct {
	name string
	eco  manifest.Ecosystem // set by table
	kind Kind
	// any are the dependencies of which one is enough: names of the row's ecosystem, "io.quarkus:*" for all that begin so.
	any string
	// also are those of other ecosystems: "cargo:tauri".
	also string
	// with is the folder that must stand in a package beside those of other ecosystems.
	with string
	// weak are dependencies that go with it and speak for it less: what a plugin or an extension declares.
	weak string
	// all are dependencies that must be there too, in the same package, each of any group.
	all string
	// not are dependencies beside which the row does not hold.
	not string
	// run says that a program needs it to run: as a development dependency it is there for tests.
	run bool
	// arguments says that it reads a program's arguments: it names programs that are for the command line.
	arguments bool
	// site says that it makes documentation: beside a program it is the program's documentation.
	site bool
	// router says that it only tells requests apart: a framework beside it is what the program is built on.
	router bool
	// command says that it reads a program's arguments: a package that installs no command only has scripts beside it.
	command bool
	// files are those of which one is enough, by the end of their path; "config.toml~base_url" asks for a word in the file too (& for
	// a space in it), "+content/" for a folder beside it and "+index.md" for a file; "!bin/rails" says more than any dependency.
	files string
	// entry are phrases between bars of which one stands where a program starts it, or serves by it. With them, a program that has
	// sources and none of the phrases only calls the library, or is made for others that start it.
	entry string
	// ext is that of the files which its components are in, when they are in no others.
	ext string
	// jsx says that its components are written in JSX: a package with hardly any only shows a page somewhere.
	jsx bool
	// unless are phrases between bars: a file that holds one starts something else as well, and does not prove an entry.
	unless string
	// imports are what a source file of the ecosystem imports, asked only when nothing is declared; by default the dependencies
	// themselves where the language imports by package name.
	imports string
	// aka are other spellings that people write, between bars.
	aka string
}

// AtRoot tells a match that stands at the root, and not only in folders below.
func (m *Match) AtRoot() bool { return slices.Contains(m.dirs, ".") }

// DeclaredIn reports whether one of the packages that declare the match is in a folder that fits.
func (m *Match) DeclaredIn(fits func(dir string) bool) bool { return slices.ContainsFunc(m.dirs, fits) }
