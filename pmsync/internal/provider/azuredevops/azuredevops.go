// Package azuredevops reads and writes one project of Azure DevOps Services through its REST API, version 7.1. Queries return only ids,
// and items are read 200 at a time. Each change tests the item's revision, so that no other change is overwritten. Types, states and
// transitions are read from the project and never assumed.
package azuredevops

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// DefaultURL is the address of the service. The organization follows in the path.
const DefaultURL = "https://dev.azure.com"

const (
	apiVersion      = "7.1"
	commentsVersion = "7.1-preview.4"
	jsonPatch       = "application/json-patch+json"
)

// Options select a project and hold its credentials.
type Options struct {
	URL          string // DefaultURL when empty
	Organization string
	Project      string // name or id; may be empty for TestConnection and Projects
	Team         string // name or id, for its sprints; the project's default team when empty
	Token        string // a personal access token, or an Entra token after "Bearer "
	Mapping      provider.Mapping
	// Transport holds the settings that are not specific to Azure DevOps: clock, limits, log. New sets its name, address, credentials
	// and judge.
	Transport transport.Options
}

// Client is one project of Azure DevOps. It implements provider.Provider and all optional interfaces, and is safe for concurrent use.
type Client struct {
	http    *transport.Client
	org     string
	project string
	team    string
	mapping provider.Mapping

	types atomic.Pointer[types]  // of the project; nil until they are read
	name  atomic.Pointer[string] // of the project when it is configured by its id
}

var (
	_ provider.Provider     = (*Client)(nil)
	_ provider.SprintLister = (*Client)(nil)
	_ provider.Commenter    = (*Client)(nil)
	_ provider.Creator      = (*Client)(nil)
	_ provider.Checker      = (*Client)(nil)
	_ provider.UserFinder   = (*Client)(nil)
)

// organizationOf returns the name of an organization, also from its web address.
func organizationOf(given string) string {
	name := strings.TrimSpace(given)
	if _, rest, is := strings.Cut(name, "://dev.azure.com/"); is {
		name, _, _ = strings.Cut(rest, "/")
	} else if host, is := strings.CutPrefix(name, "https://"); is {
		if before, _, old := strings.Cut(host, ".visualstudio.com"); old {
			name = before
		}
	}
	return strings.Trim(name, "/")
}

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	token, org := strings.TrimSpace(o.Token), organizationOf(o.Organization)
	if token == "" {
		return nil, fault.Validation("providers.azure_devops.pat", "Azure DevOps needs a personal access token").
			WithHint("make one under User settings in Azure DevOps, with the right to read and write work items, and %s", provider.AzureDevOps.Store())
	}
	if org == "" || strings.ContainsAny(org, "/?#") {
		return nil, fault.Validation("providers.azure_devops.organization", "Azure DevOps needs the name of an organization, as in https://dev.azure.com/ORGANIZATION")
	}
	c := &Client{org: org, project: strings.TrimSpace(o.Project), team: strings.TrimSpace(o.Team), mapping: o.Mapping}
	t := o.Transport
	t.Name, t.BaseURL, t.Judge = provider.AzureDevOps, cmp.Or(o.URL, DefaultURL), c.judge
	bare, oauth := strings.CutPrefix(token, "Bearer ")
	header := "Bearer " + bare
	t.Secrets = append(t.Secrets, bare)
	if !oauth {
		basic := base64.StdEncoding.EncodeToString([]byte(":" + token))
		header, t.Secrets = "Basic "+basic, append(t.Secrets, basic)
	}
	t.Authorize = func(h http.Header) {
		h.Set("Authorization", header)
		h.Set("X-TFS-FedAuthRedirect", "Suppress") // 401 instead of a sign-in page
	}
	var err error
	c.http, err = transport.New(t)
	return c, err
}

// Name returns Azure DevOps' name.
func (c *Client) Name() provider.Name { return provider.AzureDevOps }

// Stats returns the totals of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

