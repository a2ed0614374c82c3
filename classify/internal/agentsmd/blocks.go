package agentsmd

import (
	"html"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// A block of a README is a title or a paragraph, as plain text.
type block struct {
	text  string
	title bool // the first heading
	list  bool // an item of a list
	later bool // the first paragraph of a section that does not introduce the project
}

// plainText replaces HTML by equivalent Markdown and removes the other tags, so that centred headings hide no sentence.
func plainText(text string) string {
	text = strip(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"))
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<")
		out.WriteString(before)
		if !ok {
			break
		}
		end := tagEnd(rest)
		if end < 0 || rest == "" || !(rest[0] == '/' || rest[0] == '!' || isLetter(rest[0])) {
			out.WriteString("<")
			text = rest
			continue
		}
		tag := strings.ToLower(strings.TrimSuffix(rest[:end], "/"))
		text = rest[end+1:]
		name, attrs, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(tag, "\n", " ")), " ")
		switch name {
		case "h1", "h2":
			out.WriteString("\n\n# ")
		case "h3", "h4", "h5", "h6", "/h1", "/h2", "/h3", "/h4", "/h5", "/h6", "p", "/p", "div", "/div", "center", "/center", "table", "/table", "tr", "/tr", "ul", "/ul", "ol", "/ol", "details", "/details", "summary", "/summary", "hr",
			"td", "/td", "th", "/th", "blockquote", "/blockquote", "picture", "/picture", "section", "/section", "header", "/header":
			out.WriteString("\n\n")
		case "br":
			out.WriteString("\n")
			if strings.Contains(attrs, "clear") {
				out.WriteString("\n")
			}
		case "li":
			out.WriteString("\n- ")
		case "figcaption":
			if _, after, ok := strings.Cut(text, "</figcaption>"); ok {
				text = after // for a picture
			}
		case "a":
			if _, after, ok := strings.Cut(text, "</a>"); ok && advertises(attrs) {
				text = after
				continue
			}
			out.WriteString("\x01[")
		case "/a":
			out.WriteString("](x)")
		case "script", "style", "svg", "sub", "sup", "kbd":
			if _, after, ok := strings.Cut(text, "</"+name); ok && name != "sub" && name != "sup" && name != "kbd" {
				if _, after, ok = strings.Cut(after, ">"); ok {
					text = after
				}
			}
		}
	}
	return spaces.Replace(html.UnescapeString(out.String()))
}

// advertises reports whether a link's address counts visitors from this README.
func advertises(attrs string) bool {
	return hasPart(attrs, "utm_source=", "utm_campaign=", "utm_medium=")
}

// spaces separates the texts between several hard spaces, such as the links of a bar.
var spaces = strings.NewReplacer("\x01", "", "\u00a0\u00a0", " | ", "\u00a0", " ")

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// tagEnd returns the end of the tag around the start of s, -1 when it is not a tag or a very long one.
func tagEnd(s string) int {
	quote := byte(0)
	for i := 0; i < len(s) && i < 2000; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && i > 0 && s[i-1] == '=':
			quote = c
		case c == '>':
			if strings.Contains(s[:i], "://") && !strings.Contains(s[:i], "=") {
				return -1 // an address in brackets
			}
			return i
		case c == '<':
			return -1
		}
	}
	return -1
}

// blocksOf returns the title and the paragraphs that introduce a project: all before the first section, and the sections whose headings
// promise an introduction.
func blocksOf(text string) iter.Seq[block] {
	return func(yield func(block) bool) {
		r := blockReader{yield: yield}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			line = bareLine(line)
			under := ""
			if i+1 < len(lines) {
				under = strings.TrimSpace(lines[i+1])
			}
			if heading, ok := headingOf(line, under); !ok {
				r.line(line)
			} else if r.flush(); !r.ended {
				r.heading(tidy(heading), line, lines[i+1:])
			}
			if r.ended {
				return
			}
		}
		r.flush()
	}
}

