package fakejira

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

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
		return 200, w.users[0].json()
	case key == "GET api/field":
		return 200, fieldList
	case key == "GET api/project" && last == "search":
		return 200, page(q, providertest.Shown(w.projects, w.projectJSON), "values", true)
	case key == "GET api/project" && len(rest) > 0:
		return w.projectRoute(rest[0], last, q)
	case key == "GET api/version" && len(rest) == 1:
		if v := providertest.First(w.versions, func(v *version) bool { return v.id == rest[0] }); v != nil {
			return 200, v.json()
		}
		return 404, problem("Could not find version for id '%s'", rest[0])
	case key == "GET api/user" && last == "search":
		return 200, providertest.Shown(providertest.Kept(w.users, func(u *user) bool {
			return strings.Contains(strings.ToLower(u.name+" "+u.email), strings.ToLower(q.Get("query")))
		}), (*user).json)
	case key == "POST api/search" && last == "jql":
		return w.search(in)
	case name == "api/search" && len(rest) == 0:
		return http.StatusGone, problem("The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.")
	case key == "GET agile/board" && len(rest) == 0:
		return 200, page(q, boards, "values", true)
	case key == "GET agile/board" && last == "sprint":
		return w.boardSprints(rest[0], q)
	case key == "GET api/issueLinkType":
		var all []any
		for n := range linkTypes {
			all = append(all, linkTypeJSON(n))
		}
		return 200, map[string]any{"issueLinkTypes": all}
	case key == "POST api/issueLink":
		return w.linkIssues(in)
	case key == "DELETE api/issueLink" && len(rest) == 1:
		return w.unlink(rest[0])
	case key == "POST api/comment" && last == "list":
		return w.commentList(in, strings.Contains(q.Get("expand"), "properties"))
	case name == "api/issue":
		return w.issueRoute(r, rest, in)
	}
	return http.StatusNotFound, problem("null for uri: %s %s", r.Method, r.URL.Path)
}

var fieldList = []any{
	map[string]any{"id": "summary", "key": "summary", "name": "Summary", "custom": false, "schema": map[string]any{"type": "string", "system": "summary"}},
	map[string]any{"id": sprintField, "key": sprintField, "name": "Sprint", "custom": true, "schema": map[string]any{"type": "array", "items": "json", "custom": "com.pyxis.greenhopper.jira:gh-sprint", "customId": 10020}},
	map[string]any{"id": pointsField, "key": pointsField, "name": "Story point estimate", "custom": true, "schema": map[string]any{"type": "number", "custom": "com.pyxis.greenhopper.jira:jsw-story-points", "customId": 10016}},
	map[string]any{"id": SeverityField, "key": SeverityField, "name": "Severity", "custom": true, "schema": map[string]any{"type": "option", "custom": "com.atlassian.jira.plugin.system.customfieldtypes:select", "customId": 10050}},
}

var boards = []any{
	map[string]any{"id": 7, "self": "https://example.atlassian.net/rest/agile/1.0/board/7", "name": "PROJ board", "type": "scrum"},
	map[string]any{"id": 8, "self": "https://example.atlassian.net/rest/agile/1.0/board/8", "name": "PROJ flow", "type": "kanban"},
	map[string]any{"id": 9, "self": "https://example.atlassian.net/rest/agile/1.0/board/9", "name": "PROJ list", "type": "simple"},
}

// projectRoute answers what is below a project: what is its last part.
func (w *site) projectRoute(idOrKey, what string, q map[string][]string) (int, any) {
	p := w.projectBy(idOrKey)
	if p == nil {
		return 404, problem("No project could be found with key '%s'.", idOrKey)
	}
	switch what {
	case "statuses":
		var out []any
		for _, k := range kinds {
			one := k.json()
			delete(one, "hierarchyLevel")
			delete(one, "description")
			one["statuses"] = providertest.Shown(statuses, status.json)
			out = append(out, one)
		}
		return 200, out
	case "version":
		return 200, page(q, providertest.Shown(w.versions, (*version).json), "values", true)
	}
	return 200, w.projectJSON(p)
}

func (w *site) boardSprints(board string, q map[string][]string) (int, any) {
	if board != "7" {
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
	return providertest.First(w.projects, func(p *project) bool { return p.id == idOrKey || strings.EqualFold(p.key, idOrKey) })
}

func (w *site) projectJSON(p *project) any {
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/project/" + p.id, "id": p.id, "key": p.key, "name": p.name, "projectTypeKey": "software",
		"simplified": false, "style": "classic", "isPrivate": false}
}

func (v *version) json() any {
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/version/" + v.id, "id": v.id, "name": v.name, "description": v.description,
		"archived": v.archived, "released": v.released, "projectId": 10000}
}
