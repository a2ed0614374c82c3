package linear

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Update makes a change. Linear does not compare versions, so the caller reads the issue just before; labels are added and removed one
// by one, never replaced. All of it is one repeatable mutation.
func (c *Client) Update(ctx context.Context, current *provider.Item, change provider.Change) (*provider.Item, error) {
	if err := onlyIssues(current); err != nil {
		return nil, err
	}
	input := vars{}
	if change.Status != nil {
		to, err := c.choose(ctx, current, *change.Status)
		if err != nil {
			return nil, err
		}
		if to.ID != current.Status.ID {
			input["stateId"] = to.ID
		}
	}
	if a := change.Assignee; a != nil && *a != current.AssigneeID() {
		input["assigneeId"] = provider.OrNull(*a)
	}
	if change.Priority != nil && *change.Priority != current.Priority {
		native, err := nativePriority(*change.Priority)
		if err != nil {
			return nil, err
		}
		input["priority"] = native
	}
	if err := c.labelChanges(ctx, current, change, input); err != nil {
		return nil, err
	}
	if err := planned(current, change, input); err != nil {
		return nil, err
	}
	place(current, change, input)
	if len(change.Fields) > 0 {
		return nil, provider.Fail(provider.Unsupported, nil, "Linear has no custom fields").Hint("leave %q out", change.Fields[0].Name)
	}
	if change.AddLink != nil {
		if err := c.link(ctx, current, *change.AddLink); err != nil {
			return nil, err
		}
	}
	if len(input) == 0 {
		return c.issueItem(ctx, current.RemoteID)
	}
	return c.mutate(ctx, "change issue "+current.Key, mutationUpdate, vars{"id": current.RemoteID, "input": input}, "issueUpdate")
}

// planned adds the changed title, text, estimate and cycle.
func planned(current *provider.Item, change provider.Change, input vars) error {
	if t := change.Title; t != nil && *t != current.Title {
		input["title"] = *t
	}
	if t := change.Text; t != nil && *t != current.Body.Text {
		input["description"] = *t
	}
	if e := change.Estimate; e != nil {
		switch {
		case *e < 0 && current.Estimate != nil:
			input["estimate"] = nil // clears the estimate
		case *e >= 0 && *e != math.Trunc(*e):
			return provider.Fail(provider.Invalid, nil, "Linear counts in whole points, and %g is not one", *e)
		case *e >= 0 && (current.Estimate == nil || *current.Estimate != *e):
			input["estimate"] = int(*e)
		}
	}
	if s := change.Sprint; s != nil && !current.Sprint.Is(*s) {
		input["cycleId"] = provider.OrNull(*s)
	}
	return nil
}

// mutate runs a repeatable mutation and returns the changed issue.
func (c *Client) mutate(ctx context.Context, op, query string, v vars, name string) (*provider.Item, error) {
	var payload struct {
		Success bool
		Issue   json.RawMessage
	}
	if err := c.readAt(ctx, op, query, v, name, &payload); err != nil {
		return nil, err
	}
	if !payload.Success || len(payload.Issue) == 0 {
		return nil, provider.Fail(provider.Invalid, nil, "Linear did not %s and did not say why", op)
	}
	return c.whole(ctx, payload.Issue)
}

func (c *Client) choose(ctx context.Context, current *provider.Item, t provider.Target) (provider.Status, error) {
	states, err := c.states(ctx, vars{"id": vars{"eq": current.Project}})
	if err != nil {
		return provider.Status{}, err
	}
	return c.mapping.Choose(provider.Linear, t, current.Status, states)
}

// labelChanges adds the ids of labels to add and to remove.
func (c *Client) labelChanges(ctx context.Context, current *provider.Item, change provider.Change, input vars) error {
	if len(change.AddLabels)+len(change.RemoveLabels) == 0 {
		return nil
	}
	var borne struct{ LabelIDs []string }
	_ = json.Unmarshal(current.Raw, &borne) // then none are removed
	if err := c.loadLabels(ctx, []json.RawMessage{current.Raw}); err != nil {
		return err
	}
	bears := func(name string) (ids []string) {
		for _, id := range borne.LabelIDs {
			c.mu.Lock()
			known := c.labels[id]
			c.mu.Unlock()
			if strings.EqualFold(known, name) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	var add, remove []string
	for _, name := range change.AddLabels {
		if len(bears(name)) > 0 {
			continue
		}
		id, err := c.labelID(ctx, current.Project, name)
		if err != nil {
			return err
		}
		add = append(add, id)
	}
	for _, name := range change.RemoveLabels {
		remove = append(remove, bears(name)...)
	}
	if len(add) > 0 {
		input["addedLabelIds"] = add
	}
	if len(remove) > 0 {
		input["removedLabelIds"] = remove
	}
	return nil
}

// labelID returns a label for issues of the team: the team's own first, then the workspace's.
func (c *Client) labelID(ctx context.Context, team, name string) (string, error) {
	found, err := c.findLabels(ctx, vars{"name": vars{"eqIgnoreCase": name},
		"or": []vars{{"team": vars{"null": true}}, {"team": vars{"id": vars{"eq": team}}}}})
	if err != nil {
		return "", err
	}
	found = slices.DeleteFunc(found, func(l label) bool { return l.IsGroup || l.ArchivedAt != nil })
	own := slices.DeleteFunc(slices.Clone(found), func(l label) bool { return l.Team == nil })
	if len(own) > 0 {
		found = own
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		return "", provider.Fail(provider.Invalid, nil, "Linear has no label %q that issues of this team can bear", name).
			Hint("make it in Linear first")
	}
	return "", provider.Fail(provider.Ambiguous, nil, "Linear has several labels named %q", name).Hint("rename one of them in Linear")
}

type comment struct {
	ID, Body, URL        string
	CreatedAt, UpdatedAt time.Time
	User                 *user
}

func (m comment) convert() provider.Comment {
	return provider.Comment{ID: m.ID, Author: m.User.convert(), Body: provider.Text{Format: provider.Markdown, Text: m.Body},
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, URL: m.URL}
}

// AddComment adds the comment with an id derived from its key: Linear refuses a duplicate id.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	if err := onlyIssues(current); err != nil {
		return provider.Comment{}, err
	}
	id := provider.UUID(n.Key)
	if !n.Attempted.IsZero() {
		if found, ok, err := c.findComment(ctx, id); err != nil || ok {
			return found, provider.Looking(err)
		}
	}
	var payload struct {
		Success bool
		Comment *comment
	}
	err := c.readAt(ctx, "comment on "+current.Key, mutationComment,
		vars{"input": vars{"id": id, "issueId": current.RemoteID, "body": n.Text}}, "commentCreate", &payload)
	if provider.Is(err, provider.Invalid) { // an earlier attempt may have succeeded
		found, ok, lookErr := c.findComment(ctx, id)
		if lookErr == nil && ok {
			return found, nil
		}
		if lookErr != nil {
			return provider.Comment{}, uncertain(lookErr, "comment on "+current.Key)
		}
	}
	if err == nil && (!payload.Success || payload.Comment == nil) {
		err = provider.Fail(provider.Invalid, nil, "Linear did not add the comment to %s and did not say why", current.Key)
	}
	if err != nil {
		return provider.Comment{}, err
	}
	return payload.Comment.convert(), nil
}

