package web

import (
	"io"
	"net/http"
	"slices"
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
