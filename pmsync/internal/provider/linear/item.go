package linear

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Item reads an issue by its id or key, including former keys, otherwise a project or a milestone by its id.
func (c *Client) Item(ctx context.Context, id string) (*provider.Item, error) {
	item, err := c.issueItem(ctx, id)
	if !provider.Is(err, provider.NotFound) || !uuidShape().MatchString(id) {
		return item, err
	}
	var raw json.RawMessage
	if other := c.readAt(ctx, "read a project", queryProject, vars{"id": id}, "project", &raw); other == nil {
		p, err := parse(raw, (*project).complete)
		if err != nil {
			return nil, err
		}
		epic := c.epic(p, raw)
		return &epic, nil
	} else if !provider.Is(other, provider.NotFound) {
		return nil, other
	}
	if other := c.readAt(ctx, "read a milestone", queryMilestone, vars{"id": id}, "projectMilestone", &raw); other == nil {
		m, err := parse(raw, (*milestone).complete)
		if err != nil {
			return nil, err
		}
		item := c.milestone(m, raw)
		return &item, nil
	} else if !provider.Is(other, provider.NotFound) {
		return nil, other
	}
	return nil, err
}

func (c *Client) issueItem(ctx context.Context, id string) (*provider.Item, error) {
	var raw json.RawMessage
	if err := c.readAt(ctx, "read issue "+id, queryIssue, vars{"id": id}, "issue", &raw); err != nil {
		return nil, err
	}
	return c.whole(ctx, raw)
}

// whole returns an issue with the names of its labels and all its links.
func (c *Client) whole(ctx context.Context, raw json.RawMessage) (*provider.Item, error) {
	i, err := parse(raw, (*issue).complete)
	if err != nil {
		return nil, err
	}
	if err := c.loadLabels(ctx, []json.RawMessage{raw}); err != nil {
		return nil, err
	}
	if err := c.allLinks(ctx, i); err != nil {
		return nil, err
	}
	item := c.item(i, raw)
	return &item, nil
}

// allLinks reads the relations that did not fit into the issue's answer.
func (c *Client) allLinks(ctx context.Context, i *issue) error {
	for _, side := range []struct {
		list        *connection[relation]
		query, name string
	}{{&i.Relations, queryLinks, "issue.relations"}, {&i.InverseRelations, queryInverseLinks, "issue.inverseRelations"}} {
		if !side.list.PageInfo.HasNextPage {
			continue
		}
		side.list.Nodes = nil
		err := each(ctx, c, "read links of issue "+i.Identifier, side.query, vars{"id": i.ID}, side.name, func(r relation) error {
			side.list.Nodes = append(side.list.Nodes, r)
			return nil
		})
		if err != nil {
			return err
		}
		side.list.PageInfo.HasNextPage = false
	}
	return nil
}

type label struct {
	ID, Name   string
	IsGroup    bool
	ArchivedAt *time.Time
	Team       *struct{ ID string }
}

// loadLabels loads the unknown names of the issues' labels.
func (c *Client) loadLabels(ctx context.Context, issues []json.RawMessage) error {
	var unknown []string
	c.mu.Lock()
	for _, raw := range issues {
		var node struct{ LabelIDs []string }
		_ = json.Unmarshal(raw, &node) // the reader of the whole node reports the error
		for _, id := range node.LabelIDs {
			if _, ok := c.labels[id]; !ok && !slices.Contains(unknown, id) {
				unknown = append(unknown, id)
			}
		}
	}
	c.mu.Unlock()
	for batch := range slices.Chunk(unknown, idPage) {
		found, err := c.findLabels(ctx, vars{"id": vars{"in": batch}})
		if err != nil {
			return err
		}
		c.mu.Lock()
		for _, l := range found {
			c.labels[l.ID] = l.Name
		}
		for _, id := range batch {
			if _, ok := c.labels[id]; !ok {
				c.labels[id] = "" // deleted: it has no name any more
			}
		}
		c.mu.Unlock()
	}
	return nil
}

func (c *Client) findLabels(ctx context.Context, filter vars) ([]label, error) {
	return nodes[label](ctx, c, "read labels", queryLabels, vars{"filter": filter}, "issueLabels")
}

// Statuses returns the states of the configured team.
func (c *Client) Statuses(ctx context.Context) ([]provider.Status, error) {
	team, err := c.teamFilter()
	if err != nil {
		return nil, err
	}
	return c.states(ctx, team)
}

