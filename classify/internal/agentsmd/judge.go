package agentsmd

import (
	"slices"
	"strings"
	"unicode"
)

// judge scores how well a sentence describes the project; 0 or less when it does not.
func judge(s, name string) int {
	words := strings.Fields(withoutBrackets(s))
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
		points = 0 // it is about the project's origin or current work
	case partOf(s), is && listOf(name) && !aboutProject(subject, name) && !startsWithArticle(lower):
		return 0
	case is && besideName(subject):
		points++ // the goal of NAME, the idea behind it
	case is && aboutProject(subject, name):
		if hasThing(rest) || strings.Contains(s, " is a ") || strings.Contains(s, " is an ") {
			points += 5
		} else if !strings.EqualFold(subject, "it") { // an "it is" without a thing describes nothing
			points += 2
		}
	case is && startsWithArticle(lower):
		return 0 // a definition of such things in general
	case is && len(strings.Fields(subject)) <= 4 && unicode.IsUpper(firstRune(subject)) && hasThing(rest):
		if strings.HasPrefix(s[len(subject):], " is a") || strings.HasPrefix(s[len(subject):], " is the ") || !strings.HasPrefix(s[len(subject):], " is ") {
			points += 2
		} else {
			points -= 2 // about the quality of something else
		}
	case is && !hasThing(rest):
		points-- // about something else
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
	if !is && hasPart(lower, " you ", " your ", " we ", " please ") {
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

// hasNews reports whether a sentence is about a version, a name or a state, or about what the project is not.
func hasNews(lower string) bool {
	return hasPart(lower, " is just ", " does not ", " do not ", " now requires", " introduces ", " pronounced", "pronunciation", " no longer ", " is currently ", " was originally", " was initially", " was derived ", " is compatible with", " is required", " is tested", " has been ", " now ", " supports python", " is supported", " comes with ", "is the base repo", " is named after", " stands for ", " was originally part", " is also ", " maintenance mode", " works with ", " works by ", " was moved", " list was ", " requires ", " require ", "companion version", " also hosts ", " also contains ", " also includes ")
}

// happens reports whether the verb is followed by a participle: "is written in", "is taking this further". "is designed for" does not
// count, since it describes the project.
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

// nounFirst reports whether a sentence begins with the kind of project, without an article: "Terraform module which creates …".
func nounFirst(lower string) bool {
	words := strings.Fields(lower)
	for i, word := range words[:min(len(words), 6)] {
		if i > 0 && slices.Contains(things[:], words[i-1]) && slices.Contains([]string{"which", "that", "for", "to"}, word) {
			return true
		}
	}
	return false
}

// tellsOfOne reports whether a sentence is about the abilities of one thing among others: "A NAME system can consist of …".
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

// predicate splits a sentence at the first verb of a definition.
func predicate(s string) (subject, rest string, ok bool) {
	at, end := earliest(s, " is a ", " is an ", " is the ", " is one ", " is ", " are ", " provides ", " implements ", " offers ", " contains ", " helps ", " lets ", " allows ", " aims to be ", " aims to build ", " aims to provide ")
	if at < 0 || at > 60 || strings.HasSuffix(s[:at], " that") || strings.HasSuffix(s[:at], " which") {
		return "", "", false
	}
	return strings.TrimSpace(s[:at]), s[end:], true
}

// earliest returns where the earliest of some texts is in s, and where it ends; -1 when none is behind the beginning.
func earliest(s string, texts ...string) (at, end int) {
	at = -1
	for _, text := range texts {
		if i := strings.Index(s, text); i > 0 && (at < 0 || i < at) {
			at, end = i, i+len(text)
		}
	}
	return at, end
}

// Slogan reports whether a description names no kind of project, such as a promise.
func Slogan(s string) bool {
	return !hasThing(s) && !startsWithArticle(strings.ToLower(s)) && cjk(s) == 0
}

// Outright reports whether a sentence explicitly defines the project.
func Outright(s, name string) bool {
	subject, rest, is := predicate(s)
	return is && aboutProject(subject, name) && hasThing(rest)
}

// instructs recognises sentences that instruct the reader and do not describe the project.
func instructs(s string) bool {
	first, rest, _ := strings.Cut(strings.ToLower(s), " ")
	switch strings.TrimRight(first, ",:") {
	case "go": // the verb, and not the language
		second, _, _ := strings.Cut(rest, " ")
		return slices.Contains([]string{"to", "ahead", "through", "back", "over", "and", "check", "here", "see", "read"}, second)
	case "one", "another":
		return strings.HasPrefix(rest, "thing ")
	case "understanding", "running", "building", "installing", "using", "creating", "configuring", "testing", "deploying", "contributing":
		return startsWithGerund(rest)
	case "see", "run", "to", "click", "note", "always", "please", "you", "if", "use", "make", "install", "check", "before", "after", "first", "follow",
		"looking", "anyone", "reach", "thanks", "thank", "welcome", "just", "warning", "important", "read", "visit", "open", "here", "we", "we're", "i", "i'm", "when", "start", "getting", "documentation", "copyright", "license", "requires", "requirements",
		"now", "then", "runs", "view", "update", "new", "edit", "begin", "try", "join", "download", "get", "star", "deploy", "sign", "want", "need", "for", "there", "these", "those", "our", "watch", "and", "but", "or",
		"explore", "learn", "become", "support", "supported", "translations", "english", "language", "languages", "available", "currently", "as", "in", "on", "at", "by", "since", "while", "even", "also", "from", "despite", "with", "without", "contributions",
		"feel", "fork", "clone", "subscribe", "add", "let", "do", "don't", "ensure", "head", "come", "tip:", "tl;dr", "built", "powered", "latest", "version", "be", "your", "what", "how", "why", "where", "who", "because", "help", "additionally", "furthermore", "moreover", "however", "finally", "it's", "here's", "they", "he", "she", "not", "only", "each", "every", "some", "most":
		return true
	}
	return strings.Contains(s, "recommended way")
}

// startsWithGerund recognises the heading of a step: "Running NAME locally", "Understanding the …". A gerund that names an activity is
// followed by its purpose instead.
func startsWithGerund(rest string) bool {
	second, _, _ := strings.Cut(rest, " ")
	return slices.Contains([]string{"the", "this", "it", "a", "an", "with", "from", "your", "our", "and", "locally"}, second)
}

// usedTo recognises an instruction that states the project's purpose: "Use NAME to …".
func usedTo(s, name string) bool {
	rest, ok := strings.CutPrefix(s, "Use ")
	if !ok || name == "" {
		return false
	}
	used, _, ok := strings.Cut(rest, " to ")
	return ok && SameName(used, name)
}

// emptyStarts and emptyParts begin, and are in, sentences that say nothing about a project.
var (
	emptyStarts = []string{"[!", "todo", "you need ", "you can ", "you will ", "please ", "this is based on", "a new flutter ", "a sample command-line application", "an electron application with ", "a tauri app", "add your", "add a description", "description for", "description of", "a short description", "demo project for spring boot", "the skeleton application for the laravel framework", "the skeleton for a ", "this readme", "this will ", "generated ", "parent pom", "parent project",
		"this is the source", "the source code", "the parent", "parent ", "root pom", "root project", "this is the top level", "this is the root", "top level project", "all rights reserved", "a lot of ", "what you will ", "what you'll ", "monorepo for", "the following", "table of contents", "a big thank", "special thanks", "the latest", "the documentation", "the official documentation", "official documentation", "api documentation", "documentation:", "full documentation", "detailed"}
	emptyParts = []string{"contains everything you need", "no longer maintained", "been archived", "been retired", "the following projects", "the following packages", "been renamed", "been moved", "has moved", "deprecated", "donat", "found here", "was created using", "was created with",
		"was generated", "was bootstrapped", "is generated by", "localhost", "bill of materials", "this file", "this page", "this document", "base repo", "maintenance mode", "is available", "are available", "is licensed", "licensed under", "is looking for", "is available at", "can be found", "is now available", "pull request", "open source projects", "github discussions",
		"release notes", "breaking change", "build status", "is built with", "is maintained by", "is developed by", "is also available", "http://", "https://"}
)

// SaysNothing recognises placeholders of generators, and sentences about the repository's fate, its sponsors and its builds.
func SaysNothing(s string) bool {
	lower := strings.ToLower(s)
	contents, ok := strings.CutPrefix(lower, "this repository contains the ")
	return ok && len(strings.Fields(contents)) <= 3 || // the original implementation, the source code
		slices.ContainsFunc(emptyStarts, func(start string) bool { return strings.HasPrefix(lower, start) }) ||
		strings.HasPrefix(lower, "this ") && strings.Contains(lower, " is part of ") ||
		strings.Contains(lower, "sponsor") && !startsWithArticle(lower) ||
		strings.HasSuffix(lower, "monorepo") && len(strings.Fields(lower)) <= 4 ||
		hasPart(lower, emptyParts...)
}
