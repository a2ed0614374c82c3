package language

import "strings"

// Named returns the programming language that a word names, as people write it ("TypeScript", "Golang", "C++"); "" for any other word.
func Named(word string) string {
	switch name := strings.ToLower(word); name {
	case "javascript", "typescript", "php", "rust", "python", "go", "java", "kotlin", "scala", "groovy", "clojure", "ruby", "c", "c++", "c#", "f#", "swift",
		"dart", "elixir", "erlang", "haskell", "ocaml", "elm", "lua", "perl", "r", "julia", "nim", "zig", "crystal", "solidity", "shell", "powershell",
		"objective-c", "visual basic", "coffeescript", "html", "css", "hcl", "nix", "sql", "fortran", "cobol", "gleam", "d", "v", "assembly", "starlark":
		return name
	case "golang":
		return "go"
	case "js", "ecmascript", "node", "node.js", "nodejs":
		return "javascript"
	case "ts":
		return "typescript"
	case "py", "python3", "cpython":
		return "python"
	case "bash", "zsh", "posix":
		return "shell"
	case "cpp":
		return "c++"
	case "csharp", ".net", "dotnet":
		return "c#"
	case "fsharp":
		return "f#"
	case "objc":
		return "objective-c"
	case "terraform":
		return "hcl"
	}
	return ""
}

// Plain reports whether a language's name has no other meaning in a sentence, unlike "go", "c" and "r".
func Plain(language string) bool {
	switch language {
	case "go", "c", "r", "d", "v", "java", "dart", "swift", "crystal", "shell", "assembly", "sql", "html", "css", "nix", "rust", "elm", "julia", "ruby", "python":
		return language == "java" || language == "ruby" || language == "python" || language == "rust"
	}
	return true
}