func (c *Client) findComment(ctx context.Context, id string) (provider.Comment, bool, error) {
	found, err := nodes[comment](ctx, c, "look for a comment", queryComments, vars{"filter": vars{"id": vars{"eq": id}}}, "comments")
	if err != nil || len(found) == 0 {
		return provider.Comment{}, false, err
	}
	return found[0].convert(), true, nil
}

// Comments returns the comments of an issue, oldest first.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	if err := onlyIssues(current); err != nil {
		return err
	}
	all, err := nodes[comment](ctx, c, "read the comments of "+current.Key, queryComments,
		vars{"filter": vars{"issue": vars{"id": vars{"eq": current.RemoteID}}}}, "comments") // the newest first
	if err != nil {
		return err
	}
	slices.Reverse(all) // keeps the order of comments with equal times
	slices.SortStableFunc(all, func(a, b comment) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for _, m := range all {
		if err := yield(m.convert()); err != nil {
			return err
		}
	}
	return nil
}

// Create creates an issue in the configured team with an id derived from its key.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	id := provider.UUID(n.Key)
	if !n.Attempted.IsZero() {
		if item, err := c.issueItem(ctx, id); !provider.Is(err, provider.NotFound) {
			return item, provider.Looking(err)
		}
	}
	if len(n.Fields) > 0 {
		return nil, provider.Fail(provider.Unsupported, nil, "Linear has no custom fields").Hint("leave %q out", n.Fields[0].Name)
	}
	team, err := c.teamID(ctx)
	if err != nil {
		return nil, err
	}
	native, err := nativePriority(n.Priority)
	if err != nil {
		return nil, err
	}
	input := vars{"id": id, "teamId": team, "title": n.Title}
	for name, value := range map[string]string{"description": n.Text, "assigneeId": n.Assignee, "cycleId": n.Sprint, "projectId": c.project, "dueDate": n.DueDate} {
		if value != "" {
			input[name] = value
		}
	}
	if n.Parent != "" {
		below(n.ParentType, n.Parent, input)
	}
	if native != 0 {
		input["priority"] = native
	}
	if n.Estimate != nil && n.Unit == "points" && *n.Estimate == math.Trunc(*n.Estimate) { // an Int
		input["estimate"] = int(*n.Estimate)
	}
	if n.Status != nil {
		to, err := c.choose(ctx, &provider.Item{Project: team}, *n.Status)
		if err != nil {
			return nil, err
		}
		input["stateId"] = to.ID
	}
	var labels []string
	for _, name := range n.Labels {
		label, err := c.labelID(ctx, team, name)
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	if len(labels) > 0 {
		input["labelIds"] = labels
	}
	item, err := c.mutate(ctx, "make an issue", mutationCreate, vars{"input": input}, "issueCreate")
	if provider.Is(err, provider.Invalid) { // an earlier attempt may have succeeded
		there, lookErr := c.issueItem(ctx, id)
		if lookErr == nil {
			return there, nil
		}
		if !provider.Is(lookErr, provider.NotFound) {
			return nil, uncertain(lookErr, "make an issue")
		}
	}
	return item, err
}

// teamID returns the id of the configured team.
func (c *Client) teamID(ctx context.Context) (string, error) {
	if _, err := c.teamFilter(); err != nil {
		return "", err
	}
	if uuidShape().MatchString(c.team) {
		return c.team, nil
	}
	var t struct{ ID string }
	err := c.readAt(ctx, "read the team", queryConnection, vars{"team": c.team}, "team", &t)
	return t.ID, err
}

// uncertain is the error of a change with an unknown outcome: Linear refused it, perhaps because an earlier attempt succeeded, and the
// check failed.
func uncertain(cause error, what string) error {
	return provider.Fail(provider.Uncertain, cause, "whether Linear did %q is not known: it could not be asked after it refused a repetition", what)
}
