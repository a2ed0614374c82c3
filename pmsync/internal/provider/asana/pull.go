package asana

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

const (
	// overlap is how far before the last pass a list of changes begins.
	overlap = 2 * time.Minute
	// reconcileAfter is the interval at which everything is read again: an event is delivered at most once, and a change of a subtask
	// may leave no other trace.
	reconcileAfter = 24 * time.Hour
	// maxEvents is the number of event pages beyond which reading everything is cheaper.
	maxEvents = 50
	// maxDepth is how deep subtasks are read; Asana allows five levels.
	maxDepth = 10
	// pageItems is how many items a page collects before it is yielded.
	pageItems = 200

	pathEvents = "events"
)

// cursor is the position up to which the project was read.
type cursor struct {
	Events string              `json:"events,omitempty"` // token of the event stream up to which events were read
	Full   time.Time           `json:"full,omitzero"`    // when everything was last read
	Types  []provider.ItemType `json:"types,omitempty"`
	Seen   provider.Window     `json:"seen,omitzero"`
	Pass   *pass               `json:"pass,omitempty"` // a pass that has begun and not ended
}

// pass is one read of the project's task list: all tasks, or those modified since a time.
type pass struct {
	Began  time.Time `json:"began"` // by Asana's clock
	Since  time.Time `json:"since,omitzero"`
	Offset string    `json:"offset,omitempty"` // of the next page
	Events string    `json:"events,omitempty"` // token of the event stream at its start
}

// scope identifies the project and settings of a cursor.
func (c *Client) scope() string {
	return provider.Scope(c.http.Base(), c.o.Project, c.o.StatusField, c.o.PriorityField, c.mapping)
}

// Pull reads the events and the modified tasks since the last pull, then tasks that only an event names. It reads all tasks of the
// project and their subtasks in the first pull, after the token has expired, and once a day.
//
// When nothing changed it makes two requests.
func (c *Client) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	if err := c.needProject(); err != nil {
		return err
	}
	run := &pull{c: c, ctx: ctx, want: p, yield: yield, delivered: map[string]bool{}}
	run.at = provider.LoadCursor[cursor](p.Cursor, c.scope())
	if !p.CoveredBy(run.at.Types) {
		run.at = cursor{}
	}
	run.at.Types = p.Types
	if run.at.Pass != nil && run.at.Pass.Since.IsZero() {
		return run.everything()
	}
	if run.at.Full.IsZero() || c.http.Now().Sub(run.at.Full) >= reconcileAfter {
		run.at.Pass = nil
		return run.everything()
	}
	return run.changes()
}

// pull is one run of Pull.
type pull struct {
	c     *Client
	ctx   context.Context
	want  provider.Pull
	yield func(provider.Page) error
	at    cursor
	page  provider.Page
	// delivered are the tasks of this run that an event may name again; nil when everything is read.
	delivered map[string]bool
}

// everything reads all tasks. It takes the token of the event stream first, so that later changes are events after it.
func (p *pull) everything() error {
	p.delivered = nil
	if p.at.Pass == nil {
		e, err := p.events("")
		if err != nil {
			return err
		}
		p.at.Pass = &pass{Began: e.at, Events: e.token}
	}
	return p.drain(url.Values{"project": {p.c.o.Project}})
}

// drain reads the open pass to its end and closes it.
func (p *pull) drain(q url.Values) error {
	full := p.at.Pass.Since.IsZero()
	q.Set("opt_fields", taskFields)
	restarted := false
	var pages provider.Pages
	for {
		tasks, next, err := p.c.list(p.ctx, "read tasks", "tasks", q, p.at.Pass.Offset)
		if p.at.Pass.Offset != "" && provider.Details(err).Status == http.StatusBadRequest && !restarted {
			restarted, p.at.Pass.Offset = true, "" // it has expired
			continue
		}
		if err != nil {
			return err
		}
		for _, raw := range tasks {
			if err := p.task(raw, walk{}); err != nil {
				return err
			}
		}
		p.at.Pass.Offset = next
		if next == "" {
			break
		}
		if err := provider.MoreOf(&pages, provider.Asana, "read tasks", tasks); err != nil {
			return err
		}
		if err := p.send(); err != nil {
			return err
		}
	}
	if full {
		p.at.Full = p.at.Pass.Began
		return p.end()
	}
	return nil
}

