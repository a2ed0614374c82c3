// Package linear reads and writes one team of Linear through its GraphQL API.
package linear

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// DefaultURL is where Linear's API is.
const DefaultURL = "https://api.linear.app"

// Options say which team to read, and with what.
type Options struct {
	URL     string // DefaultURL when empty
	APIKey  string // a personal API key, or an OAuth token after "Bearer "
	Team    string // id or key of a team; may be empty for TestConnection and Projects
	Project string // id of a project, to read that part of the team alone; may be empty
	Mapping provider.Mapping
	// Transport is what is not Linear's own: clock, limits, log. Its name,
	// address, credentials and judge are set here.
	Transport transport.Options
}

// Client is one team of Linear. It implements provider.Provider and all the
// abilities beside it, and is safe for concurrent use.
type Client struct {
	http    *transport.Client
	team    string
	project string
	mapping provider.Mapping

	refused atomic.Int64 // times in a row that the rate limit refused a request

	mu     sync.Mutex
	labels map[string]string // name of a label by its id
}

var (
	_ provider.Provider     = (*Client)(nil)
	_ provider.SprintLister = (*Client)(nil)
	_ provider.Commenter    = (*Client)(nil)
	_ provider.Creator      = (*Client)(nil)
	_ provider.Checker      = (*Client)(nil)
	_ provider.UserFinder   = (*Client)(nil)
)

// New makes a client. It sends nothing.
func New(o Options) (*Client, error) {
	key := strings.TrimSpace(o.APIKey)
	if key == "" {
		return nil, fault.Validation("providers.linear.api_key", "Linear needs an API key").
			WithHint("make one under Settings, Security & access in Linear, and run `pmsync connect linear`")
	}
	c := &Client{team: strings.TrimSpace(o.Team), project: strings.TrimSpace(o.Project), mapping: o.Mapping, labels: map[string]string{}}
	t := o.Transport
	t.Name, t.BaseURL, t.Judge = provider.Linear, o.URL, c.judge
	if t.BaseURL == "" {
		t.BaseURL = DefaultURL
	}
	// A personal key is sent bare; with "Bearer " before it Linear refuses it.
	t.Authorize = func(h http.Header) { h.Set("Authorization", key) }
	t.Secrets = append(t.Secrets, key, strings.TrimPrefix(key, "Bearer "))
	var err error
	c.http, err = transport.New(t)
	return c, err
}

// Name is Linear.
func (c *Client) Name() provider.Name { return provider.Linear }

// Stats are the sums of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

// vars are the variables of a query. What is not in it is not sent: Linear takes
// a null for "clear this field".
type vars map[string]any

// ask sends a query and decodes its data. Safe says that repeating it has no
// further effect. Errors beside the data are returned for the caller to place.
func (c *Client) ask(ctx context.Context, op, query string, v vars, safe bool, data any) ([]gqlError, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": v})
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(ctx, transport.Request{Op: op, Method: http.MethodPost, Path: "graphql", Body: body, Safe: safe})
	if err != nil {
		return nil, err
	}
	answer := struct {
		Data   any        `json:"data"`
		Errors []gqlError `json:"errors"`
	}{Data: data}
	err = resp.Decode(provider.Linear, &answer)
	return answer.Errors, err
}

// read is ask for what changes nothing and must be whole.
func (c *Client) read(ctx context.Context, op, query string, v vars, data any) error {
	errs, err := c.ask(ctx, op, query, v, true, data)
	if err == nil && len(errs) > 0 {
		return c.failed(op, errs[0], http.StatusOK)
	}
	return err
}

