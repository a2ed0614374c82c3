// Package asana reads and writes one project of Asana through its REST API. Asana has no states, no priorities and no complete change
// log. A state comes from the configuration: sections, an enum custom field, custom types, or "completed"; a change to a state without
// a configured meaning is refused. Changes are read from two sources, each of them incomplete: the event stream and the list of
// modified tasks.
package asana

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
	"github.com/agit-suite/agit/shared/fault"
)

// DefaultURL is the address of Asana's API.
const DefaultURL = "https://app.asana.com/api/1.0"

// Options select a project and hold its credentials.
type Options struct {
	URL     string // DefaultURL when empty
	Token   string // a personal access token
	Project string // gid of a project; may be empty for TestConnection and Projects
	// StatusField is the gid or name of an enum custom field that holds the
	// state; when empty, the sections of the project are the states.
	StatusField string
	// PriorityField is the gid or name of an enum custom field that holds the priority; Mapping.Priority maps its options. When empty
	// there are no priorities.
	PriorityField string
	Mapping       provider.Mapping
	// Transport holds the settings that are not specific to Asana: clock, limits, log. New sets its name, address, credentials and
	// judge.
	Transport transport.Options
}

// Client is one project of Asana. It implements provider.Provider and all optional interfaces except provider.SprintLister, because
// Asana has no sprints. It is safe for concurrent use.
type Client struct {
	http    *transport.Client
	log     *slog.Logger
	o       Options
	mapping provider.Mapping

	workspace atomic.Pointer[string] // gid of the project's workspace, once known
	mu        sync.Mutex
	announced map[string]bool // API changes that were already logged
}

var (
	_ provider.Provider   = (*Client)(nil)
	_ provider.Commenter  = (*Client)(nil)
	_ provider.Creator    = (*Client)(nil)
	_ provider.Checker    = (*Client)(nil)
	_ provider.UserFinder = (*Client)(nil)
)

// New returns a client. It sends nothing.
func New(o Options) (*Client, error) {
	token := strings.TrimSpace(o.Token)
	if token == "" {
		return nil, fault.Validation("providers.asana.access_token", "Asana needs a personal access token").
			WithHint("make one in Asana's developer console, and %s", provider.Asana.Store())
	}
	o.Project, o.StatusField, o.PriorityField = strings.TrimSpace(o.Project), strings.TrimSpace(o.StatusField), strings.TrimSpace(o.PriorityField)
	c := &Client{o: o, mapping: o.Mapping, log: cmp.Or(o.Transport.Log, slog.New(slog.DiscardHandler)), announced: map[string]bool{}}
	t := o.Transport
	t.Name, t.BaseURL, t.Judge = provider.Asana, cmp.Or(o.URL, DefaultURL), c.judge
	t.Authorize = func(h http.Header) { h.Set("Authorization", "Bearer "+token) }
	t.Secrets = append(t.Secrets, token)
	var err error
	c.http, err = transport.New(t)
	return c, err
}

// Name returns Asana's name.
func (c *Client) Name() provider.Name { return provider.Asana }

// Stats returns the totals of the transport.
func (c *Client) Stats() transport.Stats { return c.http.Stats() }

// judge classifies an answer. Status 412 means that the event stream begins anew.
func (c *Client) judge(r *transport.Response) transport.Verdict {
	c.notice(r.Header)
	switch {
	case r.Status == http.StatusPreconditionFailed && r.Request.Path == pathEvents:
		return transport.Good
	case r.Status == http.StatusPaymentRequired:
		return transport.Verdict{Err: provider.Fail(provider.Forbidden, nil,
			"the plan of this Asana workspace does not include what is needed to %s: %s", r.Request.Op, message(r.Body))}
	}
	return transport.VerdictByStatus(r, provider.Asana, message(r.Body))
}

// message returns Asana's error message.
func message(body []byte) string {
	var answer struct {
		Errors []struct{ Message, Phrase string }
	}
	if json.Unmarshal(transport.Trim(body), &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	e := answer.Errors[0]
	if e.Message == "" && e.Phrase != "" {
		return "phrase for Asana's support: " + e.Phrase
	}
	return e.Message
}

// notice logs each announced change of the API once, for the maintainers of this client: Asana announces changes in a header of every
// answer, months before they take effect.
func (c *Client) notice(h http.Header) {
	for _, line := range h.Values("Asana-Change") {
		parts := map[string]string{}
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' }) {
			key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			parts[key] = value
		}
		name := parts["name"]
		c.mu.Lock()
		known := name == "" || c.announced[name] || len(c.announced) > 100
		c.announced[name] = true
		c.mu.Unlock()
		if !known {
			c.log.Debug("Asana is going to change its API", "provider", provider.Asana, "change", name, "info", parts["info"])
		}
	}
}

type request = transport.Request

// call sends a request, with its body wrapped as Asana wants it, and decodes the data of its answer.
func (c *Client) call(ctx context.Context, r request, into any) error {
	if r.Body != nil {
		r.Body = map[string]any{"data": r.Body}
	}
	var answer struct{ Data json.RawMessage }
	if _, err := c.http.Call(ctx, r, &answer); err != nil {
		return err
	}
	return decode(r.Op, answer.Data, into)
}

