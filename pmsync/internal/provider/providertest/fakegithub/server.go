// Package fakegithub behaves as the REST API of GitHub does, and as its GraphQL API for
// projects, as far as pmsync uses it:
// lists of issues that hold pull requests too, are read from a time on and page by their
// Link header; entity tags; labels that come into being when they are used; assignees and
// labels that are dropped without an error where the account may not write; transfers
// that redirect, deletions that are gone; limits of many requests and of writes that come
// too fast.
package fakegithub

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// The account and the repository that the tests read.
const (
	Token = "ghp_fAkEfAkEfAkEfAkEfAkEfAkEfAkEfAkE0000"
	Owner = "octo"
	Repo  = "octo/app"
	Other = "octo/elsewhere" // where issues are transferred to
)

// Options make a Server.
type Options struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	// ReadOnly is an account without push access: its forbidden writes are dropped.
	ReadOnly bool
	// Board lets people keep states and priorities in the project Board.
	Board bool
	// Old is an Enterprise Server without sub-issues, dependencies and types.
	Old bool
	// Burst is how many writes a minute are taken; 80 when 0.
	Burst int
}

// states are those that an item can go to from anywhere.
var states = map[provider.Category]string{provider.Todo: "Open", provider.InProgress: "in progress", provider.Done: "Completed", provider.Canceled: "Not planned"}

// Server is GitHub with two repositories. It implements providertest.World.
type Server struct {
	providertest.Served[issue]
	o Options

	w      *hub
	from   time.Time // of the minute in which writes are counted
	writes int
}

// New makes a server with four people, labels, two milestones and no issue.
func New(o Options) *Server {
	o.Burst = cmp.Or(o.Burst, 80)
	s := &Server{Served: providertest.Served[issue]{Clock: o.Clock, Skew: o.Skew, States: states}, o: o}
	if o.Board {
		s.States = boardStates
	}
	s.w = newHub(s.now)
	s.Find, s.Counts = s.find, func(i *issue) map[string]int { return i.writes }
	return s
}

// now is the server's time, in whole seconds as GitHub keeps it.
func (s *Server) now() time.Time { return s.Now().Truncate(time.Second) }

// Name is GitHub.
func (s *Server) Name() provider.Name { return provider.GitHub }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := providertest.Own{Limited: s.secondary, Expired: expired, Forbidden: forbidden,
		NotFound: func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") }}
	s.Serve(w, r, own, s.serve)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Header.Get("Authorization") != "Bearer "+Token {
		expired(w, r)
		return
	}
	if r.Method != http.MethodGet && s.tooFast() {
		s.secondary(w, r)
		return
	}
	in := map[string]any{}
	if len(body) > 0 && json.Unmarshal(body, &in) != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	x := &request{s: s, r: r, in: in, host: "http://" + r.Host}
	status, out := x.route(strings.Split(strings.Trim(r.URL.Path, "/"), "/"))
	if x.location != "" {
		w.Header().Set("Location", x.location)
	}
	if x.link != "" {
		w.Header().Set("Link", x.link)
	}
	answer(w, r, status, out)
}

// tooFast counts writes in a minute.
func (s *Server) tooFast() bool {
	if now := s.now(); now.Sub(s.from) >= time.Minute {
		s.from, s.writes = now, 0
	}
	s.writes++
	return s.writes > s.o.Burst
}

// secondary refuses what comes too fast. The answer names no time, as it often does not.
func (s *Server) secondary(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
}

func expired(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusUnauthorized, "Bad credentials")
}

func forbidden(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusForbidden, "Resource not accessible by personal access token")
}

// answer writes a document with its entity tag, or that it is the one that the client has.
func answer(w http.ResponseWriter, r *http.Request, status int, out any) {
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4990")
	if r != nil && r.Method == http.MethodGet && status == http.StatusOK {
		sum := sha256.Sum256(text)
		tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func refuse(w http.ResponseWriter, status int, said string) {
	answer(w, nil, status, map[string]any{"message": said, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

// request is one that is being answered.
type request struct {
	s    *Server
	r    *http.Request
	in   map[string]any
	host string

	location, link string
}

// page is the part of a list that a request asks for; the Link header leads to the next.
func page[T any](x *request, all []T) []T {
	q := x.r.URL.Query()
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil || size < 1 {
		size = 30
	}
	size = min(size, 100)
	number, err := strconv.Atoi(q.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	from := min((number-1)*size, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		q.Set("page", strconv.Itoa(number+1))
		x.link = "<" + x.host + x.r.URL.Path + "?" + q.Encode() + `>; rel="next"`
	}
	return all[from:to]
}
