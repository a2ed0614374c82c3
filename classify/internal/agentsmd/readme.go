package agentsmd

import (
	"slices"
	"strings"
	"unicode"
)

// About returns the sentence of a README that tells best what the project is, and whether it says so in as many words ("NAME is a …", "A
// fast parser for …") rather than by standing where such a sentence stands; "" when there is none. The text below the title and the
// sections that introduce are read, without badges, bars of links, addresses and what is addressed to the reader.
func About(text, name string) (sentence string, sure bool) {
	best, paragraphs := 0, 0
	title, outright := "", ""
	seen := 0
	for b := range blocksOf(plainText(text)) {
		seen++
		if b.title && title == "" {
			title = b.text
			if startsWithArticle(strings.ToLower(title)) && hasThing(title) {
				sentence, best = title, judge(title, name)
			}
			if tagline := afterName(b.text, name); tagline != "" {
				if s := judge(tagline, name); s > best {
					sentence, best = tagline, s
				}
			}
			continue
		}
		if seen > maxBlocksRead || best >= certain {
			break
		}
		if b.later {
			if first := firstSentence(b.text); outright == "" && saysOutright(first, name) {
				outright = first
			}
			continue
		}
		said := sentencesOf(b.text)
		for n, s := range said {
			if greeted, ok := welcomed(s); ok {
				s = greeted
			}
			s = wanted(s)
			if rest, ok := strings.CutSuffix(s, ":"); ok && paragraphs == 0 && len(said) == 1 && !b.list && tagline(rest) {
				s = rest // what is shown below it
			}
			points := max(judge(s, name), judge(s, title)) - n
			if label, _, ok := strings.Cut(s, ": "); ok && paragraphs > 0 && !strings.Contains(label, " ") && !SameName(label, name) {
				points -= 3 // "Versioning: …" is about that
			}
			if b.list {
				points -= 3
			}
			if subject, _, is := predicate(s); n > 0 && !(is && (aboutProject(subject, name) || aboutProject(subject, title))) {
				points-- // it goes on about something else
			}
			if points > 0 && paragraphs == 0 && n == 0 {
				points++ // where it is to stand
				if !b.list && points < certain-1 && tagline(s) {
					points++
				}
			}
			if paragraphs >= farDown && points < certainTitle+2 {
				points--
			}
			if points > best {
				sentence, best = withoutList(s), points
			}
		}
		if !strings.Contains(b.text, "? ") { // it greets with questions
			paragraphs++
		}
	}
	if best < certainTitle && !(best >= likelyTrue && promises(title, name)) {
		if alone := titleAlone(title, name); alone != "" {
			return alone, true
		}
	}
	if best < likelyTrue && outright != "" {
		return outright, true
	}
	return sentence, best >= likelyTrue
}

// saysOutright tells a sentence that says what the project is wherever it stands: "This is a … library", "NAME is a … tool".
func saysOutright(s, name string) bool {
	subject, rest, is := predicate(s)
	if !is || !(strings.Contains(s, " is a ") || strings.Contains(s, " is an ")) || SaysNothing(s) || hasNews(strings.ToLower(s)) || strings.HasSuffix(s, ":") || len(s) > 300 {
		return false
	}
	if !strings.EqualFold(subject, "this") && !aboutProject(subject, "") && !SameName(subject, name) {
		return false
	}
	switch Domain("This is a " + rest) {
	case "library", "framework", "CLI", "TUI", "tool", "compiler", "database", "game", "service", "platform", "CMS", "desktop app", "mobile app", "web app":
		return true
	}
	return false
}

// withoutList is a sentence without the words that announce the list below it.
func withoutList(s string) string {
	rest, ok := strings.CutSuffix(s, ":")
	if !ok {
		return s
	}
	for _, words := range [...]string{" that includes", " which includes", " including", " that provides", " with the following features", " that supports", " the following", " for"} {
		rest = strings.TrimSuffix(rest, words)
	}
	return rest
}

const (
	certain       = 7
	likelyTrue    = 2
	certainTitle  = 4 // a title that says what a text is stands before what only mentions a thing
	maxBlocksRead = 60
	farDown       = 4 // paragraphs, from which one is less and less about the whole
)

