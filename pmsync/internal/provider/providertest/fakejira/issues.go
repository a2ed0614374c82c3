package fakejira

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var notFound = problem("Issue does not exist or you do not have permission to see it.")

// issueRoute answers what is below the issues: rest are the parts behind them.
func (w *site) issueRoute(r *http.Request, rest []string, in map[string]any) (int, any) {
	q := r.URL.Query()
	if len(rest) == 0 {
		if r.Method == http.MethodPost {
			return w.create(in)
		}
		return http.StatusMethodNotAllowed, problem("Method not allowed")
	}
	switch rest[0] {
	case "bulkfetch":
		return w.bulkFetch(in)
	case "createmeta":
		return w.createMeta(q, rest)
	}
	i := w.find(rest[0])
	if i == nil {
		return 404, notFound
	}
	switch r.Method + " " + strings.Join(rest[1:], "/") {
	case "GET ":
		names := slices.Collect(maps.Keys(issueFields))
		if f := q["fields"]; len(f) > 0 {
			names = strings.Split(strings.Join(f, ","), ",")
		}
		return 200, w.issueJSON(i, names, q["properties"])
	case "PUT ":
		return w.edit(i, in)
	case "PUT assignee":
		return w.assign(i, in)
	case "GET editmeta":
		plain := func(name, kind string) map[string]any {
			return map[string]any{"required": false, "schema": map[string]any{"type": kind}, "name": name, "key": name, "operations": []string{"set"}}
		}
		return 200, map[string]any{"fields": map[string]any{"priority": priorityMeta(), "summary": plain("Summary", "string"), "description": plain("Description", "string"),
			sprintField: plain("Sprint", "array"), pointsField: plain("Story point estimate", "number"), SeverityField: severityMeta(false)}}
	case "GET transitions":
		return 200, transitions(i, strings.Contains(q.Get("expand"), "transitions.fields"))
	case "POST transitions":
		return w.move(i, in)
	case "GET remotelink":
		pages := slices.DeleteFunc(slices.Clone(i.files), func(f file) bool { return f.size > 0 })
		return 200, providertest.Shown(pages, func(f file) any {
			return map[string]any{"id": f.id, "self": "https://example.atlassian.net/rest/api/3/issue/" + i.key + "/remotelink/" + strconv.Itoa(f.id),
				"object": map[string]any{"url": f.address, "title": f.name}}
		})
	case "GET comment":
		list := slices.Clone(i.comments)
		if q.Get("orderBy") == "-created" {
			slices.Reverse(list)
		}
		return 200, page(q, providertest.Shown(list, func(c *comment) any { return c.json(w, false) }), "comments", true)
	case "POST comment":
		return w.comment(i, in)
	}
	return http.StatusNotFound, problem("null for uri: %s %s", r.Method, r.URL.Path)
}

func (w *site) assign(i *issue, in map[string]any) (int, any) {
	i.writes["assignee"]++
	i.assignee = nil
	if id, _ := in["accountId"].(string); id != "" {
		if i.assignee = w.user(id); i.assignee == nil {
			return 404, problem("User does not exist or you do not have permission to see it.")
		}
	}
	w.touch(i)
	return http.StatusNoContent, nil
}

// transitions are the steps to every other status. "Won't Do" asks for a resolution on a screen.
func transitions(i *issue, withFields bool) any {
	out := []any{}
	for _, s := range statuses {
		if s.id == i.status.id {
			continue
		}
		one := map[string]any{"id": "1" + s.id, "name": steps[s.id], "to": s.json(), "hasScreen": s.name == "Won't Do", "isGlobal": false, "isInitial": false, "isConditional": false, "isAvailable": true}
		if withFields {
			fields := map[string]any{}
			if s.name == "Won't Do" {
				fields["resolution"] = map[string]any{"required": true, "hasDefaultValue": false, "name": "Resolution", "key": "resolution", "operations": []string{"set"}, "schema": map[string]any{"type": "resolution", "system": "resolution"}}
			}
			one["fields"] = fields
		}
		out = append(out, one)
	}
	return map[string]any{"expand": "transitions", "transitions": out}
}

// move does a step to another status.
func (w *site) move(i *issue, in map[string]any) (int, any) {
	step, _ := in["transition"].(map[string]any)
	for _, s := range statuses {
		if step["id"] == "1"+s.id && s.id != i.status.id && s.name != "Won't Do" {
			i.status = s
			i.writes["status"]++
			w.touch(i)
			return http.StatusNoContent, nil
		}
	}
	return 400, problem("It seems that you have tried to perform a workflow operation that is not valid for the current state of this issue.")
}

func (w *site) comment(i *issue, in map[string]any) (int, any) {
	w.serial++
	properties, _ := in["properties"].([]any)
	if _, ok := in["body"].(map[string]any); !ok {
		return bad("comment", "Comment body is not valid!")
	}
	c := &comment{id: w.serial, body: in["body"], author: w.users[0], created: w.now(), updated: w.now(), properties: properties}
	i.comments = append(i.comments, c)
	w.touch(i)
	return http.StatusCreated, c.json(w, false)
}

