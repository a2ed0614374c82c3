package fakegithub

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func notFound() (int, any) { return http.StatusNotFound, said("Not Found") }

func said(text string) map[string]any {
	return map[string]any{"message": text, "documentation_url": "https://docs.github.com/rest"}
}

func invalid(field, code string) (int, any) {
	return http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
		"errors": []any{map[string]any{"resource": "Issue", "field": field, "code": code}}}
}

// route answers a request.
func (x *request) route(parts []string) (int, any) {
	switch {
	case len(parts) == 1 && parts[0] == "graphql" && x.r.Method == http.MethodPost:
		return x.graph()
	case len(parts) == 1 && parts[0] == "user":
		return http.StatusOK, x.me()
	case len(parts) == 2 && parts[0] == "user" && parts[1] == "repos":
		return http.StatusOK, providertest.Shown(page(x, x.s.w.repos), func(r *repo) any { return x.repository(r, false) })
	case len(parts) >= 3 && parts[0] == "repos":
		r := x.s.w.repo(parts[1] + "/" + parts[2])
		if r == nil {
			return notFound()
		}
		return x.inRepo(r, parts[3:])
	}
	return notFound()
}

func (x *request) inRepo(r *repo, parts []string) (int, any) {
	if len(parts) == 0 {
		return http.StatusOK, x.repository(r, true)
	}
	if r.disabled && parts[0] != "labels" {
		return http.StatusGone, said("Issues are disabled for this repo")
	}
	switch parts[0] {
	case "labels":
		return http.StatusOK, providertest.Shown(page(x, r.labels), func(l string) any { return x.label(r, l) })
	case "milestones":
		return http.StatusOK, providertest.Shown(page(x, r.milestones), func(m *milestone) any { return x.milestone(r, m) })
	case "assignees":
		return http.StatusOK, providertest.Shown(page(x, x.s.w.people), x.login)
	case "issues":
		if len(parts) == 1 && x.r.Method == http.MethodPost {
			return x.create(r)
		}
		if len(parts) == 1 {
			return x.list(r)
		}
		return x.ofIssue(r, parts[1:])
	}
	return notFound()
}

// list lists issues, pull requests among them.
func (x *request) list(r *repo) (int, any) {
	q := x.r.URL.Query()
	var since time.Time
	if text := q.Get("since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return invalid("since", "invalid")
		}
	}
	all := slices.DeleteFunc(slices.Clone(r.issues), func(i *issue) bool {
		return i.updated.Before(since) || q.Get("creator") != "" && !strings.EqualFold(i.author, q.Get("creator")) ||
			q.Get("state") != "all" && i.closed != (q.Get("state") == "closed")
	})
	slices.SortStableFunc(all, func(a, b *issue) int {
		by := a.created.Compare(b.created)
		if q.Get("sort") == "updated" {
			by = a.updated.Compare(b.updated)
		}
		by = cmp.Or(by, a.number-b.number)
		if q.Get("direction") != "asc" {
			by = -by
		}
		return by
	})
	return http.StatusOK, providertest.Shown(page(x, all), x.issue)
}

func (x *request) create(r *repo) (int, any) {
	title, _ := x.in["title"].(string)
	if strings.TrimSpace(title) == "" {
		return invalid("title", "missing_field")
	}
	i := x.s.w.add(r, title, x.s.w.people[0])
	i.body, _ = x.in["body"].(string)
	if x.s.o.ReadOnly {
		return http.StatusCreated, x.issue(i)
	}
	for _, l := range providertest.Strings(x.in["labels"]) {
		i.label(l)
	}
	x.assign(i, providertest.Strings(x.in["assignees"]))
	i.milestone = r.milestone(x.in["milestone"])
	i.kind, _ = x.in["type"].(string)
	return http.StatusCreated, x.issue(i)
}

// assign assigns those who can be; others are dropped.
func (x *request) assign(i *issue, logins []string) {
	for _, l := range logins {
		if slices.Contains(x.s.w.people, l) && !slices.Contains(i.assignees, l) && len(i.assignees) < 10 {
			i.assignees = append(i.assignees, l)
		}
	}
}

func (x *request) ofIssue(r *repo, parts []string) (int, any) {
	n, err := strconv.Atoi(parts[0])
	if err != nil {
		return notFound()
	}
	if to := r.moved[n]; to != nil {
		x.location = fmt.Sprintf("%s/repos/%s/issues/%d", x.host, to.repo.name, to.number)
		return http.StatusMovedPermanently, map[string]any{"message": "Moved Permanently", "url": x.location, "documentation_url": "https://docs.github.com/rest"}
	}
	if r.gone[n] {
		return http.StatusGone, said("This issue was deleted")
	}
	i := r.byNumber[n]
	if i == nil {
		return notFound()
	}
	get, rest := x.r.Method == http.MethodGet, strings.Join(parts[1:], "/")
	switch {
	case rest == "" && get:
		return http.StatusOK, x.issue(i)
	case rest == "" && x.r.Method == http.MethodPatch:
		return x.change(i)
	case rest == "comments" && get:
		return x.comments(i)
	case rest == "comments":
		return x.comment(i)
	case rest == "assignees":
		return x.assignees(i)
	case strings.HasPrefix(rest, "labels"):
		return x.labels(i, parts[2:])
	case strings.HasPrefix(rest, "dependencies/") && get && !x.s.o.Old:
		return http.StatusOK, providertest.Shown(page(x, dependencies(i, parts[2])), x.issue)
	case rest == "dependencies/blocked_by" && !get && !x.s.o.Old:
		return x.depend(i)
	case rest == "sub_issues" && !get && !x.s.o.Old:
		return x.adopt(i)
	case rest == "sub_issue" && x.r.Method == http.MethodDelete && !x.s.o.Old:
		return x.release(i)
	}
	return notFound()
}