// bareLine returns a line without white space around it, cut to the length that people write.
func bareLine(line string) string {
	line = strings.TrimSpace(line)
	return line[:min(len(line), 4000)]
}

// blockReader joins lines to blocks, and yields those that introduce the project.
type blockReader struct {
	yield func(block) bool
	ended bool // the caller wants no more
	given int  // blocks yielded

	paragraph []string // lines of the current block
	list      bool     // it is an item of a list

	titled   bool // the title was read
	sections int  // headings below it
	skip     bool // the current section is about something else
	later    bool // its first paragraph, still to be read, may describe the project
}

func (r *blockReader) give(b block) {
	r.given++
	r.ended = r.ended || !r.yield(b)
}

// flush ends the paragraph.
func (r *blockReader) flush() {
	if len(r.paragraph) > 0 && (!r.skip || r.later) && !r.ended {
		if s := tidy(strings.Join(r.paragraph, " ")); s != "" {
			r.give(block{text: s, list: r.list, later: r.skip})
		}
		r.later = false
	}
	r.paragraph, r.list = nil, false
}

// heading reads a heading: plain is its text, line its source, and below what follows.
func (r *blockReader) heading(plain, line string, below []string) {
	switch {
	case !r.titled && strings.HasPrefix(line, "###") && hasTitle(below): // text above the title is not about the project
		r.skip = true
	case plain == "":
	case !r.titled:
		r.titled, r.skip = true, false
		r.give(block{text: plain, title: true})
	default:
		r.sections++
		if r.sections == 1 && r.given == 1 && len(strings.Fields(plain)) >= 4 && !strings.HasSuffix(plain, "?") && !aboutText(plain) {
			r.give(block{text: plain}) // a tagline below the title, written as a heading
			return
		}
		r.skip = !introduces(strings.ToLower(plain))
		r.later = r.skip && !aside(plain)
		if rest, ok := welcomed(plain); ok {
			r.give(block{text: rest})
		}
	}
}

// line reads a line that is not a heading.
func (r *blockReader) line(bare string) {
	switch {
	case bare == "":
		r.flush()
	case strings.HasPrefix(bare, "> [!"): // a warning or a note, up to its last line
		r.flush()
		r.paragraph = []string{"[!]"}
	case len(r.paragraph) == 1 && r.paragraph[0] == "[!]" && strings.HasPrefix(bare, ">"):
	case strings.HasPrefix(bare, "|"), strings.HasPrefix(bare, ".. "), strings.HasPrefix(bare, ":") && strings.Count(bare, ":") >= 2 && !strings.Contains(bare, " is "), strings.HasPrefix(bare, "image:"),
		strings.Trim(bare, "=-*_~^#+ ") == "":
		r.flush()
	case strings.HasPrefix(bare, "["), strings.HasPrefix(bare, "!["):
		if before, after, ok := strings.Cut(bare, "]:"); ok && !strings.Contains(before, "](") && strings.HasPrefix(strings.TrimSpace(after), "http") {
			r.flush() // the target of a reference
			return
		}
		r.paragraph = append(r.paragraph, bare)
	case isItem(bare):
		r.flush()
		if item := strings.TrimLeft(bare, "-*+ "); strings.HasPrefix(item, "[") && strings.HasSuffix(item, ")") && strings.Count(item, "](") == 1 {
			return // a line of a table of contents
		}
		r.list = true
		r.paragraph = append(r.paragraph, strings.TrimLeft(bare, "-*+ "))
	case strings.HasPrefix(bare, ">"):
		if rest := strings.TrimSpace(strings.TrimLeft(bare, ">")); rest == "" {
			r.flush()
		} else {
			r.paragraph = append(r.paragraph, strings.TrimLeft(rest, "# ")) // a heading in a quotation
		}
	default:
		r.paragraph = append(r.paragraph, bare)
	}
}

// hasTitle reports whether a text has a heading of the first level.
func hasTitle(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "# ") })
}

func isItem(line string) bool {
	return len(line) > 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' '
}

