package github

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Update makes a change, each part by the narrowest request: labels and assignees are added and removed, never replaced. GitHub does
// not compare versions, so the caller reads the issue just before. The issue is read again at the end, because GitHub silently drops
// what the account may not write.
func (c *Client) Update(ctx context.Context, current *provider.Item, change provider.Change) (*provider.Item, error) {
	i, err := c.own(current)
	if err != nil {
		return nil, err
	}
	if len(change.Fields) > 0 {
		return nil, noFields(change.Fields)
	}
	w := &writing{c: c, ctx: ctx, i: i, current: current}
	if w.b, err = c.board(ctx, false); err != nil {
		return nil, err
	}
	if change.Estimate != nil && (w.b == nil || w.b.points == nil) {
		return nil, noEstimate(c.on)
	}
	for _, step := range []func() error{
		func() error { return w.words(change.Title, change.Text, change.Sprint) },
		func() error { return w.iteration(change.Sprint) },
		func() error { return w.points(change.Estimate) },
		func() error { return w.priority(change.Priority) },
		func() error { return w.labels(change.AddLabels, change.RemoveLabels) },
		func() error { return w.assignee(change.Assignee) },
		func() error { return w.status(change.Status) },
		func() error { return w.place(change.Parent) },
		func() error { return w.link(change.AddLink) },
	} {
		if err := step(); err != nil {
			return nil, provider.Partly(err, w.applied)
		}
	}
	now, err := c.issue(ctx, i.Number)
	if err != nil {
		return nil, provider.Partly(err, w.applied)
	}
	item, err := c.convert(ctx, now)
	return item, provider.Partly(err, w.applied)
}

// own returns the issue of an item, which must be in the repository.
func (c *Client) own(current *provider.Item) (*issue, error) {
	if current.Presence == provider.Moved {
		return nil, provider.Fail(provider.Unsupported, nil, "%s is in another repository of GitHub", current.Key)
	}
	return parse(current.Raw)
}

// writing is one Update.
type writing struct {
	c       *Client
	ctx     context.Context
	i       *issue
	current *provider.Item
	applied []provider.Field
	b       *board // the configured project, nil for none
	inBoard string // the issue's id there, once known
}

// send makes one repeatable change of the issue.
func (w *writing) send(method string, body any, parts ...string) error {
	path := w.c.at(append([]string{"issues", strconv.Itoa(w.i.Number)}, parts...)...)
	r := request{Op: "change issue " + w.current.Key, Method: method, Path: path, Body: body, Safe: true}
	_, err := w.c.do(w.ctx, r, new(json.RawMessage)) // fails when the answer is not JSON
	return err
}

// words changes the title, the text and the milestone. It keeps the mark at the end of the text of an issue that pmsync created.
func (w *writing) words(title, text, sprint *string) error {
	body := map[string]any{}
	if title != nil && *title != w.i.Title {
		body["title"] = *title
		w.applied = append(w.applied, provider.FieldTitle)
	}
	if text != nil && *text != w.current.Body.Text {
		body["body"] = *text
		if _, marker := provider.Unmark(w.i.text()); marker != "" {
			body["body"] = marked(*text, marker)
		}
		w.applied = append(w.applied, provider.FieldText)
	}
	if sprint != nil && (w.b == nil || w.b.iteration == nil) && !w.current.Sprint.Is(*sprint) {
		body["milestone"] = nil // removes the milestone
		if *sprint != "" {
			_, number, _ := strings.Cut(*sprint, "/")
			m, err := strconv.Atoi(number)
			if err != nil {
				return provider.Fail(provider.Invalid, nil, "%q is not a milestone of GitHub", *sprint)
			}
			body["milestone"] = m
		}
		w.applied = append(w.applied, provider.FieldSprint)
	}
	if len(body) == 0 {
		return nil
	}
	return w.send(http.MethodPatch, body)
}

// bears returns the issue's label with that name, in the issue's spelling.
func (w *writing) bears(name string) (string, bool) {
	for _, l := range w.i.Labels {
		if strings.EqualFold(l.Name, name) {
			return l.Name, true
		}
	}
	return "", false
}

// labels adds and removes labels. GitHub creates missing ones.
func (w *writing) labels(add, remove []string) error {
	wanted := slices.DeleteFunc(slices.Clone(add), func(l string) bool { _, has := w.bears(l); return has })
	if len(wanted) > 0 {
		if err := w.send(http.MethodPost, map[string]any{"labels": wanted}, "labels"); err != nil {
			return err
		}
		w.applied = append(w.applied, provider.FieldLabels)
	}
	for _, l := range remove {
		if err := w.unlabel(l); err != nil {
			return err
		}
	}
	return nil
}

