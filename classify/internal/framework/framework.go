// Package framework says which frameworks a project uses, from a table of rows:
// what has to be declared or to be there, what must not, and how the rows rank.
//
// It sees dependencies and file names, never contents, and reads nothing. Its
// functions keep no state and are safe for concurrent use.
package framework

import "github.com/agit-suite/agit/classify/internal/manifest"

// Facts are what a framework is recognised by, of one project or package.
type Facts struct {
	// Language is the one decided for the project, lower case; "" when unknown.
	Language     string
	Dependencies []manifest.Dependency
	// Has reports whether a file is there, by its path relative to the package.
	Has func(path string) bool
}

// Match is one framework that fits.
type Match struct {
	Name       string // as stored and shown: next.js, laravel, spring-boot
	Language   string // what it is written in, "" for any; of the decided language ranks first
	Rank       int    // smaller is more telling: meta-framework, framework, UI library, build tool
	Confidence string // high, medium or low
	Why        string // "dependency next in package.json"
}
