package memoryfile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/agit-suite/agit/shared/reference"
)

// bareLinks notes the first words of the items under ## Links. Other items of a list of links (tickets, pull requests, sentences) are left
// out as far as they can be recognised.
func (p *reading) bareLinks(n ast.Node) {
	if p.want&Links == 0 || n.Lines().Len() == 0 {
		return
	}
	if _, item := n.Parent().(*ast.ListItem); !item || n.PreviousSibling() != nil {
		return
	}
	s := n.Lines().At(0)
	line := strings.TrimSpace(string(s.Value(p.src)))
	if linked(line) {
		return // its links were found already
	}
	whole := n.Lines().Len() == 1
	for i, name := range strings.Split(line, ",") {
		target, rest := firstWord(strings.TrimSpace(name))
		if target == "" || i > 0 && rest != "" {
			return
		}
		p.addLink(target, s.Start, whole && rest == "" && slug(target))
	}
}

// linked reports whether a text has links of a form that is found anywhere.
func linked(text string) bool {
	return strings.Contains(text, "[[") || strings.Contains(text, "](") || strings.Contains(text, "mem:")
}

// firstWord splits an item into its leading name and the text about it; the name is "" when the item is a sentence.
func firstWord(item string) (name, rest string) {
	item = strings.TrimSpace(item)
	for _, quote := range []string{"**", "`", "*"} {
		if inner, ok := strings.CutPrefix(item, quote); ok {
			if before, after, ok := strings.Cut(inner, quote); ok {
				item = before + after
			}
		}
	}
	name, rest = item, ""
	if i := strings.IndexFunc(item, unicode.IsSpace); i >= 0 {
		name, rest = item[:i], strings.TrimSpace(item[i:])
	}
	said := rest == "" || strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "(")
	if trimmed := strings.TrimSuffix(name, ":"); trimmed != name {
		name, said = trimmed, true
	}
	if !said || !memoryName(name) || strings.ContainsAny(name, "#()'!?@:") {
		return "", rest
	}
	return name, rest
}

// slug reports whether a bare word is surely a memory's name, because it is written like an id. ADR-006 or Redis may be anything.
func slug(name string) bool {
	return strings.HasSuffix(name, ".md") || !slices.Contains([]string{"none", "n/a", "todo", "tbd"}, name) &&
		strings.ContainsFunc(name, unicode.IsLetter) && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLower(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Lo, r) && !strings.ContainsRune("-_/", r)
	})
}

// frontLinks reads the lists links and related of the front matter:
// [a, b] or items below.
func (m *Memory) frontLinks(start, end int) {
	listing := false
	for at := start; at < end; {
		line, next := nextLine(m.src, at)
		no := lineOf(m.src, at)
		at = next
		text := string(line)
		if item, ok := strings.CutPrefix(strings.TrimSpace(text), "- "); ok && listing {
			m.frontLink(item, no)
			continue
		}
		key, value, ok := strings.Cut(text, ":")
		listing = ok && topicOf(foldHeading([]byte(key))) == links
		if !listing {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), "[]")
		for name := range strings.SplitSeq(value, ",") {
			m.frontLink(name, no)
		}
	}
}

func (m *Memory) frontLink(name string, at int) {
	name = strings.Trim(strings.TrimSpace(name), `"'[]`)
	if name != "" && memoryName(name) {
		m.Links = append(m.Links, Link{Target: name, At: at, Sure: strings.HasSuffix(name, ".md") || slug(name)})
	}
}

// metadataLines reads lines such as - **Confidence**: 0.92.
func (p *reading) metadataLines(lines *text.Segments) {
	for i := range lines.Len() {
		s := lines.At(i)
		key, value, ok := keyValue(p.src, span{s.Start, s.Stop})
		if !ok {
			continue
		}
		text := string(p.src[value.start:value.end])
		p.m.marks.lastItem = span{lineStart(p.src, s.Start), endOfLine(p.src, s.Stop)}
		switch {
		case key == "confidence" && p.m.Confidence < 0:
			p.m.Confidence, p.m.marks.confidence = confidence(text), value
		case key == "last verified" && p.m.LastVerified == "":
			p.m.LastVerified, p.m.marks.lastVerified = text, value
		case (key == "links" || key == "related") && !linked(text):
			for name := range strings.SplitSeq(text, ",") {
				if target, rest := firstWord(name); target != "" && rest == "" {
					p.addLink(target, s.Start, slug(target))
				}
			}
		}
	}
}

// keyValue reads "**Key**: value", "**Key:** value", "Key: value" with or
// without a list's marker.
func keyValue(src []byte, line span) (key string, value span, ok bool) {
	line = trim(src, span{line.start, line.start + len(bytes.TrimRight(src[line.start:line.end], "\r\n"))})
	colon := bytes.IndexByte(src[line.start:line.end], ':')
	if colon < 0 {
		return "", span{}, false
	}
	key = foldHeading(src[line.start : line.start+colon])
	value = span{line.start + colon + 1, line.end}
	for value.start < value.end && src[value.start] == '*' {
		value.start++
	}
	return key, trim(src, value), key != ""
}

// confidence reads 0.92 or 92%; -1 for anything else.
func confidence(text string) float64 {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return -1
	}
	return v
}

// markAdopted marks the references in prose whose places the memory also cites.
func (m *Memory) markAdopted() {
	if len(m.References) == 0 || len(m.Citations) == 0 {
		return
	}
	cited := map[int][]string{} // paths by line
	for _, c := range m.Citations {
		cited[c.Line] = append(cited[c.Line], reference.Clean(c.Path))
	}
	for i, r := range m.References {
		m.References[i].Adopted = !r.InCode && slices.ContainsFunc(cited[r.Line], func(path string) bool { return Means(r.Path, path) })
	}
}

// Means reports whether a path in prose, which may leave folders out or be relative to the memory, is the cited path.
func Means(written, cited string) bool {
	for strings.HasPrefix(written, "../") {
		written = written[len("../"):]
	}
	return written == cited || strings.HasSuffix(cited, "/"+written)
}
