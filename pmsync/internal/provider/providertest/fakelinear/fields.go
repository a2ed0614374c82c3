package fakelinear

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func unknown(name, of string) (any, error) {
	return nil, fmt.Errorf("Cannot query field %q on type %q.", name, of)
}

func (t *team) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return t.id, nil
	case "key":
		return t.key, nil
	case "name":
		return t.name, nil
	case "timezone":
		return "Europe/Berlin", nil
	case "archivedAt", "parent":
		return nil, nil
	}
	return unknown(name, "Team")
}

func (s *state) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return s.id, nil
	case "name":
		return s.name, nil
	case "type":
		return s.kind, nil
	case "position":
		return s.position, nil
	case "team":
		return s.team, nil
	}
	return unknown(name, "WorkflowState")
}

func (u *user) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return u.id, nil
	case "name":
		return u.name, nil
	case "displayName":
		return strings.ToLower(strings.Fields(u.name)[0]), nil
	case "email":
		return u.email, nil
	case "active":
		return u.active, nil
	}
	return unknown(name, "User")
}

func (l *label) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return l.id, nil
	case "name":
		return l.name, nil
	case "isGroup":
		return l.group, nil
	case "archivedAt":
		return l.archived, nil
	case "team":
		return l.team, nil
	}
	return unknown(name, "IssueLabel")
}

func (c *cycle) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return c.id, nil
	case "number":
		return float64(c.number), nil
	case "name", "description", "completedAt":
		return nil, nil
	case "startsAt":
		return c.starts, nil
	case "endsAt":
		return c.ends, nil
	case "isActive":
		return c.number == 2, nil
	case "isFuture":
		return c.number > 2, nil
	case "team":
		return c.team, nil
	}
	return unknown(name, "Cycle")
}

func (p *project) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return p.id, nil
	case "slugId":
		return p.slug, nil
	case "name":
		return p.name, nil
	case "description":
		return "", nil
	case "content":
		return p.body, nil
	case "priority":
		return 0, nil
	case "priorityLabel":
		return "No priority", nil
	case "url":
		return "https://linear.app/example/project/" + p.slug, nil
	case "createdAt":
		return p.created, nil
	case "updatedAt":
		return p.updated, nil
	case "archivedAt":
		return p.archived, nil
	case "trashed", "targetDate", "lead":
		return nil, nil
	case "status":
		return fields{"id": "57a70500-0000-4000-8000-" + fmt.Sprintf("%012x", len(p.kind)), "name": p.kind, "type": p.kind}, nil
	case "accessibleTeams":
		return []node{p.team}, nil
	}
	return unknown(name, "Project")
}

func (m *milestone) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return m.id, nil
	case "name":
		return m.name, nil
	case "description":
		return m.body, nil
	case "targetDate":
		return orNil(m.target), nil
	case "status":
		return m.status, nil
	case "createdAt":
		return m.created, nil
	case "updatedAt":
		return m.updated, nil
	case "archivedAt":
		return nil, nil
	case "project":
		return m.project, nil
	}
	return unknown(name, "ProjectMilestone")
}

func (r *relation) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return r.id, nil
	case "type":
		return r.kind, nil
	case "issue":
		return r.issue, nil
	case "relatedIssue":
		return r.relatedTo, nil
	}
	return unknown(name, "IssueRelation")
}

