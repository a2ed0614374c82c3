package fakelinear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func unknown(name, of string) (any, error) {
	return nil, fmt.Errorf("Cannot query field %q on type %q.", name, of)
}

// one is one of the fields of a type.
func one(name, of string, all fields) (any, error) {
	if v, ok := all[name]; ok {
		return v, nil
	}
	return unknown(name, of)
}

func (t *team) Field(name string, _ map[string]any) (any, error) {
	return one(name, "Team", fields{"id": t.id, "key": t.key, "name": t.name, "timezone": "Europe/Berlin", "archivedAt": nil, "parent": nil})
}

func (s *state) Field(name string, _ map[string]any) (any, error) {
	return one(name, "WorkflowState", fields{"id": s.id, "name": s.name, "type": s.kind, "position": s.position, "team": s.team})
}

func (u *user) Field(name string, _ map[string]any) (any, error) {
	return one(name, "User", fields{"id": u.id, "name": u.name, "displayName": strings.ToLower(strings.Fields(u.name)[0]), "email": u.email, "active": u.active})
}

func (l *label) Field(name string, _ map[string]any) (any, error) {
	return one(name, "IssueLabel", fields{"id": l.id, "name": l.name, "isGroup": l.group, "archivedAt": l.archived, "team": l.team})
}

func (c *cycle) Field(name string, _ map[string]any) (any, error) {
	return one(name, "Cycle", fields{"id": c.id, "number": float64(c.number), "name": nil, "description": nil, "completedAt": nil, "startsAt": c.starts, "endsAt": c.ends,
		"isActive": c.number == 2, "isFuture": c.number > 2, "team": c.team})
}

func (p *project) Field(name string, _ map[string]any) (any, error) {
	return one(name, "Project", fields{
		"id": p.id, "slugId": p.slug, "name": p.name, "description": "", "content": p.body, "priority": 0, "priorityLabel": "No priority",
		"url": "https://linear.app/example/project/" + p.slug, "createdAt": p.created, "updatedAt": p.updated, "archivedAt": p.archived,
		"trashed": nil, "targetDate": nil, "lead": nil, "accessibleTeams": []node{p.team},
		"status": fields{"id": "57a70500-0000-4000-8000-" + fmt.Sprintf("%012x", len(p.kind)), "name": p.kind, "type": p.kind}})
}

func (m *milestone) Field(name string, _ map[string]any) (any, error) {
	return one(name, "ProjectMilestone", fields{"id": m.id, "name": m.name, "description": m.body, "targetDate": orNil(m.target), "status": m.status,
		"createdAt": m.created, "updatedAt": m.updated, "archivedAt": nil, "project": m.project})
}

func (r *relation) Field(name string, _ map[string]any) (any, error) {
	return one(name, "IssueRelation", fields{"id": r.id, "type": r.kind, "issue": r.issue, "relatedIssue": r.relatedTo})
}

func (c *comment) Field(name string, _ map[string]any) (any, error) {
	return one(name, "Comment", fields{"id": c.id, "body": c.body, "createdAt": c.created, "updatedAt": c.updated, "user": c.user, "issue": c.issue,
		"url": "https://linear.app/example/issue/" + c.issue.identifier + "#comment-" + c.id[:8]})
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
	switch name { // the fields that are computed; the others are in a table
	case "attachments":
		all := []node{}
		for at, p := range i.pages {
			all = append(all, fields{"id": fixed("a77ac000", at), "title": p[0], "url": p[1]})
		}
		return fields{"nodes": all}, nil
	case "relations", "inverseRelations":
		own := providertest.Kept(i.w.relations, func(r *relation) bool {
			return name == "relations" && r.issue == i || name == "inverseRelations" && r.relatedTo == i
		})
		return list(own, nil, args, func(r *relation) string { return r.id }, func(*relation) time.Time { return time.Time{} })
	}
	if field, ok := issueFields[name]; ok {
		return field(i), nil
	}
	return unknown(name, "Issue")
}

var issueFields = map[string]func(*issue) any{
	"id":                  func(i *issue) any { return i.id },
	"identifier":          func(i *issue) any { return i.identifier },
	"previousIdentifiers": func(i *issue) any { return append([]string{}, i.previous...) },
	"title":               func(i *issue) any { return i.title },
	"description":         func(i *issue) any { return orNil(i.body) },
	"priority":            func(i *issue) any { return float64(i.priority) },
	"priorityLabel":       func(i *issue) any { return []string{"No priority", "Urgent", "High", "Medium", "Low"}[i.priority] },
	"estimate":            func(i *issue) any { return i.estimate },
	"dueDate":             func(i *issue) any { return orNil(i.due) },
	"url":                 func(i *issue) any { return "https://linear.app/example/issue/" + i.identifier },
	"createdAt":           func(i *issue) any { return i.created },
	"updatedAt":           func(i *issue) any { return i.updated },
	"archivedAt":          func(i *issue) any { return i.archived },
	"trashed":             func(i *issue) any { return map[bool]any{true: true}[i.trashed] }, // null, and not false
	"state":               func(i *issue) any { return i.state },
	"labelIds":            func(i *issue) any { return providertest.Shown(i.labels, func(l *label) any { return l.id }) },
	"assignee":            func(i *issue) any { return i.assignee },
	"team":                func(i *issue) any { return i.team },
	"parent":              func(i *issue) any { return i.parent },
	"cycle":               func(i *issue) any { return i.cycle },
	"project":             func(i *issue) any { return i.project },
	"projectMilestone":    func(i *issue) any { return i.milestone },
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
	known := map[string]string{"stateId": "status", "assigneeId": "assignee", "addedLabelIds": "labels", "removedLabelIds": "labels", "labelIds": "labels"}
	i.writes[cmp.Or(known[name], name)]++
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