// gqlError is an error of Linear. The status of HTTP says nothing about it.
type gqlError struct {
	Message    string            `json:"message"`
	Path       []json.RawMessage `json:"path"`
	Extensions struct {
		Code    string `json:"code"`
		Type    string `json:"type"`
		Message string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// code is the error's code, in one spelling: Linear has one as code and one as type.
func (e gqlError) code() string {
	code := e.Extensions.Code
	if code == "" {
		code = e.Extensions.Type
	}
	return strings.ToUpper(strings.ReplaceAll(code, " ", "_"))
}

func (e gqlError) text() string {
	if e.Extensions.Message != "" {
		return e.Extensions.Message
	}
	return e.Message
}

// at is the path of the error as text: issues.nodes.3.assignee.
func (e gqlError) at() string {
	var parts []string
	for _, p := range e.Path {
		parts = append(parts, strings.Trim(string(p), `"`))
	}
	return strings.Join(parts, ".")
}

// judge reads an answer: Linear says what happened in extensions.code, whatever
// the status is, and beside the data when only a part failed.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []gqlError      `json:"errors"`
	}
	if r.Status != http.StatusOK || bytes.Contains(r.Body, []byte(`"errors"`)) {
		_ = json.Unmarshal(transport.Trim(r.Body), &answer) // what is not JSON has no errors in it
	}
	for _, e := range answer.Errors {
		if code := e.code(); code == "RATELIMITED" || code == "RATE_LIMITED" {
			return transport.Limited(r, provider.Linear, c.hold(r))
		}
	}
	c.refused.Store(0)
	data := len(answer.Data) > 0 && !bytes.Equal(answer.Data, []byte("null"))
	if len(answer.Errors) > 0 && !(data && r.Status == http.StatusOK) {
		err := c.failed(r.Request.Op, answer.Errors[0], r.Status)
		return transport.Verdict{Err: err, Retry: err.Reason == provider.Unavailable && r.Request.Safe}
	}
	if r.Status == http.StatusOK && r.IsJSON() {
		return transport.Verdict{Hold: exhausted(r)}
	}
	return transport.ByStatus(r, provider.Linear, "")
}

// failed turns an error of Linear into ours.
func (c *Client) failed(op string, e gqlError, status int) *provider.Error {
	reason := provider.Invalid
	switch code := e.code(); {
	case strings.HasPrefix(e.Message, "Entity not found"):
		reason = provider.NotFound
	case code == "AUTHENTICATION_ERROR" || code == "UNAUTHENTICATED" || status == http.StatusUnauthorized:
		reason = provider.Unauthorized
	case code == "FORBIDDEN" || code == "FEATURE_NOT_ACCESSIBLE" || code == "USAGE_LIMIT_EXCEEDED" || status == http.StatusForbidden:
		reason = provider.Forbidden
	case code == "INTERNAL_SERVER_ERROR" || code == "INTERNAL_ERROR" || code == "LOCK_TIMEOUT" || code == "NETWORK_ERROR" || status >= 500:
		reason = provider.Unavailable
	case code == "GRAPHQL_VALIDATION_FAILED" || code == "GRAPHQL_PARSE_FAILED" || code == "GRAPHQL_ERROR":
		reason = provider.Protocol
	}
	err := provider.Fail(reason, nil, "Linear refused to %s: %s", op, e.text())
	if reason == provider.Unauthorized {
		err = err.Hint("make a new API key in Linear and run `pmsync connect linear`")
	}
	err.Status, err.Code = status, e.code()
	return err
}

// exhausted is how long to hold back after an answer that says that nothing is
// left. The limits are leaky buckets: what was used flows back evenly over an
// hour, so that the next request need not wait for the whole of it.
func exhausted(r *transport.Response) (hold time.Duration) {
	for _, b := range []struct {
		name string
		need float64
	}{
		{"Requests", 1}, {"Endpoint-Requests", 1}, {"Complexity", number(r.Header, "X-Complexity", 0)},
	} {
		left, limit := number(r.Header, "X-RateLimit-"+b.name+"-Remaining", -1), number(r.Header, "X-RateLimit-"+b.name+"-Limit", -1)
		if left < 0 || limit <= 0 || left >= b.need { // a header that is missing says nothing
			continue
		}
		hold = max(hold, min(time.Duration((b.need-left)/limit*float64(time.Hour)), resetOf(r, b.name)))
	}
	return hold
}

// hold is how long to wait after a refusal: longer each time in a row, up to the
// time when Linear says that the limit is full again.
func (c *Client) hold(r *transport.Response) time.Duration {
	step := max(exhausted(r), 2*time.Second) << min(c.refused.Add(1)-1, 12)
	reset := time.Duration(0)
	for _, name := range []string{"Requests", "Complexity", "Endpoint-Requests"} {
		if number(r.Header, "X-RateLimit-"+name+"-Remaining", -1) <= 0 {
			reset = max(reset, resetOf(r, name))
		}
	}
	if reset > 0 && reset < time.Hour {
		return min(step, reset+time.Second)
	}
	return min(step, time.Hour)
}

// resetOf is how long until a limit is full again, an hour if that is unknown.
func resetOf(r *transport.Response, name string) time.Duration {
	ms := number(r.Header, "X-RateLimit-"+name+"-Reset", -1)
	if ms <= 0 {
		return time.Hour
	}
	return r.Until(time.UnixMilli(int64(ms)))
}

func number(h http.Header, name string, otherwise float64) float64 {
	if n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64); err == nil {
		return n
	}
	return otherwise
}

