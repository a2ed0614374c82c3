package agentsmd

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
)

// sections looks for known names under headings about the stack and in the first paragraph, and for the sentence that describes the
// project.
func (f *Facts) sections(lines []string, name string) {
	heading, first := "", true
	var paragraph []string
	flush := func() {
		if len(paragraph) == 0 {
			return
		}
		text := strings.Join(paragraph, " ")
		paragraph = nil
		overview := isOverview(heading)
		if isStack(heading) || overview || first {
			f.names(text)
		}
		if f.Description == "" && (overview || first) {
			f.sentence(text, name, overview)
		}
		if heading != "" || len(text) > 60 {
			first = false
		}
	}
	for _, line := range lines {
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, "#"):
			flush()
			level := len(bare) - len(strings.TrimLeft(bare, "#"))
			heading = strings.ToLower(strings.Trim(bare, "# \t*_:"))
			if level == 1 { // the title; the first paragraph follows
				heading = ""
			}
			if isStack(heading) { // "## Toolchain: Rust & Cargo"
				f.names(bare)
			}
		case bare == "":
			flush()
		default:
			paragraph = append(paragraph, bare)
		}
	}
	flush()
}

func isStack(heading string) bool {
	return hasPart(heading, "stack", "toolchain", "technolog", "tech overview", "built with")
}

func isOverview(heading string) bool {
	return hasPart(heading, "overview", "purpose", "mission", "about", "introduction", "project description", "what is", "what's", "what this", "summary")
}

// names takes the first known language and framework of a text. Ambiguous words count only when capitalised and beside a cue.
func (f *Facts) names(text string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,/()`*_&|[]\"", r) })
	for i, word := range words {
		word = strings.TrimRight(word, ".:;!?")
		if l := language.Named(word); l != "" && unicode.IsUpper(firstRune(word)) && l != "html" && l != "css" && l != "sql" {
			if language.Plain(l) || l == "go" && cued(words, i) {
				set(&f.Language, l, Stack)
			}
		}
		for n := 2; n > 0; n-- {
			if i+n > len(words) {
				continue
			}
			phrase := strings.TrimRight(strings.Join(words[i:i+n], " "), ".:;!?")
			if !strings.ContainsFunc(phrase, unicode.IsUpper) || slices.Contains(beginSentences, strings.ToLower(phrase)) {
				continue
			}
			if canonical, ok := framework.Canonical(phrase); ok {
				set(&f.Framework, canonical, Stack)
				break
			}
		}
	}
}

// beginSentences are words that are names of frameworks, and begin ordinary sentences more often: "One repository for all".
var beginSentences = []string{"one", "today", "near", "act", "perfect"}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// cued reports whether "Go" at i is the language: a version follows, or "in",
// "with" or a bold label comes before.
func cued(words []string, i int) bool {
	if i+1 < len(words) && (unicode.IsDigit(firstRune(words[i+1])) || strings.EqualFold(words[i+1], "application") || strings.EqualFold(words[i+1], "service") || strings.EqualFold(words[i+1], "module")) {
		return true
	}
	return i > 0 && (strings.EqualFold(words[i-1], "in") || strings.EqualFold(words[i-1], "with") || strings.EqualFold(words[i-1], "a"))
}

// things are the kinds of projects that a sentence may name.
var things = [...]string{"app", "application", "platform", "tool", "toolkit", "library", "service", "microservice", "cli", "monorepo", "framework", "website", "site", "server",
	"api", "sdk", "plugin", "extension", "game", "engine", "bot", "dashboard", "cms", "compiler", "database", "package", "client", "daemon", "program", "suite", "system", "editor", "module", "backend", "frontend",
	"parser", "generator", "manager", "utility", "utilities", "helper", "helpers", "collection", "list", "template", "templates", "implementation", "runtime", "language", "linter", "formatter", "analyzer", "analyser", "monitor",
	"reader", "viewer", "player", "solution", "alternative", "software", "project", "wrapper", "bindings", "interface", "components", "shell", "terminal", "emulator", "store", "cache", "queue", "broker", "proxy", "gateway",
	"router", "scheduler", "provider", "driver", "adapter", "middleware", "builder", "bundler", "runner", "tester", "mapper", "serializer", "validator", "converter", "downloader", "tracker", "aggregator", "finder", "launcher",
	"organizer", "manager", "network", "protocol", "specification", "guide", "book", "course", "tutorial", "examples", "example", "sample", "samples", "demo", "starter", "boilerplate", "repository", "repo", "rules", "charts", "workflows",
	"scripts", "dotfiles", "configuration", "theme", "font", "icons", "extensions", "plugins", "tools", "libraries", "apps", "applications", "services", "codebase", "stack", "environment", "assistant", "agent", "agents", "model", "models", "ecosystem", "orm", "sdks", "ide", "gem", "crate", "bundle", "bindings", "replacement", "rewrite", "port", "fork", "distribution", "os", "kernel", "firmware", "simulator", "visualizer", "whiteboard", "handbook", "primer", "playbook", "curriculum", "cheatsheet", "manual", "wiki", "forum", "blog", "shop", "crm", "dashboards", "pipeline", "pipelines", "orchestrator", "installer", "updater", "archive", "dataset", "corpus", "benchmark", "benchmarks"}

// selves are the subjects that stand for the project in a file for agents.
var selves = []string{"this", "this repo", "this repository", "this project", "the project", "it", "this codebase", "this package", "this site", "this app", "this application", "this workspace"}

// sentence takes a definition "NAME is a …", and no sentence that only looks like one.
func (f *Facts) sentence(text, name string, overview bool) {
	text = strings.TrimLeft(text, "-*+> \t")
	if _, rest, ok := strings.Cut(text, ">"); ok && strings.HasPrefix(text, "<") { // a tag around the sentence
		text = strings.TrimSpace(rest)
	}
	sentence := firstSentence(text)
	plain := strings.NewReplacer("**", "", "__", "", "`", "").Replace(sentence)
	at, cut := earliest(plain, " is a ", " is an ", " is the ", " provides a ", " provides an ")
	if at < 0 || at > 60 || utf8.RuneCountInString(plain) > 300 {
		return
	}
	subject := strings.ToLower(strings.TrimSpace(plain[:at]))
	known := name != "" && strings.Contains(subject, strings.ToLower(name)) || slices.Contains(selves, subject)
	thing := hasThing(plain[cut:])
	if !(known && (thing || overview) || thing && (overview || capitalised(plain[:at]))) {
		return
	}
	if SaysNothing(plain) || merelyBuilt(plain[cut:]) || known && aboutItself(plain[cut:]) {
		return
	}
	f.Description = strings.TrimSpace(plain)
	set(&f.Scope, Domain(plain[cut:]), Prose)
	if f.Scope.Value == "" {
		f.Scope = Field{}
	}
}