func (c *comment) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return c.id, nil
	case "body":
		return c.body, nil
	case "createdAt":
		return c.created, nil
	case "updatedAt":
		return c.updated, nil
	case "url":
		return "https://linear.app/example/issue/" + c.issue.identifier + "#comment-" + c.id[:8], nil
	case "user":
		return c.user, nil
	case "issue":
		return c.issue, nil
	}
	return unknown(name, "Comment")
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (i *issue) Field(name string, args map[string]any) (any, error) {
	if i.hidden != "" && name == i.hidden {
		return partly("You don't have access to " + name), nil
	}
	switch name {
	case "id":
		return i.id, nil
	case "identifier":
		return i.identifier, nil
	case "previousIdentifiers":
		return append([]string{}, i.previous...), nil
	case "title":
		return i.title, nil
	case "description":
		return orNil(i.body), nil
	case "priority":
		return float64(i.priority), nil
	case "priorityLabel":
		return []string{"No priority", "Urgent", "High", "Medium", "Low"}[i.priority], nil
	case "estimate":
		if i.estimate == nil {
			return nil, nil
		}
		return *i.estimate, nil
	case "dueDate":
		return orNil(i.due), nil
	case "url":
		return "https://linear.app/example/issue/" + i.identifier, nil
	case "createdAt":
		return i.created, nil
	case "updatedAt":
		return i.updated, nil
	case "archivedAt":
		return i.archived, nil
	case "trashed":
		if !i.trashed {
			return nil, nil
		}
		return true, nil
	case "labelIds":
		ids := []string{}
		for _, l := range i.labels {
			ids = append(ids, l.id)
		}
		return ids, nil
	case "state":
		return i.state, nil
	case "assignee":
		return i.assignee, nil
	case "team":
		return i.team, nil
	case "parent":
		return i.parent, nil
	case "cycle":
		return i.cycle, nil
	case "project":
		return i.project, nil
	case "projectMilestone":
		return i.milestone, nil
	case "attachments":
		all := []node{}
		for at, p := range i.pages {
			all = append(all, fields{"id": fixed("a77ac000", at), "title": p[0], "url": p[1]})
		}
		return fields{"nodes": all}, nil
	case "relations", "inverseRelations":
		var own []*relation
		for _, r := range i.w.relations {
			if name == "relations" && r.issue == i || name == "inverseRelations" && r.relatedTo == i {
				own = append(own, r)
			}
		}
		return list(own, nil, args, func(r *relation) string { return r.id }, func(*relation) time.Time { return time.Time{} })
	}
	return unknown(name, "Issue")
}

// update is issueUpdate. A key that is there with null clears the field, as
// Linear does.
func (w *workspace) update(id string, input any) (any, error) {
	i := w.find(id)
	if i == nil {
		return nil, missing("Issue")
	}
	in, _ := input.(map[string]any)
	for name, v := range in {
		if err := w.set(i, name, v); err != nil {
			return nil, err
		}
	}
	w.touch(i)
	return fields{"success": true, "issue": i}, nil
}

// set sets one field of an issue by the name that it has in an input.
func (w *workspace) set(i *issue, name string, v any) error {
	text, _ := v.(string)
	field := name
	if known := map[string]string{"stateId": "status", "assigneeId": "assignee", "addedLabelIds": "labels", "removedLabelIds": "labels", "labelIds": "labels"}[name]; known != "" {
		field = known
	}
	i.writes[field]++
	switch name {
	case "title":
		i.title = text
	case "description":
		i.body = text
	case "stateId":
		to := providertest.First(i.team.states, func(s *state) bool { return s.id == text })
		if to == nil {
			return invalid("Discrepancy between issue team and state team.")
		}
		i.state = to
	case "assigneeId":
		if i.assignee = nil; text != "" {
			return choose(&i.assignee, w.users, "User", func(u *user) bool { return u.id == text })
		}
	case "priority":
		n, _ := toFloat(v)
		if n < 0 || n > 4 {
			return invalid("priority must be between 0 and 4")
		}
		i.priority = int(n)
	case "parentId":
		if i.parent = w.find(text); i.parent == nil && v != nil {
			return missing("Issue")
		}
	case "dueDate":
		i.due = text
	case "estimate":
		if v == nil {
			i.estimate = nil
			return nil
		}
		n, _ := toFloat(v)
		if n != float64(int(n)) {
			return invalid("Int cannot represent non-integer value")
		}
		i.estimate = &n
	case "cycleId":
		if i.cycle = nil; v == nil {
			return nil
		}
		return choose(&i.cycle, w.cycles, "Cycle", func(c *cycle) bool { return c.id == text })
	case "projectId":
		if i.project = nil; v == nil {
			return nil
		}
		return choose(&i.project, w.projects, "Project", func(p *project) bool { return p.id == text })
	case "labelIds", "addedLabelIds", "removedLabelIds":
		return w.setLabels(i, name, v)
	case "id", "teamId":
	default:
		return invalid("the field %q of an issue is not served", name)
	}
	return nil
}