func (x *request) change(i *issue) (int, any) {
	if x.s.o.ReadOnly {
		return http.StatusForbidden, said("Must have admin rights to Repository.")
	}
	for name := range x.in {
		i.writes[map[string]string{"state": "status", "state_reason": "status"}[name]+map[string]string{"title": "title", "body": "body", "labels": "labels"}[name]]++
	}
	if state, ok := x.in["state"].(string); ok && (state == "closed") != i.closed {
		i.closed = state == "closed"
		i.reason = map[bool]string{true: "completed", false: "reopened"}[i.closed]
		if reason, ok := x.in["state_reason"].(string); ok {
			i.reason = reason
		}
	}
	if title, ok := x.in["title"].(string); ok {
		i.title = title
	}
	if body, ok := x.in["body"].(string); ok {
		i.body = body
	}
	if to, given := x.in["milestone"]; given {
		i.milestone = i.repo.milestone(to)
	}
	x.s.w.touch(i)
	return http.StatusOK, x.issue(i)
}

func (x *request) comments(i *issue) (int, any) {
	since, _ := time.Parse(time.RFC3339, x.r.URL.Query().Get("since"))
	all := providertest.Kept(i.comments, func(c *comment) bool { return !c.created.Before(since) })
	return http.StatusOK, providertest.Shown(page(x, all), func(c *comment) any { return x.showComment(i, c) })
}

func (x *request) comment(i *issue) (int, any) {
	body, _ := x.in["body"].(string)
	if body == "" {
		return invalid("body", "missing_field")
	}
	c := &comment{id: x.s.w.id(), body: body, author: x.s.w.people[0], created: x.s.w.now()}
	i.comments = append(i.comments, c)
	i.writes["comment"]++
	x.s.w.touch(i)
	return http.StatusCreated, x.showComment(i, c)
}

func (x *request) assignees(i *issue) (int, any) {
	logins := providertest.Strings(x.in["assignees"])
	status := http.StatusCreated
	if x.r.Method == http.MethodDelete {
		status = http.StatusOK
	}
	if x.s.o.ReadOnly {
		return status, x.issue(i)
	}
	i.writes["assignee"]++
	if x.r.Method == http.MethodDelete {
		i.assignees = slices.DeleteFunc(i.assignees, func(l string) bool { return slices.Contains(logins, l) })
	} else {
		x.assign(i, logins)
	}
	x.s.w.touch(i)
	return status, x.issue(i)
}

func (x *request) labels(i *issue, parts []string) (int, any) {
	if x.s.o.ReadOnly {
		return http.StatusForbidden, said("Must have admin rights to Repository.")
	}
	switch {
	case x.r.Method == http.MethodDelete && len(parts) == 1:
		if !i.unlabel(parts[0]) {
			return http.StatusNotFound, said("Label does not exist")
		}
		i.writes[field(parts[0])]++
	case x.r.Method == http.MethodPost && len(parts) == 0:
		for _, l := range providertest.Strings(x.in["labels"]) {
			i.label(l)
			i.writes[field(l)]++
		}
	default:
		return notFound()
	}
	x.s.w.touch(i)
	return http.StatusOK, providertest.Shown(i.labels, func(l string) any { return x.label(i.repo, l) })
}

// adopt makes an issue a sub-issue, by its id. The time of neither is that of a change.
func (x *request) adopt(parent *issue) (int, any) {
	id, _ := x.in["sub_issue_id"].(float64)
	i := parent.repo.issue(id)
	if i == nil {
		return notFound()
	}
	if replace, _ := x.in["replace_parent"].(bool); i == parent || i.parent != nil && i.parent != parent && !replace {
		return invalid("sub_issue_id", "already_exists")
	}
	i.parent = parent
	return http.StatusCreated, x.issue(parent)
}

// release takes an issue from below another one.
func (x *request) release(parent *issue) (int, any) {
	id, _ := x.in["sub_issue_id"].(float64)
	i := parent.repo.issue(id)
	if i == nil || i.parent != parent {
		return notFound()
	}
	i.parent = nil
	return http.StatusOK, x.issue(parent)
}

// depend lets an issue wait for another one. That it does so already is a mistake.
func (x *request) depend(i *issue) (int, any) {
	id, _ := x.in["issue_id"].(float64)
	other := i.repo.issue(id)
	if other == nil {
		return notFound()
	}
	if other == i || slices.Contains(i.blockedBy, other) {
		return invalid("issue_id", "already_exists")
	}
	i.blockedBy = append(i.blockedBy, other)
	return http.StatusCreated, x.issue(other)
}

func dependencies(i *issue, side string) []*issue {
	if side == "blocked_by" {
		return i.blockedBy
	}
	return slices.DeleteFunc(slices.Clone(i.repo.issues), func(o *issue) bool { return !slices.Contains(o.blockedBy, i) })
}