// headingOf recognises a heading in Markdown, AsciiDoc or reStructuredText.
func headingOf(line, under string) (string, bool) {
	for _, mark := range [...]string{"#", "="} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 1 && n <= 6 && strings.HasPrefix(rest, " ") {
			return strings.TrimSpace(strings.TrimRight(rest, "#= ")), true
		}
		if mark == "#" && len(line) > len(rest) && len(line)-len(rest) <= 6 && rest != "" && rest[0] != '!' && isLetter(rest[0]) && len(line)-len(rest) > 1 {
			return rest, true
		}
	}
	if len(under) >= 3 && line != "" && len(under) >= len(line)/2 && strings.Trim(line, "=-~^*") != "" {
		if c := under[:1]; strings.Contains("=-~^*", c) && strings.Trim(under, c) == "" && !strings.HasPrefix(line, "|") && !isItem(line) {
			return line, true
		}
	}
	return "", false
}

// aboutText reports whether a heading is about the contents of a text, not about the project.
func aboutText(heading string) bool {
	return hasWord(heading, "features", "stack", "install", "installation", "usage", "started", "start", "contents", "sponsors", "sponsor", "requirements", "documentation", "license", "status", "changes", "release", "releases", "version", "versions", "news")
}

// aside reports whether a heading is about matters beside the project.
func aside(heading string) bool {
	return hasWord(heading, "example", "examples", "license", "sponsors", "sponsor", "credits", "thanks", "acknowledgements", "alternatives", "related", "similar", "see", "projects", "contributing", "integrations", "plugins")
}

// introduces reports whether a heading begins a section that describes the project.
func introduces(heading string) bool {
	return isOverview(heading) ||
		hasPart(heading, "vision", "intro", "pitch", "description", "abstract", "motivation", "简介", "项目介绍", "介绍", "概述")
}

var emphasis = strings.NewReplacer("**", "", "__", "", "`", "", "\\-", "-", "\\_", "_", "\\|", "|")

// tidy returns a paragraph as plain text: no images, no addresses, no emphasis; "" for a bar of links or badges.
func tidy(s string) string {
	if strings.HasPrefix(s, "[!]") || beginsWithAdvert(s) || onlyLinks(s) {
		return ""
	}
	links := strings.Count(s, "](") + strings.Count(s, "][") + strings.Count(s, "`_")
	links -= strings.Count(s, "[![") // a badge with a link counts as a badge, not as text
	images := strings.Count(s, "![") + strings.Count(s, "|_")
	s = strings.ReplaceAll(unlink(s), "](x)", "") // the end of a link around several paragraphs
	s = unemphasise(emphasis.Replace(s))
	for {
		before, rest, ok := strings.Cut(s, "<http")
		if !ok {
			break
		}
		address, after, _ := strings.Cut(rest, ">")
		s = before + host(address) + after
	}
	s = strings.Trim(strings.TrimSpace(strings.Join(strings.Fields(s), " ")), "*_>|•·-–—+ ")
	bars := strings.Count(s, " • ") + strings.Count(s, " · ") + strings.Count(s, " | ") + strings.Count(s, " / ") + strings.Count(s, "|")
	separators := bars + strings.Count(s, " - ")
	words := len(strings.Fields(s))
	switch {
	case links-images >= 2 && bars > 0 && words <= 3*(links-images): // Stable: v1.7.5 / Roadmap
		return ""
	case links-images >= 3 && (words <= 4*(links-images) && separators >= 2 || words <= 2*(links-images)):
		return ""
	case separators >= 3 && words <= 5*separators:
		return ""
	}
	return s
}

