package language

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Kind is the sort of text that a language is for.
type Kind uint8

// The kinds. Only Programming languages compete; Markup ones count when there are no others.
const (
	None Kind = iota
	Programming
	Markup
)

// extensions are the languages of files by their endings. A question mark is behind a language whose ending others share.
var extensions = table(`
vue, svelte, astro, marko, go, c, swift, dart, elm, lua, nim, zig, tcl, nix, sql, gleam, tex
javascript: js, mjs, cjs, jsx, es6
typescript: ts, tsx, mts, cts
coffeescript: coffee, litcoffee
php: php, phtml, php5, php7, php8
php?: inc, module, install, theme
rust: rs
python: py, pyw, pyi, pyx
python?: ipynb
java: java, jsp, jav
kotlin: kt, kts
scala: scala, sc, sbt
groovy: groovy, gvy, gsh, gradle
clojure: clj, cljs, cljc
ruby: rb, rake, gemspec, ru, jbuilder
c?: h
c++: cc, cpp, cxx, c++, hpp, hh, hxx, ipp, tpp, ino, inl, tcc, txx, ixx, cppm
c#: cs, cshtml, razor
f#: fs, fsx, fsi
visual basic: vb
objective-c?: m
objective-c: mm
elixir: ex, exs, heex, leex
erlang: erl, hrl
haskell: hs, lhs
ocaml: ml, mli
purescript: purs
rescript: res, resi
perl?: pl, pm
raku: raku, rakumod, p6
r: r, R, rmd, Rmd
julia: jl
crystal: cr
d?: d
v?: v
verilog: vh
systemverilog: sv, svh
vhdl: vhd, vhdl
solidity: sol
shell: sh, bash, zsh, ksh, fish, bats
powershell: ps1, psm1
batchfile: bat, cmd
pascal: pas, dpr
fortran: f, f90, f95, for
cobol: cob, cbl
common lisp: lisp, lsp, cl
scheme: scm, ss
racket: rkt
emacs lisp: el
vim script: vim
assembly: asm, s, S
cuda: cu, cuh
hcl: tf, tfvars, hcl
haxe: hx
gdscript: gd
awk: awk, gawk
starlark: bzl, star
html: html, htm, xhtml
css: css, scss, sass, less, styl
`)

// bareNames are the languages of files without an ending.
var bareNames = table(`
ruby: Rakefile, Gemfile, Capfile, Guardfile, Vagrantfile, Podfile, Fastfile, Dangerfile, Brewfile
groovy: Jenkinsfile
makefile: Makefile, GNUmakefile, makefile
dockerfile: Dockerfile, Containerfile
`)

// table reads lines of a language and the words that stand for it. Words without a language before them are languages themselves.
func table(lines string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		all := map[string]string{}
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			language, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
			for word := range strings.SplitSeq(cmp.Or(words, language), ", ") {
				if all[word] = language; !ok {
					all[word] = word
				}
			}
		}
		return all
	})
}

// OfName returns the language of a file by its name alone, in lower case; "" when the name does not determine it. For ambiguous extensions
// (.h, .m, .pl, .vue …) it returns the usual language, which Count refines.
func OfName(name string) (string, Kind) {
	var lang string
	if i := strings.LastIndexByte(name, '.'); i < 0 {
		lang = bareNames()[name]
	} else if lang = extensions()[name[i+1:]]; lang == "" {
		lang = extensions()[strings.ToLower(name[i+1:])]
	}
	switch lang {
	case "":
		return "", None
	case "html", "css", "tex":
		return lang, Markup
	}
	return lang, Programming
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

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
