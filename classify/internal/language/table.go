package language

import "strings"

// Kind is the sort of text that a language is for.
type Kind uint8

// The kinds. Only Programming languages compete; Markup ones count when there are no others.
const (
	None Kind = iota
	Programming
	Markup
)

// OfName returns the language of a file by its name alone, in lower case; "" when the name does not determine it. For ambiguous extensions
// (.h, .m, .pl, .vue …) it returns the usual language, which Count refines.
func OfName(name string) (string, Kind) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return ofBareName(name)
	}
	ext := name[i+1:]
	if len(ext) > 12 || len(ext) == 0 {
		return "", None
	}
	if lang := programming(ext); lang != "" {
		return lang, Programming
	}
	if lower := strings.ToLower(ext); lower != ext {
		if lang := programming(lower); lang != "" {
			return lang, Programming
		}
		ext = lower
	}
	switch ext {
	case "html", "htm", "xhtml":
		return "html", Markup
	case "css":
		return "css", Markup
	case "scss", "sass", "less", "styl":
		return "css", Markup
	case "tex":
		return "tex", Markup
	}
	return "", None
}

// programming is a switch, which costs nothing at start as a map would.
func programming(ext string) string {
	switch ext {
	case "js", "mjs", "cjs", "jsx", "es6":
		return "javascript"
	case "ts", "tsx", "mts", "cts":
		return "typescript"
	case "vue", "svelte", "astro", "marko":
		return ext
	case "coffee", "litcoffee":
		return "coffeescript"
	case "php", "phtml", "php5", "php7", "php8", "inc", "module", "install", "theme":
		if ext == "inc" || ext == "module" || ext == "install" || ext == "theme" {
			return "php?"
		}
		return "php"
	case "rs":
		return "rust"
	case "py", "pyw", "pyi", "pyx":
		return "python"
	case "ipynb":
		return "python?" // the language of its kernel
	case "go":
		return "go"
	case "java", "jsp", "jav":
		return "java"
	case "kt", "kts":
		return "kotlin"
	case "scala", "sc", "sbt":
		return "scala"
	case "groovy", "gvy", "gsh", "gradle":
		return "groovy"
	case "clj", "cljs", "cljc", "edn":
		if ext == "edn" {
			return ""
		}
		return "clojure"
	case "rb", "rake", "gemspec", "ru", "erb", "haml", "slim", "jbuilder":
		if ext == "erb" || ext == "haml" || ext == "slim" {
			return ""
		}
		return "ruby"
	case "c":
		return "c"
	case "h":
		return "c?"
	case "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "ipp", "tpp", "ino", "inl", "tcc", "txx", "ixx", "cppm":
		return "c++"
	case "cs", "cshtml", "razor":
		return "c#"
	case "fs", "fsx", "fsi":
		return "f#"
	case "vb":
		return "visual basic"
	case "m":
		return "objective-c?"
	case "mm":
		return "objective-c"
	case "swift":
		return "swift"
	case "dart":
		return "dart"
	case "ex", "exs", "heex", "leex":
		return "elixir"
	case "erl", "hrl":
		return "erlang"
	case "hs", "lhs":
		return "haskell"
	case "ml", "mli":
		return "ocaml"
	case "elm":
		return "elm"
	case "purs":
		return "purescript"
	case "res", "resi":
		return "rescript"
	case "lua":
		return "lua"
	case "pl", "pm":
		return "perl?"
	case "raku", "rakumod", "p6":
		return "raku"
	case "r", "R", "rmd", "Rmd":
		return "r"
	case "jl":
		return "julia"
	case "nim":
		return "nim"
	case "zig":
		return "zig"
	case "cr":
		return "crystal"
	case "d":
		return "d?"
	case "v":
		return "v?"
	case "vh":
		return "verilog"
	case "sv", "svh":
		return "systemverilog"
	case "vhd", "vhdl":
		return "vhdl"
	case "sol":
		return "solidity"
	case "sh", "bash", "zsh", "ksh", "fish", "bats":
		return "shell"
	case "ps1", "psm1":
		return "powershell"
	case "bat", "cmd":
		return "batchfile"
	case "pas", "dpr":
		return "pascal"
	case "f", "f90", "f95", "for":
		return "fortran"
	case "cob", "cbl":
		return "cobol"
	case "lisp", "lsp", "cl":
		return "common lisp"
	case "scm", "ss":
		return "scheme"
	case "rkt":
		return "racket"
	case "el":
		return "emacs lisp"
	case "vim":
		return "vim script"
	case "tcl":
		return "tcl"
	case "asm", "s", "S":
		return "assembly"
	case "cu", "cuh":
		return "cuda"
	case "tf", "tfvars", "hcl":
		return "hcl"
	case "nix":
		return "nix"
	case "sql":
		return "sql"
	case "gleam":
		return "gleam"
	case "hx":
		return "haxe"
	case "gd":
		return "gdscript"
	case "awk", "gawk":
		return "awk"
	case "bzl", "star":
		return "starlark"
	case "proto", "graphql", "thrift":
		return ""
	}
	return ""
}

// ofBareName recognises files by their complete name.
func ofBareName(name string) (string, Kind) {
	switch name {
	case "Rakefile", "Gemfile", "Capfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Dangerfile", "Brewfile":
		return "ruby", Programming
	case "Jenkinsfile":
		return "groovy", Programming
	case "Makefile", "GNUmakefile", "makefile":
		return "makefile", Programming
	case "Dockerfile", "Containerfile":
		return "dockerfile", Programming
	}
	return "", None
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
