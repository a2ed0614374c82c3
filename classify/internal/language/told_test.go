package language_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/shared/goldentest"
)

var update = flag.Bool("update", false, "write the decisions in testdata anew, for review")

type declared = language.Declared

// someFiles reads "3×900 src/a.go" as three files of 900 bytes, in the role that a word before the size names.
func someFiles(spec string) (t tree, files []filetree.File) {
	t = tree{}
	roles := map[string]filetree.Role{"asset": filetree.Asset, "test": filetree.Test, "sample": filetree.Sample, "docs": filetree.Docs, "config": filetree.Config}
	for one := range strings.SplitSeq(spec, ", ") {
		if one == "" {
			continue
		}
		words := strings.Fields(one)
		role, known := roles[words[0]]
		if known {
			words = words[1:]
		} else {
			role = filetree.Source
		}
		n, size := 1, 0
		if _, err := fmt.Sscanf(words[0], "%d×%d", &n, &size); err != nil {
			panic(one)
		}
		text := strings.Repeat("a line that somebody wrote\n", size/27+1)[:size]
		if len(words) > 2 {
			text = strings.Join(words[2:], " ") + "\n" + text
		}
		for i := range n {
			path := words[1]
			if n > 1 {
				dot := strings.LastIndex(path, ".")
				path = fmt.Sprintf("%s%d%s", path[:dot], i, path[dot:])
			}
			t[path] = text
			files = append(files, filetree.File{Path: path, Size: int64(len(text)), Role: role})
		}
	}
	return t, files
}

