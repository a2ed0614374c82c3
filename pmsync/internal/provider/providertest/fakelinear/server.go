// Package fakelinear behaves as Linear's GraphQL API does, as far as pmsync uses
// it: lists with limits that are refused and not clamped, descending unless they
// are sorted, archived things hidden and archiving no change; leaky buckets for
// requests and points, refused with status 400; errors beside the data; ids that
// callers give; identifiers that change when an issue moves to another team.
package fakelinear

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/gql"
)

// Key is the API key that the server takes.
const Key = "lin_api_fAkE0fAkE0fAkE0fAkE0fAkE0fAkE0fAkE0"

// The team that the tests read, and another one.
const (
	Team      = "7a0e7c5e-0000-4000-8000-0000000000a1"
	TeamKey   = "SEM"
	OtherTeam = "7a0e7c5e-0000-4000-8000-0000000000a2"
)

// Options make a Server.
type Options struct {
	Clock interface{ Now() time.Time }
	Skew  time.Duration // the server's clock is ahead of Clock by this
	// RequestsPerHour and PointsPerHour are the limits; 2,500 and 3,000,000 when 0.
	RequestsPerHour, PointsPerHour float64
}

// states are those that an item can go to from anywhere.
var states = map[provider.Category]string{provider.Todo: "Todo", provider.InProgress: "In Progress", provider.Done: "Done", provider.Canceled: "Canceled"}

// Server is one workspace. It implements providertest.World.
type Server struct {
	providertest.Served[issue]
	o Options

	w       *workspace
	buckets map[string]*bucket
	queries map[string]*ast.QueryDocument
}

// New makes a workspace with two teams, three people and some labels.
func New(o Options) *Server {
	o.RequestsPerHour = cmp.Or(o.RequestsPerHour, 2500)
	o.PointsPerHour = cmp.Or(o.PointsPerHour, 3_000_000)
	s := &Server{Served: providertest.Served[issue]{Clock: o.Clock, Skew: o.Skew, States: states}, o: o, queries: map[string]*ast.QueryDocument{}}
	s.w = newWorkspace(s.Now)
	s.Find, s.Counts = func(id string) *issue { return s.w.byID[id] }, func(i *issue) map[string]int { return i.writes }
	s.buckets = map[string]*bucket{
		"Requests":   {limit: o.RequestsPerHour, left: o.RequestsPerHour, at: s.Now()},
		"Complexity": {limit: o.PointsPerHour, left: o.PointsPerHour, at: s.Now()},
	}
	return s
}

// Name is Linear.
func (s *Server) Name() provider.Name { return provider.Linear }

// bucket is a leaky bucket: what was used flows back evenly over an hour.
type bucket struct {
	limit, left float64
	at          time.Time
}

func (b *bucket) refill(now time.Time) {
	b.left = math.Min(b.limit, b.left+now.Sub(b.at).Hours()*b.limit)
	b.at = now
}

func (b *bucket) full(now time.Time) time.Time {
	return now.Add(time.Duration((b.limit - b.left) / b.limit * float64(time.Hour)))
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := providertest.Own{Limited: s.limited, Expired: s.expired, Forbidden: s.forbidden, NotFound: s.notFound}
	s.Serve(w, r, own, s.serve)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.URL.Path != "/graphql" || r.Method != http.MethodPost {
		http.Error(w, "Cannot "+r.Method+" "+r.URL.Path, http.StatusNotFound)
		return
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		answer(w, http.StatusBadRequest, nil, failure{Code: "GRAPHQL_PARSE_FAILED", Message: "a JSON body is needed"})
		return
	}
	switch r.Header.Get("Authorization") {
	case Key:
	case "Bearer " + Key:
		answer(w, http.StatusBadRequest, nil, failure{Code: "AUTHENTICATION_ERROR", Type: "authentication error",
			Message: "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header."})
		return
	default:
		s.expired(w, r)
		return
	}
	var q struct {
		Query     string
		Variables map[string]any
	}
	if json.Unmarshal(body, &q) != nil {
		answer(w, http.StatusBadRequest, nil, failure{Code: "GRAPHQL_PARSE_FAILED", Message: "the body is not JSON"})
		return
	}
	document := s.queries[q.Query]
	if document == nil {
		var err *gqlerror.Error
		if doc, e := parser.ParseQuery(&ast.Source{Input: q.Query}); e == nil {
			document = doc
		} else {
			errors.As(e, &err)
		}
		if document == nil || len(document.Operations) != 1 {
			answer(w, http.StatusBadRequest, nil, failure{Code: "GRAPHQL_VALIDATION_FAILED", Message: fmt.Sprint("Syntax error: ", err)})
			return
		}
		s.queries[q.Query] = document
	}
	op := document.Operations[0]
	points := cost(op.SelectionSet, q.Variables)
	if points > 10_000 {
		answer(w, http.StatusBadRequest, nil, failure{Code: "INVALID_INPUT", Type: "invalid input", Message: fmt.Sprintf("Query too complex: %.0f points, at most 10000", points)})
		return
	}
	refused := s.charge(w, points)
	if refused {
		answer(w, http.StatusBadRequest, nil, failure{Code: "RATELIMITED", Type: "ratelimited", Message: "Rate limit exceeded"})
		return
	}
	var failures []failure
	run := &gql.Execution{Variables: q.Variables, Stamp: stamp, Fail: func(err error, path []any) { failures = append(failures, failed(err, path)) }}
	data := run.Operation(s.w, op)
	answer(w, http.StatusOK, data, failures...)
}

