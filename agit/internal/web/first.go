package web

import (
	"html"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/agit/internal/view/overview"
)

// view is a tab of the page.
type view struct{ Path, Name string }

// views are the tabs, each with an address of its own.
var views = []view{{"/", "Overview"}, {"/board", "Board"}, {"/graph", "Graph"}, {"/conflicts", "Conflicts"}, {"/timeline", "Timeline"},
	{"/memories", "Memories"}, {"/sprint", "Sprint"}, {"/records", "Records"}}

// firstPage holds the data of the first page.
type firstPage struct {
	Token   string // for the visitor who opened the one-time URL
	Known   bool   // the visitor is the owner, so there is data to show
	Actions bool
	Project string
	Path    string
	Views   []view
	Scripts []string
	Paint   *Paint
	Problem string
}

// first serves the page without JavaScript: readable tables, only for the user's own connections. A URL fragment never reaches the
// server, so the system must name the owner of the connection. Where it cannot, the page is empty until its script has sent the token.
func (s *Server) first(w http.ResponseWriter, r *http.Request) {
	if !slices.ContainsFunc(views, func(v view) bool { return v.Path == r.URL.Path }) {
		http.NotFound(w, r)
		return
	}
	s.paint(w, r, firstPage{Known: s.peers.Mine(r), Path: r.URL.Path})
}

// openOnce serves a URL that works once, with which a browser can be started. Everyone can see it in the process list, but then it no
// longer works.
func (s *Server) openOnce(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	good := s.once != "" && same(r.PathValue("secret"), s.once)
	if good {
		s.once = ""
	}
	s.mu.Unlock()
	if !good {
		http.Error(w, "this address worked once; open the one that `agit web` printed", http.StatusGone)
		return
	}
	s.paint(w, r, firstPage{Known: true, Token: s.token, Path: "/"})
}

func (s *Server) paint(w http.ResponseWriter, r *http.Request, p firstPage) {
	s.trim.Touch()
	p.Views, p.Scripts, p.Actions, p.Project = views, scripts(), s.options.Actions, s.options.Project
	if asked := r.URL.Query(); asked.Has("project") {
		p.Project = asked.Get("project")
	}
	if p.Known {
		paint, err := s.model.Paint(r.Context(), p.Path, p.Project)
		if p.Paint = paint; err != nil {
			p.Problem = err.Error()
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, err := io.WriteString(w, p.html()); err != nil {
		s.options.Log.Debug("write the page", "error", err)
	}
}

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
