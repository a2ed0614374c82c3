package fakeazure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func (c *call) top() (skip, top int) {
	skip, _ = strconv.Atoi(c.q.Get("$skip"))
	top, err := strconv.Atoi(c.q.Get("$top"))
	if err != nil || top <= 0 {
		top = 100
	}
	return skip, top
}

// sliced returns the part of a list that $skip and $top select.
func (c *call) sliced(all []any) map[string]any {
	skip, top := c.top()
	all = all[min(skip, len(all)):]
	return listed(all[:min(top, len(all))])
}

func (c *call) projects() (any, *failure) {
	return c.sliced(providertest.Shown(c.w.projects, (*project).show)), nil
}

type handler func(*call) (any, *failure)

// onProject is a handler of a project that the path names.
func onProject(do func(*call, *project) (any, *failure)) handler {
	return func(c *call) (any, *failure) {
		p := c.w.project(c.rest[1])
		if p == nil {
			return nil, fail(404, "ProjectDoesNotExistWithNameException", "TF200016: The following project does not exist: %s.", c.rest[1])
		}
		return do(c, p)
	}
}

func (c *call) oneProject(p *project) (any, *failure) {
	out := p.show()
	out["defaultTeam"] = p.team()
	return out, nil
}

func (c *call) teams(p *project) (any, *failure) {
	return c.sliced([]any{p.team()}), nil
}

func (c *call) members(*project) (any, *failure) {
	return c.sliced(providertest.Shown(c.w.people, func(p *person) any {
		return map[string]any{"identity": p.show(), "isTeamAdmin": p == c.w.people[0]}
	})), nil
}

