package asana

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

var gidShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })

// Item reads a task by its gid or by its number in the project.
func (c *Client) Item(ctx context.Context, id string) (*provider.Item, error) {
	if gidShape().MatchString(id) {
		return c.read(ctx, "read task "+id, path("tasks", id))
	}
	if strings.TrimSpace(id) == "" || strings.ContainsAny(id, "/?#") {
		return nil, provider.Fail(provider.NotFound, nil, "Asana has no task %q", id)
	}
	workspace, err := c.workspaceID(ctx)
	if err != nil {
		return nil, err
	}
	var numbered named // this endpoint does not accept a list of fields
	where := path("workspaces", workspace, "tasks", "custom_id", id)
	if err := c.call(ctx, request{Op: "read task " + id, Path: where, Safe: true}, &numbered); err != nil {
		return nil, err
	}
	return c.read(ctx, "read task "+id, path("tasks", numbered.GID))
}

// read reads a task; for a subtask it also finds the project of the topmost task.
func (c *Client) read(ctx context.Context, op, where string) (*provider.Item, error) {
	var raw json.RawMessage
	if err := c.get(ctx, op, where, taskFields, &raw); err != nil {
		return nil, err
	}
	t, err := parse(raw)
	if err != nil {
		return nil, err
	}
	item := c.item(t, raw)
	if item.Type == provider.TypeSubtask && c.here(t) == nil {
		roots, err := c.roots(ctx, []string{item.Parent.ID})
		if err != nil {
			return nil, err
		}
		if other := roots.of(item.Parent.ID); other != nil {
			item.Presence, item.Project = provider.Moved, other.GID
		}
	}
	return &item, nil
}

// batchSize is the most requests that Asana accepts in one batch.
const batchSize = 10

