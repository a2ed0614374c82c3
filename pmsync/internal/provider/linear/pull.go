package linear

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// overlap is how far before the newest change a pull begins, because a change may become visible late.
const overlap = time.Minute

// cursor is the position up to which each list was read.
type cursor struct {
	Issues     provider.Window `json:"issues,omitzero"`
	Archived   provider.Window `json:"archived,omitzero"` // by the time of archiving, which does not change the item's time
	Projects   provider.Window `json:"projects,omitzero"`
	Milestones provider.Window `json:"milestones,omitzero"`
}

// Pull reads projects (epics), milestones and issues in the order of their last change, then archived and trashed ones: archiving does
// not change an item's time, and lists hide archived items by default. A first pull leaves out items that were archived before it.
// Tickets are read with their subtasks.
//
// When nothing changed it makes one request.
func (c *Client) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	team, err := c.teamFilter()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.labels = map[string]string{} // labels may have been renamed
	c.mu.Unlock()
	run := &pull{c: c, team: team, yield: yield, began: c.http.Now()}
	run.at = provider.LoadCursor[cursor](p.Cursor, c.scope())
	issues := p.Wants(provider.TypeTicket) || p.Wants(provider.TypeSubtask)
	run.lists = []*list{
		{name: "projects", variable: "projects", on: p.Wants(provider.TypeEpic), window: &run.at.Projects,
			query: queryProjects, size: smallPage, take: run.project},
		{name: "projectMilestones", variable: "milestones", on: p.Wants(provider.TypeMilestone), window: &run.at.Milestones,
			query: queryMilestones, size: smallPage, take: run.milestone},
		{name: "issues", variable: "issues", on: issues, window: &run.at.Issues,
			query: queryIssues, size: issuePage, take: run.issue},
		{name: "archived", variable: "archived", on: issues, window: &run.at.Archived,
			query: queryIssues, size: issuePage, take: run.issue, archived: true},
	}
	if !run.at.Issues.Mark.IsZero() || !issues {
		if err := run.changes(ctx); err != nil {
			return err
		}
	}
	for _, l := range run.lists {
		for l.on && !l.done {
			if err := run.page(ctx, l); err != nil {
				return err
			}
		}
	}
	return run.send(provider.Page{Drained: true})
}

// scope identifies the team and settings of a cursor.
func (c *Client) scope() string {
	return provider.Scope(c.http.Base(), strings.ToLower(c.team), c.project, c.mapping)
}

// pull is one run of Pull.
type pull struct {
	c     *Client
	team  vars
	yield func(provider.Page) error
	began time.Time
	at    cursor
	lists []*list

	fresh []*issue // of the current page
	raw   []json.RawMessage
}

// list is one list that a pull reads.
type list struct {
	name     string // its name in the answer with all lists
	variable string // the variable of its filter there
	on       bool
	archived bool
	window   *provider.Window
	query    string
	size     int
	take     func(context.Context, *list, json.RawMessage, *provider.Page) error

	filter vars   // built once per run
	after  string // cursor of the next page, within this run only
	walk   provider.Pages
	done   bool
}

// filterOf returns the list's filter. Its time is inclusive, because many changes may have the same time.
func (p *pull) filterOf(l *list) vars {
	if l.filter != nil {
		return l.filter
	}
	if !l.on { // an unwanted list is limited to nothing
		return vars{"updatedAt": vars{"gte": "9999-01-01T00:00:00.000Z"}}
	}
	f := vars{}
	switch l.name {
	case "issues", "archived":
		f["team"] = p.team
		if p.c.project != "" {
			f["project"] = vars{"id": vars{"eq": p.c.project}}
		}
	case "projects":
		f["accessibleTeams"] = vars{"some": p.team}
		if p.c.project != "" {
			f["id"] = vars{"eq": p.c.project}
		}
	case "projectMilestones":
		f["project"] = vars{"accessibleTeams": vars{"some": p.team}}
		if p.c.project != "" {
			f["project"] = vars{"id": vars{"eq": p.c.project}}
		}
	}
	start := l.window.Start(overlap)
	since := vars{"gte": start.UTC().Format("2006-01-02T15:04:05.000Z")}
	switch {
	case l.archived:
		f["archivedAt"] = since
	case !start.IsZero():
		f["updatedAt"] = since
	}
	l.filter = f
	return f
}

// changes reads the first pages of all lists with one request.
func (p *pull) changes(ctx context.Context) error {
	p.archiveFrom()
	v := vars{}
	for _, l := range p.lists {
		v[l.variable] = p.filterOf(l)
	}
	var data map[string]json.RawMessage
	errs, err := p.c.ask(ctx, "read what changed", queryChanges, v, &data)
	if err != nil {
		return err
	}
	var page provider.Page
	for _, l := range p.lists {
		if !l.on {
			continue
		}
		if err := p.read(ctx, l, l.name, data, errs, &page); err != nil {
			return err
		}
	}
	return p.send(page)
}

