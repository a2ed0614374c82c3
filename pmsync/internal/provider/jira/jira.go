// Package jira reads and writes one project of Jira Cloud through its REST API.
package jira

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// Options select a project and hold its credentials.
type Options struct {
	URL       string // https://example.atlassian.net, or https://api.atlassian.com/ex/jira/CLOUDID
	Email     string // the account's address; empty for an OAuth token
	Token     string
	Project   string // its key or id; may be empty for TestConnection and Projects
	Mapping   provider.Mapping
	Transport transport.Options // as in linear.Options
}

// Client is one project of Jira. It implements provider.Provider and all optional interfaces, and is safe for concurrent use.
type Client struct {
	http    *transport.Client
	project string
	mapping provider.Mapping

	projectID  atomic.Pointer[string] // id of the configured project, once known; "" when its key is no longer that of a project
	site       atomic.Pointer[site]   // read on first use
	priorities sync.Mutex             // of the site
}

var (
	_ provider.Provider     = (*Client)(nil)
	_ provider.SprintLister = (*Client)(nil)
	_ provider.Commenter    = (*Client)(nil)
	_ provider.Creator      = (*Client)(nil)
	_ provider.Checker      = (*Client)(nil)
	_ provider.UserFinder   = (*Client)(nil)
)

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	token, email := strings.TrimSpace(o.Token), strings.TrimSpace(o.Email)
	if token == "" {
		return nil, fault.Validation("providers.jira.api_token", "Jira needs an API token").
			WithHint("make one at id.atlassian.com and %s", provider.Jira.Store())
	}
	if o.URL == "" {
		return nil, fault.Validation("providers.jira.url", "the address of the Jira site is missing").
			WithHint("set `providers.jira.url` in your own configuration, beside the token")
	}
	c := &Client{project: strings.TrimSpace(o.Project), mapping: o.Mapping}
	t := o.Transport
	t.Name, t.BaseURL, t.Judge = provider.Jira, siteURL(o.URL), c.judge
	header := "Bearer " + token
	if email != "" {
		header = "Basic " + base64.StdEncoding.EncodeToString([]byte(email+":"+token))
	}
	t.Authorize = func(h http.Header) { h.Set("Authorization", header) }
	t.Secrets = append(t.Secrets, token, strings.TrimPrefix(strings.TrimPrefix(header, "Bearer "), "Basic "))
	var err error
	c.http, err = transport.New(t)
	return c, err
}

// siteURL returns the address of a site from any of its page addresses, such as
// https://example.atlassian.net/jira/software/projects/APP, or from example.atlassian.net.
func siteURL(given string) string {
	given = strings.TrimSpace(given)
	if given != "" && !strings.Contains(given, "://") {
		if !strings.Contains(given, ".") {
			given += ".atlassian.net"
		}
		given = "https://" + given
	}
	if strings.Contains(given, "/ex/jira/") { // the API address for OAuth tokens
		return strings.TrimRight(given, "/")
	}
	for _, page := range []string{"/jira/", "/browse/", "/rest/", "/secure/", "/wiki", "/plugins/"} {
		if site, _, cut := strings.Cut(given+"/", page); cut {
			return site
		}
	}
	return strings.TrimRight(given, "/")
}

// Name returns Jira's name.
func (c *Client) Name() provider.Name { return provider.Jira }

// Stats returns the totals of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

type request = transport.Request

// do sends a request whose path is below rest/, and decodes its answer unless into is nil.
func (c *Client) do(ctx context.Context, r request, into any) error {
	r.Path = "rest/" + r.Path
	_, err := c.http.Call(ctx, r, into)
	return err
}

func (c *Client) get(ctx context.Context, op, path string, query url.Values, into any) error {
	return c.do(ctx, request{Op: op, Path: path, Query: query}, into)
}

// judge classifies an answer.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	switch {
	case r.Status == http.StatusTooManyRequests:
		return limited(r)
	case r.Header.Get("X-Seraph-LoginReason") == "AUTHENTICATED_FAILED",
		strings.HasPrefix(r.Header.Get("X-Seraph-LoginReason"), "AUTHENTICATION_DENIED"),
		r.Status < 300 && r.Header.Get("X-AUSERNAME") == "anonymous":
		// Many resources are public, so an invalid token would look like a project without tickets.
		err := provider.Fail(provider.Unauthorized, nil, "Jira does not accept the API token").Hint("make a new one and %s", provider.Jira.Store())
		return transport.Verdict{Err: err}
	case r.Status == http.StatusGone:
		return transport.Verdict{Err: provider.Fail(provider.Protocol, nil, "Jira no longer has what pmsync asked for to %s; a newer pmsync may know another way", r.Request.Op)}
	case r.Status == http.StatusUnprocessableEntity, r.Status == http.StatusRequestEntityTooLarge:
		return transport.Verdict{Err: provider.Fail(provider.Invalid, nil, "Jira refused to %s: %s", r.Request.Op, message(r))}
	}
	if r.Status < 300 && r.Status != http.StatusNoContent && len(r.Body) == 0 && r.Request.Path != "rest/"+linkPath { // a successful answer without a body has the status 204
		err := provider.Fail(provider.Unavailable, nil, "Jira answered the request to %s with nothing", r.Request.Op)
		if !r.Request.Safe {
			err.Reason = provider.Uncertain
		}
		return transport.Verdict{Err: err, Retry: r.Request.Safe}
	}
	return transport.VerdictByStatus(r, provider.Jira, message(r))
}