// merelyBuilt reports whether a definition only describes how a repository is built: "a TypeScript monorepo managed with pnpm", "a
// full-stack monorepo: a Java back end and a Vue front end".
func merelyBuilt(what string) bool {
	for rest := strings.ToLower(what); ; {
		word, after := nextWord(rest)
		switch word {
		case "":
			return false
		case "monorepo", "repository", "repo", "codebase", "workspace":
			next, then := nextWord(after)
			if next == "that" {
				next, _ = nextWord(then)
			}
			switch next {
			case "", "built", "using", "uses", "with", "managed", "written", "powered", "structured", "organized", "and":
				return true
			case "provides", "contains", "holds", "hosts", "includes", "houses":
				return strings.HasSuffix(rest, ":") // the list below has the description
			}
			return strings.ContainsRune(":;,(–—", firstRune(strings.TrimSpace(after)))
		}
		if slices.Contains(things[:], word) {
			return false
		}
		rest = after
	}
}

// aboutItself reports whether a definition is about the file for agents: "the operating guide for agents working in this repository".
func aboutItself(what string) bool {
	before, _, _ := strings.Cut(strings.ToLower(what), " for ")
	for _, word := range wordsOf(before) {
		switch word {
		case "guide", "guidance", "instructions", "reference", "context", "contract", "document", "file":
			return strings.Contains(strings.ToLower(what), "agent") || strings.Contains(strings.ToLower(what), "assistant")
		}
	}
	return false
}

// nextWord returns the first word of a text and the rest behind it, "" when there is none.
func nextWord(s string) (word, after string) {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !isWord(r) })
	end := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

func firstSentence(text string) string {
	for i := 0; i+1 < len(text); i++ {
		if (text[i] == '.' || text[i] == '!' || text[i] == '?') && (text[i+1] == ' ' || text[i+1] == '\n') {
			if i >= 3 && (text[i-3:i] == "e.g" || text[i-3:i] == "i.e" || text[i-3:i] == "a.k" || strings.HasSuffix(text[:i], " vs")) {
				continue
			}
			if i < 12 && text[i] == '!' {
				continue // Yahoo! Hello!
			}
			return text[:i]
		}
	}
	return strings.TrimRight(text, ".")
}

func hasThing(text string) bool {
	text = frontEnds.Replace(text)
	return slices.ContainsFunc(wordsOf(text), func(word string) bool {
		return slices.Contains(things[:], word) || slices.Contains(things[:], strings.TrimSuffix(word, "s"))
	})
}

// frontEnds writes these as one word, as some people do.
var frontEnds = strings.NewReplacer("front-end", "frontend", "Front-end", "frontend", "back-end", "backend", "Back-end", "backend")

func capitalised(subject string) bool {
	return len(strings.Fields(subject)) <= 4 && unicode.IsUpper(firstRune(strings.TrimSpace(subject)))
}

// hasWord reports whether a text has one of some words.
func hasWord(text string, words ...string) bool {
	return slices.ContainsFunc(wordsOf(text), func(word string) bool { return slices.Contains(words, word) })
}

// hasPart reports whether a text contains one of some others.
func hasPart(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
