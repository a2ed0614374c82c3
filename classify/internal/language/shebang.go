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
			return interpreter(program(name))
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
	if lang := interpreter(name); lang != "" {
		return lang
	}
	usual, runs := runner(name)
	if !runs {
		return ""
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
			continue
		}
		if lang := interpreter(program(word)); lang != "" {
			return lang
		}
	}
	return usual
}

// runner reports whether a program starts another one, and returns the default language of that.
func runner(name string) (usual string, ok bool) {
	switch name {
	case "uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "pixi", "conda", "mamba", "micromamba", "pipenv":
		return "python", true
	case "npx", "bunx", "pnpm", "pnpx", "yarn", "npm":
		return "javascript", true
	case "bundle":
		return "ruby", true
	case "cargo":
		return "rust", true
	case "stack", "cabal":
		return "haskell", true
	case "dotnet":
		return "c#", true
	case "opam", "dune":
		return "ocaml", true
	case "busybox", "toybox":
		return "shell", true
	case "sudo", "exec", "nice", "time", "mise", "asdf", "direnv", "guix", "devbox", "flox", "command":
		return "", true
	}
	return "", false
}

// interpreter returns the language that a program runs, "" for an unknown one.
func interpreter(name string) string {
	switch name {
	case "python", "pypy", "pythonw", "ipython", "micropython", "circuitpython", "jython", "sage":
		return "python"
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "mksh", "pdksh", "rbash", "yash", "csh", "tcsh", "bats":
		return "shell"
	case "pwsh", "powershell", "pwsh-preview":
		return "powershell"
	case "node", "nodejs", "bun", "zx", "gjs", "qjs", "d", "rhino", "cjs": // d is d8 without its number
		return "javascript"
	case "deno", "ts-node", "ts-node-esm", "ts-node-script", "tsx", "tsimp":
		return "typescript"
	case "coffee":
		return "coffeescript"
	case "ruby", "jruby", "rbx", "macruby", "truffleruby", "rake":
		return "ruby"
	case "perl", "php", "groovy", "swift", "elixir", "julia", "racket", "crystal", "nim", "kotlin", "dart", "awk":
		return name
	case "gawk", "mawk", "nawk":
		return "awk"
	case "lua", "luajit", "texlua", "tarantool", "luau", "lune":
		return "lua"
	case "scala", "scala-cli", "amm":
		return "scala"
	case "kotlinc", "kscript":
		return "kotlin"
	case "java", "jshell", "jbang":
		return "java"
	case "Rscript", "R", "littler", "r":
		return "r"
	case "runhaskell", "runghc", "runhugs":
		return "haskell"
	case "ocaml", "ocamlrun", "ocamlscript":
		return "ocaml"
	case "tclsh", "wish", "expect", "jimsh":
		return "tcl"
	case "guile", "gosh", "chibi-scheme", "csi":
		return "scheme"
	case "sbcl", "clisp", "ecl", "ccl", "abcl":
		return "common lisp"
	case "emacs", "emacsclient":
		return "emacs lisp"
	case "bb", "clojure", "clj", "nbb", "planck", "lumo":
		return "clojure"
	case "escript":
		return "erlang"
	case "iex", "mix":
		return "elixir"
	case "gorun", "yaegi", "go":
		return "go"
	case "rust-script", "run-cargo-script":
		return "rust"
	case "dotnet-script", "csharprepl", "scriptcs", "csharp":
		return "c#"
	case "fsharpi", "dotnet-fsi", "fsi":
		return "f#"
	case "raku", "rakudo":
		return "raku"
	case "swipl", "yap", "gprolog":
		return "prolog"
	case "make", "gmake":
		return "makefile"
	case "rdmd", "dub":
		return "d"
	case "instantfpc":
		return "pascal"
	}
	return ""
}
