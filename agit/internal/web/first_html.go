package web

import (
	"html"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/view/overview"
)

// markup is a page being written. Every foreign text goes through text, which escapes it for content and for double-quoted attributes;
// foreign texts are allowed nowhere else. html/template would ensure that, but it calls methods by name, so the linker would keep every
// method of the program: five megabytes.
type markup struct{ strings.Builder }

func (m *markup) raw(ours string)    { m.WriteString(ours) }
func (m *markup) text(theirs string) { m.WriteString(html.EscapeString(theirs)) }

// attribute adds an attribute with a leading space, unless its value is empty.
func (m *markup) attribute(name, value string) {
	if value != "" {
		m.raw(" " + name + `="`)
		m.text(value)
		m.raw(`"`)
	}
}

// element writes a text between its tags; opening is the start tag without its brackets.
func (m *markup) element(opening, text string) {
	name, _, _ := strings.Cut(opening, " ")
	m.raw("<" + opening + ">")
	m.text(text)
	m.raw("</" + name + ">")
}

// html returns the whole page.
func (p *firstPage) html() string {
	var m markup
	m.raw("<!doctype html>\n<html lang=\"en\" data-project=\"")
	m.text(p.Project)
	m.raw(`"`)
	if p.Actions {
		m.attribute("data-actions", "yes")
	}
	m.attribute("data-most-rows", strconv.Itoa(overview.MostRows))
	m.attribute("data-token", p.Token)
	m.raw(`>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
`)
	title, headline := "agit", "agit"
	if p.Paint != nil {
		title, headline = "agit · "+p.Paint.Headline, p.Paint.Headline
	}
	m.element("title", title)
	m.raw(`
<link rel="icon" href="/static/icon.svg">
<link rel="manifest" href="/static/app.webmanifest">
<link rel="stylesheet" href="/static/look.css">
<link rel="stylesheet" href="/static/page.css">
`)
	for _, script := range p.Scripts {
		m.raw(`<link rel="modulepreload"`)
		m.attribute("href", script)
		m.raw(">\n")
	}
	m.raw("<script type=\"module\" src=\"/static/app.js\"></script>\n</head>\n<body>\n<div id=\"app\">\n")
	if p.Known {
		m.known(p, headline)
	} else {
		m.raw(`<main id="main"><h1>agit</h1><noscript><p>Without JavaScript, open the page with <code>agit web --open</code>.</p></noscript></main>` + "\n")
	}
	m.raw("</div>\n</body>\n</html>\n")
	return m.String()
}

// known writes the part that only the owner sees.
func (m *markup) known(p *firstPage, headline string) {
	m.raw(`<header class="top">`)
	m.element(`p class="headline"`, headline)
	as := ""
	if p.Paint != nil {
		as = "as of " + p.Paint.At
	}
	m.element(`p class="live" role="status"`, as)
	m.raw("</header>\n<nav class=\"tabs\" aria-label=\"Views\">")
	for _, v := range p.Views {
		m.raw("<a")
		m.attribute("href", v.Path)
		if v.Path == p.Path {
			m.attribute("aria-current", "page")
		}
		m.raw(">")
		m.text(v.Name)
		m.raw("</a>")
	}
	m.raw("</nav>\n<main id=\"main\" class=\"first\">\n")
	if p.Problem != "" {
		m.element(`p class="problem"`, p.Problem)
		m.raw("\n")
	}
	if p.Paint != nil && p.Paint.Unknown {
		m.raw(`<noscript><p class="soft">What is unknown is being looked at: load the page again.</p></noscript>` + "\n")
	}
	if p.Paint != nil {
		for i := range p.Paint.Sections {
			m.section(&p.Paint.Sections[i])
		}
	}
	m.raw("</main>\n")
}

// section writes a table under its heading.
func (m *markup) section(s *Section) {
	m.raw("<section")
	m.attribute("aria-labelledby", s.ID)
	m.raw(">\n<h2")
	m.attribute("id", s.ID)
	m.raw(">")
	m.text(s.Title)
	m.raw("</h2>\n")
	if s.Note != "" {
		m.element(`p class="soft"`, s.Note)
		m.raw("\n")
	}
	if len(s.Rows) > 0 {
		m.raw(`<div class="scroll" role="region"`)
		m.attribute("aria-labelledby", s.ID)
		m.raw(" tabindex=\"0\"><table>\n<thead><tr>")
		for _, column := range s.Columns {
			m.element(`th scope="col"`, column)
		}
		m.raw("</tr></thead>\n<tbody>")
		for _, row := range s.Rows {
			m.raw("<tr>")
			for i, cell := range row {
				opening := "td"
				if i == 0 {
					opening = `th scope="row"`
				}
				m.element(opening, cell)
			}
			m.raw("</tr>\n")
		}
		m.raw("</tbody>\n</table></div>")
	}
	m.raw("\n</section>\n")
}
