// Package fakeasana simulates Asana's REST API as far as pmsync uses it: fields only on request; page tokens that expire; subtasks that
// no project list shows; moves between sections that do not change the modification time; an event stream that resets with status 412,
// forgets after a day and may lose events; per-minute limits that also count refused requests.
package fakeasana

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// Token is the valid personal access token.
const Token = "2/1200000000000001/1200000000000002:fAkE0fAkE0fAkE0fAkE0fAkE0fAkE0fA"

// Path is the prefix of every path.
const Path = "/api/1.0"

// The project of the tests, another one, and their workspace.
const (
	Project      = "1200000000001001"
	OtherProject = "1200000000001002"
	Workspace    = "1200000000000100"
)

// The custom fields of the project.
const (
	PriorityField = "Priority"
	StageField    = "Stage"
)

// Options make a Server.
type Options struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	// PerMinute is the limit of requests in a minute; 1,500 when 0.
	PerMinute float64
	// LoseEvents is the percentage of events that are never delivered.
	LoseEvents int
}

// states are those that an item can change to from any state.
var states = map[provider.Category]string{provider.Todo: "To do", provider.InProgress: "Doing", provider.Done: "Done", provider.Canceled: "Won't do"}

// Server is one workspace. It implements providertest.World.
type Server struct {
	providertest.Served[task]
	o Options

	w    *workspace
	left float64
	at   time.Time
}

// New makes a workspace with two projects, three people, sections, tags and two
// custom fields.
func New(o Options) *Server {
	o.PerMinute = cmp.Or(o.PerMinute, 1500)
	s := &Server{Served: providertest.Served[task]{Clock: o.Clock, Skew: o.Skew, States: states}, o: o, left: o.PerMinute}
	s.at = s.Now()
	s.w = newWorkspace(s.Now, o.LoseEvents)
	s.Find, s.Counts = func(id string) *task { return s.w.byGID[id] }, func(t *task) map[string]int { return t.writes }
	return s
}

// Name is Asana.
func (s *Server) Name() provider.Name { return provider.Asana }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := providertest.Own{Limited: limited, Expired: unauthorized, Forbidden: forbidden}
	w.Header().Set("Asana-Change", "name=new_user_task_lists,info=https://developers.asana.com/docs/deprecations,affected=true")
	s.Serve(w, r, own, s.serve)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if wait := s.charge(); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		refuse(w, http.StatusTooManyRequests, "You have made too many requests recently. Please, be chill.")
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		unauthorized(w, r)
		return
	}
	below, ok := strings.CutPrefix(r.URL.Path, Path+"/")
	if !ok {
		refuse(w, http.StatusNotFound, "No matching route for request")
		return
	}
	s.route(w, r.Method, below, r.URL.Query(), body)
}

// charge counts a request against the minute's limit, even a refused one.
func (s *Server) charge() time.Duration {
	now := s.Now()
	s.left = math.Min(s.o.PerMinute, s.left+now.Sub(s.at).Minutes()*s.o.PerMinute)
	s.at = now
	s.left--
	if s.left < 0 {
		s.left = math.Max(s.left, -s.o.PerMinute/10)
		return time.Duration((1-s.left)/s.o.PerMinute*float64(time.Minute)) + time.Second
	}
	return 0
}

// failure is an error answer of a handler.
type failure struct {
	status  int
	message string
	sync    string // new token of an event stream that was reset
}

func fail(status int, format string, args ...any) *failure {
	return &failure{status: status, message: fmt.Sprintf(format, args...)}
}

// call is a request for its handler.
type call struct {
	w      *workspace
	q      url.Values
	parts  []string
	data   map[string]any
	fields []string
}

// handler returns the value of data, or a whole document.
type handler func(*call) (any, *failure)

// whole is an answer without the data wrapper.
type whole map[string]any

