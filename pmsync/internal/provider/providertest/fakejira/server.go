// Package fakejira behaves as the REST API of Jira Cloud does, as far as pmsync
// uses it: a search that is bounded, lags behind, compares minutes and pages by
// token; transitions that depend on the state and may ask for fields; ids that
// stay when keys change; three rate limits; errors in Jira's form.
package fakejira

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// The account that the server takes.
const (
	Email = "ann@example.com"
	Token = "ATATT3xFfGF0fAkE0fAkE0fAkE0fAkE0fAkE0fAkE0"
	Key   = "PROJ" // of the project that the tests read
)

// Options make a Server.
type Options struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	Lag   time.Duration // how late the search shows a change, at most
	// NumbersAsText makes JQL compare a number as the text it is not, so that a
	// search by milliseconds finds nothing.
	NumbersAsText bool
	// Offsets makes the search's tokens numbers of places, so that what moves to
	// the end between two pages makes another issue be skipped.
	Offsets bool
	// Turned makes a new link run from the outward issue to the inward one.
	Turned bool
	// Burst is how many requests an endpoint takes in a second; 100 when 0.
	Burst int
}

// states are those that an item can go to from anywhere.
var states = map[provider.Category]string{provider.Todo: "To Do", provider.InProgress: "In Progress", provider.Done: "Done", provider.Canceled: "Won't Do"}

// Server is one site. It implements providertest.World.
type Server struct {
	providertest.Served[issue]
	o Options

	w        *site
	bursts   map[string]*window
	perIssue map[string]*window
}

// window counts what was let through lately.
type window struct {
	from time.Time
	n    int
}

// New makes a site with two projects, four people and a board.
func New(o Options) *Server {
	o.Burst = cmp.Or(o.Burst, 100)
	s := &Server{Served: providertest.Served[issue]{Clock: o.Clock, Skew: o.Skew, States: states}, o: o, bursts: map[string]*window{}, perIssue: map[string]*window{}}
	s.w = newSite(s.Now, o)
	s.Find, s.Counts = s.w.find, func(i *issue) map[string]int { return i.writes }
	return s
}

// Name is Jira.
func (s *Server) Name() provider.Name { return provider.Jira }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := providertest.Own{Limited: limited, Expired: unauthorized,
		Forbidden: func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusForbidden, "You do not have permission to do this.")
		}}
	s.Serve(w, r, own, s.serve)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(Email+":"+Token)) {
		unauthorized(w, r)
		return
	}
	w.Header().Set("X-AUSERNAME", "5b10ac8d82e05b22cc7d4ef0")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if s.burst(w, r, parts) {
		return
	}
	var in map[string]any
	if len(body) > 0 && json.Unmarshal(body, &in) != nil {
		refuse(w, http.StatusBadRequest, "There was an error parsing JSON. Check that your request body is valid.")
		return
	}
	status, out := s.w.route(r, parts, in)
	if status == http.StatusNoContent || out == nil {
		w.WriteHeader(status)
		return
	}
	answer(w, status, out)
}

// burst refuses what comes too fast: per endpoint and second, and writes per
// issue.
func (s *Server) burst(w http.ResponseWriter, r *http.Request, parts []string) bool {
	now := s.Now()
	over := func(in map[string]*window, name string, most int, span time.Duration) bool {
		b := in[name]
		if b == nil || now.Sub(b.from) >= span {
			b = &window{from: now}
			in[name] = b
		}
		b.n++
		return b.n > most
	}
	endpoint := r.Method
	for _, p := range parts {
		if _, err := strconv.Atoi(p); err == nil || strings.Contains(p, "-") {
			p = "*"
		}
		endpoint += "/" + p
	}
	refused := func(reason string, after int) bool {
		w.Header().Set("RateLimit-Reason", reason)
		w.Header().Set("Retry-After", strconv.Itoa(after))
		w.Header().Set("X-RateLimit-Reset", now.Add(time.Duration(after)*time.Second).Format("2006-01-02T15:04Z"))
		refuse(w, http.StatusTooManyRequests, "Rate limit exceeded.")
		return true
	}
	if over(s.bursts, endpoint, s.o.Burst, time.Second) {
		return refused("jira-burst-based", 1)
	}
	if r.Method != http.MethodGet && len(parts) > 4 && parts[3] == "issue" && parts[4] != "bulkfetch" {
		if over(s.perIssue, "2s "+parts[4], 20, 2*time.Second) || over(s.perIssue, "30s "+parts[4], 100, 30*time.Second) {
			return refused("jira-per-issue-on-write", 2)
		}
	}
	return false
}

func answer(w http.ResponseWriter, status int, body any) {
	providertest.Answer(w, status, "application/json;charset=UTF-8", body)
}

func refuse(w http.ResponseWriter, status int, text string) { answer(w, status, problem("%s", text)) }

func problem(format string, args ...any) map[string]any {
	return map[string]any{"errorMessages": []string{fmt.Sprintf(format, args...)}, "errors": map[string]string{}}
}

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Seraph-LoginReason", "AUTHENTICATED_FAILED")
	answer(w, http.StatusUnauthorized, map[string]any{"message": "Client must be authenticated to access this resource.", "status-code": 401})
}

func limited(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("RateLimit-Reason", "jira-quota-tenant-based")
	w.Header().Set("Retry-After", "1847") // longer than what one would call a while
	refuse(w, http.StatusTooManyRequests, "Rate limit exceeded.")
}
