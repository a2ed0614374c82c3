// Package github reads and writes the issues of one repository of GitHub through its REST API. GitHub has two states and no priorities:
// progress and priority are read from labels, by the configuration or by common naming conventions. Milestones are sprints, sub-issues
// have parents, dependencies are links; pull requests are not issues here.
//
// It uses the transport that all trackers share and not google/go-github: it needs some twenty endpoints, and the transport solves the
// hard part (limits shared by processes, lost answers, secrets removed from errors).
package github

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// DefaultURL is the address of GitHub's API.
const DefaultURL = "https://api.github.com"

// apiVersion is the REST API version of this client (https://docs.github.com/rest/about-the-rest-api/api-versions).
const apiVersion = "2022-11-28"

// Options select a repository and hold its credentials.
type Options struct {
	URL   string // DefaultURL when empty; of an Enterprise Server its address, with or without /api/v3
	Token string
	Repo  string // owner/name; may be empty for Projects
	// Board is a project of GitHub Projects, as owner/number or its address. Its status, iteration, priority and points apply to the
	// issues in it. "" for none.
	Board string
	// StatusField and PriorityField are the board's single-select fields for status and priority; the defaults are Status and Priority.
	StatusField, PriorityField string
	Mapping                    provider.Mapping
	// Transport holds the settings that are not specific to GitHub: clock, limits, log. New sets its name, address, credentials and
	// judge.
	Transport transport.Options
}

// Client is one repository of GitHub. It implements provider.Provider and all optional interfaces. It is safe for concurrent use.
type Client struct {
	http    *transport.Client
	graphs  *transport.Client // to the GraphQL API
	repo    string
	on      boardName
	mapping provider.Mapping
	slowed  atomic.Int64 // consecutive refusals for too many requests

	statusField, priorityField string

	// These are nil until they are read.
	known    atomic.Pointer[repository]
	viewer   atomic.Pointer[string]
	labels   atomic.Pointer[[]label] // of the repository
	theBoard atomic.Pointer[board]
}

var (
	_ provider.Provider     = (*Client)(nil)
	_ provider.Commenter    = (*Client)(nil)
	_ provider.Creator      = (*Client)(nil)
	_ provider.Checker      = (*Client)(nil)
	_ provider.SprintLister = (*Client)(nil)
	_ provider.UserFinder   = (*Client)(nil)
)

var repoShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`) })

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	token := strings.TrimSpace(o.Token)
	if token == "" {
		return nil, fault.Validation("providers.github.token", "GitHub needs a token").
			WithHint("log in with `gh auth login`, set GITHUB_TOKEN, or %s", provider.GitHub.Store())
	}
	repo := strings.TrimSuffix(strings.Trim(strings.TrimSpace(o.Repo), "/"), ".git")
	if strings.ContainsFunc(repo, func(r rune) bool {
		return !strings.ContainsRune("._/-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return nil, fault.Validation("provider.project", "%q is not a repository of GitHub", o.Repo).WithHint("name it as OWNER/NAME")
	}
	on, err := parseBoard(o.Board, repo)
	if err != nil {
		return nil, err
	}
	c := &Client{repo: repo, on: on, mapping: o.Mapping, statusField: strings.TrimSpace(o.StatusField), priorityField: strings.TrimSpace(o.PriorityField)}
	t := o.Transport
	t.Name, t.BaseURL, t.Judge = provider.GitHub, BaseURL(o.URL), c.judge
	t.Authorize = func(h http.Header) {
		h.Set("Authorization", "Bearer "+token)
		h.Set("Accept", "application/vnd.github+json")
		h.Set("X-GitHub-Api-Version", apiVersion)
	}
	t.Secrets = append(t.Secrets, token)
	if c.http, err = transport.New(t); err != nil {
		return nil, err
	}
	c.graphs = c.http
	if base := graphBase(t.BaseURL); base != t.BaseURL {
		t.BaseURL = base
		c.graphs, err = transport.New(t)
	}
	return c, err
}

// BaseURL returns the API's address for an address that a person types: github.com itself, or a server's name with or without its API
// path.
func BaseURL(given string) string {
	given = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(given), "/"), "/graphql")
	u, err := url.Parse(given)
	switch {
	case given == "":
		return DefaultURL
	case err != nil || u.Host == "":
		return given
	case u.Hostname() == "github.com" || u.Hostname() == "www.github.com":
		return DefaultURL
	case strings.HasSuffix(u.Path, "/api"):
		return given + "/v3"
	case u.Path == "" && u.Scheme == "https" && !strings.HasPrefix(u.Hostname(), "api."):
		return given + "/api/v3"
	}
	return given
}

// Name returns GitHub's name.
func (c *Client) Name() provider.Name { return provider.GitHub }

// Stats returns the totals of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

type request = transport.Request

// write is the rate limit of requests that make changes: GitHub asks for a second between two of them.
const write = "write"

func (c *Client) do(ctx context.Context, r request, into any) (*transport.Response, error) {
	if r.Method != "" && r.Method != http.MethodGet {
		r.Bucket = write
	}
	return c.http.Call(ctx, r, into)
}

// pageSize is GitHub's largest page.
const pageSize = "100"

// each calls yield for every element of a list, following the Link headers.
func each[T any](ctx context.Context, c *Client, op, path string, q url.Values, yield func(T) error) error {
	query := url.Values{"per_page": {pageSize}}
	maps.Copy(query, q)
	return provider.Walk(provider.GitHub, op, func(string) (all []T, following string, err error) {
		resp, err := c.do(ctx, request{Op: op, Path: path, Query: query}, &all)
		if err != nil {
			return nil, "", err
		}
		query = next(resp.Header)
		return all, query.Encode(), nil
	}, yield)
}

// list returns all elements of a list.
func list[T any](ctx context.Context, c *Client, op, path string, q url.Values) (all []T, err error) {
	err = each(ctx, c, op, path, q, func(v T) error {
		all = append(all, v)
		return nil
	})
	return all, err
}

// next returns the query of the next page, nil after the last one. Only the query is taken from the Link header; the path stays.
func next(h http.Header) url.Values {
	for _, link := range strings.Split(h.Get("Link"), ",") {
		address, rel, ok := strings.Cut(link, ";")
		if !ok || !strings.Contains(rel, `rel="next"`) {
			continue
		}
		u, err := url.Parse(strings.Trim(strings.TrimSpace(address), "<>"))
		if err == nil && len(u.Query()) > 0 {
			return u.Query()
		}
	}
	return nil
}

// repository is a repository of GitHub.
type repository struct {
	ID       int64       `json:"id"`
	FullName string      `json:"full_name"`
	Archived bool        `json:"archived"`
	Issues   *bool       `json:"has_issues"`
	Parent   *repository `json:"parent"`
}

// at returns a path in the configured repository.
func (c *Client) at(parts ...string) string {
	path := []string{"repos/" + c.repo}
	for _, p := range parts {
		path = append(path, url.PathEscape(p))
	}
	return strings.Join(path, "/")
}

func (c *Client) needRepo() error {
	if c.repo == "" || c.repo == "-" {
		return fault.Validation("provider.project", "no repository of GitHub is configured").WithHint("`pmsync connect github` lists the repositories")
	}
	return nil
}

// repository returns the configured repository, which is read once.
func (c *Client) repository(ctx context.Context) (*repository, error) {
	if err := c.needRepo(); err != nil {
		return nil, err
	}
	if known := c.known.Load(); known != nil {
		return known, nil
	}
	return c.readRepository(ctx)
}

func (c *Client) readRepository(ctx context.Context) (*repository, error) {
	var r repository
	if _, err := c.do(ctx, request{Op: "read the repository " + c.repo, Path: c.at()}, &r); err != nil {
		return nil, err
	}
	if r.ID == 0 {
		return nil, provider.Fail(provider.Protocol, nil, "GitHub's answer to the request to read the repository %s lacks its id", c.repo)
	}
	c.known.Store(&r)
	return &r, nil
}

// TestConnection reads the user of the token, and the repository.
func (c *Client) TestConnection(ctx context.Context) (provider.Account, error) {
	a, err := c.account(ctx)
	if err != nil || c.repo == "" || c.repo == "-" {
		return a, err
	}
	r, err := c.readRepository(ctx)
	if err != nil {
		return a, err
	}
	if r.Issues != nil && !*r.Issues {
		e := provider.Fail(provider.NotFound, nil, "issues are disabled in %s", r.FullName)
		if r.Parent != nil {
			e = e.Hint("it is a fork: `pmsync connect github --repo %s` takes the issues of its parent", r.Parent.FullName)
		}
		return a, e
	}
	a.Project = r.FullName
	_, err = c.board(ctx, true)
	return a, err
}

// account returns the user of the token. A workflow's token belongs to no user but may still read the repository.
func (c *Client) account(ctx context.Context) (provider.Account, error) {
	var me struct{ Login, Name, Email string }
	_, err := c.do(ctx, request{Op: "test the connection", Path: "user"}, &me)
	if provider.Is(err, provider.Forbidden) && strings.Contains(err.Error(), "accessible by integration") {
		me.Login, err = "github-actions[bot]", nil
	}
	if err != nil {
		return provider.Account{}, err
	}
	if me.Login == "" {
		return provider.Account{}, provider.Fail(provider.Protocol, nil, "GitHub did not answer whom the token belongs to")
	}
	c.viewer.Store(&me.Login)
	a := provider.Account{ID: me.Login, Name: cmp.Or(me.Name, me.Login), Email: me.Email}
	if u, err := url.Parse(c.http.Base()); err == nil {
		a.Site = strings.TrimPrefix(u.Host, "api.")
	}
	return a, nil
}

// Projects returns the repositories that the account can read, latest change first.
func (c *Client) Projects(ctx context.Context, yield func(provider.Project) error) error {
	return each(ctx, c, "list the repositories", "user/repos", url.Values{"sort": {"pushed"}}, func(r repository) error {
		if r.Issues != nil && !*r.Issues {
			return nil
		}
		owner, _, _ := strings.Cut(r.FullName, "/")
		return yield(provider.Project{ID: fmt.Sprint(r.ID), Key: r.FullName, Name: r.FullName, Kind: "project", Parent: owner, Archived: r.Archived})
	})
}

// Users returns the assignable people whose login contains text.
func (c *Client) Users(ctx context.Context, text string) (out []provider.User, err error) {
	const most = 50
	text = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "@"))
	err = each(ctx, c, "list who can be assigned", c.at("assignees"), nil, func(u user) error {
		if strings.EqualFold(u.Login, text) {
			out = append([]provider.User{*u.convert()}, out...)
		} else if len(out) < most && strings.Contains(strings.ToLower(u.Login), text) {
			out = append(out, *u.convert())
		}
		return nil
	})
	return out[:min(len(out), most)], err
}