func priorityMeta() map[string]any {
	var list []any
	for n := range priorities {
		list = append(list, priorityJSON(n))
	}
	return map[string]any{"required": false, "schema": map[string]any{"type": "priority", "system": "priority"}, "name": "Priority", "key": "priority",
		"hasDefaultValue": true, "operations": []string{"set"}, "allowedValues": list}
}

func (w *site) createMeta(q map[string][]string, rest []string) (int, any) {
	if len(rest) < 3 || w.projectBy(rest[1]) == nil {
		return 404, problem("No project could be found")
	}
	if len(rest) == 3 {
		return 200, page(q, providertest.Shown(kinds, kind.json), "issueTypes", true)
	}
	meta, severity := priorityMeta(), severityMeta(kindOf(rest[3]).name == Incident)
	meta["fieldId"], severity["fieldId"] = "priority", SeverityField
	return 200, page(q, []any{
		map[string]any{"fieldId": "summary", "key": "summary", "name": "Summary", "required": true, "hasDefaultValue": false, "operations": []string{"set"}, "schema": map[string]any{"type": "string", "system": "summary"}},
		map[string]any{"fieldId": "duedate", "key": "duedate", "name": "Due date", "required": false, "hasDefaultValue": false, "operations": []string{"set"}, "schema": map[string]any{"type": "date", "system": "duedate"}},
		map[string]any{"fieldId": sprintField, "key": sprintField, "name": "Sprint", "required": false, "hasDefaultValue": false, "operations": []string{"set"}, "schema": map[string]any{"type": "array", "items": "json", "custom": "com.pyxis.greenhopper.jira:gh-sprint", "customId": 10020}},
		map[string]any{"fieldId": pointsField, "key": pointsField, "name": "Story point estimate", "required": false, "hasDefaultValue": false, "operations": []string{"set"}, "schema": map[string]any{"type": "number", "custom": "com.pyxis.greenhopper.jira:jsw-story-points", "customId": 10016}},
		meta, severity}, "fields", true)
}

func (w *site) bulkFetch(in map[string]any) (int, any) {
	ids, _ := in["issueIdsOrKeys"].([]any)
	if len(ids) > 100 || len(ids) == 0 {
		return 400, problem("The number of issues to fetch must be between 1 and 100.")
	}
	issues, failed := []any{}, []any{}
	for _, id := range ids {
		text, _ := id.(string)
		if i := w.find(text); i != nil {
			issues = append(issues, w.issueJSON(i, providertest.Strings(in["fields"]), nil))
		} else {
			failed = append(failed, map[string]any{"id": text, "errorMessage": "Issue not found or you do not have permission."})
		}
	}
	return 200, map[string]any{"issues": issues, "issueErrors": failed}
}

func (w *site) commentList(in map[string]any, withProperties bool) (int, any) {
	ids, _ := in["ids"].([]any)
	var all []any
	for _, i := range w.issues {
		for _, c := range i.comments {
			if slices.ContainsFunc(ids, func(id any) bool { n, _ := id.(float64); return int(n) == c.id }) {
				all = append(all, c.json(w, withProperties))
			}
		}
	}
	return 200, map[string]any{"values": append([]any{}, all...), "startAt": 0, "maxResults": 1048576, "total": len(all), "isLast": true}
}

// edit is the PUT of an issue: fields that are there are set, null included.
func (w *site) edit(i *issue, in map[string]any) (int, any) {
	fields, _ := in["fields"].(map[string]any)
	if _, has := fields["status"]; has {
		return bad("status", "Field 'status' cannot be set. It is not on the appropriate screen, or unknown.")
	}
	if code, bad := w.set(i, fields); bad != nil {
		return code, bad
	}
	update, _ := in["update"].(map[string]any)
	for name, v := range update {
		i.writes[name]++
		if name == "parent" { // none is all that can be said of it
			i.parent = nil
			continue
		}
		steps, _ := v.([]any)
		for _, step := range steps {
			for verb, value := range step.(map[string]any) {
				text, _ := value.(string)
				if name != "labels" || text == "" || strings.Contains(text, " ") {
					return bad(name, "The label '"+text+"' contains spaces which is invalid.")
				}
				at := slices.Index(i.labels, text)
				if verb == "add" && at < 0 {
					i.labels = append(i.labels, text)
				}
				if verb == "remove" && at >= 0 {
					i.labels = slices.Delete(slices.Clone(i.labels), at, at+1)
				}
			}
		}
	}
	slices.Sort(i.labels)
	w.touch(i)
	return http.StatusNoContent, nil
}

// bad refuses the value of a field.
func bad(field, text string) (int, any) {
	return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{field: text}}
}

