package fakejira

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

var notFound = problem("Issue does not exist or you do not have permission to see it.")

// route answers what is below /rest.
func (w *site) route(r *http.Request, parts []string, in map[string]any) (int, any) {
	q := r.URL.Query()
	if len(parts) < 3 || parts[0] != "rest" {
		return http.StatusNotFound, problem("null for uri: %s", r.URL.Path)
	}
	name, rest := parts[1]+"/"+strings.Join(parts[3:min(4, len(parts))], ""), parts[min(4, len(parts)):]
	last := ""
	if len(rest) > 0 {
		last = rest[len(rest)-1]
	}
	switch key := r.Method + " " + name; {
	case key == "GET api/myself":
		me := w.users[0].json().(map[string]any)
		return 200, me
	case key == "GET api/field":
		return 200, []any{
			map[string]any{"id": "summary", "key": "summary", "name": "Summary", "custom": false, "schema": map[string]any{"type": "string", "system": "summary"}},
			map[string]any{"id": sprintField, "key": sprintField, "name": "Sprint", "custom": true, "schema": map[string]any{"type": "array", "items": "json", "custom": "com.pyxis.greenhopper.jira:gh-sprint", "customId": 10020}},
			map[string]any{"id": pointsField, "key": pointsField, "name": "Story point estimate", "custom": true, "schema": map[string]any{"type": "number", "custom": "com.pyxis.greenhopper.jira:jsw-story-points", "customId": 10016}},
		}
	case key == "GET api/project" && last == "search":
		var all []any
		for _, p := range w.projects {
			all = append(all, w.projectJSON(p))
		}
		return 200, page(q, all, "values", true)
	case key == "GET api/project" && len(rest) > 0:
		p := w.projectBy(rest[0])
		if p == nil {
			return 404, problem("No project could be found with key '%s'.", rest[0])
		}
		switch last {
		case "statuses":
			var out []any
			for _, k := range kinds {
				one := k.json()
				delete(one, "hierarchyLevel")
				delete(one, "description")
				var list []any
				for _, s := range statuses {
					list = append(list, s.json())
				}
				one["statuses"] = list
				out = append(out, one)
			}
			return 200, out
		case "version":
			var all []any
			for _, v := range w.versions {
				all = append(all, v.json())
			}
			return 200, page(q, all, "values", true)
		}
		return 200, w.projectJSON(p)
	case key == "GET api/version" && len(rest) == 1:
		for _, v := range w.versions {
			if v.id == rest[0] {
				return 200, v.json()
			}
		}
		return 404, problem("Could not find version for id '%s'", rest[0])
	case key == "GET api/user" && last == "search":
		out := []any{}
		for _, u := range w.users {
			if strings.Contains(strings.ToLower(u.name+" "+u.email), strings.ToLower(q.Get("query"))) {
				out = append(out, u.json())
			}
		}
		return 200, out
	case key == "POST api/search" && last == "jql":
		return w.search(in)
	case name == "api/search" && len(rest) == 0:
		return http.StatusGone, problem("The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.")
	case key == "GET agile/board" && len(rest) == 0:
		return 200, page(q, []any{
			map[string]any{"id": 7, "self": "https://example.atlassian.net/rest/agile/1.0/board/7", "name": "PROJ board", "type": "scrum"},
			map[string]any{"id": 8, "self": "https://example.atlassian.net/rest/agile/1.0/board/8", "name": "PROJ flow", "type": "kanban"},
			map[string]any{"id": 9, "self": "https://example.atlassian.net/rest/agile/1.0/board/9", "name": "PROJ list", "type": "simple"},
		}, "values", true)
	case key == "GET agile/board" && last == "sprint":
		if rest[0] != "7" {
			return 400, problem("The board does not support sprints")
		}
		var all []any
		for n := range 3 {
			s := w.sprint(n) // the board is called otherwise here than in an issue
			s["originBoardId"] = s["boardId"]
			delete(s, "boardId")
			all = append(all, s)
		}
		return 200, page(q, all, "values", false)
	case key == "POST api/comment" && last == "list":
		return w.commentList(in, strings.Contains(q.Get("expand"), "properties"))
	case name == "api/issue":
		return w.issueRoute(r, rest, in)
	}
	return http.StatusNotFound, problem("null for uri: %s %s", r.Method, r.URL.Path)
}

// page is a page by startAt and maxResults, which the server may lower.
func page(q map[string][]string, all []any, name string, total bool) map[string]any {
	number := func(name string, otherwise int) int {
		if v := q[name]; len(v) > 0 {
			if n, err := strconv.Atoi(v[0]); err == nil {
				return n
			}
		}
		return otherwise
	}
	start, most := number("startAt", 0), min(number("maxResults", 50), 50)
	start = min(start, len(all))
	end := min(start+most, len(all))
	out := map[string]any{name: append([]any{}, all[start:end]...), "startAt": start, "maxResults": most}
	if total {
		out["total"] = len(all)
	}
	if name == "values" {
		out["isLast"] = end == len(all)
	}
	return out
}

func (w *site) projectBy(idOrKey string) *project {
	for _, p := range w.projects {
		if p.id == idOrKey || strings.EqualFold(p.key, idOrKey) {
			return p
		}
	}
	return nil
}

func (w *site) projectJSON(p *project) any {
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/project/" + p.id, "id": p.id, "key": p.key, "name": p.name, "projectTypeKey": "software",
		"simplified": false, "style": "classic", "isPrivate": false}
}

