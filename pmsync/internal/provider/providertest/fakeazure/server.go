// Package fakeazure simulates the REST API of Azure DevOps as far as pmsync uses it: queries that return ids, accept times only with
// timePrecision and fail beyond 20,000 rows; batches of 200 with gaps; patches that test the revision; state transitions; a sign-in
// page for an expired token; limits that ask for a pause in successful answers; a recycle bin.
package fakeazure

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// Token is the valid personal access token.
const Token = "fAkEpAtfAkEpAtfAkEpAtfAkEpAtfAkEpAtfAkEpAtfAkEpAtfAk"

// The organization, the project of the tests, and another project.
const (
	Organization = "fabrikam"
	Project      = "Semfora Web"
	ProjectID    = "eb6e4656-77fc-42a1-9181-4c6d8e9da5d1"
	OtherProject = "Operations"
	otherID      = "6ce954b1-ce1f-45d1-b94d-e6bf2464ba2c"
)

// Options make a Server.
type Options struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	// Units is the limit of use in five minutes; 2,000 when 0. A read costs 0.2, a batch 1, a write 2.
	Units float64
	// MaxRows is the most rows of a query; 20,000 when 0.
	MaxRows int
	// Lag is the delay after which a query shows a change.
	Lag time.Duration
}

// states are those that an item can change to from any state.
var states = map[provider.Category]string{provider.Todo: "New", provider.InProgress: "Active", provider.Done: "Closed", provider.Canceled: "Removed"}

// Server is one organization. It implements providertest.World.
type Server struct {
	providertest.Served[item]
	o Options

	w    *organization
	left float64
	at   time.Time
}

// New makes an organization with two projects of an agile process, three people
// and some iterations.
func New(o Options) *Server {
	o.Units = cmp.Or(o.Units, 2000)
	o.MaxRows = cmp.Or(o.MaxRows, 20000)
	s := &Server{Served: providertest.Served[item]{Clock: o.Clock, Skew: o.Skew, States: states}, o: o, left: o.Units}
	s.at = s.Now()
	s.w = newOrganization(s.Now)
	s.Find, s.Counts = s.w.find, func(i *item) map[string]int { return i.writes }
	return s
}

// Name is Azure DevOps.
func (s *Server) Name() provider.Name { return provider.AzureDevOps }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := providertest.Own{Limited: s.limited, Expired: signIn, Forbidden: forbidden}
	s.Serve(w, r, own, s.serve)
}

var credentials = "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+Token))

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Header.Get("Authorization") != credentials {
		signIn(w, r)
		return
	}
	if s.charge(w, r) {
		refuse(w, http.StatusTooManyRequests, "TooManyRequestsException", "TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource 'Concurrency' in namespace 'User'.")
		return
	}
	w.Header().Set("X-VSS-UserData", s.w.people[0].id+":"+s.w.people[0].mail)
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 || parts[0] != Organization {
		refuse(w, http.StatusNotFound, "VssServiceException", "VS800075: The organization does not exist.")
		return
	}
	c := &call{s: s, w: s.w, q: r.URL.Query(), body: body, header: r.Header}
	s.route(w, c, r.Method, parts[1:])
}

// charge counts the cost of a request. Near the limit, the service first asks for a pause in a successful answer.
func (s *Server) charge(w http.ResponseWriter, r *http.Request) (refused bool) {
	now := s.Now()
	s.left = math.Min(s.o.Units, s.left+now.Sub(s.at).Seconds()*s.o.Units/300)
	s.at = now
	cost := 0.2
	switch {
	case strings.HasSuffix(strings.ToLower(r.URL.Path), "/workitemsbatch"), strings.HasSuffix(strings.ToLower(r.URL.Path), "/wiql"):
		cost = 1
	case r.Method != http.MethodGet:
		cost = 2
	}
	refused = s.left < cost
	if !refused {
		s.left -= cost
	}
	if s.left < s.o.Units/10 {
		wait := int(math.Ceil((s.o.Units/10 - s.left) / s.o.Units * 300))
		w.Header().Set("Retry-After", strconv.Itoa(max(1, wait)))
		w.Header().Set("X-RateLimit-Resource", "TSTU")
		w.Header().Set("X-RateLimit-Limit", strconv.Itoa(int(s.o.Units)))
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(int(s.left)))
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(time.Duration(wait)*time.Second).Unix(), 10))
	}
	return refused
}

// failure is an error answer of a handler.
type failure struct {
	status       int
	key, message string
}

func fail(status int, key, format string, args ...any) *failure {
	return &failure{status, key, fmt.Sprintf(format, args...)}
}

// call is a request for its handler.
type call struct {
	s       *Server
	w       *organization
	project *project // nil means the whole organization
	team    string
	rest    []string // the segments after _apis
	q       url.Values
	body    []byte
	header  http.Header
}

