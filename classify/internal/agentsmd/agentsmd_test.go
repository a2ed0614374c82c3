package agentsmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse names the trap that each text is about.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Facts
	}{
		"list item":               {"- **Language**: Python >= 3.10\n", Facts{Language: Field{"python", Key}}},
		"bold with the colon in":  {"*   **Language:** TypeScript 5\n", Facts{Language: Field{"typescript", Key}}},
		"table row":               {"| Language | Go 1.24 |\n", Facts{Language: Field{"go", Key}}},
		"plain line":              {"Framework: Next.js 15 (App Router)\n", Facts{Framework: Field{"next.js", Key}}},
		"plural":                  {"Languages: PHP, JavaScript\nFrameworks: Laravel + Vue\n", Facts{Language: Field{"php", Key}, Framework: Field{"laravel", Key}}},
		"windows line ends":       {"Language: Rust\r\nScope: CLI\r\n", Facts{Language: Field{"rust", Key}, Scope: Field{"CLI", Key}}},
		"byte order mark":         {"\ufeffLanguage: Ruby\n", Facts{Language: Field{"ruby", Key}}},
		"a spoken language":       {"Language: docs are in Chinese\n", Facts{}},
		"a test framework":        {"Framework: Jest 29\n", Facts{}},
		"types are code":          {"Scope: []types.Scope\n", Facts{}},
		"a commit scope":          {"Scope: {feat, fix} in commit messages = required\n", Facts{}},
		"an empty value":          {"Language:\nScope: \n", Facts{}},
		"too long for a value":    {"Scope: " + strings.Repeat("many words ", 10) + "\n", Facts{}},
		"in a fence":              {"```yaml\nLanguage: Rust\n```\n", Facts{}},
		"in an indented fence":    {"  ~~~\n  Language: Rust\n  ~~~\nLanguage: Go\n", Facts{Language: Field{"go", Key}}},
		"in a comment":            {"<!-- Language: Rust -->\n<!--\nFramework: Rails\n-->\n", Facts{}},
		"in a managed block":      {"<!-- BEGIN BEADS -->\nLanguage: Go\n<!-- END BEADS -->\n", Facts{}},
		"in another one":          {"<!-- gitnexus:start -->\nLanguage: Go\n<!-- gitnexus:end -->\nScope: CLI\n", Facts{Scope: Field{"CLI", Key}}},
		"BEGIN:name":              {"<!-- BEGIN:nextjs-agent-rules -->\nFramework: Rails\n<!-- END:nextjs-agent-rules -->\n", Facts{}},
		"a block without its end": {"<!-- BEGIN X -->\nLanguage: Go\n", Facts{Language: Field{"go", Key}}},
		"a heading is not a key":  {"# Language: Rust\n", Facts{}},
		"the first one counts":    {"Language: Go\nLanguage: Rust\n", Facts{Language: Field{"go", Key}}},
		"own block first":         {"Language: Go\n<!-- classify:start -->\n- language: PHP\n- scope: CMS\n<!-- classify:end -->\n", Facts{Language: Field{"php", Block}, Scope: Field{"CMS", Block}}},
		"own block says none":     {"<!-- classify:start -->\nframework: none\n<!-- classify:end -->\n", Facts{Framework: Field{"unknown", Block}}},
		"a stack section":         {"## Tech Stack\n\n- Laravel 13 (PHP 8.4)\n- Vue 3\n", Facts{Language: Field{"php", Stack}, Framework: Field{"laravel", Stack}}},
		"a stack heading":         {"## Toolchain: Rust & Cargo\n", Facts{Language: Field{"rust", Stack}}},
		"go is a word too":        {"## Overview\n\nGo and look at the rust on the swift car.\n", Facts{}},
		"a sentence": {"# Acme\n\n## Overview\n\nAcme is a command-line tool for invoices. It is fast.\n",
			Facts{Scope: Field{"CLI", Prose}, Description: "Acme is a command-line tool for invoices"}},
		"this repository": {"# Notes\n\nThis repository is a NestJS/TypeScript monorepo that serves an API for clinics.\n",
			Facts{Language: Field{"typescript", Stack}, Framework: Field{"nestjs", Stack}, Scope: Field{"API", Prose},
				Description: "This repository is a NestJS/TypeScript monorepo that serves an API for clinics"}},
		"no sentence about it": {"# Rules\n\nThere is a rule: never push.\n\nIt is a good idea to test.\n", Facts{}},
		"numbered list":        {"1. Language: PHP\n2) **Framework**: Laravel 11\n", Facts{Language: Field{"php", Key}, Framework: Field{"laravel", Key}}},
		"checked list":         {"- [x] Language: Go\n", Facts{Language: Field{"go", Key}}},
		"a value as a link":    {"Framework: [Laravel](https://laravel.com/docs/11.x/installation#meet-laravel-and-its-friends)\nLanguage: [PHP][1]\n", Facts{Language: Field{"php", Key}, Framework: Field{"laravel", Key}}},
		"a scope as a link":    {"Scope: **[API gateway](docs/gateway.md)**\n", Facts{Scope: Field{"API gateway", Key}}},
		"front matter":         {"---\nLanguage: Rust\n---\nScope: CLI\n", Facts{Scope: Field{"CLI", Key}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Parse(c.text, "acme")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestScopesOfProjects: "Scope:" in AGENTS.md may be the project's purpose, the range of its instructions, or a placeholder.
func TestScopesOfProjects(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"API gateway": true, "CLI": true, "CMS": true, "a shop for hats": true, "Read-later app": true, "Test runner for Go": true, "Build system": true, "Change data capture": true, "Code review tool": true, "File sync": true, "TCP/IP stack": true, "CI/CD server": true,
		"Support desk": true, "Task manager": true, "Web app for clinics": true, "Agent coordination": true, "Project management": true, "One-time passwords": true, "Update server": true,
		"TBD": false, "TODO: say it": false, "N/A": false, "n/a": false, "none": false, "(none)": false, "-": false, "—": false, "...": false, "?": false, "unknown": false, "to be defined": false, "Not specified yet": false, "placeholder": false, "coming soon": false, "fill in later": false,
		"entire repository": false, "Whole repo": false, "this file applies to everything under src/": false, "the repository": false, "global": false, "project": false, "repo-wide": false, "All files in this directory": false,
		"only touch files under src/": false, "keep changes small": false, "see README": false, "See README.md": false, "backend only": false, "src/": false, "packages/api": false, "docs/guide.md": false, "./apps/web": false, "one feature per PR": false, "do not edit generated code": false,
		"Applies to all agents": false, "edit only the API": false, "changes to this package": false, "coding agents": false, "everything below": false, "**/*.ts": false,
	} {
		if got := Parse("Scope: "+value+"\n", "acme").Scope.Value != ""; got != want {
			t.Errorf("Scope: %s: %v, want %v", value, got, want)
		}
	}
}

func TestPointer(t *testing.T) {
	for text, want := range map[string]string{
		"@CLAUDE.md\n": "CLAUDE.md", "CLAUDE.md": "CLAUDE.md", "# Agents\n\nSee [CLAUDE.md](CLAUDE.md).\n": "CLAUDE.md",
		"": "", "Language: Go\n": "", strings.Repeat("Much to say, and CLAUDE.md too.\n", 20): "",
	} {
		if got := Pointer(text); got != want {
			t.Errorf("%.40q points to %q, want %q", text, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for text, want := range map[string]string{
		"# Title\n\n[![CI](x)](y)\n\n**App** sends [invoices](https://example.com). More.\n":                  "App sends invoices",
		"# T\n\nRun this first:\n\nSee the docs for more.\n\nA shop for hats.\n":                              "A shop for hats",
		"Title\n=====\n\nDoes one thing well\n":                                                               "Does one thing well",
		"# T\n\n> [!WARNING]\n> This is not a shop for hats.\n\nA shop for hats.\n":                           "A shop for hats",
		"# T\n\nTODO: write a description\n\n## About T\n\nA shop for hats.\n":                                "A shop for hats",
		"# T\n\n## Getting started\n\nHave a look around here.\n":                                             "",
		"# T\n\nThis project was bootstrapped with Create React App.\n":                                       "",
		"# T\n\nStable: [v1.7](x) / [Roadmap](y)\n\nHigh-performance folding of [paper](z) hats:\n\n- fast\n": "High-performance folding of paper hats",
		"# Quill - The data templating language\n\nFor an introduction, [visit our website](x).\n\nThis repository contains the original implementation. You can also try another.\n": "Quill - The data templating language",
		"== What You Will Build\n\nYou will build a service.\n":                                                                            "",
		"# Ark\n\nMany teams lose their notes in repositories of tools. Each begins anew. Ark keeps the notes of a project in one file.\n": "Ark keeps the notes of a project in one file",
		"# Ark\n\nA shop for hats. Many teams use it. Ark keeps the notes of a project in one file.\n":                                     "A shop for hats",
		"<p align=center>x</p>\n": "",
		"":                        "",
	} {
		if got, _ := About(text, ""); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

// TestWriteBlock: all else stays byte for byte, writing twice changes nothing, and the file's own line ends are kept.
func TestWriteBlock(t *testing.T) {
	const example = "~~~~ md\n```\n~~~\n<!-- classify:start -->\nan example\n<!-- classify:end -->\n~~~~\n"
	block := "<!-- classify:start -->\n## What this project is\n\n- language: go\n- scope: CLI\n<!-- classify:end -->"
	for name, c := range map[string]struct{ before, after string }{
		"empty":             {"", block + "\n"},
		"no line end":       {"text", "text\n\n" + block + "\n"},
		"one line end":      {"text\n", "text\n\n" + block + "\n"},
		"blank line":        {"text\n\n", "text\n\n" + block + "\n"},
		"windows":           {"a\r\nb\r\n", "a\r\nb\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n") + "\r\n"},
		"in its old place":  {"a \t\n<!-- classify:start -->\nold\n<!-- classify:end --> tail\xff\n\n", "a \t\n" + block + " tail\xff\n\n"},
		"bytes of any kind": {"\xff\x00\n", "\xff\x00\n\n" + block + "\n"},
		"behind an example": {example + "<!-- classify:start -->\nold\n<!-- classify:end -->\n", example + block + "\n"},
		"only an example":   {example, example + "\n" + block + "\n"},
		"in an open fence":  {"```\n<!-- classify:start -->\nold\n<!-- classify:end -->\n", "```\n" + block + "\n"},
		"behind code in a sentence": {"```npm i x``` installs it.\n\n<!-- classify:start -->\nold\n<!-- classify:end -->\n\n```sh\nmake\n```\n",
			"```npm i x``` installs it.\n\n" + block + "\n\n```sh\nmake\n```\n"},
		"named in a line":    {"`<!-- classify:start -->` begins it.\n", "`<!-- classify:start -->` begins it.\n\n" + block + "\n"},
		"as it is to become": {"x\n\n" + block + "\n", "x\n\n" + block + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "AGENTS.md")
			if err := os.WriteFile(path, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
			want := BlockWritten
			if c.before == c.after {
				want = BlockUnchanged
			}
			for range 2 {
				got, err := WriteBlock(dir, "go", "unknown", "CLI")
				if err != nil || got != want {
					t.Errorf("%q, %v; want %q", got, err, want)
				}
				want = BlockUnchanged
				if text, _ := os.ReadFile(path); string(text) != c.after {
					t.Error(cmp.Diff(c.after, string(text)))
				}
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if rest, err := os.ReadDir(dir); err != nil || len(rest) != 1 {
				t.Errorf("left behind: %v, %v", rest, err)
			}
		})
	}
}

// The end of another block is not this one's, and an example is not read either.
func TestBlockOfItsOwn(t *testing.T) {
	const example = "```\n<!-- classify:start -->\n- language: PHP\n<!-- classify:end -->\n```\n"
	if after, ok := withBlock([]byte("<!-- classify:start -->\nmine\n"+example), "go", "gin", "CLI"); ok {
		t.Errorf("a block without an end became %q", after)
	}
	if block, rest := takeBlock(example); block != "" || rest != example {
		t.Errorf("of an example %q was taken", block)
	}
	if block, rest := takeBlock(example + "a\n<!-- classify:start -->\n- language: Go\n<!-- classify:end -->\nb\n"); block != "\n- language: Go\n" || rest != example+"a\n\nb\n" {
		t.Errorf("%q was taken, and %q left", block, rest)
	}
}

func TestDomain(t *testing.T) {
	for text, want := range map[string]string{
		"A headless CMS": "CMS", "REST API for bills": "API", "a command-line tool": "CLI", "Terminal UI for git": "TUI", "A library for dates": "library",
		"A library for creating CLI applications": "library", "A server to host a blog": "service", "Tracks bugs from the terminal, a CLI": "CLI",
		"An online shop": "e-commerce", "A thing": "", "": "", "Demo project for Spring Boot": "example", "A template engine": "", "A logger with a small, extensible API": "",
	} {
		if got := Domain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"Language: Go", "<!-- BEGIN x -->\n<!--", "```\n|a|b|\n", "---\n\n---\n# H\nThis is a tool.", "<!-- classify:start -->"} {
		f.Add(text, "name")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		facts := Parse(text, name)
		if len(facts.Scope.Value) > 4*maxValue+20 {
			t.Errorf("a scope of %d bytes", len(facts.Scope.Value))
		}
		Pointer(text)
		About(text, "")
		Domain(text)
		after, ok := withBlock([]byte(text), "go", "gin", "CLI")
		if !ok {
			return
		}
		again, ok := withBlock(after, "go", "gin", "CLI")
		if !ok || string(again) != string(after) {
			t.Error("twice is not once")
		}
	})
}

func TestTitleThatNamesTheSortAlone(t *testing.T) {
	for text, want := range map[string]string{
		"# Quill App":                 "",
		"# Quill Sample Application":  "Quill Sample Application",
		"# Employee Handbook of Feet": "Employee Handbook of Feet",
	} {
		if got, _ := About(text, "quill"); got != want {
			t.Errorf("About(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNamesThatPeopleShorten(t *testing.T) {
	for name, want := range map[string]string{"Feather.js": "Feather is an elegant approach to writing", "vim-feather": "Feather is an elegant approach to writing",
		"feather-core": "Feather is an elegant approach to writing", "quill": ""} {
		if got, sure := About("# Guide\n\nFeather is an elegant approach to writing.\n\nWorks best with paper.\n", name); sure != (want != "") || sure && got != want {
			t.Errorf("About it, called %s: %q, %v", name, got, sure)
		}
	}
}

func TestListsAreNotWhatTheyList(t *testing.T) {
	if got, sure := About("# Awesome Feathers\n\nFeather is an open platform for writing letters.\n", "awesome-feather"); sure && strings.HasPrefix(got, "Feather is") {
		t.Errorf("%q", got)
	}
}