func (c *Client) states(ctx context.Context, team vars) (out []provider.Status, err error) {
	all, err := nodes[state](ctx, c, "read the states of the team", queryStates, vars{"filter": vars{"team": team}}, "workflowStates")
	slices.SortStableFunc(all, func(a, b state) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), strings.Compare(a.ID, b.ID))
	})
	for _, s := range all {
		out = append(out, c.status(s))
	}
	return out, err
}

// Transitions returns all states of the issue's team but its own: Linear allows every step.
func (c *Client) Transitions(ctx context.Context, current *provider.Item) ([]provider.Transition, error) {
	if err := onlyIssues(current); err != nil {
		return nil, err
	}
	states, err := c.states(ctx, vars{"id": vars{"eq": current.Project}})
	out := make([]provider.Transition, 0, len(states))
	for _, s := range states {
		if s.ID != current.Status.ID {
			out = append(out, provider.Transition{ID: s.ID, Name: s.Name, To: s})
		}
	}
	return out, err
}

func onlyIssues(item *provider.Item) error {
	if item.Type == provider.TypeEpic || item.Type == provider.TypeMilestone {
		return provider.Fail(provider.Unsupported, nil, "%s is a %s of Linear, of which only issues can be changed from here", item.Key, strings.ToLower(item.NativeType))
	}
	return nil
}

// Sprints returns the cycles of the team.
func (c *Client) Sprints(ctx context.Context, yield func(provider.Sprint) error) error {
	team, err := c.teamFilter()
	if err != nil {
		return err
	}
	type cycle struct {
		ID, Name, Description string
		Number                float64
		StartsAt, EndsAt      time.Time
		CompletedAt           *time.Time
		IsActive, IsFuture    bool
	}
	return each(ctx, c, "read the cycles", queryCycles, vars{"filter": vars{"team": team}}, "cycles", func(cy cycle) error {
		s := provider.Sprint{ID: cy.ID, Name: cycleName(cy.Name, cy.Number), State: provider.SprintCompleted, Goal: cy.Description}
		switch {
		case cy.IsActive:
			s.State = provider.SprintActive
		case cy.IsFuture:
			s.State = provider.SprintPlanned
		}
		if !cy.StartsAt.IsZero() {
			s.StartsAt = &cy.StartsAt
		}
		if !cy.EndsAt.IsZero() {
			s.EndsAt = &cy.EndsAt
		}
		return yield(s)
	})
}

// Users returns the members of the workspace whose name or address contains text.
func (c *Client) Users(ctx context.Context, text string) (out []provider.User, err error) {
	holds := vars{"containsIgnoreCase": text}
	var data struct{ Users connection[*user] }
	err = c.read(ctx, "find users", queryUsers, vars{"filter": vars{"active": vars{"eq": true},
		"or": []vars{{"name": holds}, {"displayName": holds}, {"email": holds}}}}, &data)
	for _, u := range data.Users.Nodes {
		out = append(out, *u.convert())
	}
	return out, err
}

// Check looks for the ids among issues, then projects, then milestones. Linear answers alike for a permanently deleted item and for one
// that the key may not read.
func (c *Client) Check(ctx context.Context, ids []string, yield func(provider.Presence) error) error {
	type node struct {
		ID, Identifier, SlugID string
		ArchivedAt             *time.Time
		Trashed                bool
		Team                   *struct{ ID, Key string }
	}
	for batch := range slices.Chunk(ids, idPage) {
		left := map[string]bool{}
		for _, id := range batch {
			left[id] = true
		}
		for _, q := range []struct{ query, name string }{
			{queryIssuesThere, "issues"}, {queryProjectsThere, "projects"}, {queryMilestonesThere, "projectMilestones"},
		} {
			if len(left) == 0 {
				break
			}
			var found connection[node]
			if err := c.readAt(ctx, "look for items", q.query, vars{"ids": keysOf(left)}, q.name, &found); err != nil {
				return err
			}
			for _, n := range found.Nodes {
				delete(left, n.ID)
				p := provider.Presence{RemoteID: n.ID, Where: presence(n.Trashed, n.ArchivedAt), Key: cmp.Or(n.Identifier, n.SlugID)}
				if n.Team != nil {
					p.Project = n.Team.ID
					if p.Where == provider.Present && !c.isTeam(n.Team.ID, n.Team.Key) {
						p.Where = provider.Moved
					}
				}
				if err := yield(p); err != nil {
					return err
				}
			}
		}
		for _, id := range keysOf(left) {
			if err := yield(provider.Presence{RemoteID: id, Where: provider.Unknown}); err != nil {
				return err
			}
		}
	}
	return nil
}

func keysOf(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
