package jira

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Update makes a change: fields, then the assignee, then the status, because a transition may change the assignee. Jira does not
// compare versions, so the caller reads the issue just before. The issue is read again at the end, directly, because the search is
// late.
func (c *Client) Update(ctx context.Context, current *provider.Item, change provider.Change) (*provider.Item, error) {
	if err := onlyIssues(current); err != nil {
		return nil, err
	}
	var applied []provider.Field
	for _, step := range []func() ([]provider.Field, error){
		func() ([]provider.Field, error) { return c.edit(ctx, current, change) },
		func() ([]provider.Field, error) { return c.link(ctx, current, change.AddLink) },
		func() ([]provider.Field, error) { return c.assign(ctx, current, change.Assignee) },
		func() ([]provider.Field, error) { return c.transit(ctx, current, change.Status) },
	} {
		done, err := step()
		if err != nil {
			return nil, provider.Partly(err, applied)
		}
		applied = append(applied, done...)
	}
	item, err := c.Item(ctx, current.RemoteID)
	return item, provider.Partly(err, applied)
}

// edits are the body of an edit: fields that are set, and steps that add to a field or remove from it.
type edits struct {
	fields, update map[string]any
	applied        []provider.Field // the parts of the change that they are
}

func (e *edits) set(part provider.Field, id string, value any) {
	e.fields[id] = value
	e.applied = append(e.applied, part)
}

// edit changes the issue's fields with one request. Labels are added and removed one by one.
func (c *Client) edit(ctx context.Context, current *provider.Item, change provider.Change) ([]provider.Field, error) {
	e := &edits{fields: map[string]any{}, update: map[string]any{}}
	if p := change.Priority; p != nil && *p != current.Priority {
		native, err := c.nativePriority(ctx, current, *p)
		if err != nil {
			return nil, err
		}
		e.set(provider.FieldPriority, "priority", native)
	}
	if err := c.words(ctx, current, change, e); err != nil {
		return nil, err
	}
	e.place(current, change)
	if len(change.Fields) > 0 {
		offered, err := c.editable(ctx, current)
		if err == nil {
			err = setCustom(e.fields, offered, change.Fields)
		}
		if err != nil {
			return nil, err
		}
		e.applied = append(e.applied, provider.FieldCustom)
	}
	var labels []map[string]string
	for _, name := range change.AddLabels {
		if strings.ContainsAny(name, " \t\n") {
			return nil, provider.Fail(provider.Invalid, nil, "the label %q has a space in it, which Jira does not allow", name)
		}
		if !slices.Contains(current.Labels, name) {
			labels = append(labels, map[string]string{"add": name})
		}
	}
	for _, name := range change.RemoveLabels {
		if slices.Contains(current.Labels, name) {
			labels = append(labels, map[string]string{"remove": name})
		}
	}
	if len(labels) > 0 {
		e.update["labels"] = labels
		e.applied = append(e.applied, provider.FieldLabels)
	}
	if len(e.applied) == 0 {
		return nil, nil
	}
	body := map[string]any{"fields": e.fields, "update": e.update}
	maps.DeleteFunc(body, func(_ string, part any) bool { return len(part.(map[string]any)) == 0 })
	return e.applied, c.do(ctx, request{Op: "change issue " + current.Key, Method: http.MethodPut, Path: "api/3/issue/" + url.PathEscape(current.RemoteID),
		Body: body, Safe: true, Bucket: "write " + current.RemoteID}, nil)
}

// nativePriority returns the issue's allowed priority with that meaning; of several, the highest.
func (c *Client) nativePriority(ctx context.Context, current *provider.Item, wanted int) (any, error) {
	if wanted < 0 || wanted > 4 {
		return nil, provider.Fail(provider.Invalid, nil, "priority %d is not between 0 and 4", wanted)
	}
	if wanted == 0 {
		return nil, nil // clears the priority
	}
	offered, err := c.editable(ctx, current)
	if err != nil {
		return nil, err
	}
	return c.pick(ctx, offered["priority"].AllowedValues, wanted)
}

func (c *Client) pick(ctx context.Context, list []named, wanted int) (any, error) {
	for _, p := range list {
		if n, err := c.priority(ctx, &p); err != nil {
			return nil, err
		} else if n == wanted {
			return map[string]string{"id": p.ID}, nil
		}
	}
	if len(list) == 0 {
		return nil, provider.Fail(provider.Forbidden, nil, "Jira offers no priority to choose for this issue")
	}
	names := provider.Quoted(list, func(p named) string { return p.Name })
	return nil, provider.Fail(provider.Ambiguous, nil, "none of Jira's priorities %s stands for %d", names, wanted).
		Hint("say under `provider.priority_of` which does")
}