// wholeTitle is the number of words from which a title tells something, even when it is the name written out.
const wholeTitle = 4

// titleAlone is a title that says more than a name: "Spring Sample Application".
func titleAlone(title, name string) string {
	if words := strings.Fields(title); len(words) == 2 && strings.EqualFold(words[0], name) {
		return "" // NAME App
	}
	n := len(strings.Fields(title))
	if n < 2 || n > 8 || strings.ContainsAny(title, "!?") || SaysNothing(title) {
		return ""
	}
	if n < wholeTitle && (!hasThing(title) || SameName(title, name)) {
		return ""
	}
	return title
}

// welcomed is what a greeting says of the project: "Welcome to NAME, a test framework!"
func welcomed(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "Welcome to ")
	if !ok {
		return "", false
	}
	name, rest, ok := strings.Cut(strings.TrimRight(rest, "! "), ", ")
	if !ok || len(strings.Fields(name)) > 4 || !hasThing(rest) {
		return "", false
	}
	return name + ", " + rest, true
}

// wanted is what a sentence says that tells why a project was begun: "We wanted a simple server for messages".
func wanted(s string) string {
	for _, start := range [...]string{"We wanted ", "I wanted ", "We needed ", "I needed "} {
		if rest, ok := strings.CutPrefix(s, start); ok && startsWithArticle(rest) && hasThing(rest) {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return s
}

// tagline tells a paragraph that says what something is or does without a subject and without a word to the reader.
func tagline(s string) bool {
	lower := " " + strings.ToLower(s) + " "
	_, _, is := predicate(s)
	n := len(strings.Fields(s))
	return !is && n >= 3 && n <= 25 && !strings.Contains(lower, " you ") && !strings.Contains(lower, " we ") && !strings.Contains(lower, " i ") && !strings.HasSuffix(s, ",")
}

// promises tells a title whose words behind the name say nothing of what it is: "NAME - Write letters".
func promises(title, name string) bool {
	tagline := afterName(title, name)
	return tagline != "" && !hasThing(tagline) && SameName(strings.TrimRight(strings.TrimSuffix(title, tagline), " -–—:|"), name)
}

// afterName is what a title says after the name: "NAME: a tool for …", "NAME - a tool".
func afterName(title, name string) string {
	for _, apart := range []string{" - ", " – ", " — ", ": ", " | "} {
		before, after, ok := strings.Cut(title, apart)
		if ok && len(strings.Fields(before)) <= 4 && len(strings.Fields(after)) >= 2 {
			return strings.TrimSpace(after)
		}
	}
	return ""
}

// judge weighs how much a sentence tells of what the project is; 0 or less for one that does not.
func judge(s, name string) int {
	words := strings.Fields(s)
	if len(words) < 3 && cjk(s) < 6 || len(words) < 2 && name != "" && strings.EqualFold(s, name) || len(s) > 400 {
		return 0
	}
	subject, rest, is := predicate(s)
	if is && (strings.HasPrefix(rest, "not ") || merelyBuilt(rest)) || strings.Contains(s, " I ") {
		return 0
	}
	if strings.HasSuffix(s, ":") && !(is && aboutProject(subject, name)) || strings.HasSuffix(s, "?") || strings.HasPrefix(s, "\"") || strings.HasPrefix(s, "“") || strings.Contains(s, "{{") || strings.Contains(s, "{%") || (instructs(s) && !usedTo(s, name)) || SaysNothing(s) {
		return 0
	}
	points := 1
	lower := strings.ToLower(s)
	switch {
	case is && happens(s, subject):
		points = 0 // it says how the project came to be, or what it is doing
	case partOf(s), is && listOf(name) && !aboutProject(subject, name) && !startsWithArticle(lower):
		return 0
	case is && besideName(subject):
		points++ // the goal of NAME, the idea behind it
	case is && aboutProject(subject, name):
		if hasThing(rest) || strings.Contains(s, " is a ") || strings.Contains(s, " is an ") {
			points += 5
		} else if !strings.EqualFold(subject, "it") { // what it is like says nothing
			points += 2
		}
	case is && startsWithArticle(lower):
		return 0 // what such a thing is at all
	case is && len(strings.Fields(subject)) <= 4 && unicode.IsUpper(firstRune(subject)) && hasThing(rest):
		if strings.HasPrefix(s[len(subject):], " is a") || strings.HasPrefix(s[len(subject):], " is the ") || !strings.HasPrefix(s[len(subject):], " is ") {
			points += 2
		} else {
			points -= 2 // what something else is like
		}
	case is && !hasThing(rest):
		points-- // something else is something
	case startsWithArticle(lower) && tellsOfOne(lower):
		return 0
	case startsWithArticle(lower), nounFirst(lower):
		points += 3
	case name != "" && strings.HasPrefix(lower, strings.ToLower(name)+" "), usedTo(s, name): // NAME lets you …
		points += 2
	case strings.Contains(s, "是一") || strings.Contains(s, "は"):
		points += 3
	}
	if hasThing(s) {
		points += 2
	}
	if !is && (strings.Contains(lower, " you ") || strings.Contains(lower, " your ") || strings.Contains(lower, " we ") || strings.Contains(lower, " please ")) {
		points--
	}
	if hasNews(lower) {
		points -= 4
	}
	if strings.ContainsAny(s, "!") || strings.Contains(lower, "%") || strings.Contains(lower, "$") {
		points--
	}
	return points
}

// hasNews tells what is said of a version, a name or a state, and of what the project is not.
func hasNews(lower string) bool {
	for _, part := range [...]string{" is just ", " does not ", " do not ", " now requires", " introduces ", " pronounced", "pronunciation", " no longer ", " is currently ", " was originally", " is compatible with", " is required", " is tested", " has been ", " now ", " supports python", " is supported", " comes with ", "is the base repo", " is named after", " stands for ", " was originally part", " is also ", " maintenance mode", " works with ", " works by ", " was moved", " list was ", " requires ", " require ", "companion version", " also hosts ", " also contains ", " also includes "} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// happens tells a sentence whose verb is followed by a participle: "is written in", "is taking this further". What a project is designed
// for says what it is.
func happens(s, subject string) bool {
	rest := strings.TrimSpace(strings.TrimPrefix(s, subject))
	verb, rest, _ := strings.Cut(rest, " ")
	if verb != "is" && verb != "are" {
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(rest), " ")
	switch word {
	case "designed", "intended", "aimed", "focused", "dedicated", "meant":
		return false
	case "written", "built", "made", "used", "known", "run", "kept", "held", "given", "taken", "found", "driven":
		return true
	}
	return len(word) > 5 && (strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing"))
}

// nounFirst tells a sentence that begins with what the project is, without an article: "Terraform module which creates …".
func nounFirst(lower string) bool {
	words := strings.Fields(lower)
	for i, word := range words[:min(len(words), 6)] {
		if i > 0 && slices.Contains(things[:], words[i-1]) {
			switch word {
			case "which", "that", "for", "to":
				return true
			}
		}
	}
	return false
}

// tellsOfOne tells what one thing among others may do: "A NAME system can consist of …".
func tellsOfOne(lower string) bool {
	words := strings.Fields(lower)
	for i, word := range words[:min(len(words), 7)] {
		switch word {
		case "that", "which", "for", "to", "with":
			return false
		case "can", "may", "must", "should", "will", "has", "have", "consists":
			return i > 1
		}
	}
	return false
}

func startsWithArticle(lower string) bool {
	return strings.HasPrefix(lower, "a ") || strings.HasPrefix(lower, "an ")
}

func cjk(s string) (n int) {
	for _, r := range s {
		if unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r) {
			n++
		}
	}
	return n
}

// predicate cuts a sentence at the first verb that says what something is.
func predicate(s string) (subject, rest string, ok bool) {
	at, end := -1, 0
	for _, verb := range []string{" is a ", " is an ", " is the ", " is one ", " is ", " are ", " provides ", " implements ", " offers ", " contains ", " helps ", " lets ", " allows ", " aims to be ", " aims to build ", " aims to provide "} {
		if i := strings.Index(s, verb); i > 0 && (at < 0 || i < at) {
			at, end = i, i+len(verb)
		}
	}
	if at < 0 || at > 60 || strings.HasSuffix(s[:at], " that") || strings.HasSuffix(s[:at], " which") {
		return "", "", false
	}
	return strings.TrimSpace(s[:at]), s[end:], true
}

// SameName tells two names that differ in how people write them: "http-server" and "HTTPServer".
func SameName(a, b string) bool {
	return a != "" && squeezed(strings.ToLower(a)) == squeezed(strings.ToLower(b))
}

// squeezed is a name without what people write differently.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_.", r) {
			return -1
		}
		return r
	}, s)
}