// iterations belong to a team of the project. The last one has no dates yet.
func (c *call) iterations() (any, *failure) {
	if c.project == nil {
		return nil, fail(404, "", "The controller for path was not found.")
	}
	if team := c.project.team(); c.team != "" && c.team != team["id"] && c.team != team["name"] {
		return nil, fail(404, "TeamNotFoundException", "VS402371: The team with id '%s' does not exist.", c.team)
	}
	start := c.w.now().Truncate(24 * time.Hour)
	var all []any
	for n := range 4 {
		attributes := map[string]any{"startDate": nil, "finishDate": nil, "timeFrame": "future"}
		if n < 3 {
			attributes["startDate"], attributes["finishDate"] = stamp(start.AddDate(0, 0, 14*(n-1))), stamp(start.AddDate(0, 0, 14*n-1))
			attributes["timeFrame"] = []string{"past", "current", "future"}[n]
		}
		name := fmt.Sprint("Sprint ", n+1)
		all = append(all, map[string]any{"id": fmt.Sprintf("17e00000-0000-4000-8000-%012d", n), "name": name, "path": c.project.name + `\` + name,
			"attributes": attributes, "url": base + "/iterations/" + strconv.Itoa(n)})
	}
	return listed(all), nil
}

func (c *call) types() (any, *failure) {
	if c.project == nil {
		return nil, fail(404, "", "The controller for path was not found.")
	}
	var all []any
	for _, t := range c.project.types {
		steps := map[string]any{}
		for from, to := range t.steps {
			list := []any{map[string]any{"to": from, "actions": nil}}
			for _, name := range to {
				list = append(list, map[string]any{"to": name, "actions": nil})
			}
			steps[from] = list
		}
		all = append(all, map[string]any{"name": t.name, "referenceName": "Microsoft.VSTS.WorkItemTypes." + strings.ReplaceAll(t.name, " ", ""), "description": "",
			"color": "009CCC", "isDisabled": false, "states": t.show(), "fieldInstances": t.fields(), "transitions": steps, "url": base + "/_apis/wit/workItemTypes/" + t.name})
	}
	return listed(all), nil
}

// fields returns the fields of a type: an estimate is in points for a story, in hours for a task.
func (t *itemType) fields() (out []any) {
	names := map[string]string{"Title": "System.Title", "Iteration Path": "System.IterationPath", "Due Date": dueField, "Severity": SeverityField}
	switch t.name {
	case "User Story":
		names["Story Points"] = pointsField
	case "Task":
		names["Original Estimate"] = hoursField
	}
	for name, reference := range names {
		out = append(out, map[string]any{"name": name, "referenceName": reference, "alwaysRequired": t.name == "Incident" && name == "Severity", "url": base + "/_apis/wit/fields/" + reference})
	}
	return out
}

// The fields for planning.
const (
	dueField    = "Microsoft.VSTS.Scheduling.DueDate"
	pointsField = "Microsoft.VSTS.Scheduling.StoryPoints"
	hoursField  = "Microsoft.VSTS.Scheduling.OriginalEstimate"
)

func (t *itemType) show() []any {
	return providertest.Shown(t.states, func(s state) any {
		return map[string]any{"name": s.name, "color": "b2b2b2", "category": s.category}
	})
}

// field is a field of the project by its reference name.
func (c *call) field() (any, *failure) {
	kinds := map[string]string{SeverityField: "string", pointsField: "double", hoursField: "double", dueField: "dateTime", "System.Title": "string", "System.IterationPath": "treePath"}
	name := c.rest[2]
	if kinds[name] == "" {
		return nil, fail(404, "WorkItemTrackingFieldDefinitionNotFoundException", "TF51535: Cannot find field %s.", name)
	}
	return map[string]any{"name": name, "referenceName": name, "type": kinds[name], "readOnly": false, "url": base + "/_apis/wit/fields/" + name}, nil
}

func (c *call) states() (any, *failure) {
	if t := c.project.kind(c.rest[2]); t != nil {
		return listed(t.show()), nil
	}
	return nil, fail(404, "WorkItemTypeNotFoundException", "VS402323: Work item type %s does not exist in project %s or you do not have permission to access it.", c.rest[2], c.project.name)
}

func (c *call) categories() (any, *failure) {
	var all []any
	for _, t := range c.project.types {
		types := []any{map[string]any{"name": t.name, "url": base + "/_apis/wit/workItemTypes/" + t.name}}
		all = append(all, map[string]any{"name": t.name + " Category", "referenceName": t.category, "defaultWorkItemType": types[0], "workItemTypes": types,
			"url": base + "/_apis/wit/workItemTypeCategories/" + t.category})
	}
	return listed(all), nil
}

// onItem is a handler of an item that the path names and the token may read.
func onItem(do func(*call, *item) (any, *failure)) handler {
	return func(c *call) (any, *failure) {
		id, err := strconv.Atoi(c.rest[2])
		if err != nil {
			return nil, fail(400, "VssPropertyValidationException", "The value '%s' is not valid for Nullable`1.", c.rest[2])
		}
		i := c.w.byID[id]
		if i == nil || i.deleted || i.hidden || c.project != nil && i.project != c.project {
			return nil, missing(id)
		}
		return do(c, i)
	}
}

func (c *call) workItem(i *item) (any, *failure) { return i.whole(c.q.Get("$expand")), nil }

func (c *call) bin() (any, *failure) {
	var all []any
	for _, p := range c.w.projects {
		for _, i := range p.bin {
			if c.project == nil || p == c.project {
				all = append(all, map[string]any{"id": i.id, "url": fmt.Sprintf("%s/_apis/wit/recyclebin/%d", base, i.id)})
			}
		}
	}
	return listed(all), nil
}

func (c *call) binned() (any, *failure) {
	id, _ := strconv.Atoi(c.rest[2])
	for _, p := range c.w.projects {
		for _, i := range p.bin {
			if i.id == id && (c.project == nil || p == c.project) {
				return map[string]any{"id": i.id, "type": i.kind.name, "name": i.title, "project": p.name, "deletedBy": "Bob Baker <bob@example.com>", "deletedDate": stamp(i.at),
					"url": fmt.Sprintf("%s/_apis/wit/recyclebin/%d", base, i.id)}, nil
			}
		}
	}
	return nil, fail(404, "WorkItemDestroyException", "VS402366: The work item %d cannot be found in the recycle bin.", id)
}

func (c *call) comments(i *item) (any, *failure) {
	skip, _ := strconv.Atoi(c.q.Get("continuationToken"))
	top, err := strconv.Atoi(c.q.Get("$top"))
	if err != nil || top < 1 || top > 200 {
		top = 200
	}
	list := slices.Clone(i.comments)
	if !strings.EqualFold(c.q.Get("order"), "asc") {
		slices.Reverse(list)
	}
	page := list[min(skip, len(list)):]
	all := providertest.Shown(page[:min(top, len(page))], func(m *comment) any { return m.show(i) })
	out := map[string]any{"totalCount": len(list), "count": len(all), "comments": all}
	if skip+len(all) < len(list) {
		out["continuationToken"] = strconv.Itoa(skip + len(all))
	}
	return out, nil
}

func (m *comment) show(i *item) any {
	format := "html"
	if m.markdown {
		format = "markdown"
	}
	return map[string]any{"id": m.id, "workItemId": i.id, "version": 1, "text": m.text, "format": format, "createdBy": m.by.show(), "createdDate": stamp(m.at),
		"modifiedBy": m.by.show(), "modifiedDate": stamp(m.at), "isDeleted": false, "url": fmt.Sprintf("%s/%s/_apis/wit/workItems/%d/comments/%d", base, i.project.id, i.id, m.id)}
}

func (c *call) comment(i *item) (any, *failure) {
	if c.project == nil {
		return nil, fail(404, "", "The controller for path was not found.")
	}
	var sent struct{ Text string }
	if json.Unmarshal(c.body, &sent) != nil || sent.Text == "" {
		return nil, fail(400, "VssPropertyValidationException", "Value cannot be null. Parameter name: request.Text")
	}
	m := c.w.say(i, sent.Text, c.w.people[0])
	m.markdown = strings.EqualFold(c.q.Get("format"), "markdown")
	return m.show(i), nil
}

// say adds a comment, which creates a revision.
func (w *organization) say(i *item, text string, by *person) *comment {
	w.comments++
	m := &comment{id: w.comments, text: text, by: by, at: w.now()}
	i.comments = append(i.comments, m)
	w.touch(i)
	return m
}