// routes are the endpoints: a method and a path in which * is any segment.
var routes = []struct {
	method, path string
	status       int
	do           handler
}{
	{"GET", "users/*", 200, (*call).user},
	{"GET", "workspaces", 200, (*call).workspaces},
	{"GET", "workspaces/*/projects", 200, inWorkspace((*call).projects)},
	{"GET", "workspaces/*/tags", 200, inWorkspace((*call).tags)},
	{"POST", "workspaces/*/tags", 201, inWorkspace((*call).makeTag)},
	{"GET", "workspaces/*/typeahead", 200, inWorkspace((*call).typeahead)},
	{"GET", "workspaces/*/tasks/custom_id/*", 200, (*call).numbered},
	{"GET", "projects/*", 200, on((*call).theProject, (*call).project)},
	{"GET", "projects/*/sections", 200, on((*call).theProject, (*call).sections)},
	{"GET", "projects/*/custom_field_settings", 200, on((*call).theProject, (*call).settings)},
	{"GET", "custom_types", 200, (*call).customTypes},
	{"GET", "events", 200, (*call).events},
	{"GET", "tasks", 200, (*call).tasks},
	{"POST", "tasks", 201, (*call).makeTask},
	{"GET", "tasks/*", 200, on((*call).theTask, (*call).task)},
	{"PUT", "tasks/*", 200, on((*call).theTask, (*call).changeTask)},
	{"GET", "tasks/*/subtasks", 200, on((*call).theTask, (*call).subtasks)},
	{"GET", "tasks/*/stories", 200, on((*call).theTask, (*call).stories)},
	{"POST", "tasks/*/stories", 201, on((*call).theTask, (*call).makeStory)},
	{"POST", "tasks/*/addTag", 200, on((*call).theTask, (*call).addTag)},
	{"POST", "tasks/*/removeTag", 200, on((*call).theTask, (*call).removeTag)},
	{"GET", "attachments", 200, (*call).attachments},
	{"POST", "tasks/*/setParent", 200, on((*call).theTask, (*call).setParent)},
	{"POST", "tasks/*/addProject", 200, on((*call).theTask, (*call).addProject)},
	{"POST", "tasks/*/addDependencies", 200, on((*call).theTask, (*call).addDependencies)},
	{"POST", "tasks/*/addDependents", 200, on((*call).theTask, (*call).addDependents)},
	{"GET", "sections/*/tasks", 200, (*call).sectionTasks},
	{"POST", "sections/*/addTask", 200, (*call).addTask},
}

func (s *Server) route(w http.ResponseWriter, method, below string, q url.Values, body []byte) {
	if method == http.MethodPost && below == "batch" {
		s.batch(w, body)
		return
	}
	parts := strings.Split(below, "/")
	for _, r := range routes {
		if is, _ := path.Match(r.path, below); !is || r.method != method {
			continue
		}
		c := &call{w: s.w, q: q, parts: parts}
		if f := q.Get("opt_fields"); f != "" {
			c.fields = strings.Split(f, ",")
		}
		if method != http.MethodGet {
			var sent struct{ Data map[string]any }
			if json.Unmarshal(body, &sent) != nil || sent.Data == nil {
				refuse(w, http.StatusBadRequest, "Could not parse request data, invalid JSON or missing data")
				return
			}
			c.data = sent.Data
		}
		data, f := r.do(c)
		switch document, isWhole := data.(whole); {
		case f != nil && f.sync != "":
			write(w, f.status, map[string]any{"errors": []any{map[string]any{"message": f.message}}, "sync": f.sync})
		case f != nil:
			refuse(w, f.status, f.message)
		case isWhole:
			write(w, r.status, document)
		default:
			write(w, r.status, map[string]any{"data": data})
		}
		return
	}
	refuse(w, http.StatusNotFound, "No matching route for request")
}

// batch answers up to ten requests in one; each counts against the limit.
func (s *Server) batch(w http.ResponseWriter, body []byte) {
	var sent struct {
		Data struct {
			Actions []struct {
				Method  string
				Path    string `json:"relative_path"`
				Data    map[string]any
				Options struct{ Fields []string }
			}
		}
	}
	if json.Unmarshal(body, &sent) != nil || len(sent.Data.Actions) == 0 || len(sent.Data.Actions) > 10 {
		refuse(w, http.StatusBadRequest, "actions: A batch request must have between 1 and 10 actions")
		return
	}
	out := []any{}
	for _, a := range sent.Data.Actions {
		answer := httptest.NewRecorder()
		if wait := s.charge(); wait > 0 {
			refuse(answer, http.StatusTooManyRequests, "You have made too many requests recently. Please, be chill.")
		} else {
			q := url.Values{}
			if len(a.Options.Fields) > 0 {
				q.Set("opt_fields", strings.Join(a.Options.Fields, ","))
			}
			data, _ := json.Marshal(map[string]any{"data": a.Data})
			s.route(answer, strings.ToUpper(a.Method), strings.TrimPrefix(a.Path, "/"), q, data)
		}
		out = append(out, map[string]any{"status_code": answer.Code, "headers": map[string]any{}, "body": json.RawMessage(answer.Body.Bytes())})
	}
	write(w, http.StatusOK, map[string]any{"data": out})
}

func write(w http.ResponseWriter, status int, body any) {
	providertest.Answer(w, status, "application/json; charset=UTF-8", body)
}

func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"errors": []any{map[string]any{"message": message,
		"help": "For more information on API status codes and how to handle them, read the docs on errors: https://developers.asana.com/docs/errors"}}})
}

func limited(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "17")
	refuse(w, http.StatusTooManyRequests, "You have made too many requests recently. Please, be chill.")
}

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusUnauthorized, "Not Authorized")
}

func forbidden(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusForbidden, "You do not have access to this resource")
}
