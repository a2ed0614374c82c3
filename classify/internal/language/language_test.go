package language_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/language"
)

// tree maps files to their beginnings.
type tree map[string]string

func (t tree) Head(path string, n int64) ([]byte, error) {
	text, ok := t[path]
	if !ok {
		return nil, errors.New("it is not there")
	}
	return []byte(text[:min(int64(len(text)), n)]), nil
}

func (t tree) Tail(path string, n int64) ([]byte, error) {
	text, ok := t[path]
	if !ok {
		return nil, errors.New("it is not there")
	}
	return []byte(text[max(0, int64(len(text))-n):]), nil
}

func TestOfName(t *testing.T) {
	for name, want := range map[string]string{
		"a.go": "go", "A.PY": "python", "a.d.ts": "typescript", "x.tsx": "typescript", "index.mjs": "javascript", "Gemfile": "ruby", "Jenkinsfile": "groovy",
		"a.html": "html", "a.scss": "css", "README.md": "", "a.json": "", ".gitignore": "", "a.": "", "": "", "noext": "", "a.verylongextension": "", "x.kt": "kotlin",
		"x.R": "r", "x.blade.php": "php", "views.erb": "",
	} {
		if got, _ := language.OfName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestCount names the ambiguity in each set of files.
func TestCount(t *testing.T) {
	const long = "// a line of a program that somebody wrote by hand\n"
	for doubt, c := range map[string]struct {
		files tree
		want  string
	}{
		"a script by its first line":    {tree{"run": "#!/usr/bin/env -S python3 -u\nprint(1)"}, "python"},
		"a shell by another":            {tree{"run": "#!/bin/bash -e\n"}, "shell"},
		"text without an extension":     {tree{"LICENSE": "MIT"}, ""},
		"headers beside C++":            {tree{"a.h": long + long, "b.cc": "x"}, "c++"},
		"headers alone":                 {tree{"a.h": long}, "c"},
		"MATLAB, not Objective-C":       {tree{"a.m": "function y = f(x)"}, "matlab"},
		"Objective-C":                   {tree{"a.m": "#import <X/X.h>\n@implementation A"}, "objective-c"},
		"Prolog, not Perl":              {tree{"a.pl": ":- module(a)."}, "prolog"},
		"an include that is not PHP":    {tree{"a.inc": "MACRO", "b.c": "x"}, "c"},
		"an include that is":            {tree{"a.inc": "<?php echo 1;"}, "php"},
		"a component in TypeScript":     {tree{"a.vue": `<script setup lang="ts">`}, "typescript"},
		"a component in JavaScript":     {tree{"a.svelte": "<script>let a</script>"}, "javascript"},
		"a component without a script":  {tree{"a.vue": "<template/>"}, "javascript"},
		"such a one beside TypeScript":  {tree{"a.vue": "<template/>", "b.ts": "const a: number = 1"}, "typescript"},
		"a plain one beside TypeScript": {tree{"a.svelte": "<script>let a = 1; let b = 2</script>", "b.ts": "const a = 1"}, "typescript"},
		"a file that cannot be read":    {tree{"a.py": ""}, ""},
		"pages only when there is none": {tree{"a.html": long + long, "b.css": "x"}, "html"},
		"pages beside a program":        {tree{"a.html": long + long, "b.rb": "x"}, "ruby"},
		"verilog, not V":                {tree{"a.v": "module m; endmodule"}, "verilog"},
	} {
		var files []filetree.File
		for path, text := range c.files {
			files = append(files, filetree.File{Path: path, Size: int64(len(text))})
		}
		got := ""
		if counted := language.Count(c.files, files, nil); len(counted) > 0 {
			got = counted[0].Language
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", doubt, got, c.want)
		}
	}
}

func TestAttributedLanguage(t *testing.T) {
	for name, want := range map[string]string{"php": "php", "django": "", "html+erb": "", "jsonc": "", "mojo": "mojo", "golang": "go"} {
		got := ""
		if counted := language.Count(tree{}, []filetree.File{{Path: "a.x", Size: 9, Language: name}}, nil); len(counted) > 0 {
			got = counted[0].Language
		}
		if got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestMinifiedTextDoesNotCount(t *testing.T) {
	minified := make([]byte, 60<<10)
	for i := range minified {
		minified[i] = 'x'
	}
	files := tree{"lib.js": string(minified), "a.py": "print(1)"}
	counted := language.Count(files, []filetree.File{{Path: "lib.js", Size: 60 << 10}, {Path: "a.py", Size: 8}}, nil)
	if counted[0].Language != "python" {
		t.Errorf("%+v", counted)
	}
}

func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		declared []language.Declared
		want     string
		sure     string
	}{
		"nothing":          {nil, language.Unknown, language.Low},
		"a manifest alone": {[]language.Declared{{Path: "go.mod", Family: "go"}}, "go", language.Medium},
		"one at the root before one below": {[]language.Declared{
			{Path: "web/package.json", Family: language.Family("javascript"), Depth: 1, Runtime: true}, {Path: "go.mod", Family: "go"},
		}, "go", language.Medium},
		"a Kotlin plugin":       {[]language.Declared{{Path: "build.gradle", Family: language.Family("java"), Hint: "kotlin"}}, "kotlin", language.Medium},
		"a TypeScript manifest": {[]language.Declared{{Path: "package.json", Family: language.Family("javascript"), Hint: "typescript"}}, "typescript", language.Medium},
	} {
		if got := language.Decide(nil, nil, c.declared); got.Language != c.want || got.Confidence != c.sure || got.Why == "" {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for word, want := range map[string]string{"Golang": "go", "C++": "c++", "TypeScript": "typescript", "English": "", "": "", "Jest": "", "Node.js": "javascript"} {
		if got := language.Named(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

func FuzzCount(f *testing.F) {
	f.Add("a.h", "#!")
	f.Add("run", "#!/usr/bin/env ")
	f.Fuzz(func(t *testing.T, path, text string) {
		counted := language.Count(tree{path: text}, []filetree.File{{Path: path, Size: int64(len(text))}}, nil)
		language.Decide(counted, nil, nil)
	})
}

// Shares are the same in each run, though a sum of floating-point numbers depends on their order.
func TestSharesAreStable(t *testing.T) {
	var files []filetree.File
	for i, name := range []string{"a.go", "a.py", "a.rb", "a.rs", "a.php", "a.java", "a.swift", "a.lua", "a.kt", "a.dart"} {
		files = append(files, filetree.File{Path: name, Size: int64(7919*i + 13), Role: filetree.Test})
	}
	first := language.Count(tree{}, files, nil)
	for range 100 {
		if diff := cmp.Diff(first, language.Count(tree{}, files, nil), cmpopts.IgnoreUnexported(language.Weight{})); diff != "" {
			t.Fatal(diff)
		}
	}
}