// charge takes a request and its points from the buckets and sets the headers.
func (s *Server) charge(w http.ResponseWriter, points float64) (refused bool) {
	now := s.Now()
	need := map[string]float64{"Requests": 1, "Complexity": points}
	for name, b := range s.buckets {
		b.refill(now)
		refused = refused || b.left < need[name]
	}
	for name, b := range s.buckets {
		if !refused {
			b.left -= need[name]
		}
		w.Header().Set("X-RateLimit-"+name+"-Limit", strconv.FormatFloat(b.limit, 'f', 0, 64))
		w.Header().Set("X-RateLimit-"+name+"-Remaining", strconv.FormatFloat(math.Floor(b.left), 'f', 0, 64))
		w.Header().Set("X-RateLimit-"+name+"-Reset", strconv.FormatInt(b.full(now).UnixMilli(), 10))
	}
	w.Header().Set("X-Complexity", strconv.FormatFloat(math.Ceil(points), 'f', 0, 64))
	return refused
}

// cost are the points of a selection: 0.1 a property, 1 an object, and what is
// below a list times the list's size.
func cost(set ast.SelectionSet, variables map[string]any) (points float64) {
	for _, s := range set {
		f, ok := s.(*ast.Field)
		if !ok {
			continue
		}
		if len(f.SelectionSet) == 0 {
			points += 0.1
			continue
		}
		below := 1 + cost(f.SelectionSet, variables)
		if f.SelectionSet[0].(*ast.Field).Name == "nodes" {
			size := 50.0
			if first := f.Arguments.ForName("first"); first != nil {
				if v, err := first.Value.Value(variables); err == nil {
					size, _ = toFloat(v)
				}
			}
			below *= size
		}
		points += below
	}
	return points
}

func toFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// failure is an error in Linear's form.
type failure struct {
	Code, Type, Message string
	Path                []any
}

// answer writes a GraphQL answer.
func answer(w http.ResponseWriter, status int, data any, failures ...failure) {
	body := map[string]any{}
	if data != nil || status == http.StatusOK {
		body["data"] = data
	}
	var list []any
	for _, f := range failures {
		one := map[string]any{"message": f.Message, "extensions": map[string]any{
			"code": f.Code, "type": f.Type, "userError": true, "userPresentableMessage": f.Message}}
		if len(f.Path) > 0 {
			one["path"] = f.Path
		}
		list = append(list, one)
	}
	if list != nil {
		body["errors"] = list
	}
	providertest.Answer(w, status, "application/json; charset=utf-8", body)
}

func (s *Server) limited(w http.ResponseWriter, _ *http.Request) {
	now := s.Now()
	w.Header().Set("X-RateLimit-Requests-Limit", "2500")
	w.Header().Set("X-RateLimit-Requests-Remaining", "0")
	w.Header().Set("X-RateLimit-Requests-Reset", strconv.FormatInt(now.Add(20*time.Second).UnixMilli(), 10))
	answer(w, http.StatusBadRequest, nil, failure{Code: "RATELIMITED", Type: "ratelimited", Message: "Rate limit exceeded. Only 2500 requests are allowed per 1 hour."})
}

func (s *Server) expired(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusUnauthorized, nil, failure{Code: "AUTHENTICATION_ERROR", Type: "authentication error",
		Message: "Authentication required, not authenticated"})
}

func (s *Server) forbidden(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, nil, failure{Code: "FORBIDDEN", Type: "forbidden", Message: "You don't have access to this resource"})
}

func (s *Server) notFound(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, nil, failure{Code: "INPUT_ERROR", Type: "invalid input", Message: "Entity not found: Issue - Could not find referenced Issue."})
}
