package agentsmd

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scopeValue reports whether a value behind "Scope:" can be the purpose of a project. It excludes code, paths, commit scopes, placeholders,
// and the range of the file's instructions.
func scopeValue(value string) bool {
	if value == "" || strings.ContainsAny(value, "[]{}<>=;@\\$*") || utf8.RuneCountInString(value) > maxValue || !strings.ContainsFunc(value, unicode.IsLetter) {
		return false
	}
	words := strings.Fields(strings.ToLower(value))
	return len(words) <= 8 && !strings.HasPrefix(value, "/") && !strings.Contains(value, "()") &&
		!placeholder(words) && !aboutInstructions(words) && !slices.ContainsFunc(words, isPath)
}

// placeholder reports whether a value is a placeholder for one still to be written.
func placeholder(words []string) bool {
	text := strings.Trim(strings.Join(words, " "), "()[]<>.…?!-–—_/ ")
	switch text {
	case "", "n/a", "na", "n.a", "none", "nil", "null", "nothing", "unknown", "undefined", "undecided", "unspecified", "undetermined", "unclear", "tba", "tbc", "tdb", "xxx", "wip", "empty", "blank", "pending", "varies", "various", "other", "misc",
		"any", "all", "everything", "anything", "default", "global", "general", "full", "whole", "entire", "complete", "local", "root", "scope", "project", "the project", "repo", "repository", "workspace", "codebase", "description", "your scope", "project scope",
		"coming soon", "no scope", "not yet", "later", "yes", "no", "see above", "see below", "as above", "same as above", "placeholder", "lorem ipsum":
		return true
	}
	switch first := strings.Trim(words[0], "(:.,"); first {
	case "tbd", "todo", "fixme", "tbw":
		return true
	case "to", "not":
		return len(words) > 1 && slices.Contains([]string{"be", "yet", "applicable", "specified", "defined", "set", "known", "available", "decided", "determined", "sure", "stated", "given", "provided", "documented"}, words[1])
	case "fill", "insert", "add", "describe", "enter", "replace", "write", "specify", "define":
		return true
	}
	return false
}

// aboutInstructions reports whether a value is the range of the file's instructions, or an instruction to agents.
func aboutInstructions(words []string) bool {
	trimmed := make([]string, len(words))
	for i, word := range words {
		trimmed[i] = strings.Trim(word, "\"'`.,:()!")
	}
	first, second := trimmed[0], ""
	if len(trimmed) > 1 {
		second = trimmed[1]
	}
	switch first {
	case "only", "keep", "see", "applies", "apply", "applied", "applicable", "whole", "entire", "every", "everything", "all", "this", "these", "those", "limit", "limited", "don't", "dont", "never", "always", "must", "should", "shall", "may", "avoid", "stay", "restrict", "restricted", "refer",
		"within", "inside", "under", "anything", "any", "please", "you", "agents", "use", "covers", "cover", "affects", "touch", "do", "minimal", "minimize", "follow", "respect", "prefer", "confined", "focus", "work", "ask", "governs", "valid", "repo-wide", "repository-wide", "project-wide", "in-scope", "out-of-scope",
		"same", "ensure", "modify", "be", "when", "if", "unless", "except", "everywhere", "anywhere", "across", "throughout":
		return true
	case "change", "changes", "edit", "edits", "read", "write", "check", "review", "test", "fix", "update", "build", "commit", "implement", "make", "run", "look", "stick", "open", "add", "remove", "leave", "discuss", "files", "file", "code", "tasks", "one", "small", "the", "a", "rules", "instructions", "guidelines", "guidance", "for", "in", "on", "at":
		if slices.Contains([]string{"the", "this", "these", "that", "your", "only", "all", "any", "every", "each", "to", "in", "under", "within", "inside", "at", "on", "out", "small", "files", "file", "changes", "code", "whole", "entire", "full", "complete", "repo", "repository", "codebase", "directory", "folder", "workspace", "project", "here", "per", "below", "above", "for", "agents", "working", "feature", "pr"}, second) &&
			!(first == "a" || first == "one") || (first == "one" || first == "a") && slices.Contains([]string{"feature", "change", "task", "commit", "pr", "single", "file", "issue"}, second) {
			return true
		}
	}
	bounds := []string{"only", "below", "above", "subdirectories", "subfolders", "subdirs", "repository-wide", "repo-wide"}
	if slices.Contains(bounds, trimmed[len(trimmed)-1]) {
		return true
	}
	text := " " + strings.Join(trimmed, " ") + " "
	return hasPart(text, " this file ", " this document ", " this repo ", " this repository ", " this directory ", " this folder ", " this project ", " this guide ", " this package ", " this module ", " this workspace ", " this codebase ", " this subtree ", " these instructions ", " these rules ", " these guidelines ",
		" entire ", " whole repo", " whole project ", " whole codebase ", " full repo", " the repo ", " the repository ", " the codebase ", " all files ", " all code ", " all agents ", " coding agents ", " ai agents ", " pull requests ", " pull request ", " per pr ", " out of scope ", " in scope ", " applies to ", " apply to ", " must not ", " do not ", " and below ", " root directory ", " repo root ", " repository root ")
}

// folders are the first parts of paths that need no ending to be recognised.
var folders = []string{"src", "lib", "libs", "app", "apps", "packages", "crates", "docs", "doc", "test", "tests", "cmd", "pkg", "internal", "scripts", "tools", "modules", "services", "config", "include", "public", "plugins", ".github"}

// isPath reports whether a word is a path or a pattern of paths: "src/", "./apps", "packages/api", "AGENTS.md".
func isPath(word string) bool {
	word = strings.Trim(word, "\"'`.,:()")
	if strings.HasSuffix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/") || strings.HasPrefix(word, "/") {
		return len(word) > 1
	}
	if first, _, ok := strings.Cut(word, "/"); ok && slices.Contains(folders, first) {
		return true
	}
	dot := strings.LastIndexByte(word, '.')
	return dot > 0 && slices.Contains([]string{"md", "mdx", "txt", "rst", "yml", "yaml", "toml", "json"}, word[dot+1:])
}