// assign sets or clears the issue's assignee.
func (c *Client) assign(ctx context.Context, current *provider.Item, to *string) ([]provider.Field, error) {
	if to == nil || *to == current.AssigneeID() {
		return nil, nil
	}
	body := map[string]any{"accountId": provider.OrNull(*to)}
	return []provider.Field{provider.FieldAssignee}, c.do(ctx, request{Op: "assign issue " + current.Key, Method: http.MethodPut,
		Path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/assignee", Body: body, Safe: true, Bucket: "write " + current.RemoteID}, nil)
}

// transit moves the issue to another state by the transition that leads there. Transitions are matched by their target states, not by
// their names.
func (c *Client) transit(ctx context.Context, current *provider.Item, t *provider.Target) ([]provider.Field, error) {
	if t == nil {
		return nil, nil
	}
	steps, err := c.transitions(ctx, current.RemoteID, current.Key)
	if err != nil {
		return nil, err
	}
	var options []provider.Status
	for _, s := range steps {
		options = append(options, c.status(s.To, ""))
	}
	to, err := c.mapping.Choose(provider.Jira, *t, current.Status, options)
	if err != nil {
		if len(steps) == 0 {
			return nil, provider.Fail(provider.Forbidden, nil, "Jira offers this account no step for %s from %q", current.Key, current.Status.Name)
		}
		return nil, err
	}
	if to.ID == current.Status.ID {
		return nil, nil
	}
	var step *transition
	for i, s := range steps {
		if s.To.ID == to.ID && (step == nil || len(s.requires()) < len(step.requires())) {
			step = &steps[i]
		}
	}
	if missing := step.requires(); len(missing) > 0 {
		return nil, provider.Fail(provider.Invalid, nil, "Jira asks for %s on the way of %s to %q", strings.Join(missing, ", "), current.Key, to.Name).
			Hint("take this step in Jira")
	}
	err = c.do(ctx, request{Op: "move issue " + current.Key + " to " + to.Name, Method: http.MethodPost,
		Path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/transitions",
		Body: map[string]any{"transition": map[string]string{"id": step.ID}}, Bucket: "write " + current.RemoteID}, nil)
	if provider.Is(err, provider.Uncertain) {
		if item, lookErr := c.Item(ctx, current.RemoteID); lookErr == nil && item.Status.ID == to.ID {
			err = nil
		}
	}
	return []provider.Field{provider.FieldStatus}, err
}

// words adds the title, the text, the estimate and the sprint to an edit. The fields for the last two depend on the site, and so does
// whether the edit screen has them; otherwise Jira would refuse the whole edit.
func (c *Client) words(ctx context.Context, current *provider.Item, change provider.Change, e *edits) error {
	if t := change.Title; t != nil && *t != current.Title {
		e.set(provider.FieldTitle, "summary", *t)
	}
	if change.Text != nil {
		e.set(provider.FieldText, "description", Document(*change.Text))
	}
	if change.Estimate == nil && change.Sprint == nil {
		return nil
	}
	offered, err := c.editable(ctx, current)
	if err != nil {
		return err
	}
	s, err := c.know(ctx)
	if err != nil {
		return err
	}
	if points := change.Estimate; points != nil {
		id := s.pointsIn(offered)
		if id == "" {
			return provider.Fail(provider.Unsupported, nil, "the screen of %s has no field for points", current.Key)
		}
		e.set(provider.FieldEstimate, id, nil) // clears the estimate
		if *points >= 0 {
			e.fields[id] = *points
		}
	}
	if to := change.Sprint; to != nil {
		if _, has := offered[s.Sprint]; !has {
			return provider.Fail(provider.Unsupported, nil, "the screen of %s has no field for sprints", current.Key)
		}
		e.set(provider.FieldSprint, s.Sprint, nil) // removes the sprint
		if *to != "" {
			number, err := strconv.ParseInt(*to, 10, 64)
			if err != nil {
				return provider.Fail(provider.Invalid, nil, "%q is not a sprint of Jira", *to)
			}
			e.fields[s.Sprint] = number
		}
	}
	return nil
}