func (v *version) json() any {
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/version/" + v.id, "id": v.id, "name": v.name, "description": v.description,
		"archived": v.archived, "released": v.released, "projectId": 10000}
}

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
		names := allFields()
		if f := q["fields"]; len(f) > 0 {
			names = strings.Split(strings.Join(f, ","), ",")
		}
		return 200, w.issueJSON(i, names, q["properties"])
	case "PUT ":
		return w.edit(i, in)
	case "PUT assignee":
		i.writes["assignee"]++
		i.assignee = nil
		if id, _ := in["accountId"].(string); id != "" {
			if i.assignee = w.user(id); i.assignee == nil {
				return 404, problem("User does not exist or you do not have permission to see it.")
			}
		}
		w.touch(i)
		return http.StatusNoContent, nil
	case "GET editmeta":
		return 200, map[string]any{"fields": map[string]any{"priority": priorityMeta()}}
	case "GET transitions":
		out := []any{}
		for _, s := range statuses {
			if s.id == i.status.id {
				continue
			}
			one := map[string]any{"id": "1" + s.id, "name": steps[s.id], "to": s.json(), "hasScreen": s.name == "Won't Do", "isGlobal": false, "isInitial": false, "isConditional": false, "isAvailable": true}
			if strings.Contains(q.Get("expand"), "transitions.fields") {
				fields := map[string]any{}
				if s.name == "Won't Do" {
					fields["resolution"] = map[string]any{"required": true, "hasDefaultValue": false, "name": "Resolution", "key": "resolution", "operations": []string{"set"}, "schema": map[string]any{"type": "resolution", "system": "resolution"}}
				}
				one["fields"] = fields
			}
			out = append(out, one)
		}
		return 200, map[string]any{"expand": "transitions", "transitions": out}
	case "POST transitions":
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
	case "GET comment":
		var all []any
		list := slices.Clone(i.comments)
		if q.Get("orderBy") == "-created" {
			slices.Reverse(list)
		}
		for _, c := range list {
			all = append(all, c.json(w, false))
		}
		out := page(q, all, "comments", true)
		return 200, out
	case "POST comment":
		w.serial++
		properties, _ := in["properties"].([]any)
		if _, ok := in["body"].(map[string]any); !ok {
			return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{"comment": "Comment body is not valid!"}}
		}
		c := &comment{id: w.serial, body: in["body"], author: w.users[0], created: w.now(), updated: w.now(), properties: properties}
		i.comments = append(i.comments, c)
		w.touch(i)
		return http.StatusCreated, c.json(w, false)
	}
	return http.StatusNotFound, problem("null for uri: %s %s", r.Method, r.URL.Path)
}

func allFields() []string {
	return []string{"summary", "description", "status", "priority", "assignee", "creator", "labels", "parent", "issuetype", "project", "created", "updated",
		"duedate", "issuelinks", "resolution", "fixVersions", sprintField, pointsField}
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
		var all []any
		for _, k := range kinds {
			all = append(all, k.json())
		}
		return 200, page(q, all, "issueTypes", true)
	}
	meta := priorityMeta()
	meta["fieldId"] = "priority"
	return 200, page(q, []any{
		map[string]any{"fieldId": "summary", "key": "summary", "name": "Summary", "required": true, "hasDefaultValue": false, "operations": []string{"set"}, "schema": map[string]any{"type": "string", "system": "summary"}},
		meta}, "fields", true)
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
			issues = append(issues, w.issueJSON(i, stringsOf(in["fields"]), nil))
		} else {
			failed = append(failed, map[string]any{"id": text, "errorMessage": "Issue not found or you do not have permission."})
		}
	}
	return 200, map[string]any{"issues": issues, "issueErrors": failed}
}

func stringsOf(v any) (out []string) {
	list, _ := v.([]any)
	for _, each := range list {
		text, _ := each.(string)
		out = append(out, text)
	}
	return out
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
		return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{"status": "Field 'status' cannot be set. It is not on the appropriate screen, or unknown."}}
	}
	if code, bad := w.set(i, fields); bad != nil {
		return code, bad
	}
	update, _ := in["update"].(map[string]any)
	for name, v := range update {
		i.writes[name]++
		steps, _ := v.([]any)
		for _, step := range steps {
			for verb, value := range step.(map[string]any) {
				text, _ := value.(string)
				if name != "labels" || text == "" || strings.Contains(text, " ") {
					return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{name: "The label '" + text + "' contains spaces which is invalid."}}
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

func (w *site) set(i *issue, fields map[string]any) (int, any) {
	bad := func(field, text string) (int, any) {
		return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{field: text}}
	}
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
			i.labels = stringsOf(v)
		case "parent":
			if i.parent = w.find(id); i.parent == nil {
				return bad(name, "Could not find issue by id or key.")
			}
		case sprintField:
			n, _ := v.(float64)
			i.sprints = []int{int(n) - 30}
		case "project", "issuetype":
		default:
			return bad(name, "Field '"+name+"' cannot be set. It is not on the appropriate screen, or unknown.")
		}
	}
	return 0, nil
}

func (w *site) create(in map[string]any) (int, any) {
	fields, _ := in["fields"].(map[string]any)
	p, _ := fields["project"].(map[string]any)
	text, _ := p["key"].(string)
	if text == "" {
		text, _ = p["id"].(string)
	}
	project := w.projectBy(text)
	kindOf, _ := fields["issuetype"].(map[string]any)
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.id == kindOf["id"] })
	if project == nil || at < 0 || fields["summary"] == "" {
		return 400, map[string]any{"errorMessages": []string{}, "errors": map[string]string{"project": "Specify a valid project ID or key"}}
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
