package jira

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// linkPath is the endpoint that creates links; its answer is empty.
const linkPath = "api/3/issueLink"

// place adds the change of the issue's parent.
func (e *edits) place(current *provider.Item, change provider.Change) {
	if change.Parent == nil || current.Above().Is(*change.Parent) {
		return
	}
	if to := *change.Parent; to != "" {
		e.fields["parent"] = map[string]string{"id": to}
	} else {
		e.update["parent"] = []any{map[string]any{"set": map[string]any{"none": true}}}
	}
	e.applied = append(e.applied, provider.FieldParent)
}

// link adds a relation, unless the issue has it, by a link type with a matching direction. Documentation of the service disagrees on
// the directions, so the issue is read again, and a reversed link is corrected.
func (c *Client) link(ctx context.Context, current *provider.Item, l *provider.NewLink) ([]provider.Field, error) {
	if l == nil || current.Linked(*l) {
		return nil, nil
	}
	kind, outward, err := c.linkKind(ctx, l.Relation)
	if err != nil {
		return nil, err
	}
	from, to := current.RemoteID, l.Target
	if !outward {
		from, to = to, from
	}
	if err := c.relate(ctx, current.Key, kind, from, to); err != nil {
		return nil, err
	}
	now, err := c.Item(ctx, current.RemoteID)
	if err != nil {
		return nil, err
	}
	turned := slices.IndexFunc(now.Links, func(has provider.Link) bool {
		return has.Target.ID == l.Target && has.Relation == l.Relation.Inverse() && !slices.ContainsFunc(current.Links, func(was provider.Link) bool { return was.ID == has.ID })
	})
	if now.Linked(*l) || turned < 0 {
		return []provider.Field{provider.FieldLink}, nil
	}
	if err := c.do(ctx, request{Op: "turn a link of " + current.Key, Method: http.MethodDelete, Path: linkPath + "/" + url.PathEscape(now.Links[turned].ID), Safe: true}, nil); err != nil {
		return nil, err
	}
	return []provider.Field{provider.FieldLink}, c.relate(ctx, current.Key, kind, to, from)
}

// relate creates a link. The service does not create duplicates.
func (c *Client) relate(ctx context.Context, key, kind, from, to string) error {
	body := map[string]any{"type": map[string]string{"name": kind}, "inwardIssue": map[string]string{"id": from}, "outwardIssue": map[string]string{"id": to}}
	return c.do(ctx, request{Op: "link issue " + key, Method: http.MethodPost, Path: linkPath, Body: body, Safe: true}, nil)
}

// linkKind returns the name of a link type with a matching direction, and whether that is the outward one.
func (c *Client) linkKind(ctx context.Context, r provider.Relation) (name string, outward bool, err error) {
	var answer struct{ IssueLinkTypes []linkType }
	if err := c.get(ctx, "read the types of links", "api/3/issueLinkType", nil, &answer); err != nil {
		return "", false, err
	}
	for _, t := range answer.IssueLinkTypes {
		if relationOf(t.Name, t.Outward, true) == r {
			return t.Name, true, nil
		}
		if relationOf(t.Name, t.Inward, false) == r {
			return t.Name, false, nil
		}
	}
	return "", false, provider.Fail(provider.Unsupported, nil, "the site of Jira has no type of links that means %s", r).Hint("make one there, or use another relation")
}