// batch reads tasks by their gids, ten per request, and calls yield for each with its status. A task that the rate limit refuses within
// a batch is read separately, after the wait that Asana names.
func (c *Client) batch(ctx context.Context, ids []string, fields string, yield func(id string, status int, data json.RawMessage) error) error {
	for part := range slices.Chunk(ids, batchSize) {
		var actions []map[string]any
		for _, id := range part {
			actions = append(actions, map[string]any{"method": "get", "relative_path": "/" + path("tasks", id),
				"options": map[string]any{"fields": strings.Split(fields, ",")}})
		}
		var answers []struct {
			Status int `json:"status_code"`
			Body   struct{ Data json.RawMessage }
		}
		body := map[string]any{"actions": actions}
		if err := c.call(ctx, request{Op: "look for tasks", Method: http.MethodPost, Path: "batch", Body: body, Safe: true}, &answers); err != nil {
			return err
		}
		if len(answers) != len(part) {
			return provider.Fail(provider.Protocol, nil, "Asana answered %d of %d parts of a batch", len(answers), len(part))
		}
		for i, a := range answers {
			status, data := a.Status, a.Body.Data
			if status == http.StatusTooManyRequests || status >= 500 {
				status = http.StatusOK
				err := c.get(ctx, "read task "+part[i], path("tasks", part[i]), fields, &data)
				if e := provider.Details(err); e.Reason == provider.NotFound || e.Reason == provider.Forbidden {
					status, data = e.Status, nil
				} else if err != nil {
					return err
				}
			}
			if err := yield(part[i], status, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSize is how many tasks are checked together.
const checkSize = 100

// placeFields are the fields with a task's project and section.
const placeFields = "completed,modified_at,parent.name,memberships.project.name,memberships.section.name"

// TellsGone implements provider.Teller: deletions come as events, and everything is read again each day.
func (c *Client) TellsGone() {}

// Check looks for tasks by their gids. A task that Asana does not return is Unknown: the answer is the same for a deleted task and for
// one that the account may not read.
func (c *Client) Check(ctx context.Context, ids []string, yield func(provider.Presence) error) error {
	for part := range slices.Chunk(ids, checkSize) {
		var valid, parents []string
		for _, id := range part {
			if gidShape().MatchString(id) {
				valid = append(valid, id)
			}
		}
		found := map[string]provider.Presence{}
		below := map[string]string{}
		err := c.batch(ctx, valid, placeFields, func(id string, status int, data json.RawMessage) error {
			if status != http.StatusOK {
				return nil
			}
			t, err := parse(data)
			if err != nil {
				return err
			}
			item := c.item(t, nil)
			found[id] = provider.Presence{RemoteID: id, Where: item.Presence, Project: item.Project, Key: id}
			if t.Parent != nil && c.here(t) == nil {
				below[id] = t.Parent.GID
				parents = append(parents, t.Parent.GID)
			}
			return nil
		})
		if err != nil {
			return err
		}
		roots, err := c.roots(ctx, parents)
		if err != nil {
			return err
		}
		for _, id := range part {
			p, ok := found[id]
			if !ok {
				p = provider.Presence{RemoteID: id, Where: provider.Unknown}
			} else if other := roots.of(below[id]); other != nil {
				p.Where, p.Project = provider.Moved, other.GID
			}
			if err := yield(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// roots finds for each task the other project that its topmost task belongs to.
type roots struct {
	parent map[string]string
	left   map[string]*project
}

// roots follows the parents of the tasks. A subtask names no project: it belongs to the project of its topmost task. An unreadable task
// counts as being in this project.
func (c *Client) roots(ctx context.Context, ids []string) (*roots, error) {
	r := &roots{parent: map[string]string{}, left: map[string]*project{}}
	seen := map[string]bool{}
	for depth := 0; len(ids) > 0 && depth < maxDepth; depth++ {
		var unseen, next []string
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				unseen = append(unseen, id)
			}
		}
		err := c.batch(ctx, unseen, placeFields, func(id string, status int, data json.RawMessage) error {
			t, err := parse(data)
			switch {
			case status != http.StatusOK || err != nil || c.here(t) != nil:
			case t.Parent != nil:
				r.parent[id] = t.Parent.GID
				next = append(next, t.Parent.GID)
			default:
				r.left[id] = &project{GID: c.item(t, nil).Project}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		ids = next
	}
	return r, nil
}

// of returns the other project of the task; nil when it is in this one.
func (r *roots) of(id string) *project {
	for range maxDepth {
		if left := r.left[id]; left != nil {
			return left
		}
		id = r.parent[id]
	}
	return nil
}

// Users returns the people of the workspace whose name or address matches.
func (c *Client) Users(ctx context.Context, text string) (out []provider.User, err error) {
	workspace, err := c.workspaceID(ctx)
	if err != nil {
		return nil, err
	}
	if strings.Contains(text, "@") { // the quick search does not cover addresses
		var one struct {
			named
			Email string `json:"email"`
		}
		err := c.get(ctx, "find the user "+text, path("users", text), "name,email", &one)
		if u := user(&one.named); err == nil && u != nil {
			u.Email = one.Email
			return []provider.User{*u}, nil
		}
		if err != nil && !provider.Is(err, provider.NotFound) && !provider.Is(err, provider.Forbidden) && !provider.Is(err, provider.Invalid) {
			return nil, err
		}
	}
	q := url.Values{"resource_type": {"user"}, "query": {text}, "count": {"50"}, "opt_fields": {"name"}}
	var found []named
	if err := c.call(ctx, request{Op: "find users", Path: path("workspaces", workspace, "typeahead"), Query: q, Safe: true}, &found); err != nil {
		return nil, err
	}
	for _, n := range found {
		if u := user(&n); u != nil {
			out = append(out, *u)
		}
	}
	return out, nil
}

// Attachments returns the task's files and linked pages. Reading a task does not show whether it has any.
func (c *Client) Attachments(ctx context.Context, current *provider.Item) (files []provider.File, err error) {
	q := url.Values{"parent": {current.RemoteID}, "opt_fields": {"name,resource_subtype,size,permanent_url,view_url"}}
	err = each(ctx, c, "read the attachments of "+current.Key, "attachments", q, func(a struct {
		Name    string `json:"name"`
		Subtype string `json:"resource_subtype"`
		Size    int64  `json:"size"`
		URL     string `json:"permanent_url"`
		View    string `json:"view_url"`
	}) error {
		f := provider.File{Web: a.Subtype == "external", Name: a.Name, URL: a.URL, Size: a.Size}
		if f.URL == "" || f.Web && a.View != "" {
			f.URL = a.View
		}
		files = append(files, f)
		return nil
	})
	return files, err
}
