package fakeazure

import (
	"fmt"
	"strings"
	"time"
)

const base = "https://dev.azure.com/" + Organization

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z") }

func (p *person) show() any {
	if p == nil {
		return nil
	}
	return map[string]any{"displayName": p.name, "id": p.id, "uniqueName": p.mail, "descriptor": "aad." + p.id,
		"url": "https://spsprodcus1.vssps.visualstudio.com/" + Organization + "/_apis/Identities/" + p.id}
}

// show returns a work item in the service's format, without empty fields.
func (i *item) show() map[string]any {
	fields := map[string]any{
		"System.Id": i.id, "System.Rev": i.rev, "System.TeamProject": i.project.name, "System.AreaPath": i.project.name, "System.IterationPath": i.sprint, "System.IterationId": 7,
		"System.WorkItemType": i.kind.name, "System.State": i.state, "System.Reason": "Moved to state " + i.state, "System.Title": i.title,
		"System.CreatedDate": stamp(i.created), "System.CreatedBy": i.author.show(), "System.ChangedDate": stamp(i.changed), "System.CommentCount": len(i.comments),
	}
	for name, value := range map[string]any{"System.Description": i.body, dueField: i.due, SeverityField: i.severity,
		"Microsoft.VSTS.Common.AcceptanceCriteria": i.criteria, "Microsoft.VSTS.Common.Priority": i.priority,
		"System.Tags": strings.Join(i.tags, "; "), "System.AssignedTo": i.assignee.show()} {
		if value != nil && value != "" && value != 0 { // a field without a value is left out
			fields[name] = value
		}
	}
	if i.estimate != nil {
		fields[map[bool]string{true: pointsField, false: hoursField}[i.kind.name == "User Story"]] = *i.estimate
	}
	if p := i.parent(); p != nil {
		fields["System.Parent"] = p.id
	}
	return map[string]any{"id": i.id, "rev": i.rev, "fields": fields, "url": fmt.Sprintf("%s/%s/_apis/wit/workItems/%d", base, i.project.id, i.id)}
}

// whole returns an item with its relations, which are returned only on request.
func (i *item) whole(expand string) map[string]any {
	out := i.show()
	if !strings.EqualFold(expand, "relations") && !strings.EqualFold(expand, "all") {
		return out
	}
	var links []any
	for _, l := range i.links {
		address, name := l.address, l.rel
		if l.other != nil {
			address = fmt.Sprintf("%s/%s/_apis/wit/workItems/%d", base, l.other.project.id, l.other.id)
		}
		attributes := map[string]any{"isLocked": false, "name": name}
		if l.size > 0 {
			attributes = map[string]any{"name": l.comment, "resourceSize": l.size}
		} else if l.comment != "" {
			attributes["comment"] = l.comment
		}
		links = append(links, map[string]any{"rel": l.rel, "url": address, "attributes": attributes})
	}
	if links != nil {
		out["relations"] = links
	}
	return out
}

func (p *project) show() map[string]any {
	return map[string]any{"id": p.id, "name": p.name, "url": base + "/_apis/projects/" + p.id, "state": "wellFormed", "revision": 11, "visibility": "private",
		"lastUpdateTime": "2026-01-02T03:04:05.6Z"}
}

func (p *project) team() map[string]any {
	return map[string]any{"id": strings.Replace(p.id, "-", "0", 1)[:8] + p.id[8:], "name": p.name + " Team", "url": base + "/_apis/projects/" + p.id + "/teams/1"}
}