var uuidShape = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// teamFilter matches the configured team by its id or its key.
func (c *Client) teamFilter() (vars, error) {
	switch {
	case c.team == "":
		return nil, fault.Validation("provider.team_id", "no team of Linear is configured").
			WithHint("set `provider.team_id`; `pmsync providers` lists the teams")
	case uuidShape.MatchString(c.team):
		return vars{"id": vars{"eq": strings.ToLower(c.team)}}, nil
	}
	return vars{"key": vars{"eq": strings.ToUpper(c.team)}}, nil
}

// isTeam reports whether it is the configured team.
func (c *Client) isTeam(id, key string) bool {
	return c.team == "" || strings.EqualFold(c.team, id) || strings.EqualFold(c.team, key)
}

// TestConnection asks who the key belongs to, and for the team.
func (c *Client) TestConnection(ctx context.Context) (provider.Account, error) {
	var data struct {
		Viewer       struct{ ID, Name, Email string }
		Organization struct{ Name, URLKey string }
		Team         *struct{ ID, Key, Name, Timezone string }
	}
	query, v := queryViewer, vars{}
	if c.team != "" {
		query, v = queryConnection, vars{"team": c.team}
	}
	if err := c.read(ctx, "test the connection", query, v, &data); err != nil {
		return provider.Account{}, err
	}
	a := provider.Account{ID: data.Viewer.ID, Name: data.Viewer.Name, Email: data.Viewer.Email, Site: data.Organization.URLKey}
	if a.ID == "" {
		return a, provider.Fail(provider.Protocol, nil, "Linear did not say whom the API key belongs to")
	}
	if data.Team != nil {
		a.Project, a.TimeZone = data.Team.Name, data.Team.Timezone
	}
	return a, nil
}

// Projects are the teams that the key can read.
func (c *Client) Projects(ctx context.Context, yield func(provider.Project) error) error {
	type team struct {
		ID, Key, Name string
		ArchivedAt    *time.Time
		Parent        *struct{ ID string }
	}
	return each(ctx, c, "list the teams", queryTeams, vars{}, "teams", func(t team) error {
		p := provider.Project{ID: t.ID, Key: t.Key, Name: t.Name, Kind: "team", Archived: t.ArchivedAt != nil}
		if t.Parent != nil {
			p.Parent = t.Parent.ID
		}
		return yield(p)
	})
}

// connection is a page of a list.
type connection[T any] struct {
	Nodes    []T
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
}

// next is the cursor of the next page, "" when there is none. A cursor that comes
// again would go round for ever.
func (p connection[T]) next(op, after string) (string, error) {
	if !p.PageInfo.HasNextPage {
		return "", nil
	}
	if p.PageInfo.EndCursor == "" || p.PageInfo.EndCursor == after {
		return "", provider.Fail(provider.Protocol, nil, "Linear's list does not end: asked to %s it names the same page again", op)
	}
	return p.PageInfo.EndCursor, nil
}

// each calls yield for every node of a list, page by page. The list stands in the
// answer under name, which may be a path with one dot.
func each[T any](ctx context.Context, c *Client, op, query string, v vars, name string, yield func(T) error) error {
	for after := ""; ; {
		if after != "" {
			v["after"] = after
		}
		var page connection[T]
		if err := c.readAt(ctx, op, query, v, name, &page); err != nil {
			return err
		}
		for _, node := range page.Nodes {
			if err := yield(node); err != nil {
				return err
			}
		}
		next, err := page.next(op, after)
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}

// readAt reads what stands in the answer's data at the path.
func (c *Client) readAt(ctx context.Context, op, query string, v vars, path string, into any) error {
	var data json.RawMessage
	if err := c.read(ctx, op, query, v, &data); err != nil {
		return err
	}
	return dig(op, data, path, into)
}

func dig(op string, data json.RawMessage, path string, into any) error {
	for _, name := range strings.Split(path, ".") {
		var level map[string]json.RawMessage
		if err := json.Unmarshal(data, &level); err != nil || len(level[name]) == 0 || string(level[name]) == "null" {
			return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s lacks %q", op, path)
		}
		data = level[name]
	}
	return unmarshal(op, path, data, into)
}

func unmarshal(op, path string, data json.RawMessage, into any) error {
	if len(data) == 0 || string(data) == "null" {
		return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s lacks %q", op, path)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return provider.Fail(provider.Protocol, nil, "Linear's answer to the request to %s has another shape than its API describes: %s",
			op, shape(err))
	}
	return nil
}

func shape(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("a %s at %q", wrong.Value, wrong.Field)
	}
	return "a value that cannot be read"
}