// aboutProject tells the subjects that stand for the project.
func aboutProject(subject, name string) bool {
	subject, _, _ = strings.Cut(subject, " (")
	subject = strings.ToLower(strings.TrimSpace(subject))
	if listOf(name) && !strings.HasPrefix(subject, "this") && !strings.Contains(subject, "awesome") && !strings.Contains(subject, "list") {
		return false // what it lists is something else
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

// sortOf tells the words behind a name that say which part of a thing a repository holds.
func sortOf(word string) bool {
	switch strings.ToLower(word) {
	case "core", "cli", "app", "server", "project", "lang", "js", "py", "rs", "go", "php", "rb", "cpp":
		return true
	}
	return false
}

// WithoutSubject is a sentence about "this project" without these words, which leave less room for what it is: "A server for …".
func WithoutSubject(s string) string {
	for _, verb := range [...]string{" is an ", " is a "} {
		subject, rest, ok := strings.Cut(s, verb)
		if lower := strings.ToLower(subject); ok && (lower == "it" || lower == "this" || strings.HasPrefix(lower, "this ") && len(strings.Fields(subject)) == 2) && aboutProject(subject, "") {
			return strings.Replace(verb[len(" is "):], "a", "A", 1) + rest
		}
	}
	return s
}

// listOf tells the names of lists that people collect: awesome-nodejs.
func listOf(name string) bool { return strings.HasPrefix(strings.ToLower(name), "awesome") }

// partOf tells the sentences that are about one thing in a project and not about the project.
func partOf(s string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(s), " ")
	if first != "this" && first != "these" && first != "that" && first != "each" && first != "here" && first != "it" && first != "there" {
		return false
	}
	word, _, _ := strings.Cut(rest, " ")
	switch word {
	case "example", "examples", "directory", "folder", "section", "chapter", "script", "option", "setting", "method", "function", "step", "process", "command", "feature", "version", "release", "branch", "list", "table", "image", "config", "configuration", "workflow", "approach":
		return true
	}
	return false
}

// besideName tells the subjects that are something of the project: "the intention with NAME".
func besideName(subject string) bool {
	subject, _, _ = strings.Cut(subject, " (")
	words := strings.Fields(strings.ToLower(subject))
	return len(words) > 2 && words[0] == "the" && slices.ContainsFunc(words[1:], func(word string) bool {
		switch word {
		case "of", "with", "behind", "for", "in":
			return true
		}
		return false
	})
}

// Slogan tells a description that names nothing a project could be, such as what it promises.
func Slogan(s string) bool {
	return !hasThing(s) && !startsWithArticle(strings.ToLower(s)) && cjk(s) == 0
}

// Outright tells a sentence that says in as many words what the project is.
func Outright(s, name string) bool {
	subject, rest, is := predicate(s)
	return is && aboutProject(subject, name) && hasThing(rest)
}

// instructs recognises sentences that tell the reader what to do and nothing of
// the project.
func instructs(s string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(s), " ")
	switch strings.TrimRight(first, ",:") {
	case "go": // the verb, and not the language
		second, _, _ := strings.Cut(rest, " ")
		return slices.Contains([]string{"to", "ahead", "through", "back", "over", "and", "check", "here", "see", "read"}, second)
	case "see", "run", "to", "click", "note", "always", "please", "you", "if", "use", "make", "install", "check", "before", "after", "first", "follow",
		"looking", "thanks", "thank", "welcome", "just", "warning", "important", "read", "visit", "open", "here", "we", "we're", "i", "i'm", "when", "start", "getting", "documentation", "copyright", "license", "requires", "requirements",
		"now", "then", "runs", "view", "update", "new", "edit", "begin", "try", "join", "download", "get", "star", "deploy", "sign", "want", "need", "for", "there", "these", "those", "our", "watch", "and", "but", "or",
		"explore", "learn", "become", "support", "supported", "translations", "english", "language", "languages", "available", "currently", "as", "in", "on", "at", "by", "since", "while", "even", "also", "from", "despite", "with", "without", "contributions",
		"feel", "fork", "clone", "subscribe", "add", "let", "do", "don't", "ensure", "head", "come", "tip:", "tl;dr", "built", "powered", "latest", "version", "be", "your", "what", "how", "why", "where", "who", "because", "help", "additionally", "furthermore", "moreover", "however", "finally", "it's", "here's", "they", "he", "she", "not", "only":
		return true
	}
	return strings.Contains(s, "recommended way")
}

