package agentsmd

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
)

// About returns the sentence of a README that describes the project best, "" when there is none. sure reports whether it is an explicit
// definition ("NAME is a …", "A fast parser for …") rather than a sentence at the usual place. About reads the text below the title and
// introducing sections, without badges, bars of links, addresses and words to the reader.
func About(text, name string) (sentence string, sure bool) {
	best, paragraphs := 0, 0
	title, outright := "", ""
	seen := 0
	generated := false
	for b := range blocksOf(plainText(text)) {
		seen++
		if b.title && title == "" {
			title = b.text
			if startsWithArticle(strings.ToLower(title)) && hasThing(title) {
				sentence, best = title, judge(title, name)
			}
			if words := len(strings.Fields(title)); words >= 6 && words <= 18 && hasThing(title) && !strings.ContainsAny(title, "!?") && best < likelyTrue+1 && !SaysNothing(title) {
				sentence, best = title, likelyTrue+1
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
		if ofRelease(b.text) {
			continue
		}
		said := sentencesOf(b.text)
		generated = generated || byGenerator(b.text)
		first := 0   // the score of the paragraph's first sentence
		defined := 0 // what the sentence is worth that "it" in the next ones goes back to
		for n, s := range said {
			if greeted, ok := welcomed(s); ok {
				s = greeted
			}
			s = wanted(s)
			if rest, ok := strings.CutSuffix(s, ":"); ok && paragraphs == 0 && len(said) == 1 && !b.list && tagline(rest) && !goesOn(rest) {
				s = rest // the list or example below belongs to it
			}
			if subject, _, is := predicate(s); is && commandOf(subject, name) {
				continue
			}
			points := max(judge(s, name), judge(s, title)) - n
			if label, _, ok := strings.Cut(s, ": "); ok && paragraphs > 0 && !strings.Contains(label, " ") && !SameName(label, name) {
				points -= 3 // "Versioning: …" is about that
			}
			if b.list {
				points -= 3
			}
			if answers(said, n, name, title) {
				points += n + 3 // as much as a first sentence
			} else if subject, _, is := predicate(s); n > 0 && !(is && (aboutProject(subject, name) || aboutProject(subject, title))) {
				points-- // the paragraph continues with something else
			}
			if points > 0 && paragraphs == 0 && n == 0 {
				points++ // at the expected place
				if !b.list && points < certain-1 && tagline(s) {
					points++
				}
			}
			if paragraphs >= farDown && points < certainTitle+2 {
				points--
			}
			if generated && !(saysOutright(s, name) || saysOutright(s, title)) {
				points = 0 // the generator's description of itself
			}
			if n > 0 && first >= likelyTrue && (points < first+4 || pronoun(s)) && !answers(said, n, name, title) {
				points = min(points, first-1) // the first sentence was the description
			}
			if n == 0 {
				first = points
				if pronoun(s) {
					first, points = min(first, likelyTrue), min(points, likelyTrue) // its subject is in an earlier sentence
				}
			}
			switch subject, _, is := predicate(s); {
			case n > 0 && strings.HasPrefix(s, "It ") && defined > 0:
				points = min(points, defined)
			case is && !strings.EqualFold(subject, "it"):
				defined = max(defined, points)
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

// pronoun reports whether the subject of a sentence is a pronoun, which refers to another sentence.
func pronoun(s string) bool {
	subject, _, _ := strings.Cut(s, " ")
	return slices.Contains([]string{"it", "they", "he", "she", "these", "those", "that"}, strings.ToLower(subject))
}

// answers reports whether sentence n is the first that begins with the project's name, in a paragraph that begins with something else: the
// problem that the project solves.
func answers(said []string, n int, name, title string) bool {
	begins := func(s string) bool { return startsWithName(s, name) || startsWithName(s, title) }
	return n > 0 && begins(said[n]) && !slices.ContainsFunc(said[:n], func(s string) bool {
		lower := strings.ToLower(s)
		return begins(s) || startsWithArticle(lower) || nounFirst(lower) || name != "" && strings.Contains(lower, strings.ToLower(name)) || strings.HasPrefix(lower, "this ")
	})
}

func startsWithName(s, name string) bool {
	return name != "" && len(s) > len(name) && strings.EqualFold(s[:len(name)], name) && s[len(name)] == ' '
}

// byGenerator recognises the line with which generators begin a README; the text behind it is about them.
func byGenerator(s string) bool {
	lower := strings.ToLower(s)
	for _, start := range [...]string{"this project was ", "this project has been ", "this project is ", "this app was ", "this application was ", "this workspace was ", "this repository was ", "this workspace has been ", "this library was "} {
		rest, ok := strings.CutPrefix(lower, start)
		if !ok {
			continue
		}
		made := []string{"generated ", "bootstrapped ", "scaffolded ", "automatically generated "}
		if slices.ContainsFunc(made, func(how string) bool { return strings.HasPrefix(rest, how) }) {
			return true
		}
	}
	return false
}

// ofRelease recognises a line about the newest versions: "Stable: v1.2.3 / Roadmap", "v1.2.3 | May".
func ofRelease(s string) bool {
	if words := strings.Fields(s); len(words) > 0 && isVersion(words[0]) && (len(words) == 1 || !unicode.IsLetter(firstRune(words[1]))) {
		return true
	}
	label, version, ok := strings.Cut(s, ": ")
	version = strings.TrimPrefix(version, "v")
	return ok && !strings.Contains(label, " ") && len(s) < 100 && version != "" && version[0] >= '0' && version[0] <= '9' && strings.Contains(version, ".")
}

// programs are the domains of a definition that is worth as much as one at the beginning.
var programs = []string{"library", "framework", "CLI", "TUI", "tool", "compiler", "database", "game", "service", "platform", "CMS", "desktop app", "mobile app", "web app"}

// saysOutright recognises an explicit definition of the project, wherever it stands: "This is a … library", "NAME is a … tool".
func saysOutright(s, name string) bool {
	subject, rest, is := predicate(s)
	if !is || !(strings.Contains(s, " is a ") || strings.Contains(s, " is an ")) || SaysNothing(s) || hasNews(strings.ToLower(s)) || strings.HasSuffix(s, ":") || len(s) > 300 {
		return false
	}
	if !strings.EqualFold(subject, "this") && !aboutProject(subject, "") && !SameName(subject, name) {
		return false
	}
	return slices.Contains(programs, Domain("This is a "+rest))
}

// withoutList returns a sentence without the words that announce the list below it.
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
	certainTitle  = 4 // a title that describes the project outranks a sentence that only mentions a thing
	maxBlocksRead = 60
	farDown       = 4 // paragraphs, after which a sentence is less likely about the whole project
)

// wholeTitle is the number of words from which a title is a description, even when it is the name written out.
const wholeTitle = 4

// titleAlone returns a title that contains more than a name: "Spring Sample Application".
func titleAlone(title, name string) string {
	title = withoutVersion(title)
	if words := strings.Fields(title); len(words) == 2 && strings.EqualFold(words[0], name) {
		return "" // NAME App
	}
	n := len(strings.Fields(title))
	if n < 2 || n > 8 || strings.ContainsAny(title, "!?") || SaysNothing(title) {
		return ""
	}
	if n < wholeTitle && (!hasThing(title) || SameName(title, name)) || onlyFramework(title) {
		return ""
	}
	return title
}

// withoutVersion returns a title without a leading picture and a final version number.
func withoutVersion(title string) string {
	words := strings.Fields(title)
	if len(words) > 0 && !strings.ContainsFunc(words[0], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		words = words[1:]
	}
	if n := len(words); n > 1 {
		if isVersion(words[n-1]) {
			words = words[:n-1]
		}
	}
	return strings.Join(words, " ")
}

// isVersion reports whether a word is a version number: "v2.1".
func isVersion(word string) bool {
	word = strings.TrimLeft(word, "vV")
	return strings.Trim(word, "0123456789.") == "" && strings.Contains(word, ".")
}

// unfinished are the last words of sentences whose rest is in the list below: "This repository serves for".
var unfinished = []string{"for", "with", "to", "of", "by", "in", "on", "from", "as", "and", "are", "is", "following", "includes", "provides", "supports"}

func goesOn(s string) bool { return slices.Contains(unfinished, s[strings.LastIndexByte(s, ' ')+1:]) }

// fitsAll are words in the titles of any project.
var fitsAll = []string{"app", "application", "project", "demo", "example", "sample", "with", "and", "using", "the", "a", "my", "new", "simple", "basic", "in", "on", "for", "website", "site", "repo", "repository", "boot", "core", "js", "api", "rest", "web"}

// onlyFramework reports whether a title consists of frameworks, languages and words that fit every project: "React TypeScript App".
func onlyFramework(title string) bool {
	made := false
	for _, word := range strings.FieldsFunc(title, func(r rune) bool { return r == ' ' || r == '+' || r == '/' || r == '&' || r == ',' }) {
		if _, known := framework.Canonical(word); known || language.Named(word) != "" {
			made = true
			continue
		}
		if !slices.Contains(fitsAll, strings.ToLower(word)) {
			return false
		}
	}
	return made
}

// welcomed returns the description in a greeting: "Welcome to NAME, a test framework!"
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

// wanted returns the description in a sentence about the project's beginning: "We wanted a simple server for messages".
func wanted(s string) string {
	for _, start := range [...]string{"We wanted ", "I wanted ", "We needed ", "I needed "} {
		if rest, ok := strings.CutPrefix(s, start); ok && startsWithArticle(rest) && hasThing(rest) {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return s
}

// tagline reports whether a paragraph describes a thing or its effect without a subject and without a word to the reader.
func tagline(s string) bool {
	lower := " " + strings.ToLower(s) + " "
	_, _, is := predicate(s)
	n := len(strings.Fields(s))
	return !is && n >= 3 && n <= 25 && !hasPart(lower, " you ", " we ", " i ") && !strings.HasSuffix(s, ",")
}

// promises reports whether the words behind the name in a title describe nothing: "NAME - Write letters".
func promises(title, name string) bool {
	tagline := afterName(title, name)
	return tagline != "" && !hasThing(tagline) && SameName(strings.TrimRight(strings.TrimSuffix(title, tagline), " -–—:|"), name)
}

// afterName returns the part of a title behind the name: "NAME: a tool for …", "NAME - a tool".
func afterName(title, name string) string {
	for _, apart := range []string{" - ", " – ", " — ", ": ", " | "} {
		before, after, ok := strings.Cut(title, apart)
		if ok && len(strings.Fields(before)) <= 4 && len(strings.Fields(after)) >= 2 {
			return strings.TrimSpace(after)
		}
	}
	return ""
}
