package language_test

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/language"
)

// only returns the language of a single file with a text.
func only(name, text string) string {
	counted := language.Count(tree{name: text}, []filetree.File{{Path: name, Size: int64(len(text))}}, nil)
	if len(counted) == 0 {
		return ""
	}
	return counted[0].Language
}

func TestNotebooks(t *testing.T) {
	t.Parallel()
	cells := `{"cells": [{"cell_type": "code", "source": ["x = \"language_info\": {\"name\": \"julia\"}"]}], `
	for name, c := range map[string]struct{ text, want string }{
		"Python":                             {cells + `"metadata": {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}}}`, "python"},
		"Julia":                              {cells + `"metadata": {"kernelspec": {"display_name": "Julia 1.10", "language": "julia", "name": "julia-1.10"}}}`, "julia"},
		"R, as it is called":                 {cells + `"metadata": {"kernelspec": {"display_name": "R", "name": "ir"}, "language_info": {"name": "R"}}}`, "r"},
		"the language before the kernel":     {cells + `"metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "scala"}}}`, "scala"},
		"C++ with its standard":              {cells + `"metadata": {"kernelspec": {"name": "xcpp17", "display_name": "C++17"}}}`, "c++"},
		"Rust by its kernel":                 {cells + `"metadata": {"kernelspec": {"name": "rust", "display_name": "Rust"}}}`, "rust"},
		"C# among several":                   {cells + `"metadata": {"kernelspec": {"name": ".net-csharp", "language": "C#"}, "language_info": {"name": "polyglot-notebook"}}}`, "c#"},
		"a kernel in an environment":         {cells + `"metadata": {"kernelspec": {"name": "conda-env-ml-py", "display_name": "Python [conda env:ml]", "language": "python"}}}`, "python"},
		"TypeScript":                         {cells + `"metadata": {"kernelspec": {"name": "deno"}}}`, "typescript"},
		"metadata before the cells":          {`{"metadata": {"language_info": {"name": "ruby"}}, "cells": [` + strings.Repeat(" ", 70<<10) + `]}`, "ruby"},
		"widgets behind the language":        {cells + `"metadata": {"language_info": {"name": "julia"}, "widgets": "` + strings.Repeat("x", 70<<10) + `"}}`, "julia"},
		"none that is named":                 {cells + `"metadata": {}}`, "python"},
		"one that is not known":              {cells + `"metadata": {"kernelspec": {"name": "quill"}}}`, "python"},
		"an object that is cut off":          {`{"metadata": {"language_info": {"name": "r"`, "python"},
		"a cell that holds another notebook": {`{"cells": [{"source": ["{\"kernelspec\": {\"name\": \"ir\"}}"]}], "metadata": {}}`, "python"},
	} {
		if got := only("a.ipynb", c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestShebangs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#!/usr/bin/python3": "python", "#! /usr/bin/env python3.12": "python", "#!/usr/bin/env -S python3 -u": "python", "#!/usr/bin/env -Spython3 -u": "python", "#!/usr/bin/env -i PATH=/bin bash": "shell", "#!/usr/bin/env -u HOME ruby": "ruby", "#!/usr/bin/env --split-string=node --test": "javascript",
		"#!/usr/bin/env -S uv run --script": "python", "#!/usr/bin/env -S uv run --quiet": "python", "#!/usr/bin/env -S uvx --from x y": "python", "#!/usr/bin/env -S pipx run": "python", "#!/usr/bin/env -S uv run bash": "shell", "#!/usr/bin/env -S poetry run python": "python",
		"#!/usr/bin/env nix-shell\n#!nix-shell -i python3 -p python3": "python", "#!/usr/bin/env nix-shell\n#! nix-shell -p ruby\n#! nix-shell --interpreter ruby": "ruby", "#!/usr/bin/env nix-shell\nls": "shell", "#!/usr/bin/env nix\n#! nix shell nixpkgs#perl --command perl": "perl",
		"#!/usr/bin/env pwsh": "powershell", "#!/usr/bin/pwsh -NoProfile\r": "powershell", "#!/usr/bin/awk -f": "awk", "#!/usr/bin/env -S gawk -f": "awk",
		"#!/usr/bin/env -S npx tsx": "typescript", "#!/usr/bin/env -S bunx zx": "javascript", "#!/usr/bin/env -S deno run -A": "typescript", "#!/usr/bin/env -S node --no-warnings": "javascript",
		"#!/usr/bin/env Rscript": "r", "#!/usr/bin/env julia": "julia", "#!/usr/bin/env runhaskell": "haskell", "#!/usr/bin/env -S stack script": "haskell", "#!/usr/bin/env escript": "erlang", "#!/usr/bin/env bb": "clojure", "#!/usr/bin/guile3.0 -s": "scheme", "#!/usr/bin/tclsh8.6": "tcl", "#!/usr/bin/env -S sbcl --script": "common lisp",
		"#!/usr/bin/env -S cargo +nightly -Zscript": "rust", "#!/usr/bin/env -S dotnet run": "c#", "#!/usr/bin/env -S dotnet fsi": "f#", "#!/usr/bin/env -S go run": "go", "#!/usr/bin/env -S bundle exec ruby": "ruby", "#!/usr/bin/make -f": "makefile", "#!/bin/busybox sh": "shell", "#!/usr/bin/env luajit": "lua", "#!/usr/bin/env raku": "raku",
		"#!/usr/bin/env": "", "#!": "", "#!/opt/quill/feather": "", "no script": "", "#!/usr/bin/env -S mise x --": "",
	} {
		if got := only("run", text+"\n"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDataThatEndsAsSourcesDo(t *testing.T) {
	t.Parallel()
	mpeg := strings.Repeat("G@\x00\x10\x00\x01", 30_000)
	for name, c := range map[string]struct{ file, text, want string }{
		"an MPEG stream":            {"a.ts", mpeg, ""},
		"a short one":               {"a.ts", mpeg[:188], ""},
		"a camera's":                {"a.mts", mpeg[:384], ""},
		"TypeScript":                {"a.ts", strings.Repeat("const x: number = 1\n", 2000), "typescript"},
		"MATLAB's data":             {"a.m", "MATLAB\x00\x01", ""},
		"MATLAB":                    {"a.m", "function y = f(x)", "matlab"},
		"data called Perl":          {"a.pl", "\x00\x01\x02", ""},
		"a compiled resource":       {"a.res", "\x00\x00\x00\x00 ", ""},
		"data of any other ending":  {"a.java", "\xca\xfe\xba\xbe\x00" + strings.Repeat("x", 30_000), ""},
		"UTF-16 with its mark":      {"a.sql", "\xff\xfes\x00e\x00l\x00", "sql"},
		"UTF-16 the other way":      {"a.sql", "\xfe\xff\x00s\x00e\x00l", "sql"},
		"a bare name is not asked":  {"Makefile", "all:\x00", "makefile"},
		"a NUL beyond the 8000th":   {"a.java", strings.Repeat("x", 30_000) + "\x00", "java"},
		"a source below the bounds": {"a.java", "class A {}\x00", "java"},
	} {
		if got := only(c.file, c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files tree
		want  string
	}{
		"a template":                     {tree{"v.h": "#pragma once\ntemplate <typename T>\nstruct Vec { T x; };"}, "c++"},
		"a class":                        {tree{"v.h": "class Vec {\npublic:\n  int x;\n};"}, "c++"},
		"a namespace":                    {tree{"v.h": "namespace tide { int x(); }"}, "c++"},
		"std":                            {tree{"v.h": "inline std::string name();"}, "c++"},
		"its headers":                    {tree{"v.h": "#include <vector>\nint x();"}, "c++"},
		"C for both":                     {tree{"v.h": "#ifdef __cplusplus\nextern \"C\" {\nnamespace a {}\n#endif\nint class_of(int);\n#ifdef __cplusplus\n}\n#endif"}, "c"},
		"C with the words in a comment":  {tree{"v.h": "/* a class\nclass A {\n*/\n// std::string\nint x(void);"}, "c"},
		"C with the words in a string":   {tree{"v.h": "#define A \"std::x\"\nint x(void);"}, "c"},
		"Objective-C":                    {tree{"v.h": "#import <Foundation/Foundation.h>\n@interface A : NSObject\n@end"}, "objective-c"},
		"plain ones beside those of C++": {tree{"a.h": "int x(void); int y(void); int z(void);", "v.h": "namespace a {}"}, "c++"},
		"plain ones beside C":            {tree{"a.h": "int x(void);", "a.c": "int x(void) { return 1; }", "v.h": "class A;"}, "c"},
	} {
		var files []filetree.File
		for path, text := range c.files {
			files = append(files, filetree.File{Path: path, Size: int64(len(text))})
		}
		counted := language.Count(c.files, files, nil)
		if len(counted) == 0 || counted[0].Language != c.want {
			t.Errorf("%s: %+v, want %q", name, counted, c.want)
		}
	}
}

func FuzzLook(f *testing.F) {
	f.Add("a.ipynb", `{"metadata": {"language_info": {"name": "r"}}}`)
	f.Add("a.h", "#ifdef __cplusplus\n/*")
	f.Add("run", "#!/usr/bin/env -S uv run\n#!nix-shell -i")
	f.Fuzz(func(t *testing.T, name, text string) {
		if len(name) == 0 || len(text) == 0 {
			return
		}
		if first, second := only(name, text), only(name, text); first != second {
			t.Errorf("two counts of one file differ: %v and %v", first, second)
		}
	})
}

// A sample among documents does not make its manifest's language, which is for tools, that of the repository; more code does.
func TestTraceOfAManifestsLanguage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sample int // bytes of JavaScript
		want   string
	}{"a sample": {40, "markdown"}, "a program": {400, "javascript"}} {
		in := tree{"a.js": strings.Repeat("f();\n", c.sample/5), "a.rb": strings.Repeat("f x\n", 1000/4)}
		for i := range 40 {
			in[strings.Repeat("d", i+1)+".md"] = strings.Repeat("words\n", 100)
		}
		for i := range 8 {
			in[strings.Repeat("r", i+1)+".rb"] = "f x\n"
		}
		var files []filetree.File
		for path, text := range in {
			files = append(files, filetree.File{Path: path, Size: int64(len(text))})
		}
		declared := []language.Declared{{Family: language.Family("javascript"), Named: true, Runtime: true}}
		if got := language.Decide(language.Count(in, files, nil), language.Documents(files), declared); got.Language != c.want {
			t.Errorf("%s: %s (%s)", name, got.Language, got.Why)
		}
	}
}
