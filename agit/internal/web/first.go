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

// firstPage is what the page is made of.
type firstPage struct {
	Token    string // of one who opened the once-only address
	Known    bool   // who asks is the owner, so that there is something to show
	Actions  bool
	Project  string
	Path     string
	Views    []view
	Scripts  []string
	Paint    *Paint
	Problem  string
	Headline string
}

// first is the page as it is without JavaScript: readable tables, of the user's own
// requests alone. A fragment never reaches the server, so that it is the system that
// says whose the connection is; where it does not, the page is empty until its script
// has sent the token.
func (s *Server) first(w http.ResponseWriter, r *http.Request) {
	if !slices.ContainsFunc(views, func(v view) bool { return v.Path == r.URL.Path }) {
		http.NotFound(w, r)
		return
	}
	s.paint(w, r, firstPage{Known: s.peers.Mine(r), Path: r.URL.Path})
}

// openOnce is the page at an address that works once, which a browser can be started
// with: the list of processes shows it to everyone, when it is of no more use.
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
