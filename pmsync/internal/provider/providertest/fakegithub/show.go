package fakegithub

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// person is a user as lists show it.
func (x *request) person(n int, login string) map[string]any {
	u := map[string]any{"login": login, "id": 100 + n, "node_id": fmt.Sprintf("U_%d", 100+n), "gravatar_id": "", "type": "User", "site_admin": false}
	for _, name := range []string{"avatar", "events", "followers", "following", "gists", "html", "organizations", "received_events", "repos", "starred", "subscriptions"} {
		u[name+"_url"] = x.host + "/users/" + login + "/" + name
	}
	u["url"] = x.host + "/users/" + login
	return u
}

func (x *request) login(login string) any {
	n := slices.Index(x.s.w.people, login)
	if n < 0 {
		return nil
	}
	return x.person(n, login)
}

// me is the account of the token.
func (x *request) me() map[string]any {
	u := x.person(0, x.s.w.people[0])
	for _, name := range []string{"bio", "blog", "company", "location", "hireable"} {
		u[name] = nil
	}
	u["user_view_type"], u["name"], u["email"] = "public", "Ann Archer", "ann@example.com"
	for _, name := range []string{"followers", "following", "public_gists", "public_repos"} {
		u[name] = 0
	}
	u["created_at"], u["updated_at"] = "2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
	return u
}

var repoAddresses = strings.Fields("archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks git_commits git_refs git_tags hooks html issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees svn clone git ssh")

func (x *request) repository(r *repo, full bool) map[string]any {
	owner, name, _ := strings.Cut(r.name, "/")
	out := map[string]any{"id": r.id, "node_id": fmt.Sprintf("R_%d", r.id), "name": name, "full_name": r.name, "private": false, "fork": false, "archived": false, "disabled": false,
		"description": nil, "homepage": nil, "language": nil, "mirror_url": nil, "license": nil, "default_branch": "main", "owner": x.person(90, owner),
		"has_issues": !r.disabled, "has_projects": true, "has_wiki": true, "has_pages": false, "has_discussions": false, "has_downloads": true,
		"url": x.host + "/repos/" + r.name, "created_at": "2020-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "pushed_at": "2026-01-01T00:00:00Z"}
	for _, a := range repoAddresses {
		out[a+"_url"] = x.host + "/repos/" + r.name + "/" + a
	}
	for _, n := range strings.Fields("forks forks_count open_issues open_issues_count size stargazers_count watchers watchers_count") {
		out[n] = 0
	}
	if full {
		out["network_count"], out["subscribers_count"] = 0, 0
	}
	return out
}

func (x *request) label(r *repo, name string) map[string]any {
	n := slices.Index(r.labels, name)
	return map[string]any{"id": r.id*1000 + int64(n), "node_id": fmt.Sprintf("LA_%d", n), "url": x.host + "/repos/" + r.name + "/labels/label-" + fmt.Sprint(n),
		"name": name, "description": nil, "color": "ededed", "default": false}
}

func (x *request) milestone(r *repo, m *milestone) any {
	if m == nil {
		return nil
	}
	address := fmt.Sprintf("%s/repos/%s/milestones/%d", x.host, r.name, m.number)
	out := map[string]any{"id": 700 + m.number, "node_id": fmt.Sprintf("MI_%d", m.number), "number": m.number, "title": m.title, "description": nil, "state": "open",
		"open_issues": 0, "closed_issues": 0, "creator": x.person(0, x.s.w.people[0]), "due_on": nil, "closed_at": nil,
		"url": address, "html_url": address, "labels_url": address + "/labels", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
	if m.due != nil {
		out["due_on"] = stamp(*m.due)
	}
	if m.closed {
		out["state"] = "closed"
	}
	return out
}

// issue is an issue as GitHub shows it.
func (x *request) issue(i *issue) map[string]any {
	in := x.host + "/repos/" + i.repo.name
	address := fmt.Sprintf("%s/issues/%d", in, i.number)
	out := map[string]any{"id": i.id, "node_id": fmt.Sprintf("I_%d", i.id), "number": i.number, "title": i.title, "body": orNull(i.body), "state": "open", "state_reason": orNull(i.reason),
		"user": x.login(i.author), "assignee": nil, "milestone": x.milestone(i.repo, i.milestone), "locked": false, "comments": len(i.comments), "closed_at": nil,
		"created_at": stamp(i.created), "updated_at": stamp(i.updated), "author_association": "MEMBER", "repository_url": in, "url": address,
		"labels_url": address + "/labels{/name}", "comments_url": address + "/comments", "events_url": address + "/events",
		"html_url": fmt.Sprintf("https://github.com/%s/issues/%d", i.repo.name, i.number)}
	if i.closed {
		out["state"], out["closed_at"] = "closed", stamp(i.updated)
	}
	assignees := providertest.Shown(i.assignees, x.login)
	out["labels"] = providertest.Shown(i.labels, func(l string) any { return x.label(i.repo, l) })
	if out["assignees"] = assignees; len(assignees) > 0 {
		out["assignee"] = assignees[0]
	}
	if i.pull {
		out["pull_request"] = map[string]any{"url": address, "html_url": address, "diff_url": address, "patch_url": address}
	}
	if x.s.o.Old {
		return out
	}
	if i.kind != "" {
		out["type"] = map[string]any{"id": 1, "node_id": "IT_1", "name": i.kind, "description": nil}
	}
	if out["parent_issue_url"] = nil; i.parent != nil {
		out["parent_issue_url"] = fmt.Sprintf("%s/repos/%s/issues/%d", x.host, i.parent.repo.name, i.parent.number)
	}
	children, closed := 0, 0
	blocking, open := 0, 0
	for _, o := range i.repo.issues {
		if o.parent == i {
			if children++; o.closed {
				closed++
			}
		}
		if slices.Contains(o.blockedBy, i) {
			if blocking++; !o.closed {
				open++
			}
		}
	}
	by := 0
	for _, b := range i.blockedBy {
		if !b.closed {
			by++
		}
	}
	percent := 0
	if children > 0 {
		percent = 100 * closed / children
	}
	out["sub_issues_summary"] = map[string]any{"total": children, "completed": closed, "percent_completed": percent}
	out["issue_dependencies_summary"] = map[string]any{"blocked_by": by, "total_blocked_by": len(i.blockedBy), "blocking": open, "total_blocking": blocking}
	return out
}

func (x *request) showComment(i *issue, c *comment) map[string]any {
	address := fmt.Sprintf("%s/repos/%s/issues/comments/%d", x.host, i.repo.name, c.id)
	return map[string]any{"id": c.id, "node_id": fmt.Sprintf("IC_%d", c.id), "url": address, "html_url": address, "body": c.body, "user": x.login(c.author),
		"issue_url": fmt.Sprintf("%s/repos/%s/issues/%d", x.host, i.repo.name, i.number), "created_at": stamp(c.created), "updated_at": stamp(c.created), "author_association": "MEMBER"}
}
