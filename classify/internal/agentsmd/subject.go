package agentsmd

import (
	"slices"
	"strings"
	"unicode"
)

// SameName reports whether two names differ only in spelling: "http-server" and "HTTPServer".
func SameName(a, b string) bool {
	return a != "" && squeezed(strings.ToLower(a)) == squeezed(strings.ToLower(b))
}

// squeezed returns a name without the characters that spellings vary.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_.", r) {
			return -1
		}
		return r
	}, s)
}

// aboutProject reports whether a subject stands for the project.
func aboutProject(subject, name string) bool {
	subject, _, _ = strings.Cut(subject, " (")
	subject = strings.ToLower(strings.TrimSpace(subject))
	if listOf(name) && !strings.HasPrefix(subject, "this") && !strings.Contains(subject, "awesome") && !strings.Contains(subject, "list") {
		return false // the listed things are something else
	}
	if name != "" && len(strings.Fields(subject)) <= 5 {
		if strings.Contains(squeezed(subject), squeezed(strings.ToLower(name))) {
			return true
		}
	}
	if base, _, ok := strings.Cut(name, "."); ok && len(base) > 2 && SameName(subject, base) {
		return true // Flux of Flux.jl
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 && (len(name)-i > 4 && SameName(subject, name[i+1:]) || sortOf(name[i+1:]) && SameName(subject, name[:i])) {
		return true // Fugitive of vim-fugitive, Bats of bats-core
	}
	switch subject {
	case "this", "this repo", "this repository", "this project", "the project", "it", "this codebase", "this package", "this library", "this site", "this app", "this application",
		"this tool", "this module", "this plugin", "this extension", "this workspace", "this template", "this crate", "this gem",
		"this action", "this role", "this collection", "this chart", "this program", "this service", "this server", "this framework", "this bundle", "this book", "this guide":
		return true
	}
	return false
}

// sortOf reports whether a word behind a name only tells which part of a thing a repository has.
func sortOf(word string) bool {
	sorts := []string{"core", "cli", "app", "server", "project", "lang", "js", "py", "rs", "go", "php", "rb", "cpp"}
	return slices.Contains(sorts, strings.ToLower(word))
}

// WithoutSubject returns a sentence about "this project" without its subject, which leaves more room for the description: "A server for …".
func WithoutSubject(s string) string {
	for _, verb := range [...]string{" is an ", " is a "} {
		subject, rest, ok := strings.Cut(s, verb)
		if lower := strings.ToLower(subject); ok && (lower == "it" || lower == "this" || strings.HasPrefix(lower, "this ") && len(strings.Fields(subject)) == 2) && aboutProject(subject, "") {
			return strings.Replace(verb[len(" is "):], "a", "A", 1) + rest
		}
	}
	return s
}

// listOf recognises the names of link lists: awesome-nodejs.
func listOf(name string) bool { return strings.HasPrefix(strings.ToLower(name), "awesome") }

// partOf recognises a sentence about one part of a project, not about the whole.
func partOf(s string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(s), " ")
	word, _, _ := strings.Cut(rest, " ")
	return slices.Contains([]string{"this", "these", "that", "each", "here", "it", "there"}, first) && slices.Contains(parts, word)
}

// parts are words for parts of a project.
var parts = []string{"example", "examples", "directory", "folder", "section", "chapter", "script", "option", "setting", "method", "function", "step", "process", "command", "feature", "version", "release", "branch", "list", "table", "image", "config", "configuration", "workflow", "approach"}

// commandOf recognises a subject that is one command of a program, as people type it: "quill fold" of quill.
func commandOf(subject, name string) bool {
	first, rest, ok := strings.Cut(subject, " ")
	base, _, _ := strings.Cut(name, "-")
	if !ok || name == "" || first != strings.ToLower(name) && first != strings.ToLower(base) || hasThing(rest) {
		return false
	}
	command, flags, _ := strings.Cut(rest, " ")
	return !strings.ContainsFunc(command, unicode.IsUpper) && !sortOf(command) && (flags == "" || strings.HasPrefix(flags, "-"))
}

// besideName recognises a subject that is an aspect of the project: "the intention with NAME".
func besideName(subject string) bool {
	subject, _, _ = strings.Cut(subject, " (")
	words := strings.Fields(strings.ToLower(subject))
	return len(words) > 2 && words[0] == "the" && slices.ContainsFunc(words[1:], func(word string) bool {
		return slices.Contains([]string{"of", "with", "behind", "for", "in"}, word)
	})
}