// relate is issueRelationCreate. A relation that exists is not made twice.
func (w *workspace) relate(input any) (any, error) {
	in, _ := input.(map[string]any)
	kind, _ := in["type"].(string)
	from, to := w.find(fmt.Sprint(in["issueId"])), w.find(fmt.Sprint(in["relatedIssueId"]))
	if from == nil || to == nil {
		return nil, missing("Issue")
	}
	r := providertest.First(w.relations, func(o *relation) bool { return o.issue == from && o.relatedTo == to && o.kind == kind })
	if r == nil {
		r = &relation{id: w.newID(), kind: kind, issue: from, relatedTo: to, w: w}
		w.relations = append(w.relations, r)
	}
	return fields{"success": true, "issueRelation": r}, nil
}

// pick is the one that is meant; without it, kind is what the server misses.
func pick[T any](all []*T, kind string, is func(*T) bool) (*T, error) {
	if one := providertest.First(all, is); one != nil {
		return one, nil
	}
	return nil, missing(kind)
}

// choose sets what is chosen to the one that is meant, or leaves it.
func choose[T any](chosen **T, all []*T, kind string, is func(*T) bool) error {
	one, err := pick(all, kind, is)
	if err == nil {
		*chosen = one
	}
	return err
}

// setLabels sets, adds or takes away labels: name says which.
func (w *workspace) setLabels(i *issue, name string, v any) error {
	ids, _ := v.([]any)
	if name == "labelIds" {
		i.labels = nil
	}
	for _, each := range ids {
		l := providertest.First(w.labels, func(l *label) bool { return l.id == each })
		if l == nil || l.group || l.team != nil && l.team != i.team {
			return invalid("The label for the team does not exist.")
		}
		has := slices.Index(i.labels, l)
		if name == "removedLabelIds" && has >= 0 {
			i.labels = slices.Delete(i.labels, has, has+1)
		}
		if name != "removedLabelIds" && has < 0 {
			i.labels = append(i.labels, l)
		}
	}
	return nil
}

// create is issueCreate. An id that is taken is refused.
func (w *workspace) create(input any) (any, error) {
	in, _ := input.(map[string]any)
	id, _ := in["id"].(string)
	if w.byID[id] != nil {
		return nil, invalid("Entity with the id %s already exists.", id)
	}
	t, err := pick(w.teams, "Team", func(t *team) bool { return t.id == in["teamId"] })
	if err != nil {
		return nil, err
	}
	i := w.addIssue(t, id, "")
	for name, v := range in {
		if err := w.set(i, name, v); err != nil {
			w.issues = slices.DeleteFunc(w.issues, func(other *issue) bool { return other == i })
			delete(w.byID, i.id)
			delete(w.byKey, i.identifier)
			return nil, err
		}
	}
	return fields{"success": true, "issue": i}, nil
}

// addComment is commentCreate. An id that is taken is refused.
func (w *workspace) addComment(input any) (any, error) {
	in, _ := input.(map[string]any)
	id, _ := in["id"].(string)
	if slices.ContainsFunc(w.comments, func(c *comment) bool { return c.id == id && id != "" }) {
		return nil, invalid("Entity with the id %s already exists.", id)
	}
	i := w.find(fmt.Sprint(in["issueId"]))
	if i == nil {
		return nil, missing("Issue")
	}
	if id == "" {
		id = w.newID()
	}
	text, _ := in["body"].(string)
	c := &comment{id: id, body: text, issue: i, user: w.users[0], created: w.now(), updated: w.now()}
	w.comments = append(w.comments, c)
	w.touch(i)
	return fields{"success": true, "comment": c}, nil
}