// listed is a list on the wire.
func listed(items []any) map[string]any {
	if items == nil {
		items = []any{}
	}
	return map[string]any{"count": len(items), "value": items}
}

// routes are the endpoints below _apis; * is any segment. Paths ignore case.
var routes = []struct {
	method, path string
	preview      string // the required version, 7.1 when empty
	do           handler
}{
	{"GET", "projects", "", (*call).projects},
	{"GET", "projects/*", "", onProject((*call).oneProject)},
	{"GET", "projects/*/teams", "", onProject((*call).teams)},
	{"GET", "projects/*/teams/*/members", "", onProject((*call).members)},
	{"POST", "wit/wiql", "", (*call).wiql},
	{"POST", "wit/workitemsbatch", "", (*call).batch},
	{"GET", "wit/workitems/*", "", onItem((*call).workItem)},
	{"PATCH", "wit/workitems/*", "", onItem((*call).update)},
	{"POST", "wit/workitems/*", "", (*call).create},
	{"GET", "wit/recyclebin", "", (*call).bin},
	{"GET", "wit/recyclebin/*", "", (*call).binned},
	{"GET", "wit/workitemtypes", "", (*call).types},
	{"GET", "wit/workitemtypes/*/states", "", (*call).states},
	{"GET", "wit/fields/*", "", (*call).field},
	{"GET", "wit/workitemtypecategories", "", (*call).categories},
	{"GET", "wit/workitems/*/comments", "7.1-preview.4", onItem((*call).comments)},
	{"POST", "wit/workitems/*/comments", "7.1-preview.4", onItem((*call).comment)},
	{"GET", "work/teamsettings/iterations", "", (*call).iterations},
}

func (s *Server) route(w http.ResponseWriter, c *call, method string, parts []string) {
	at := 0
	for at < len(parts) && parts[at] != "_apis" {
		at++
	}
	if at > 2 || at == len(parts) {
		refuse(w, http.StatusNotFound, "", "The controller for path was not found.")
		return
	}
	if at > 0 {
		if c.project = s.w.project(parts[0]); c.project == nil {
			refuse(w, http.StatusNotFound, "ProjectDoesNotExistWithNameException", "TF200016: The following project does not exist: "+parts[0]+". Verify that the name of the project is correct and that the project exists on the specified Azure DevOps Server.")
			return
		}
	}
	if at == 2 {
		c.team = parts[1]
	}
	c.rest = parts[at+1:]
	for _, r := range routes {
		if is, _ := path.Match(r.path, strings.ToLower(strings.Join(c.rest, "/"))); !is || r.method != method {
			continue
		}
		version, wanted := c.q.Get("api-version"), r.preview
		wanted = cmp.Or(wanted, "7.1")
		if version == "" {
			refuse(w, http.StatusBadRequest, "VssVersionNotSpecifiedException", "No api-version was supplied for the \""+method+"\" request. The version must be supplied either as part of the Accept header (e.g. \"application/json; api-version=1.0\") or as a query parameter (e.g. \"?api-version=1.0\").")
			return
		}
		if version != wanted {
			refuse(w, http.StatusBadRequest, "VssInvalidPreviewVersionException", "The requested version \""+version+"\" of the resource is under preview. The -preview flag must be supplied in the api-version for such requests. For example: \""+wanted+"\"")
			return
		}
		data, f := r.do(c)
		if f != nil {
			refuse(w, f.status, f.key, f.message)
			return
		}
		write(w, http.StatusOK, data)
		return
	}
	refuse(w, http.StatusNotFound, "", "The controller for path was not found.")
}

func write(w http.ResponseWriter, status int, body any) {
	providertest.Answer(w, status, "application/json; charset=utf-8; api-version=7.1", body)
}

func refuse(w http.ResponseWriter, status int, key, message string) {
	write(w, status, map[string]any{"$id": "1", "innerException": nil, "message": message,
		"typeName": "Microsoft.VisualStudio.Services." + key + ", Microsoft.VisualStudio.Services.WebApi", "typeKey": key, "errorCode": 0, "eventId": 3000})
}

func (s *Server) limited(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "13")
	refuse(w, http.StatusTooManyRequests, "TooManyRequestsException", "TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource 'Concurrency' in namespace 'User'.")
}

// signIn is the answer to an invalid or expired token.
func signIn(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPatch {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNonAuthoritativeInfo)
	_, _ = w.Write([]byte("<!DOCTYPE html><html lang=\"en-US\"><head><title>Azure DevOps Services | Sign In</title></head><body></body></html>"))
}

func forbidden(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusForbidden, "UnauthorizedRequestException", "TF50309: The following account does not have sufficient permissions to complete the operation.")
}