// message returns Jira's error message.
func message(r *transport.Response) string {
	if r.Status < 400 {
		return ""
	}
	var e struct {
		ErrorMessages []string          `json:"errorMessages"`
		Errors        map[string]string `json:"errors"`
		Message       string            `json:"message"`
	}
	if json.Unmarshal(transport.Trim(r.Body), &e) != nil {
		return ""
	}
	parts := e.ErrorMessages
	for field, text := range e.Errors {
		parts = append(parts, field+": "+text)
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	return strings.Join(parts, "; ")
}

// limited returns the scope of a 429: everything, the endpoint, or writes to one issue. The wait is the one that Jira names, usually
// half an hour.
func limited(r *transport.Response) transport.Verdict {
	hold, ok := transport.RetryAfter(r)
	if !ok {
		if at, err := parseTime(r.Header.Get("X-RateLimit-Reset")); err == nil {
			hold = r.Until(at)
		}
	}
	v := transport.Limited(r, provider.Jira, max(hold, time.Second))
	switch r.Header.Get("RateLimit-Reason") {
	case "jira-burst-based", "jira-per-issue-on-write":
		v.Bucket = r.Request.Bucket
	}
	return v
}

// parseTime parses Jira's times: 2026-01-01T00:00:00.000+0000, whose zone is not valid in RFC 3339, and the usual ones.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05.000-0700", "2006-01-02T15:04:05-0700", time.RFC3339Nano} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return time.Time{}, provider.Fail(provider.Protocol, nil, "Jira sent a time that cannot be read: %q", text)
}

// stamp is a time in Jira's format; null and "" are the zero time.
type stamp struct{ time.Time }

func (s *stamp) UnmarshalJSON(text []byte) error {
	var value *string
	if err := json.Unmarshal(text, &value); err != nil || value == nil || *value == "" {
		return err
	}
	at, err := parseTime(*value)
	s.Time = at
	return err
}

func (s stamp) pointer() *time.Time {
	if s.IsZero() {
		return nil
	}
	return &s.Time
}

// needProject returns the configured project.
func (c *Client) needProject() (string, error) {
	if c.project == "" {
		return "", fault.Validation("provider.project_key", "no project of Jira is configured").
			WithHint("`pmsync connect jira` lists the projects")
	}
	return c.project, nil
}

// ours reports whether an issue belongs to the configured project. A project may get another key but keeps its id, so when the keys
// differ Jira is asked once for the id of the configured project.
func (c *Client) ours(ctx context.Context, id, key string) (bool, error) {
	if c.project == "" || strings.EqualFold(c.project, key) || c.project == id {
		return true, nil
	}
	own := c.projectID.Load()
	if own == nil {
		var p struct{ ID string }
		err := c.get(ctx, "read project "+c.project, "api/3/project/"+url.PathEscape(c.project), nil, &p)
		if err != nil && !provider.Is(err, provider.NotFound) {
			return false, err
		}
		own = &p.ID
		c.projectID.Store(own)
	}
	return *own != "" && *own == id, nil
}

// TestConnection reads the user of the token, and the project.
func (c *Client) TestConnection(ctx context.Context) (provider.Account, error) {
	var me account
	if err := c.get(ctx, "test the connection", "api/3/myself", nil, &me); err != nil {
		return provider.Account{}, err
	}
	a := provider.Account{ID: me.AccountID, Name: me.DisplayName, Email: me.EmailAddress, TimeZone: me.TimeZone}
	if u, err := url.Parse(c.http.Base()); err == nil {
		a.Site = u.Host
	}
	if a.ID == "" {
		return a, provider.Fail(provider.Unauthorized, nil, "Jira did not say whom the API token belongs to").Hint("make a new one and %s", provider.Jira.Store())
	}
	if c.project == "" {
		return a, nil
	}
	var p struct{ Name string }
	err := c.get(ctx, "read project "+c.project, "api/3/project/"+url.PathEscape(c.project), nil, &p)
	a.Project = p.Name
	return a, err
}

// Projects returns the projects that the account can read.
func (c *Client) Projects(ctx context.Context, yield func(provider.Project) error) error {
	type project struct {
		ID, Key, Name string
		Archived      bool
	}
	return pages(ctx, c, "list the projects", "api/3/project/search", url.Values{"maxResults": {"100"}}, "values", func(p project) error {
		return yield(provider.Project{ID: p.ID, Key: p.Key, Name: p.Name, Kind: "project", Archived: p.Archived})
	})
}

// list returns all elements of a list, as pages reads it.
func list[T any](ctx context.Context, c *Client, op, path string, query url.Values, name string) (all []T, err error) {
	err = pages(ctx, c, op, path, query, name, func(v T) error {
		all = append(all, v)
		return nil
	})
	return all, err
}

// pages calls yield for every element of a list that is paged by startAt. The elements are in the field name.
func pages[T any](ctx context.Context, c *Client, op, path string, query url.Values, name string, yield func(T) error) error {
	start := 0
	return provider.Walk(provider.Jira, op, func(string) (list []T, next string, err error) {
		query.Set("startAt", strconv.Itoa(start))
		var answer map[string]json.RawMessage
		if err := c.get(ctx, op, path, query, &answer); err != nil {
			return nil, "", err
		}
		var last *bool
		var total *int
		for key, into := range map[string]any{name: &list, "isLast": &last, "total": &total} {
			if raw, ok := answer[key]; ok {
				if err := json.Unmarshal(raw, into); err != nil {
					return nil, "", provider.Fail(provider.Protocol, nil, "Jira's answer to the request to %s has another shape than its API describes at %q", op, key)
				}
			} else if key == name {
				return nil, "", provider.Fail(provider.Protocol, nil, "Jira's answer to the request to %s lacks %q", op, name)
			}
		}
		start += len(list) // a page may be shorter than asked for
		if len(list) == 0 || last != nil && *last || last == nil && (total == nil || start >= *total) {
			return list, "", nil
		}
		return list, strconv.Itoa(start), nil
	}, yield)
}