// get reads one thing with the fields.
func (c *Client) get(ctx context.Context, op, path, fields string, into any) error {
	return c.call(ctx, request{Op: op, Path: path, Query: url.Values{"opt_fields": {fields}}, Safe: true}, into)
}

// decode reads what stands under data.
func decode(op string, data json.RawMessage, into any) error {
	if len(data) == 0 || string(data) == "null" {
		return provider.Fail(provider.Protocol, nil, "Asana's answer to the request to %s lacks its data", op)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return provider.Fail(provider.Protocol, nil, "Asana's answer to the request to %s has another shape than its API describes", op)
	}
	return nil
}

// pageSize is the largest page of Asana. Without a limit it truncates long lists.
const pageSize = "100"

// list is one page of a list. Next is the offset of the next page, "" at the end.
func (c *Client) list(ctx context.Context, op, path string, q url.Values, offset string) (items []json.RawMessage, next string, err error) {
	query := url.Values{"limit": {pageSize}}
	maps.Copy(query, q)
	if offset != "" {
		query.Set("offset", offset)
	}
	var answer struct {
		Data json.RawMessage
		Next *struct{ Offset string } `json:"next_page"`
	}
	if _, err = c.http.Call(ctx, request{Op: op, Path: path, Query: query}, &answer); err == nil {
		err = decode(op, answer.Data, &items)
	}
	if err != nil || answer.Next == nil {
		return items, "", err
	}
	next = answer.Next.Offset
	if next == "" || next == offset {
		return nil, "", provider.Fail(provider.Protocol, nil, "Asana's list does not end: asked to %s it names the same page again", op)
	}
	return items, next, nil
}

// each calls yield for every element of a list, page by page.
func each[T any](ctx context.Context, c *Client, op, path string, q url.Values, yield func(T) error) error {
	return provider.Walk(provider.Asana, op, func(offset string) ([]json.RawMessage, string, error) {
		return c.list(ctx, op, path, q, offset)
	}, func(raw json.RawMessage) error {
		var v T
		if err := decode(op, raw, &v); err != nil {
			return err
		}
		return yield(v)
	})
}

// named is any object of Asana.
type named struct {
	GID  string `json:"gid"`
	Name string `json:"name"`
	Kind string `json:"resource_type"`
}

func (n named) is(wanted string) bool {
	return wanted != "" && (n.GID == wanted || strings.EqualFold(n.Name, wanted))
}

// needProject returns an error where no project is configured.
func (c *Client) needProject() error {
	if c.o.Project == "" {
		return fault.Validation("provider.project_id", "no project of Asana is configured").
			WithHint("`pmsync connect asana` lists the projects")
	}
	return nil
}

func path(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// TestConnection reads the user of the token, and the project.
func (c *Client) TestConnection(ctx context.Context) (provider.Account, error) {
	var me struct {
		GID, Name, Email string
		Workspaces       []named
	}
	if err := c.get(ctx, "test the connection", path("users", "me"), "name,email,workspaces.name", &me); err != nil {
		return provider.Account{}, err
	}
	a := provider.Account{ID: me.GID, Name: me.Name, Email: me.Email}
	if a.ID == "" {
		return a, provider.Fail(provider.Protocol, nil, "Asana did not say whom the token belongs to")
	}
	if len(me.Workspaces) > 0 {
		a.Site = me.Workspaces[0].Name
	}
	if c.o.Project == "" {
		return a, nil
	}
	p, err := c.project(ctx)
	a.Project, a.Site = p.Name, cmp.Or(p.Workspace.Name, a.Site)
	return a, err
}

type project struct {
	GID, Name string
	Archived  bool
	Workspace named
	Team      *named
}

func (c *Client) project(ctx context.Context) (p project, err error) {
	if err := c.needProject(); err != nil {
		return p, err
	}
	err = c.get(ctx, "read the project", path("projects", c.o.Project), "name,archived,workspace.name", &p)
	if err == nil {
		c.workspace.Store(&p.Workspace.GID)
	}
	return p, err
}

// workspaceID returns the gid of the project's workspace.
func (c *Client) workspaceID(ctx context.Context) (string, error) {
	if id := c.workspace.Load(); id != nil && *id != "" {
		return *id, nil
	}
	p, err := c.project(ctx)
	return p.Workspace.GID, err
}

// Projects returns the projects of all workspaces of the token.
func (c *Client) Projects(ctx context.Context, yield func(provider.Project) error) error {
	return each(ctx, c, "list the workspaces", "workspaces", url.Values{"opt_fields": {"name"}}, func(w named) error {
		q := url.Values{"opt_fields": {"name,archived,team.name"}}
		return each(ctx, c, "list the projects", path("workspaces", w.GID, "projects"), q, func(p project) error {
			parent := w.Name
			if p.Team != nil && p.Team.Name != "" {
				parent += " / " + p.Team.Name
			}
			return yield(provider.Project{ID: p.GID, Key: p.GID, Name: p.Name, Kind: "project", Parent: parent, Archived: p.Archived})
		})
	})
}
