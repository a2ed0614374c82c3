package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
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
		var all []any
		for _, r := range x.s.w.repos {
			all = append(all, x.repository(r, false))
		}
		return http.StatusOK, page(x, all)
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
		var all []any
		for _, l := range r.labels {
			all = append(all, x.label(r, l))
		}
		return http.StatusOK, page(x, all)
	case "milestones":
		var all []any
		for _, m := range r.milestones {
			all = append(all, x.milestone(r, m))
		}
		return http.StatusOK, page(x, all)
	case "assignees":
		var all []any
		for n, login := range x.s.w.people {
			all = append(all, x.person(n, login))
		}
		return http.StatusOK, page(x, all)
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
		if by == 0 {
			by = a.number - b.number
		}
		if q.Get("direction") != "asc" {
			by = -by
		}
		return by
	})
	out := []any{}
	for _, i := range page(x, all) {
		out = append(out, x.issue(i))
	}
	return http.StatusOK, out
}

func texts(in any) (all []string) {
	list, _ := in.([]any)
	for _, one := range list {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
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
	for _, l := range texts(x.in["labels"]) {
		i.label(l)
	}
	x.assign(i, texts(x.in["assignees"]))
	if n, ok := x.in["milestone"].(float64); ok {
		for _, m := range r.milestones {
			if m.number == int(n) {
				i.milestone = m
			}
		}
	}
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
		return http.StatusOK, page(x, x.dependencies(i, parts[2]))
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
		i.milestone = nil
		for _, m := range i.repo.milestones {
			if n, ok := to.(float64); ok && m.number == int(n) {
				i.milestone = m
			}
		}
	}
	x.s.w.touch(i)
	return http.StatusOK, x.issue(i)
}

func (x *request) comments(i *issue) (int, any) {
	all := []any{}
	since, _ := time.Parse(time.RFC3339, x.r.URL.Query().Get("since"))
	for _, c := range i.comments {
		if !c.created.Before(since) {
			all = append(all, x.showComment(i, c))
		}
	}
	return http.StatusOK, page(x, all)
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
	logins := texts(x.in["assignees"])
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
		for _, l := range texts(x.in["labels"]) {
			i.label(l)
			i.writes[field(l)]++
		}
	default:
		return notFound()
	}
	x.s.w.touch(i)
	all := []any{}
	for _, l := range i.labels {
		all = append(all, x.label(i.repo, l))
	}
	return http.StatusOK, all
}

// adopt makes an issue a sub-issue, by its id. The time of neither is that of a change.
func (x *request) adopt(parent *issue) (int, any) {
	id, _ := x.in["sub_issue_id"].(float64)
	for _, i := range parent.repo.issues {
		if i.id != int64(id) {
			continue
		}
		if i.parent == parent {
			return http.StatusCreated, x.issue(parent)
		}
		if replace, _ := x.in["replace_parent"].(bool); i == parent || i.parent != nil && !replace {
			return invalid("sub_issue_id", "already_exists")
		}
		i.parent = parent
		return http.StatusCreated, x.issue(parent)
	}
	return notFound()
}

// release takes an issue from below another one.
func (x *request) release(parent *issue) (int, any) {
	id, _ := x.in["sub_issue_id"].(float64)
	for _, i := range parent.repo.issues {
		if i.id == int64(id) && i.parent == parent {
			i.parent = nil
			return http.StatusOK, x.issue(parent)
		}
	}
	return notFound()
}

// depend lets an issue wait for another one. That it does so already is a mistake.
func (x *request) depend(i *issue) (int, any) {
	id, _ := x.in["issue_id"].(float64)
	for _, other := range i.repo.issues {
		if other.id != int64(id) {
			continue
		}
		if other == i || slices.Contains(i.blockedBy, other) {
			return invalid("issue_id", "already_exists")
		}
		i.blockedBy = append(i.blockedBy, other)
		return http.StatusCreated, x.issue(other)
	}
	return notFound()
}

func (x *request) dependencies(i *issue, side string) []any {
	all := []any{}
	if side == "blocked_by" {
		for _, b := range i.blockedBy {
			all = append(all, x.issue(b))
		}
		return all
	}
	for _, o := range i.repo.issues {
		if slices.Contains(o.blockedBy, i) {
			all = append(all, x.issue(o))
		}
	}
	return all
}
