// Package agentsmd reads the description of a project from AGENTS.md, as far as free text allows, and maintains a marked block of its own
// in such files.
//
// Only known words are taken: a language of the list, a framework of the table. Text that is not the project's own is left out first:
// blocks that tools manage, comments and fenced code. Only WriteBlock reads and writes files. The package never fails on malformed text and
// keeps no state: safe for concurrent use.
package agentsmd

import (
	"strings"
	"unicode/utf8"

	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
)

// MaxRead is how many bytes of the file are read; the median one has 6 kB, the
// largest seen 64.
const MaxRead = 64 << 10

// How a field was found.
const (
	Block = "block" // in the block that classify writes
	Key   = "key"   // in a line that names it: "Language: PHP"
	Stack = "stack" // under a heading about the stack, or in the overview
	Prose = "prose" // a sentence that describes the project
)

// Field is one value from the file; How is "" when the file does not have it.
type Field struct {
	Value string
	How   string
}

// Explicit reports whether the file names the field itself, which outweighs manifests.
func (f Field) Explicit() bool { return f.How == Block || f.How == Key }

// Facts are the values found in a file.
type Facts struct {
	Language    Field
	Framework   Field
	Scope       Field
	Description string // the sentence that describes it
}

// Parse reads a file's text. name is the project's name, with which a sentence may begin; it may be empty.
func Parse(text, name string) (f Facts) {
	text = strings.TrimPrefix(text, "\ufeff")
	if len(text) > MaxRead {
		text = text[:MaxRead]
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\ufffd")
	own, text := takeBlock(text)
	for line := range strings.Lines(own) {
		f.keyLine(line, Block)
	}
	text = strip(text)
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		f.keyLine(line, Key)
	}
	f.sections(lines, name)
	return f
}

// Pointer returns the file to which the text only points ("@CLAUDE.md", "See CLAUDE.md"), "" when it has content of its own.
func Pointer(text string) string {
	text = strings.TrimSpace(strip(strings.TrimPrefix(text, "\ufeff")))
	if len(text) > 400 || strings.Count(text, "\n") > 8 {
		return ""
	}
	for _, target := range []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md"} {
		if strings.Contains(text, target) {
			return target
		}
	}
	return ""
}

// keyLine takes "Key: value" of a list item, a table row, or a line of its own.
func (f *Facts) keyLine(line, how string) {
	key, value, ok := keyValue(line, how)
	if !ok {
		return
	}
	switch key {
	case "language", "languages", "primary language", "main language", "programming language", "programming languages", "language/runtime", "lang":
		if l := languageIn(value); l != "" {
			set(&f.Language, l, how)
		}
	case "framework", "frameworks", "primary framework", "main framework", "web framework", "application framework", "backend framework", "frontend framework":
		if name := frameworkIn(value); name != "" {
			set(&f.Framework, name, how)
		} else if how == Block && strings.EqualFold(value, "none") {
			set(&f.Framework, language.Unknown, how)
		}
	case "scope", "domain", "project scope", "project domain", "project type":
		if how == Block || scopeValue(value) {
			set(&f.Scope, value, how)
		}
	}
}

// set keeps the first answer: a file repeats itself further down.
func set(f *Field, value, how string) {
	if f.How == "" {
		*f = Field{value, how}
	}
}

// maxValue bounds a value, in characters; a longer one is a sentence about something else.
const maxValue = 60

// maxBlockValue is the same bound in classify's own block, where a scope is a sentence.
const maxBlockValue = 200

// keyValue splits a line into its key, lower case, and value.
func keyValue(line, how string) (key, value string, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) > 600 || line == "" || line[0] == '#' || line[0] == '>' {
		return "", "", false
	}
	if line[0] == '|' {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) < 2 {
			return "", "", false
		}
		return tidyKey(cells[0]), tidyValue(cells[1]), tidyValue(cells[1]) != ""
	}
	key, value, ok = strings.Cut(withoutMarker(line), ":")
	if !ok || len(key) > 40 {
		return "", "", false
	}
	key, value = tidyKey(key), tidyValue(value)
	most := maxValue
	if how == Block {
		most = maxBlockValue
	}
	return key, value, value != "" && utf8.RuneCountInString(value) <= most
}

func tidyKey(s string) string { return strings.ToLower(strings.Trim(s, " \t*_`")) }

func tidyValue(s string) string {
	if strings.Contains(s, "](") || strings.Contains(s, "][") {
		s = unlink(s)
	}
	return strings.TrimRight(strings.Trim(s, " \t*_`"), ".")
}

// withoutMarker returns a line without its list marker: "- ", "1. ", "2) ", "- [x] ".
func withoutMarker(line string) string {
	line = strings.TrimSpace(strings.TrimLeft(line, "-*+ \t"))
	if digits := strings.TrimLeft(line, "0123456789"); len(digits) < len(line) && digits != "" && (digits[0] == '.' || digits[0] == ')') {
		line = strings.TrimSpace(digits[1:])
	}
	for _, box := range [...]string{"[ ] ", "[x] ", "[X] "} {
		line = strings.TrimPrefix(line, box)
	}
	return strings.TrimSpace(line)
}

// languageIn returns the language with which a value begins: "Python >= 3.10", "TypeScript 5 / React", but not "docs are in Chinese".
func languageIn(value string) string {
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,/()`*_&|[]", r) })
	if len(words) == 0 {
		return ""
	}
	if len(words) > 1 {
		if l := language.Named(words[0] + " " + words[1]); l != "" {
			return l
		}
	}
	return language.Named(strings.TrimRight(words[0], ".:;"))
}

// frameworkIn returns the framework with which a value begins, with or without a version: "Next.js 15 (App Router)".
func frameworkIn(value string) string {
	for _, apart := range []string{" (", ",", " + ", " with ", " and ", " / ", ";", " – ", " - ", " on "} {
		if before, _, ok := strings.Cut(value, apart); ok {
			value = before
		}
	}
	words := strings.Fields(strings.Trim(value, " `*_"))
	for n := min(len(words), 4); n > 0; n-- {
		if name, ok := framework.Canonical(strings.Join(words[:n], " ")); ok {
			return name
		}
	}
	return ""
}