// unlabel removes a label, which may already be gone.
func (w *writing) unlabel(name string) error {
	spelled, has := w.bears(name)
	if !has {
		return nil
	}
	err := w.send(http.MethodDelete, nil, "labels", spelled)
	if provider.Is(err, provider.NotFound) {
		return nil // the issue itself is read again at the end
	}
	if err == nil && !slices.Contains(w.applied, provider.FieldLabels) {
		w.applied = append(w.applied, provider.FieldLabels)
	}
	return err
}

// priority sets the label for a priority and removes the others.
func (w *writing) priority(to *int) error {
	if to == nil || *to == w.current.Priority {
		return nil
	}
	if w.b != nil && w.b.priority != nil {
		return w.urgency(*to)
	}
	name := ""
	if *to != 0 {
		var err error
		if name, err = w.c.priorityLabel(w.ctx, *to); err != nil {
			return err
		}
	}
	return w.relabel(provider.FieldPriority, name, func(l string) bool { _, is := w.c.priorityOf(l); return is })
}

// relabel sets the one label that stands for the value of a field, "" for none; of holds for all such labels.
func (w *writing) relabel(field provider.Field, name string, of func(label string) bool) error {
	if _, has := w.bears(name); !has && name != "" {
		if err := w.send(http.MethodPost, map[string]any{"labels": []string{name}}, "labels"); err != nil {
			return err
		}
	}
	w.applied = append(w.applied, field)
	for _, l := range w.i.Labels {
		if of(l.Name) && !strings.EqualFold(l.Name, name) {
			if err := w.unlabel(l.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// priorityLabel returns the repository's label for a priority.
func (c *Client) priorityLabel(ctx context.Context, n int) (string, error) {
	labels, err := c.repoLabels(ctx, false)
	if err != nil {
		return "", err
	}
	for _, l := range labels {
		if is, ok := c.priorityOf(l.Name); ok && is == n {
			return l.Name, nil
		}
	}
	return "", provider.Fail(provider.Unsupported, nil, "GitHub has no priorities, and no label of %s stands for priority %d", c.repo, n).
		Hint("make labels like \"priority: high\", or name yours under `provider.priority_of` in .agit.toml and run `pmsync config trust`")
}

// assignee replaces the first assignee; "" removes all.
func (w *writing) assignee(to *string) error {
	if to == nil {
		return nil
	}
	was := w.current.AssigneeID()
	if strings.EqualFold(*to, was) {
		return nil
	}
	var remove []string
	for _, u := range w.i.Assignees {
		if u.Login != "" && (*to == "" || u.Login == was) {
			remove = append(remove, u.Login)
		}
	}
	if len(remove) > 0 {
		if err := w.send(http.MethodDelete, map[string]any{"assignees": remove}, "assignees"); err != nil {
			return err
		}
	}
	if *to != "" {
		if err := w.send(http.MethodPost, map[string]any{"assignees": []string{*to}}, "assignees"); err != nil {
			return err
		}
	}
	w.applied = append(w.applied, provider.FieldAssignee)
	return nil
}

// status sets the issue's state: open or closed with a reason, and the label of the state, if any.
func (w *writing) status(to *provider.Target) error {
	if to == nil {
		return nil
	}
	options, err := w.c.options(w.ctx, false)
	if err != nil {
		return err
	}
	s, err := w.c.mapping.Choose(provider.GitHub, *to, w.current.Status, options)
	if err != nil || s.ID == w.current.Status.ID {
		return err
	}
	if w.b != nil && w.b.status != nil {
		return w.column(s)
	}
	if err := w.close(s); err != nil {
		return err
	}
	keep := ""
	if s.Native == "label" {
		keep = s.Name
	}
	return w.relabel(provider.FieldStatus, keep, func(l string) bool { _, is := w.c.stateOf(l); return is })
}

// close closes or reopens the issue for a state. GitHub changes the reason only together with open or closed, so another reason takes
// two requests.
func (w *writing) close(s provider.Status) error {
	reason := s.ID
	if s.Native == onBoard {
		reason = map[provider.Category]string{provider.Done: stateCompleted.ID, provider.Canceled: stateNotPlanned.ID}[s.Category]
	} else if s.Native != closed {
		reason = ""
	}
	switch {
	case reason == "" && w.i.State != closed, w.i.State == closed && reason == w.i.Reason:
		return nil
	case w.i.State == closed:
		if err := w.send(http.MethodPatch, map[string]any{"state": "open", "state_reason": "reopened"}); err != nil || reason == "" {
			return err
		}
	}
	return w.send(http.MethodPatch, map[string]any{"state": closed, "state_reason": reason})
}
