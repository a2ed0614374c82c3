package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// overlap is how far before the newest change a pull begins, because a change may become visible late.
const overlap = 2 * time.Minute

// fullAfter is the interval at which everything is read again: a changed parent or dependency does not always change the issue's time.
const fullAfter = 24 * time.Hour

// cursor is the position up to which the repository was read.
type cursor struct {
	Issues provider.Window     `json:"issues,omitzero"`
	Board  watched             `json:"board,omitzero"`
	Types  []provider.ItemType `json:"types,omitempty"`
	Full   time.Time           `json:"full,omitzero"`   // when everything was last read
	Tag    string              `json:"tag,omitempty"`   // ETag of the last answer without further changes
	Asked  string              `json:"asked,omitempty"` // the query of that answer
}

func (c *Client) scope() string {
	parts := []any{c.http.Base(), c.repo, c.mapping}
	if c.on.number != 0 {
		parts = append(parts, c.on.String(), c.statusField, c.priorityField)
	}
	return provider.Scope(parts...)
}

// Pull reads the issues in the order of their last change. The next page would shift while it is read, so Pull queries again from the
// last change on; it uses pages only when more issues than a page holds have one time. Deletions and transfers leave no trace there:
// Check finds them. Once a day everything is read, for parents and dependencies.
//
// When nothing changed it makes one request, whose answer does not count against the hourly limit, and one more for changes in the
// project, if one is configured.
func (c *Client) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	if err := c.needRepo(); err != nil {
		return err
	}
	at := provider.LoadCursor[cursor](p.Cursor, c.scope())
	if !p.CoveredBy(at.Types) {
		at = cursor{}
	}
	at.Types = p.Types
	if !at.Issues.Open && c.http.Now().Sub(at.Full) >= fullAfter {
		at.Issues = provider.Window{}
	}
	whole := at.Full.IsZero() || at.Issues.Mark.IsZero()
	if err := c.pullBoard(ctx, &at, p, yield); err != nil {
		return err
	}
	from := at.Issues.Start(overlap)
	var query url.Values
	var walk provider.Pages
	for first := true; ; first = false {
		if query == nil {
			query = since(from)
		}
		raw, h, err := c.page(ctx, query, at, first)
		if err != nil {
			return err
		}
		page, last, err := c.take(ctx, &at, p, raw)
		if err != nil {
			return err
		}
		further := next(h)
		switch {
		case further == nil:
			if whole {
				at.Full = c.http.Now()
			}
			at.Issues.Drained(overlap)
			page.Drained = true
			at.Tag, at.Asked = "", ""
			if tag := h.Get("ETag"); first && tag != "" {
				at.Tag, at.Asked = tag, query.Encode()
			}
		case last.After(from):
			from, further = last, nil
		}
		if err := page.Send(at, c.scope(), yield); err != nil || page.Drained {
			return err
		}
		if err := provider.MoreOf(&walk, provider.GitHub, "read issues", raw); err != nil {
			return err
		}
		query = further
	}
}

// pullBoard yields the issues of which only the place in the project changed. An interrupted read starts again where the last complete
// pull ended.
func (c *Client) pullBoard(ctx context.Context, at *cursor, p provider.Pull, yield func(provider.Page) error) error {
	if c.on.number == 0 {
		return nil
	}
	numbers, now, err := c.changed(ctx, at.Board)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(numbers, fewToCheck) {
		var found []*issue
		for _, n := range some {
			i, err := c.issue(ctx, n)
			if provider.Is(err, provider.NotFound) {
				continue // Check finds it
			}
			if err != nil {
				return err
			}
			if !i.isPull() {
				found = append(found, i)
			}
		}
		page, err := c.items(ctx, p, found)
		if err != nil {
			return err
		}
		if err := page.Send(*at, c.scope(), yield); err != nil {
			return err
		}
	}
	at.Board = now
	return nil
}

// since returns the query for changes from a time on, inclusive, in whole seconds.
func since(from time.Time) url.Values {
	q := url.Values{"state": {"all"}, "sort": {"updated"}, "direction": {"asc"}, "per_page": {pageSize}}
	if !from.IsZero() {
		q.Set("since", from.UTC().Truncate(time.Second).Format(time.RFC3339))
	}
	return q
}

