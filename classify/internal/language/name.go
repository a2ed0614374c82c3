package language

import (
	"slices"
	"strings"
)

// names are the names of languages, as people write them.
var names = table(`
javascript, typescript, php, rust, python, go, java, kotlin, scala, groovy
clojure, ruby, c, c++, c#, f#, swift, dart, elixir, erlang, haskell, ocaml, elm, lua
perl, r, julia, nim, zig, crystal, solidity, shell, powershell, objective-c, visual basic, coffeescript
html, css, hcl, nix, sql, fortran, cobol, gleam, d, v, assembly, starlark
go: golang
javascript: js, ecmascript, node, node.js, nodejs
typescript: ts
python: py, python3, cpython
shell: bash, zsh, posix
c++: cpp
c#: csharp, .net, dotnet
f#: fsharp
objective-c: objc
hcl: terraform
`)

// Named returns the programming language that a word names, as people write it ("TypeScript", "Golang", "C++"); "" for any other word.
func Named(word string) string { return names()[strings.ToLower(word)] }

// ambiguous are languages whose names have other meanings.
var ambiguous = []string{"go", "c", "r", "d", "v", "dart", "swift", "crystal", "shell", "assembly", "sql", "html", "css", "nix", "elm", "julia"}

// Plain reports whether a language's name has no other meaning in a sentence, unlike "go", "c" and "r".
func Plain(language string) bool { return !slices.Contains(ambiguous, language) }
