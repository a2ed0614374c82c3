// Package linear reads and writes one team of Linear through its GraphQL API.
package linear

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// DefaultURL is the address of Linear's API.
const DefaultURL = "https://api.linear.app"

// Options select a team and hold its credentials.
type Options struct {
	URL     string // DefaultURL when empty
	APIKey  string // a personal API key, or an OAuth token after "Bearer "
	Team    string // id or key of a team; may be empty for TestConnection and Projects
	Project string // id of a project, to read only that part of the team; may be empty
	Mapping provider.Mapping
	// Transport holds the settings that are not specific to Linear: clock, limits, log. New sets its name, address, credentials and
	// judge.
	Transport transport.Options
}

// Client is one team of Linear. It implements provider.Provider and all optional interfaces, and is safe for concurrent use.
type Client struct {
	http    *transport.Client
	team    string
	project string
	mapping provider.Mapping

	refused atomic.Int64 // consecutive refusals by the rate limit

	mu     sync.Mutex
	labels map[string]string // label names by id
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
	key := strings.TrimSpace(o.APIKey)
	if key == "" {
		return nil, fault.Validation("providers.linear.api_key", "Linear needs an API key").
			WithHint("make one under Settings, Security & access in Linear, and %s", provider.Linear.Store())
	}
	c := &Client{team: strings.TrimSpace(o.Team), project: strings.TrimSpace(o.Project), mapping: o.Mapping, labels: map[string]string{}}
	t := o.Transport
	url := strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(o.URL), "/"), "/graphql")
	t.Name, t.BaseURL, t.Judge = provider.Linear, cmp.Or(url, DefaultURL), c.judge
	// A personal key is sent bare; Linear refuses it after "Bearer ".
	t.Authorize = func(h http.Header) { h.Set("Authorization", key) }
	t.Secrets = append(t.Secrets, key, strings.TrimPrefix(key, "Bearer "))
	var err error
	c.http, err = transport.New(t)
	return c, err
}

// Name returns Linear's name.
func (c *Client) Name() provider.Name { return provider.Linear }

// Stats returns the totals of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

// vars are the variables of a query. Unset fields are left out: Linear takes null for "clear this field".
type vars map[string]any

// ask sends a query or a repeatable mutation and decodes its data. Errors beside the data are returned to the caller.
func (c *Client) ask(ctx context.Context, op, query string, v vars, data any) ([]gqlError, error) {
	answer := struct {
		Data   any        `json:"data"`
		Errors []gqlError `json:"errors"`
	}{Data: data}
	_, err := c.http.Call(ctx, transport.Request{Op: op, Method: http.MethodPost, Path: "graphql",
		Body: map[string]any{"query": query, "variables": v}, Safe: true}, &answer)
	return answer.Errors, err
}

// read is ask for an answer that must be complete.
func (c *Client) read(ctx context.Context, op, query string, v vars, data any) error {
	errs, err := c.ask(ctx, op, query, v, data)
	if err == nil && len(errs) > 0 {
		return c.failed(op, errs[0], http.StatusOK)
	}
	return err
}

var uuidShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// teamFilter matches the configured team by its id or its key.
func (c *Client) teamFilter() (vars, error) {
	switch {
	case c.team == "":
		return nil, fault.Validation("provider.team_id", "no team of Linear is configured").
			WithHint("`pmsync connect linear` lists the teams")
	case uuidShape().MatchString(c.team):
		return vars{"id": vars{"eq": strings.ToLower(c.team)}}, nil
	}
	return vars{"key": vars{"eq": strings.ToUpper(c.team)}}, nil
}

// isTeam reports whether it is the configured team.
func (c *Client) isTeam(id, key string) bool {
	return c.team == "" || strings.EqualFold(c.team, id) || strings.EqualFold(c.team, key)
}

// TestConnection reads the user of the key, and the team.
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

// Projects returns the teams that the key can read.
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