// onlyLinks reports whether a paragraph consists of two or more links with only marks between them.
func onlyLinks(s string) bool {
	links := 0
	for s != "" {
		before, rest, ok := strings.Cut(s, "[")
		if strings.IndexFunc(before, isWord) >= 0 {
			return false
		}
		if !ok {
			break
		}
		_, after, ok := cutBracket(rest)
		if !ok {
			return false
		}
		var open, end string
		switch {
		case strings.HasPrefix(after, "("):
			open, end = "(", ")"
		case strings.HasPrefix(after, "["):
			open, end = "[", "]"
		default:
			return false
		}
		if !strings.HasSuffix(before, "!") {
			links++
		}
		if _, s, ok = strings.Cut(strings.TrimPrefix(after, open), end); !ok {
			return false
		}
	}
	return links >= 2
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// host returns the name in the rest of an address behind "http", "" when there is more than a name: "website for <https://example.com>".
func host(address string) string {
	_, name, ok := strings.Cut(address, "://")
	name = strings.TrimSuffix(name, "/")
	if !ok || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// unemphasise removes single stars and underscores around words, but not underscores inside words and marks between spaces.
func unemphasise(s string) string {
	if !strings.ContainsAny(s, "*_") {
		return s
	}
	runes := []rune(s)
	var out strings.Builder
	for i, r := range runes {
		before := i > 0 && isWord(runes[i-1])
		after := i+1 < len(runes) && isWord(runes[i+1])
		blank := i > 0 && i+1 < len(runes) && runes[i-1] == ' ' && runes[i+1] == ' '
		if r == '*' && !blank || r == '_' && !(before && after) && !blank {
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// beginsWithAdvert reports whether a paragraph begins with a link that counts visitors from this README.
func beginsWithAdvert(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s, "*_> "), "[")
	if !ok {
		return false
	}
	_, after, ok := cutBracket(rest)
	if !ok || !strings.HasPrefix(after, "(") {
		return false
	}
	address, _, _ := strings.Cut(after, ")")
	return advertises(strings.ToLower(address))
}

// sentencesOf returns the first sentences of a paragraph.
func sentencesOf(s string) (all []string) {
	for len(all) < 3 && s != "" {
		first := firstSentence(s)
		if before, _, ok := strings.Cut(first, "。"); ok {
			first = before
			s = strings.TrimPrefix(s, first+"。")
		} else {
			s = strings.TrimLeft(strings.TrimPrefix(s, first), ".!? ")
		}
		if first = strings.TrimSpace(first); first != "" {
			all = append(all, trimEmoji(first))
		}
	}
	return all
}

// trimEmoji removes a decorating picture from a sentence.
func trimEmoji(s string) string {
	return strings.TrimSpace(strings.TrimLeftFunc(s, func(r rune) bool {
		return r >= 0x2190 && r < 0x2c00 || r >= 0x1f000 || r == 0xfe0f || r == 0x200d || r == ' ' || r == '*' || r == '_' || r == '|'
	}))
}

// Entries counts the external links that begin a list item or a table row.
func Entries(text string) (n int) {
	for line := range strings.Lines(text) {
		item := strings.TrimLeft(line, " \t")
		if !isItem(item) && !strings.HasPrefix(item, "|") {
			continue
		}
		rest, ok := strings.CutPrefix(strings.TrimLeft(item, "-*+| \t"), "[")
		if !ok {
			continue
		}
		if _, after, ok := cutBracket(rest); ok && strings.HasPrefix(after, "(http") {
			n++
		}
	}
	return n
}

// Words returns the distinct words of a README in lower case, at most most of them, for searches.
func Words(text string, most int) (all []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(plainText(text)) {
		for _, word := range wordsOf(unlink(line)) {
			if len(word) < 3 || len(word) > 30 || seen[word] || slices.Contains(common, word) {
				continue
			}
			seen[word] = true
			if all = append(all, word); len(all) == most {
				return all
			}
		}
	}
	return all
}

// common words are in almost every README.
var common = []string{
	"the", "and", "for", "that", "this", "with", "you", "your", "are", "can", "from", "not", "use", "will", "has", "have", "all", "any", "but", "its", "our", "was", "which", "when", "also", "into", "more", "other", "than", "then",
	"there", "these", "they", "http", "https", "www", "com", "org", "github", "see", "img", "src", "svg", "png", "badge", "license", "mit",
}