// usedTo tells the instruction that says what a project is for: "Use NAME to …".
func usedTo(s, name string) bool {
	rest, ok := strings.CutPrefix(s, "Use ")
	if !ok || name == "" {
		return false
	}
	used, _, ok := strings.Cut(rest, " to ")
	return ok && SameName(used, name)
}

// SaysNothing recognises what generators put where a description is to stand, and
// sentences about the repository's fate, its sponsors and its builds.
func SaysNothing(s string) bool {
	lower := strings.ToLower(s)
	for _, start := range [...]string{"[!", "todo", "add your", "add a description", "description for", "description of", "a short description", "demo project for spring boot", "this readme", "this will ", "generated ", "parent pom", "parent project",
		"this is the source", "the source code", "the parent", "parent ", "root pom", "root project", "all rights reserved", "monorepo for", "the following", "table of contents", "a big thank", "special thanks", "the latest", "the documentation", "the official documentation", "official documentation", "api documentation", "documentation:", "full documentation", "detailed"} {
		if strings.HasPrefix(lower, start) {
			return true
		}
	}
	if strings.HasPrefix(lower, "this ") && strings.Contains(lower, " is part of ") {
		return true
	}
	if strings.Contains(lower, "sponsor") && !startsWithArticle(lower) {
		return true
	}
	if strings.HasSuffix(lower, "monorepo") && len(strings.Fields(lower)) <= 4 {
		return true
	}
	for _, part := range [...]string{"no longer maintained", "been archived", "been retired", "the following projects", "the following packages", "been renamed", "been moved", "has moved", "deprecated", "donat", "found here", "was created using", "was created with",
		"was generated", "was bootstrapped", "is generated by", "localhost", "bill of materials", "this file", "this page", "this document", "base repo", "maintenance mode", "is available", "are available", "is licensed", "licensed under", "is looking for", "is available at", "can be found", "is now available", "pull request", "open source projects", "github discussions",
		"release notes", "breaking change", "build status", "is built with", "is maintained by", "is developed by", "is also available", "http://", "https://"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return false
}

// unlink writes [text](address) and [text][reference] as text, and drops images and bare addresses.
func unlink(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "[")
		image := strings.HasSuffix(before, "!")
		out.WriteString(strings.TrimSuffix(before, "!"))
		if !ok {
			return out.String()
		}
		if image && strings.HasPrefix(rest, "]") {
			rest = " " + rest
		}
		label, after, ok := cutBracket(rest)
		switch {
		case !ok:
			if image {
				out.WriteString("!")
			}
			out.WriteString("[")
			s = rest
			continue
		case strings.HasPrefix(after, "("):
			_, after, _ = strings.Cut(after, ")")
		case strings.HasPrefix(after, "["):
			_, after, _ = strings.Cut(after, "]")
		case image, strings.HasPrefix(label, "!"):
		default: // a reference by its own text, or plain brackets
			if !strings.HasPrefix(label, "^") {
				out.WriteString(label)
			}
			s = after
			continue
		}
		if !image {
			out.WriteString(unlink(label))
		}
		s = after
	}
}

// cutBracket splits at the bracket that closes an open one.
func cutBracket(s string) (inside, after string, ok bool) {
	depth := 1
	for i := 0; i < len(s) && i < 600; i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return s[:i], s[i+1:], true
			}
		}
	}
	return "", s, false
}