// page reads the next page of one list.
func (p *pull) page(ctx context.Context, l *list) error {
	key := l.name
	if l.archived {
		key = "issues"
		p.archiveFrom()
	}
	v := vars{"filter": p.filterOf(l), "first": l.size}
	if l.query == queryIssues {
		v["archived"] = l.archived
	}
	if l.after != "" {
		v["after"] = l.after
	}
	var data map[string]json.RawMessage
	errs, err := p.c.ask(ctx, "read "+l.name, l.query, v, &data)
	if err != nil {
		return err
	}
	p.archiveFrom()
	var page provider.Page
	if err := p.read(ctx, l, key, data, errs, &page); err != nil {
		return err
	}
	if err := p.send(page); err != nil || l.done {
		return err
	}
	if len(page.Items) == 0 {
		return l.walk.More(provider.Linear, "read "+l.name, len(page.Failed))
	}
	return provider.MoreOf(&l.walk, provider.Linear, "read "+l.name, page.Items)
}

// archiveFrom starts the list of archived items at the time when the first pull began, by Linear's clock.
func (p *pull) archiveFrom() {
	if w := &p.at.Archived; w.Mark.IsZero() && !w.Open {
		w.Mark = p.c.http.ServerNow().Add(-p.c.http.Now().Sub(p.began))
	}
}

// read adds the nodes of a list's page. A node for which Linear reports an error becomes a failure, not an item with cleared fields.
func (p *pull) read(ctx context.Context, l *list, key string, data map[string]json.RawMessage, errs []gqlError, page *provider.Page) error {
	op := "read " + l.name
	broken := map[int]gqlError{}
	for _, e := range errs {
		at := e.at()
		if len(at) > 0 && at[0] != key {
			continue
		}
		if len(at) < 4 || at[1] != "nodes" {
			return p.c.failed(op, e, http.StatusOK)
		}
		if i, err := strconv.Atoi(at[2]); err == nil {
			broken[i] = e
		}
	}
	var nodes connection[json.RawMessage]
	if err := unmarshal(op, key, data[key], &nodes); err != nil {
		return err
	}
	for i, node := range nodes.Nodes {
		err := ctx.Err()
		if e, bad := broken[i]; bad {
			err = p.c.failed("read an item", e, http.StatusOK)
		} else if err == nil {
			err = l.take(ctx, l, node, page)
		}
		var head struct{ ID string }
		_ = json.Unmarshal(node, &head) // then there is no id to report
		switch id := head.ID; {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && id == "":
			return err
		case err != nil:
			page.Failed = append(page.Failed, provider.Failure{RemoteID: id, Err: err})
		}
	}
	err := p.convert(ctx, page)
	if err != nil {
		return err
	}
	if l.after, err = nodes.next(op, l.after); err != nil {
		return err
	}
	if l.after == "" {
		l.done = true
		l.window.Drained(overlap)
	}
	return nil
}

func (p *pull) issue(ctx context.Context, l *list, raw json.RawMessage, page *provider.Page) error {
	i, err := parse(raw, (*issue).complete)
	if err != nil {
		return err
	}
	take, at := l.window.Take, i.UpdatedAt
	if l.archived { // sorted by change, selected by archiving
		if i.ArchivedAt == nil {
			return nil // it was restored meanwhile, so the other list has it
		}
		take, at = l.window.TakeUnordered, *i.ArchivedAt
	}
	if err := p.c.allLinks(ctx, i); err != nil {
		return err
	}
	if take(i.ID, i.UpdatedAt.UTC().Format(time.RFC3339Nano), at) {
		p.fresh, p.raw = append(p.fresh, i), append(p.raw, raw)
	}
	return nil
}

// convert adds the new issues to the page after loading the names of their labels; a page without labels needs no request.
func (p *pull) convert(ctx context.Context, page *provider.Page) error {
	if err := p.c.loadLabels(ctx, p.raw); err != nil {
		return err
	}
	for n, i := range p.fresh {
		page.Items = append(page.Items, p.c.item(i, p.raw[n]))
	}
	p.fresh, p.raw = p.fresh[:0], p.raw[:0]
	return nil
}

func (p *pull) project(_ context.Context, l *list, raw json.RawMessage, page *provider.Page) error {
	pr, err := parse(raw, (*project).complete)
	if err == nil && l.window.Take(pr.ID, "", pr.UpdatedAt) {
		page.Items = append(page.Items, p.c.epic(pr, raw))
	}
	return err
}

func (p *pull) milestone(_ context.Context, l *list, raw json.RawMessage, page *provider.Page) error {
	m, err := parse(raw, (*milestone).complete)
	if err == nil && l.window.TakeUnordered(m.ID, "", m.UpdatedAt) {
		page.Items = append(page.Items, p.c.milestone(m, raw))
	}
	return err
}

func (p *pull) send(page provider.Page) error { return page.Send(p.at, p.c.scope(), p.yield) }