func (w *site) set(i *issue, fields map[string]any) (int, any) {
	for name, v := range fields {
		i.writes[name]++
		object, _ := v.(map[string]any)
		id, _ := object["id"].(string)
		switch name {
		case "summary":
			i.summary, _ = v.(string)
		case "description":
			if object == nil && v != nil {
				return bad(name, "Operation value must be an Atlassian Document (see the Atlassian Document Format)")
			}
			i.description = v
		case "priority":
			n, err := strconv.Atoi(id)
			if v == nil {
				n, err = 0, nil
			}
			if err != nil || n > len(priorities) {
				return bad(name, "Specify the Priority (id or name) in the string format")
			}
			i.priority = n - 1
		case "assignee":
			account, _ := object["accountId"].(string)
			if i.assignee = w.user(account); i.assignee == nil && v != nil {
				return bad(name, "Specify a valid value for assignee")
			}
		case "labels":
			i.labels = providertest.Strings(v)
		case "parent":
			if i.parent = w.find(id); i.parent == nil {
				return bad(name, "Could not find issue by id or key.")
			}
		case sprintField:
			if i.sprints = nil; v != nil {
				n, _ := v.(float64)
				i.sprints = []int{int(n) - 30}
			}
		case pointsField:
			i.points = nil
			if n, isNumber := v.(float64); isNumber {
				i.points = &n
			}
		case SeverityField:
			if _, known := severities[id]; !known && v != nil {
				return bad(name, "Option id '"+id+"' is not valid")
			}
			i.severity = id
		case "duedate":
			i.due, _ = v.(string)
		case "project", "issuetype":
		default:
			return bad(name, "Field '"+name+"' cannot be set. It is not on the appropriate screen, or unknown.")
		}
	}
	return 0, nil
}

func kindOf(id string) kind {
	return providertest.First(kinds, func(k kind) bool { return k.id == id })
}

// linkIssues links two issues: from the inward one to the outward one, or the other way
// round where the site does. A link that exists is not made twice.
func (w *site) linkIssues(in map[string]any) (int, any) {
	ends := [2]*issue{}
	for at, name := range []string{"inwardIssue", "outwardIssue"} {
		ref, _ := in[name].(map[string]any)
		id, _ := ref["id"].(string)
		if ends[at] = w.find(id); ends[at] == nil {
			return 404, notFound
		}
	}
	of, _ := in["type"].(map[string]any)
	at := slices.IndexFunc(linkTypes, func(t [4]string) bool { return t[1] == of["name"] })
	if at < 0 {
		return 404, problem("No issue link type with name '%v' found.", of["name"])
	}
	from, to := ends[0], ends[1]
	if w.o.Turned {
		from, to = to, from
	}
	if slices.ContainsFunc(from.links, func(l *link) bool { return l.from == from && l.to == to && l.kind == at }) {
		return http.StatusCreated, nil
	}
	w.serial++
	l := &link{w.serial, from, to, at}
	from.links, to.links = append(from.links, l), append(to.links, l)
	w.touch(from)
	w.touch(to)
	return http.StatusCreated, nil
}

func (w *site) unlink(id string) (int, any) {
	n, _ := strconv.Atoi(id)
	found := false
	for _, i := range w.issues {
		before := len(i.links)
		i.links = slices.DeleteFunc(i.links, func(l *link) bool { return l.id == n })
		found = found || len(i.links) < before
	}
	if !found {
		return 404, problem("No issue link with id '%s' exists.", id)
	}
	return http.StatusNoContent, nil
}

func (w *site) create(in map[string]any) (int, any) {
	fields, _ := in["fields"].(map[string]any)
	p, _ := fields["project"].(map[string]any)
	text, _ := p["key"].(string)
	if text == "" {
		text, _ = p["id"].(string)
	}
	project := w.projectBy(text)
	of, _ := fields["issuetype"].(map[string]any)
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.id == of["id"] })
	if project == nil || at < 0 || fields["summary"] == "" {
		return bad("project", "Specify a valid project ID or key")
	}
	if kinds[at].name == Incident && fields[SeverityField] == nil {
		return bad(SeverityField, "Severity is required.")
	}
	i := w.add(project, kinds[at], "")
	i.creator = w.users[0]
	if code, bad := w.set(i, fields); bad != nil {
		w.remove(i)
		return code, bad
	}
	properties, _ := in["properties"].([]any)
	for _, each := range properties {
		if property, ok := each.(map[string]any); ok {
			key, _ := property["key"].(string)
			i.properties[key] = property["value"]
		}
	}
	return http.StatusCreated, map[string]any{"id": strconv.Itoa(i.id), "key": i.key, "self": "https://example.atlassian.net/rest/api/3/issue/" + strconv.Itoa(i.id)}
}

func (w *site) remove(i *issue) {
	w.issues = slices.DeleteFunc(w.issues, func(other *issue) bool { return other == i })
	delete(w.byID, i.id)
	delete(w.byKey, i.key)
	for _, key := range i.former {
		delete(w.byKey, key)
	}
	for _, other := range w.issues {
		other.links = slices.DeleteFunc(other.links, func(l *link) bool { return l.from == i || l.to == i })
	}
}