// judge classifies an answer. An expired token is answered with a sign-in page and status 203, and a successful answer may ask for a
// pause.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	var apiError apiError
	if len(r.Body) < 64<<10 {
		_ = json.Unmarshal(transport.Trim(r.Body), &apiError) // a body that is not JSON has no message
	}
	switch {
	case r.Status == http.StatusNonAuthoritativeInfo, r.Status == http.StatusFound && strings.Contains(r.Header.Get("Location"), "_signin"):
		e := provider.Fail(provider.Unauthorized, nil, "Azure DevOps asks to sign in: the personal access token is wrong or has expired").
			Hint("make a new one and %s", provider.AzureDevOps.Store())
		return transport.Verdict{Err: e}
	case r.Status == http.StatusPreconditionFailed:
		e := provider.Fail(provider.Changed, nil, "Azure DevOps could not %s because it was changed meanwhile", r.Request.Op)
		e.Code = apiError.code()
		return transport.Verdict{Err: e}
	case r.Status >= 200 && r.Status < 300:
		hold, _ := transport.RetryAfter(r)
		return transport.Verdict{Hold: max(hold, exhausted(r))}
	}
	if strings.HasPrefix(apiError.Message, "TF400733") { // the rate limit, whatever the status is
		hold, _ := transport.RetryAfter(r)
		return transport.Limited(r, provider.AzureDevOps, max(hold, exhausted(r)))
	}
	v := transport.VerdictByStatus(r, provider.AzureDevOps, apiError.Message)
	v.Err.Code = apiError.code()
	return v
}

// exhausted returns the time until a used-up limit is full again.
func exhausted(r *transport.Response) time.Duration {
	if strings.TrimSpace(r.Header.Get("X-RateLimit-Remaining")) != "0" {
		return 0
	}
	seconds, err := json.Number(strings.TrimSpace(r.Header.Get("X-RateLimit-Reset"))).Int64()
	if err != nil || seconds <= 0 {
		return 0
	}
	return min(max(0, r.Until(time.Unix(seconds, 0))), 5*time.Minute) // the window slides over five minutes
}

// apiError is an error in the service's format.
type apiError struct {
	Message string
	TypeKey string
}

// code returns the number of the message (VS402337), otherwise its type.
func (s apiError) code() string {
	if at := strings.IndexByte(s.Message, ':'); at > 0 && at <= 10 && (strings.HasPrefix(s.Message, "VS") || strings.HasPrefix(s.Message, "TF")) {
		return s.Message[:at]
	}
	return s.TypeKey
}

type request = transport.Request

// call sends a request and decodes its answer.
func (c *Client) call(ctx context.Context, r request, into any) (*transport.Response, error) {
	q := url.Values{"api-version": {apiVersion}}
	maps.Copy(q, r.Query)
	r.Query = q
	return c.http.Call(ctx, r, into)
}

// at is the path below the organization with those segments.
func (c *Client) at(segments ...string) string {
	path := []string{url.PathEscape(c.org)}
	for _, s := range segments {
		path = append(path, url.PathEscape(s))
	}
	return strings.Join(path, "/")
}

// list is the service's wrapper of every list.
type list[T any] struct{ Value []T }

// needProject returns an error where no project is configured.
func (c *Client) needProject() error {
	if c.project == "" {
		return fault.Validation("provider.project", "no project of Azure DevOps is configured").
			WithHint("`pmsync connect azure_devops` lists the projects")
	}
	return nil
}

type project struct {
	ID, Name, State string
}

func (c *Client) readProject(ctx context.Context) (p project, err error) {
	if err := c.needProject(); err != nil {
		return p, err
	}
	_, err = c.call(ctx, request{Op: "read the project", Path: c.at("_apis", "projects", c.project)}, &p)
	if err == nil && (p.ID == "" || p.Name == "") {
		err = provider.Fail(provider.Protocol, nil, "Azure DevOps did not say which project %q is", c.project)
	}
	return p, err
}