// page is one answer of the list. The first one of a pull may be "not modified".
func (c *Client) page(ctx context.Context, q url.Values, at cursor, first bool) (raw []json.RawMessage, h http.Header, err error) {
	r := request{Op: "read issues", Path: c.at("issues"), Query: q}
	if first && at.Tag != "" && at.Asked == q.Encode() {
		r.Header = http.Header{"If-None-Match": {at.Tag}}
	}
	resp, err := c.do(ctx, r, &raw)
	if err != nil {
		return nil, nil, err
	}
	if resp.Status == http.StatusNotModified && resp.Header.Get("ETag") == "" {
		resp.Header.Set("ETag", at.Tag)
	}
	return raw, resp.Header, nil
}

// take converts the issues of a page that are new to the cursor, and returns the time of its last change.
func (c *Client) take(ctx context.Context, at *cursor, p provider.Pull, raw []json.RawMessage) (page provider.Page, last time.Time, err error) {
	var fresh []*issue
	for _, one := range raw {
		i, err := parse(one)
		if err != nil {
			return page, last, err
		}
		if i.UpdatedAt.After(last) {
			last = i.UpdatedAt
		}
		if at.Issues.Take(strconv.Itoa(i.Number), i.version(), i.UpdatedAt) && !i.isPull() {
			fresh = append(fresh, i)
		}
	}
	page, err = c.items(ctx, p, fresh)
	return page, last, err
}

// items converts issues to items, including their data in the project.
func (c *Client) items(ctx context.Context, p provider.Pull, all []*issue) (page provider.Page, err error) {
	items, err := c.convertAll(ctx, all)
	for _, item := range items {
		if p.Wants(item.Type) {
			page.Items = append(page.Items, *item)
		}
	}
	return page, err
}

// fewToCheck is the number of issues up to which they are read one by one; more are checked with the whole list.
const fewToCheck = 30

// Check finds out where issues are. For many it reads the whole list and then only the missing ones one by one.
func (c *Client) Check(ctx context.Context, ids []string, yield func(provider.Presence) error) error {
	repo, err := c.repository(ctx)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	if len(ids) > fewToCheck {
		err := each(ctx, c, "list the issues", c.at("issues"), url.Values{"state": {"all"}, "sort": {"created"}, "direction": {"asc"}}, func(i issue) error {
			if !i.isPull() {
				listed[remoteID(repo.ID, i.Number)] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, id := range ids {
		p := provider.Presence{RemoteID: id, Where: provider.Present}
		if !listed[id] {
			item, failure := c.Item(ctx, id)
			if p, err = provider.PresenceOf(id, item, failure); err != nil {
				return err
			}
			if provider.Details(failure).Status == http.StatusGone {
				p.Where = provider.Deleted
			}
		}
		if err := yield(p); err != nil {
			return err
		}
	}
	return nil
}

// Sprints returns the iterations of the project if it has some, otherwise the milestones: the open one that is due first is active.
func (c *Client) Sprints(ctx context.Context, yield func(provider.Sprint) error) error {
	b, err := c.board(ctx, true)
	if err != nil {
		return err
	}
	if b != nil && b.iteration != nil {
		return b.sprints(c.http.Now(), yield)
	}
	repo, err := c.repository(ctx)
	if err != nil {
		return err
	}
	all, err := list[milestone](ctx, c, "list the milestones", c.at("milestones"), url.Values{"state": {"all"}})
	if err != nil {
		return err
	}
	current := underway(all)
	for _, m := range all {
		s := provider.Sprint{ID: sprintID(repo.ID, m.Number), Name: m.Title, State: provider.SprintPlanned, EndsAt: m.Due, Goal: m.About}
		switch {
		case m.State == closed:
			s.State = provider.SprintCompleted
		case m.Number == current:
			s.State = provider.SprintActive
		}
		if err := yield(s); err != nil {
			return err
		}
	}
	return nil
}

// underway returns the number of the open milestone that is due first, or was created first.
func underway(all []milestone) int {
	open := slices.DeleteFunc(slices.Clone(all), func(m milestone) bool { return m.State == closed })
	if len(open) == 0 {
		return 0
	}
	return slices.MinFunc(open, func(a, b milestone) int {
		switch {
		case a.Due != nil && b.Due == nil:
			return -1
		case a.Due == nil && b.Due != nil:
			return 1
		case a.Due != nil && !a.Due.Equal(*b.Due):
			return a.Due.Compare(*b.Due)
		}
		return a.Number - b.Number
	}).Number
}

// sprintID returns the id of a milestone, in the form of remoteID.
func sprintID(repo int64, number int) string {
	return strconv.FormatInt(repo, 10) + "/" + strconv.Itoa(number)
}
