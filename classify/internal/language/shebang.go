package language

import "strings"

// ofShebang returns the language of a script by its first line, or by the further lines that nix-shell and nix read. It returns "" for a
// text that does not begin with "#!", and for unknown interpreters.
func ofShebang(head []byte) string {
	lines := strings.Split(strings.TrimPrefix(string(head), "\ufeff"), "\n")
	first, ok := strings.CutPrefix(lines[0], "#!")
	if !ok {
		return ""
	}
	words := withoutEnv(strings.Fields(first))
	if len(words) == 0 {
		return ""
	}
	switch program(words[0]) {
	case "nix-shell", "nix":
		for _, line := range lines[1:min(len(lines), 10)] {
			more, ok := strings.CutPrefix(line, "#!")
			if !ok {
				break
			}
			words = append(words, strings.Fields(more)...)
		}
		return ofNix(words)
	}
	return ofCommand(words)
}

// withoutEnv removes env with its options and variables from a command.
func withoutEnv(words []string) []string {
	if len(words) == 0 || base(words[0]) != "env" {
		return words
	}
	words = words[1:]
	for len(words) > 0 {
		word := words[0]
		switch {
		case word == "-u" || word == "-C" || word == "--unset" || word == "--chdir":
			words = words[min(2, len(words)):]
		case strings.HasPrefix(word, "--split-string="):
			return append([]string{strings.TrimPrefix(word, "--split-string=")}, words[1:]...)
		case strings.HasPrefix(word, "-S") && len(word) > 2: // -Spython3 -u
			return append([]string{word[2:]}, words[1:]...)
		case strings.HasPrefix(word, "-"), strings.Contains(word, "="):
			words = words[1:]
		default:
			return words
		}
	}
	return words
}

// program returns a program's name without its folder, its version and ".exe".
func program(word string) string {
	name := strings.TrimSuffix(base(strings.ReplaceAll(strings.Trim(word, `'"`), `\`, "/")), ".exe")
	return strings.TrimRight(name, "0123456789.-")
}

// ofNix returns the language of the interpreter that nix-shell -i or nix shell --command names.
func ofNix(words []string) string {
	for i, word := range words {
		if name, ok := strings.CutPrefix(word, "--interpreter="); ok {
			return interpreters()[program(name)]
		}
		switch word {
		case "-i", "--interpreter", "--command", "-c", "--run":
			if i+1 < len(words) {
				return ofCommand(words[i+1:])
			}
		}
	}
	return "shell" // the default of nix-shell
}

// ofCommand returns the language of the interpreter that a command starts, directly or through a runner: "uv run --script", "npx tsx".
func ofCommand(words []string) string {
	words = withoutEnv(words)
	if len(words) == 0 {
		return ""
	}
	name := program(words[0])
	if lang := interpreters()[name]; lang != "" {
		return lang
	}
	usual, runs := runners()[name]
	if !runs {
		return ""
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
			continue
		}
		if lang := interpreters()[program(word)]; lang != "" {
			return lang
		}
	}
	return usual
}

// runners are programs that start another one, by the default language of that.
var runners = table(`
python: uv, uvx, pipx, poetry, pdm, hatch, rye, pixi, conda, mamba, micromamba, pipenv
javascript: npx, bunx, pnpm, pnpx, yarn, npm
ruby: bundle
rust: cargo
haskell: stack, cabal
c#: dotnet
ocaml: opam, dune
shell: busybox, toybox
: sudo, exec, nice, time, mise, asdf, direnv, guix, devbox, flox, command
`)

// interpreters are the programs that run a language; d is d8, a JavaScript one, without its number.
var interpreters = table(`
perl, php, groovy, swift, elixir, julia, racket, crystal, nim, kotlin, dart, awk
python: python, pypy, pythonw, ipython, micropython, circuitpython, jython, sage
shell: sh, bash, dash, zsh, ksh, fish, ash, mksh, pdksh, rbash, yash, csh, tcsh, bats
powershell: pwsh, powershell, pwsh-preview
javascript: node, nodejs, bun, zx, gjs, qjs, d, rhino, cjs
typescript: deno, ts-node, ts-node-esm, ts-node-script, tsx, tsimp
coffeescript: coffee
ruby: ruby, jruby, rbx, macruby, truffleruby, rake
awk: gawk, mawk, nawk
lua: lua, luajit, texlua, tarantool, luau, lune
scala: scala, scala-cli, amm
kotlin: kotlinc, kscript
java: java, jshell, jbang
r: Rscript, R, littler, r
haskell: runhaskell, runghc, runhugs
ocaml: ocaml, ocamlrun, ocamlscript
tcl: tclsh, wish, expect, jimsh
scheme: guile, gosh, chibi-scheme, csi
common lisp: sbcl, clisp, ecl, ccl, abcl
emacs lisp: emacs, emacsclient
clojure: bb, clojure, clj, nbb, planck, lumo
erlang: escript
elixir: iex, mix
go: gorun, yaegi, go
rust: rust-script, run-cargo-script
c#: dotnet-script, csharprepl, scriptcs, csharp
f#: fsharpi, dotnet-fsi, fsi
raku: raku, rakudo
prolog: swipl, yap, gprolog
makefile: make, gmake
d: rdmd, dub
pascal: instantfpc
`)
