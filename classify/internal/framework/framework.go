// Package framework says which framework a project is built on, by a table of data rows over what its manifests declare and
// which files it has.
//
// It decides nothing about languages and reads no manifest: it is given both. It is safe for concurrent use; the table is never
// changed.
package framework

import "github.com/agit-suite/agit/classify/internal/manifest"

// A Kind ranks what a row stands for: a project that uses several is named after the first of them.
type Kind int

// The kinds, from the one that says most about a project to the one that says least.
const (
	Meta      Kind = iota // a framework around another one: Next.js, Nuxt, Rails around Rack
	Framework             // what the program is built on: Express, Django, Spring
	UI                    // a library of the view: React, Vue
	Library               // a library that shapes a program without a framework: cobra, clap, tokio
	Tool                  // a build tool that is the only thing to say: Vite, webpack
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
	// Read gives the beginning of a file, at most a few dozen kB, nil when it cannot be read. It is asked for few files, and only
	// when the manifests settle nothing. May be nil.
	Read func(path string) []byte
}

// A Match is a framework that a project uses.
type Match struct {
	Name       string // the canonical name: "next.js", "laravel", "spring-boot"
	Ecosystem  manifest.Ecosystem
	Kind       Kind
	Confidence float64  // 0 to 1: declared at the root 0.95, …, a file's presence alone 0.5
	Why        []string // "package.json: dependency next", "file artisan"
}

// Detect gives the frameworks that a project uses, the one it is named after first; empty when it uses none.
func Detect(f Facts) []Match { return nil }

// Canonical gives the table's name of a framework as people write it ("NextJS", "Ruby on Rails", "Spring Boot 3"), and false for
// what is no framework of the table.
func Canonical(name string) (string, bool) { return "", false }

// EcosystemOf gives the ecosystem of a framework of the table, "" for an unknown one.
func EcosystemOf(name string) manifest.Ecosystem { return "" }
