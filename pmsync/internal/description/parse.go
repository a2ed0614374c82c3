package description

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Format is the markup language of a description.
type Format string

// The formats that providers use.
const (
	Markdown Format = "markdown"
	ADF      Format = "adf"  // Atlassian Document Format, JSON
	HTML     Format = "html" // of Azure DevOps and Asana
	Wiki     Format = "wiki" // Jira wiki markup
)

// MaxSize is how many bytes of a description are read. The largest limit of a provider (Linear) is a quarter of it.
const MaxSize = 1 << 20

// maxDepth bounds how deep blocks are nested; deeper blocks are left out.
const maxDepth = 50

// Parse reads text, written in format, into a tree. An empty format means the one that Detect finds. It returns an error
// (fault.KindValidation) only for ADF that is not JSON and for an unknown format; every text is valid in the other formats.
func Parse(text string, format Format) (Document, error) {
	var doc Document
	if format == "" {
		format = Detect(text)
	}
	if len(text) > MaxSize && format != ADF { // JSON that is cut off cannot be read
		text, doc.Truncated = text[:MaxSize], true
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if format != ADF {
		if strings.Contains(text, `\n`) && !strings.Contains(strings.TrimSpace(text), "\n") { // as scripts that create tickets leave them
			text = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n").Replace(text)
		}
	}
	switch format {
	case Markdown:
		doc.Blocks = readMarkdown(text, false)
	case HTML:
		doc.Blocks = parseHTML(text, false)
	case Wiki:
		doc.Blocks = parseWiki(text)
	case ADF:
		blocks, err := parseADF(text)
		if err != nil {
			return Document{}, err
		}
		doc.Blocks = blocks
	default:
		return Document{}, fault.Validation("format", "%q is not a format of descriptions", format).
			WithHint("use markdown, adf, html or wiki")
	}
	doc.Blocks = tidy(doc.Blocks, 0)
	return doc, nil
}

// Detect guesses the format of a text that came without one, as in a CSV import. Its default is markdown, which covers plain text.
func Detect(text string) Format {
	start := strings.TrimLeft(text, " \t\r\n\ufeff")
	if strings.HasPrefix(start, "{") && strings.Contains(start[:min(len(start), 200)], `"type"`) &&
		strings.Contains(start, `"doc"`) && strings.Contains(start, `"content"`) {
		return ADF
	}
	head := start[:min(len(start), MaxSize)]
	_, styled := styleTags[leadingTag(head)]
	if tag := leadingTag(head); (styled || blockTags[tag] || inlineTags[tag]) && !looksMarkdown(head) {
		return HTML
	}
	if looksWiki(head) && !looksMarkdown(head) {
		return Wiki
	}
	return Markdown
}

// leadingTag returns the name of the HTML element that a text begins with.
func leadingTag(s string) string {
	if !strings.HasPrefix(s, "<") {
		return ""
	}
	end := 1
	for end < len(s) && (s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z' || s[end] >= '0' && s[end] <= '9') {
		end++
	}
	return strings.ToLower(s[1:end])
}

// looksMarkdown reports signs that only markdown has. A line of "##" right below one of "#" decides nothing: it may be a markdown heading,
// or a nested item of a list in wiki markup.
func looksMarkdown(s string) bool {
	counted := false // the line before began with "#"
	return eachLine(s, func(line string) bool {
		trimmed := strings.TrimLeft(line, " ")
		below := counted
		counted = strings.HasPrefix(trimmed, "#")
		return !below && (strings.HasPrefix(trimmed, "## ") || strings.HasPrefix(trimmed, "### ")) || strings.HasPrefix(trimmed, "```") ||
			strings.HasPrefix(line, "- ") || strings.HasPrefix(trimmed, "**") && strings.Count(trimmed, "**") > 1
	})
}

// looksWiki reports signs that only wiki markup has.
func looksWiki(s string) bool {
	return eachLine(s, func(line string) bool {
		trimmed := strings.TrimLeft(line, " ")
		if len(trimmed) > 3 && trimmed[0] == 'h' && trimmed[1] >= '1' && trimmed[1] <= '6' && trimmed[2] == '.' || strings.HasPrefix(trimmed, "||") {
			return true
		}
		macros := []string{"{panel", "{code", "{noformat", "{quote}", "{color:", "{expand", "{*}"}
		return slices.ContainsFunc(macros, func(macro string) bool { return strings.Contains(trimmed, macro) })
	})
}

// eachLine reports whether found returns true for a line of s.
func eachLine(s string, found func(string) bool) bool {
	for line := range strings.Lines(s) {
		if found(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}