// end closes the pass; the next one begins at its start time.
func (p *pull) end() error {
	p.at.Events = p.at.Pass.Events
	p.at.Seen.Mark = p.at.Pass.Began
	p.at.Seen.Drained(overlap)
	p.at.Pass = nil
	p.page.Drained = true
	return p.send()
}

// changes reads the changes since the last pass.
func (p *pull) changes() error {
	found, err := p.readEvents()
	if err != nil {
		return err
	}
	if found.anew {
		p.at.Pass = &pass{Began: found.at, Events: found.token}
		return p.everything()
	}
	if p.at.Pass == nil {
		p.at.Pass = &pass{Began: found.at, Since: p.at.Seen.Mark.Add(-overlap)}
	}
	p.at.Pass.Events = found.token
	since := p.at.Pass.Since.UTC().Format("2006-01-02T15:04:05.000Z")
	if err := p.drain(url.Values{"project": {p.c.o.Project}, "modified_since": {since}}); err != nil {
		return err
	}
	for _, section := range found.sections { // renaming a section renames a state
		q := url.Values{"opt_fields": {taskFields}}
		err := each(p.ctx, p.c, "read tasks", path("sections", section, "tasks"), q, func(raw json.RawMessage) error { return p.task(raw, walk{}) })
		if err != nil && !provider.Is(err, provider.NotFound) && !provider.Is(err, provider.Forbidden) {
			return err
		}
	}
	if err := p.named(found); err != nil {
		return err
	}
	return p.end()
}

// named reads tasks that events name and no list returned: tasks with another section, subtasks, and tasks that left the project.
func (p *pull) named(found *changed) error {
	var left []string
	for _, id := range found.tasks {
		if found.deleted[id] {
			p.page.Gone = append(p.page.Gone, provider.Presence{RemoteID: id, Where: provider.Deleted})
		} else if found.added[id] || !p.delivered[id] {
			left = append(left, id)
		}
	}
	for part := range slices.Chunk(left, checkSize) {
		if err := p.namedPart(part, found); err != nil {
			return err
		}
	}
	return nil
}

