package redact

import (
	"html"
	"slices"
	"strings"
)

// htmlLines are the elements that begin a line, and htmlCells those that are cells.
var (
	htmlLines = strings.Fields("p div section article ul ol li table h1 h2 h3 h4 h5 h6 pre blockquote hr br dl dt body head header footer")
	htmlCells = strings.Fields("td th dd")
)

// HTML redacts the words of a fragment of HTML in reading order, through styles and cells, and the attributes of its elements; the rest
// stays byte for byte. A fragment without secrets is returned unchanged.
func HTML(fragment string) (clean string, kinds []string) {
	type token struct {
		raw   string
		place int // among the words, or -1
	}
	var words pieces
	var tokens []token
	row := false
	t := text{s: fragment}
	for i := 0; i < len(fragment); {
		end := t.element(i)
		if end == 0 {
			end = t.find('<', i+1)
			tokens = append(tokens, token{fragment[i:end], words.add(html.UnescapeString(fragment[i:end]))})
			i = end
			continue
		}
		raw := fragment[i:end]
		name, closing := elementName(raw)
		switch {
		case closing && slices.Contains(htmlCells, name):
			words.gap(" | ")
		case name == "tr":
			words.gap("\n")
			if row = !closing; row {
				words.gap("| ")
			}
		case slices.Contains(htmlLines, name) && !row:
			words.gap("\n")
		case slices.Contains(htmlLines, name):
			words.gap(" ")
		}
		tag, found := Redact(raw)
		kinds = append(kinds, found...)
		tokens = append(tokens, token{tag, -1})
		i = end
	}
	changed, found := words.redacted()
	if kinds = append(kinds, found...); len(kinds) == 0 {
		return fragment, nil
	}
	var out strings.Builder
	for _, one := range tokens {
		if text, is := changed[one.place]; is && one.place >= 0 {
			out.WriteString(html.EscapeString(text))
			continue
		}
		out.WriteString(one.raw)
	}
	return out.String(), kinds
}

// element returns where the tag or remark at t.s[i:] ends, or 0 for none.
func (t *text) element(i int) int {
	if strings.HasPrefix(t.s[i:], "<!--") {
		if end := strings.Index(t.s[i:], "-->"); end >= 0 {
			return i + end + len("-->")
		}
		return len(t.s)
	}
	c := t.byteAt(i + 1)
	if t.s[i] != '<' || !is(c, letter) && c != '/' && c != '!' && c != '?' {
		return 0
	}
	if end := t.find('>', i); end < len(t.s) {
		return end + 1
	}
	return 0
}

// elementName returns the name of a tag, in lower case, and whether it closes its element.
func elementName(tag string) (name string, closing bool) {
	tag, closing = strings.CutPrefix(tag[1:], "/")
	return strings.ToLower(tag[:leading(tag, alphanum)]), closing
}

// pieces are the texts of a tree in reading order. Secrets are searched in all of them at once, because a name can be in bold and its value
// after it, or each in a cell of its own. A secret is taken out of the pieces that hold it.
type pieces struct {
	all   strings.Builder
	parts []span
}

// add adds a text and returns its place among the pieces.
func (p *pieces) add(s string) int {
	from := p.all.Len()
	p.all.WriteString(s)
	p.parts = append(p.parts, span{from, p.all.Len()})
	return len(p.parts) - 1
}

// gap adds the text that a reader sees between two texts: the end of a line, of a cell.
func (p *pieces) gap(s string) {
	if all := p.all.String(); s != "\n" || all != "" && !strings.HasSuffix(all, "\n") {
		p.all.WriteString(s)
	}
}

// redacted returns, by place, the pieces that changed, without their secrets.
func (p *pieces) redacted() (changed map[int]string, kinds []string) {
	all := p.all.String()
	changed = map[int]string{}
	at := 0
	var out strings.Builder
	hits := find(all)
	for i, part := range p.parts {
		for at < len(hits) && hits[at].to <= part.from {
			at++
		}
		if at >= len(hits) {
			break
		}
		if hits[at].from >= part.to {
			continue
		}
		out.Reset()
		done := part.from
		for k := at; k < len(hits) && hits[k].from < part.to; k++ {
			h := hits[k]
			if h.from > done {
				out.WriteString(all[done:h.from])
			}
			if h.from >= part.from { // a secret is named where it begins
				out.WriteString(Marked(h.kind))
				kinds = append(kinds, h.kind)
			}
			done = max(done, h.to)
		}
		if done < part.to {
			out.WriteString(all[done:part.to])
		}
		changed[i] = out.String()
	}
	for i, part := range p.parts { // what came together where a secret was
		was, is := changed[i]
		if !is {
			was = all[part.from:part.to]
		}
		if now, found := Redact(was); found != nil {
			changed[i] = now
			kinds = append(kinds, found...)
		}
	}
	return changed, kinds
}
