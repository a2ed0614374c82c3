// Package uses finds what git's merge cannot see: two sides that merge clean, and one of them begins to use a definition,
// a file or a dependency that the other removed, renamed or changed, or both define or number the same.
//
// It works on texts alone and knows neither git nor the registry: package conflict reads the files of both sides and asks
// where names stand in the rest of a tree. There is no parser per language: token.go tells code from comments and
// strings by a table of families (language.go), and define.go finds definitions by a row per language.
//
// Where to look:
//
//   - language.go: the tables; token.go: the tokeniser; define.go: definitions, with blocks.go, keywords.go and members.go
//   - lines.go: which lines a side adds; side.go: what a side removes, begins to use and defines
//   - imports.go: files that others name; manifest.go: dependencies; numbers.go: migrations, routes, enums, ports
//   - judge.go: two sides held against each other, with means.go and judgeparams.go; finding.go: what was found, in words
//
// A Side is read-only once it was made; all functions are safe for concurrent use.
package uses