// TestConnection reads the project, or the first project if none is configured, and the user in the answer's header. A public project
// can be read by anyone, so the header is needed.
func (c *Client) TestConnection(ctx context.Context) (provider.Account, error) {
	a := provider.Account{Site: c.org}
	r := request{Op: "test the connection", Path: c.at("_apis", "projects"), Query: url.Values{"$top": {"1"}}}
	var p project
	var into any = &list[project]{}
	if c.project != "" {
		r.Path, r.Query, into = c.at("_apis", "projects", c.project), nil, &p
	}
	resp, err := c.call(ctx, r, into)
	if provider.Details(err).Status == http.StatusUnauthorized && c.project != "" {
		// A token for work items only may not be allowed to read projects.
		r.Path = c.at(c.project, "_apis", "wit", "workitemtypes")
		if other, otherErr := c.call(ctx, r, new(json.RawMessage)); otherErr == nil {
			resp, err, p.Name = other, nil, c.project
		}
	}
	if err != nil {
		return a, err
	}
	a.Project = p.Name
	identity, name, ok := strings.Cut(resp.Header.Get("X-VSS-UserData"), ":")
	if ok && strings.EqualFold(name, "anonymous") || strings.HasPrefix(identity, "aaaaaaaa-aaaa-") {
		return a, provider.Fail(provider.Unauthorized, nil, "Azure DevOps does not know the personal access token: it answered as to anyone").
			Hint("make a new one and %s", provider.AzureDevOps.Store())
	}
	if ok {
		a.ID, a.Name = name, name // assignments use the unique name
		if strings.Contains(name, "@") {
			a.Email = name
		}
		return a, nil
	}
	return c.me(ctx, a)
}

// me finds an item that is assigned to @Me, which contains the caller's name.
func (c *Client) me(ctx context.Context, a provider.Account) (provider.Account, error) {
	if c.project == "" {
		return a, nil
	}
	ids, _, err := c.query(ctx, "[System.AssignedTo] = @Me", "ORDER BY [System.Id] DESC", 1)
	if err != nil || len(ids) == 0 {
		return a, err
	}
	items, err := c.batch(ctx, ids)
	if err != nil || items[ids[0]] == nil {
		return a, err
	}
	if w, err := parse(items[ids[0]]); err == nil {
		if u := identity(w.Fields["System.AssignedTo"]); u != nil {
			a.ID, a.Name, a.Email = u.ID, u.Name, u.Email
		}
	}
	return a, nil
}

// pageSize is how many projects, teams or people are requested at once.
const pageSize = 100

// Projects returns the projects of the organization that the token can read.
func (c *Client) Projects(ctx context.Context, yield func(provider.Project) error) error {
	return each(ctx, c, "list the projects", c.at("_apis", "projects"), func(p project) error {
		return yield(provider.Project{ID: p.ID, Key: p.Name, Name: p.Name, Kind: "project", Parent: c.org,
			Archived: p.State != "" && !strings.EqualFold(p.State, "wellFormed")})
	})
}

// each calls yield for every element of a list that is paged by $top and $skip.
func each[T any](ctx context.Context, c *Client, op, path string, yield func(T) error) error {
	skip := 0
	return provider.Walk(provider.AzureDevOps, op, func(string) ([]T, string, error) {
		var page list[T]
		q := url.Values{"$top": {number(pageSize)}, "$skip": {number(skip)}}
		_, err := c.call(ctx, request{Op: op, Path: path, Query: q}, &page)
		if skip += pageSize; len(page.Value) < pageSize {
			return page.Value, "", err
		}
		return page.Value, number(skip), err
	}, yield)
}

// projectName returns the project's name, even when it is configured by its id.
func (c *Client) projectName(ctx context.Context) (string, error) {
	if name := c.name.Load(); name != nil {
		return *name, nil
	}
	p, err := c.readProject(ctx)
	if err != nil {
		return "", err
	}
	c.name.Store(&p.Name)
	return p.Name, nil
}
