package github

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// place sets or removes the issue's parent.
func (w *writing) place(parent *string) error {
	above := w.current.Parent
	if parent == nil || above.Is(*parent) {
		return nil
	}
	if *parent == "" {
		r, ok := parseRef(above.ID)
		if !ok || r.repo != "" {
			return provider.Fail(provider.Unsupported, nil, "%s is below %s of another repository", w.current.Key, above.Key).Hint("take it from there in GitHub")
		}
		w.applied = append(w.applied, provider.FieldParent)
		_, err := w.c.do(w.ctx, request{Op: fmt.Sprintf("take %s from below %s", w.current.Key, above.Key), Method: http.MethodDelete, Safe: true,
			Path: w.c.at("issues", strconv.Itoa(r.number), "sub_issue"), Body: map[string]any{"sub_issue_id": w.i.ID}}, nil)
		return err
	}
	w.applied = append(w.applied, provider.FieldParent)
	return w.c.below(w.ctx, *parent, w.current.Key, w.i.ID)
}

// below makes an issue a sub-issue of another one, which replaces its parent.
func (c *Client) below(ctx context.Context, parent, name string, id int64) error {
	r, ok := parseRef(parent)
	if !ok {
		return provider.Fail(provider.Invalid, nil, "%q is not an issue of GitHub", parent)
	}
	_, err := c.do(ctx, request{Op: fmt.Sprintf("put %s below %s", name, key(r.number)), Method: http.MethodPost, Safe: true,
		Path: c.at("issues", strconv.Itoa(r.number), "sub_issues"), Body: map[string]any{"sub_issue_id": id, "replace_parent": true}}, nil)
	return olderServer(err, "sub-issues")
}

// link adds a dependency, unless the issue has it. The request goes to the waiting issue, which names the other one by its id.
func (w *writing) link(l *provider.NewLink) error {
	if l == nil || w.current.Linked(*l) {
		return nil
	}
	if l.Relation != provider.Blocks && l.Relation != provider.BlockedBy {
		return provider.Fail(provider.Unsupported, nil, "GitHub knows only what waits for what, and has no relation %s", l.Relation).Hint("use blocks or blocked_by")
	}
	r, ok := parseRef(l.Target)
	if !ok || r.repo != "" {
		return provider.Fail(provider.Invalid, nil, "%q is not an issue of %s", l.Target, w.c.repo)
	}
	other, err := w.c.issue(w.ctx, r.number)
	if err != nil {
		return err
	}
	waiting, blocker := w.i, other
	if l.Relation == provider.Blocks {
		waiting, blocker = other, w.i
	}
	w.applied = append(w.applied, provider.FieldLink)
	_, err = w.c.do(w.ctx, request{Op: "link " + w.current.Key, Method: http.MethodPost, Safe: true,
		Path: w.c.at("issues", strconv.Itoa(waiting.Number), "dependencies", "blocked_by"), Body: map[string]any{"issue_id": blocker.ID}}, nil)
	if provider.Is(err, provider.Invalid) { // an earlier attempt may have succeeded
		if now, readErr := w.c.issue(w.ctx, w.i.Number); readErr == nil {
			if item, readErr := w.c.convert(w.ctx, now); readErr == nil && item.Linked(*l) {
				return nil
			}
		}
	}
	return olderServer(err, "dependencies")
}

// olderServer explains a missing endpoint: an Enterprise Server may be too old for it.
func olderServer(err error, what string) error {
	if provider.Is(err, provider.NotFound) {
		return provider.Fail(provider.Unsupported, err, "this server of GitHub has no %s, or does not show the issue", what)
	}
	return err
}