// Mixes of sources, with every kind of manifest: the weights, the verdict and all that speaks for each language.
func TestManyMixes(t *testing.T) {
	t.Parallel()
	root := func(path, lang, hint, framework string, server bool) declared {
		return declared{Path: path, Family: language.Family(lang), Depth: strings.Count(path, "/"), Named: true, Runtime: true, Framework: framework, Server: server, Hint: hint}
	}
	tools := declared{Path: "package.json", Family: "node"}
	manifests := []struct {
		name string
		all  []declared
	}{
		{"none", nil}, {"go", []declared{root("go.mod", "go", "", "", false)}}, {"gin", []declared{root("go.mod", "go", "", "gin", true)}}, {"tools and go", []declared{tools, root("go.mod", "go", "", "", false)}}, {"tools", []declared{tools}}, {"react", []declared{root("package.json", "javascript", "typescript", "react", false)}},
		{"express and go", []declared{root("package.json", "javascript", "", "express", true), root("go.mod", "go", "", "gin", true)}}, {"react below go", []declared{root("web/package.json", "javascript", "", "react", false), root("go.mod", "go", "", "", false)}}, {"deep", []declared{root("a/b/c/go.mod", "go", "", "echo", true), root("a/b/go.mod", "go", "", "cobra", false)}},
		{"kotlin", []declared{root("build.gradle", "java", "kotlin", "", false)}}, {"f#", []declared{root("A.fsproj", "c#", "f#", "", false)}}, {"python", []declared{root("setup.py", "python", "", "", false)}}, {"elixir", []declared{root("mix.exs", "elixir", "", "", false)}},
	}
	var b strings.Builder
	for _, spec := range []string{
		"", "3×900 a.go", "3×900 a.go, 1×200 web/b.js", "3×900 a.go, 3×900 web/b.ts", "1×900 a.ts, 1×1300 b.js", "1×900 a.ts, 1×1400 b.js", "1×500 a.coffee", "2×900 A.java, 2×800 B.kt", "1×900 build.gradle, 1×100 A.scala", "2×900 a.cs, 1×900 b.fs", "2×900 a.ex, 3×900 b.erl", "3×900 a.c, 2×900 b.cpp, 1×900 c.py", "3×900 a.c, 3×900 b.py",
		"test 3×900 a.rb, 1×100 b.go", "sample 3×900 a.rb", "asset 9×900 a.js, 1×300 b.py", "docs 9×9000 a.js, 1×90 b.py", "config 9×9000 a.js, 1×30 b.py", "1×200000 a.go, 1×110000 b.py", "9×900 a.html, 9×900 b.css", "9×900 a.html, 1×90 b.js", "3×900 a.tex, 1×10 b.py", "11×200 s.sh, 1×900 a.py", "9×200 s.sh, 1×900 a.py", "12×200 s.sh, 5×200 a.py", "1×900 Makefile, 1×10 a.go",
		"9×900 d.md, 1×900 a.py", "10×900 d.md, 1×900 a.py", "10×900 d.md, 1×9000 a.py", "10×900 d.md, 2×300 a.py", "50×90 d.md, 10×90 a.py", "50×90 d.md, 11×90 a.py", "100×90 d.md, 1×90 a.go", "101×90 d.md, 1×90 a.go", "12×90 d.yaml, 1×9 a.sh", "config 20×90 d.yaml, test 20×90 e.md", "40×900 d.md, 9×400 a.rb, 2×2000 x.html",
		"1×900 Chart.yaml, 5×300 templates/a.yaml, 1×900 x.go", "1×90 ansible.cfg, 3×300 a.yml", "1×90 roles/x/tasks/main.yml, 3×300 roles/x/vars/a.yml", "1×90 x/tasks/main.yml, 1×90 y/main.yml", "1×90 a/Chart.yaml, 1×90 b/Chart.yaml, 1×90 c/Chart.yaml, 3×90 d/x.yaml", "1×90 a/Chart.yaml, 1×90 b/Chart.yaml, 1×90 c/Chart.yaml, 1×90 e/Chart.yaml, 3×90 d/x.yaml",
		"1×900 main.tf, 1×90 vars.tf, 1×900 a.py", "1×900 main.tf, 1×900 a.py", "1×900 x/main.tf, 1×90 x/b.tf, 1×900 a.py", "1×90 run #!/usr/bin/env ruby", "1×900 a.h, 1×90 b.c, 1×90 c.cc", "1×900 a.m @implementation, 1×90 b.h", "1×900 a.pl use strict;, 1×900 b.pl :- module(x).", "1×900 a.ts <TS version=\"2\">, 1×90 b.cpp", "1×900 a.vue <script lang=\"ts\">, 1×90 b.js",
	} {
		content, files := someFiles(spec)
		counted, documents := language.Count(content, files, nil), language.Documents(files)
		fmt.Fprintf(&b, "%s\n", spec)
		for _, w := range counted {
			fmt.Fprintf(&b, "\t%s %d files of %d bytes, %.3f\n", w.Language, w.Files, w.Bytes, w.Share)
		}
		for _, w := range documents {
			fmt.Fprintf(&b, "\tdocuments: %s %d files of %d bytes\n", w.Language, w.Files, w.Bytes)
		}
		if v, ok := language.Site(counted, documents); ok {
			fmt.Fprintf(&b, "\tsite: %s %s %s\n", v.Language, v.Confidence, v.Why)
		}
		for _, readme := range []struct {
			size    int64
			entries int
		}{{8 << 10, 60}, {8<<10 - 1, 60}, {8 << 10, 59}, {1 << 20, 99}} {
			if v, ok := language.List(counted, readme.size, readme.entries); ok {
				fmt.Fprintf(&b, "\tlist of %d bytes: %s\n", readme.size, v.Why)
			}
		}
		for _, m := range manifests {
			v := language.Decide(counted, documents, m.all)
			fmt.Fprintf(&b, "\tmanifests %s: %s, %s, %s", m.name, v.Language, v.Confidence, v.Why)
			for _, s := range v.Scores {
				fmt.Fprintf(&b, "; %s %.3f %s", s.Language, s.Score, strings.Join(s.Why, " + "))
			}
			b.WriteString("\n")
		}
	}
	goldentest.Same(t, "mixes.txt", b.String(), *update)
}