func (p *pull) namedPart(ids []string, found *changed) error {
	var tasks []json.RawMessage
	var parents []string
	err := p.c.batch(p.ctx, ids, taskFields, func(id string, status int, data json.RawMessage) error {
		if status != http.StatusOK {
			p.page.Gone = append(p.page.Gone, provider.Presence{RemoteID: id, Where: provider.Unknown})
			return nil
		}
		tasks = append(tasks, data)
		if t, err := parse(data); err == nil && t.Parent != nil && p.c.here(t) == nil {
			parents = append(parents, t.Parent.GID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	roots, err := p.c.roots(p.ctx, parents)
	if err != nil {
		return err
	}
	for _, raw := range tasks {
		w := walk{all: found.added[gid(raw)]}
		if t, err := parse(raw); err == nil && t.Parent != nil && p.c.here(t) == nil {
			w.left = roots.of(t.Parent.GID)
		}
		if err := p.task(raw, w); err != nil {
			return err
		}
	}
	return nil
}

// walk describes how a task and its subtasks are delivered.
type walk struct {
	depth int
	all   bool     // also deliver unchanged subtasks
	left  *project // the other project that the topmost task belongs to
}

// task delivers a task and its subtasks. An unreadable task becomes a failure.
func (p *pull) task(raw json.RawMessage, w walk) error {
	t, err := parse(raw)
	if err != nil {
		p.page.Failed = append(p.page.Failed, provider.Failure{RemoteID: gid(raw), Err: err})
		return nil
	}
	if t.Separator {
		return nil // it is a heading between tasks
	}
	item := p.c.item(t, raw)
	if p.delivered != nil {
		p.delivered[t.GID] = true
	}
	if item.Presence == provider.Moved {
		w.left = &project{GID: item.Project}
	} else if p.c.here(t) != nil {
		w.left = nil
	}
	since := p.at.Pass.Since // zero when everything is read
	switch {
	case w.left != nil:
		p.page.Gone = append(p.page.Gone, provider.Presence{RemoteID: t.GID, Where: provider.Moved, Key: item.Key, Project: w.left.GID})
	case w.depth > 0 && !w.all && t.ModifiedAt.Before(since): // it did not change with its parent
	case p.want.Wants(item.Type) && p.at.Seen.Take(t.GID, item.Version+" "+item.Status.Name, t.ModifiedAt):
		p.page.Items = append(p.page.Items, item)
	}
	if len(p.page.Items)+len(p.page.Gone) >= pageItems {
		if err := p.send(); err != nil {
			return err
		}
	}
	if t.Subtasks == 0 || w.depth >= maxDepth || !p.want.Wants(provider.TypeSubtask) {
		return nil
	}
	w.depth++
	q := url.Values{"opt_fields": {taskFields}}
	err = each(p.ctx, p.c, "read subtasks", path("tasks", t.GID, "subtasks"), q, func(raw json.RawMessage) error { return p.task(raw, w) })
	if provider.Is(err, provider.NotFound) || provider.Is(err, provider.Forbidden) {
		p.page.Failed = append(p.page.Failed, provider.Failure{RemoteID: t.GID, Err: err})
		return nil
	}
	return err
}

// send yields the read items with a cursor that repeats only a part of them.
func (p *pull) send() error {
	page := p.page
	p.page = provider.Page{}
	return page.Send(p.at, p.c.scope(), p.yield)
}

// changed lists what the event stream names, each task once.
type changed struct {
	at       time.Time
	token    string
	anew     bool // the stream was reset: earlier events are lost
	tasks    []string
	deleted  map[string]bool
	added    map[string]bool // to the project or to another task
	sections []string
}

// readEvents reads the stream to its end, unless reading everything is cheaper.
func (p *pull) readEvents() (*changed, error) {
	all := &changed{deleted: map[string]bool{}, added: map[string]bool{}, token: p.at.Events}
	for range maxEvents {
		e, err := p.events(all.token)
		if err != nil {
			return nil, err
		}
		if all.at.IsZero() {
			all.at = e.at
		}
		repeated := e.token == all.token
		all.token, all.anew = e.token, e.anew
		if e.anew {
			return all, nil
		}
		for _, ev := range e.list {
			all.take(ev)
		}
		if !e.more {
			return all, nil
		}
		if repeated {
			return nil, provider.Fail(provider.Protocol, nil, "Asana's event stream does not end: it names the same page again")
		}
	}
	e, err := p.events("")
	if err != nil {
		return nil, err
	}
	return &changed{anew: true, at: e.at, token: e.token}, nil
}

func (a *changed) take(e event) {
	id, kind := e.Resource.GID, cmp.Or(e.Resource.Kind, e.Type) // the type is a deprecated field
	switch {
	case id == "" || kind == "story":
		return
	case kind == "section" && e.Action == "changed" && !slices.Contains(a.sections, id):
		a.sections = append(a.sections, id)
	case kind == "task":
		if _, known := a.deleted[id]; !known {
			a.tasks = append(a.tasks, id)
		}
		a.deleted[id] = e.Action == "deleted" || a.deleted[id] && e.Action != "undeleted"
		a.added[id] = a.added[id] || e.Action == "undeleted" || e.Action == "added" && e.Parent.Kind != "section"
	}
}

type event struct {
	Type     string `json:"type"`
	Action   string `json:"action"`
	Resource named  `json:"resource"`
	Parent   named  `json:"parent"`
}

type eventPage struct {
	at    time.Time
	token string
	anew  bool
	more  bool
	list  []event
}

// events reads a page of the stream. Without a token, or with an expired one, Asana's error contains a new token.
func (p *pull) events(token string) (*eventPage, error) {
	q := url.Values{"resource": {p.c.o.Project}, "opt_fields": {"type,action,resource,parent"}}
	if token != "" {
		q.Set("sync", token)
	}
	var answer struct {
		Data []event
		More bool `json:"has_more"`
		Sync string
	}
	resp, err := p.c.http.Call(p.ctx, request{Op: "read what changed", Path: pathEvents, Query: q}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Sync == "" {
		return nil, provider.Fail(provider.Protocol, nil, "Asana's event stream does not say where it goes on")
	}
	return &eventPage{at: resp.ServerTime().UTC(), token: answer.Sync, anew: resp.Status == http.StatusPreconditionFailed,
		more: answer.More, list: answer.Data}, nil
}
