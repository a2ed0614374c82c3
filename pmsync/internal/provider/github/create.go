package github

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Create creates an issue with a hidden mark in its text. After an attempt with an unknown outcome it first reads the issues that the
// account created since, from the list, because the search index is late.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	if err := c.needRepo(); err != nil {
		return nil, err
	}
	if len(n.Fields) > 0 {
		return nil, noFields(n.Fields)
	}
	item, err := provider.CreateMarked(n, func(marker string) (*provider.Item, error) { return c.made(ctx, n, marker) },
		func(marker string) (*provider.Item, error) { return c.create(ctx, n, marker) })
	if err != nil {
		return nil, err
	}
	if err := c.adopt(ctx, n.Parent, item); err != nil {
		return provider.Placed(item, nil, err)
	}
	b, err := c.board(ctx, false)
	if err != nil {
		return provider.Placed(item, nil, err)
	}
	if n.Status == nil && n.Parent == "" && b == nil {
		return item, nil
	}
	later := c.later(b, n)
	if i, err := c.own(item); err == nil && b != nil {
		if _, err := c.put(ctx, b, i); err != nil {
			return provider.Placed(item, nil, err)
		}
	}
	now, err := c.Update(ctx, item, later)
	return provider.Placed(item, now, err)
}

// later sets the state and the project's fields of a new issue. A priority without an option or a label is left out.
func (c *Client) later(b *board, n provider.NewItem) (change provider.Change) {
	change.Status = n.Status
	if b == nil {
		return change
	}
	if b.priority != nil && n.Priority != 0 {
		if _, err := c.optionFor(b, n.Priority); err == nil {
			change.Priority = &n.Priority
		}
	}
	if b.points != nil && n.Estimate != nil && (n.Unit == "" || n.Unit == "points") {
		change.Estimate = n.Estimate
	}
	if b.iteration != nil && n.Sprint != "" {
		change.Sprint = &n.Sprint
	}
	return change
}

// adopt makes an issue a sub-issue of another one, unless it already is.
func (c *Client) adopt(ctx context.Context, parent string, item *provider.Item) error {
	if parent == "" || item.Parent.Is(parent) {
		return nil
	}
	i, err := c.own(item)
	if err != nil {
		return err
	}
	return c.below(ctx, parent, item.Key, i.ID)
}

// noFields refuses custom fields.
func noFields(fields []provider.FieldValue) error {
	return provider.Fail(provider.Unsupported, nil, "an issue of GitHub has no custom fields").Hint("leave %q out", fields[0].Name)
}

// made returns the issue that an earlier attempt created, or nil.
func (c *Client) made(ctx context.Context, n provider.NewItem, marker string) (*provider.Item, error) {
	viewer := c.viewer.Load()
	if viewer == nil {
		a, err := c.account(ctx)
		if err != nil {
			return nil, err
		}
		viewer = &a.ID
	}
	q := url.Values{"state": {"all"}, "creator": {*viewer}, "since": {n.Attempted.Add(-lookBack).UTC().Format(time.RFC3339)}}
	found, err := provider.FindMarked(marker, func(yield func(issue) error) error {
		return each(ctx, c, "look for an issue made before", c.at("issues"), q, yield)
	}, func(i issue) string { return i.text() })
	if err != nil || found == nil {
		return nil, err
	}
	i, err := c.issue(ctx, found.Number)
	if err != nil {
		return nil, err
	}
	return c.convert(ctx, i)
}

func (c *Client) create(ctx context.Context, n provider.NewItem, marker string) (*provider.Item, error) {
	body := map[string]any{"title": n.Title, "body": marked(n.Text, marker)}
	labels := slices.Clone(n.Labels)
	b, err := c.board(ctx, false)
	if err != nil {
		return nil, err
	}
	if n.Priority != 0 && (b == nil || b.priority == nil) {
		name, err := c.priorityLabel(ctx, n.Priority)
		if err != nil && !provider.Is(err, provider.Unsupported) {
			return nil, err
		}
		if err == nil {
			labels = append(labels, name)
		}
	}
	if len(labels) > 0 {
		body["labels"] = labels
	}
	if n.Assignee != "" {
		body["assignees"] = []string{n.Assignee}
	}
	if _, number, ok := strings.Cut(n.Sprint, "/"); ok && (b == nil || b.iteration == nil) {
		if m, err := strconv.Atoi(number); err == nil {
			body["milestone"] = m
		}
	}
	if n.NativeType != "" {
		body["type"] = n.NativeType
	} else if n.Type == provider.TypeEpic {
		body["type"] = "Epic"
	}
	var made issue
	if _, err := c.do(ctx, request{Op: "make an issue", Method: http.MethodPost, Path: c.at("issues"), Body: body}, &made); err != nil {
		return nil, unsure(err)
	}
	i, err := c.issue(ctx, made.Number)
	if err != nil {
		return nil, provider.Looking(err)
	}
	item, err := c.convert(ctx, i)
	return item, provider.Looking(err)
}
