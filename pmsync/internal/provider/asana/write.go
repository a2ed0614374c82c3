package asana

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// lookBack is how long before the first attempt the search for an earlier attempt begins, because clocks differ.
const lookBack = 15 * time.Minute

// change is a Change in Asana's terms.
type change struct {
	put     map[string]any // fields of the task to send
	section string         // gid of the target section
	fields  []provider.Field
}

// Update makes the changes in n: the task's fields with one request, then its section, then its tags one by one. Asana does not compare
// versions, so the caller reads the task just before.
func (c *Client) Update(ctx context.Context, current *provider.Item, n provider.Change) (*provider.Item, error) {
	t, err := parse(current.Raw)
	if err != nil {
		return nil, err
	}
	todo, err := c.plan(ctx, t, current, n)
	if err != nil {
		return nil, err
	}
	tags, err := c.tagChanges(ctx, t, n)
	if err != nil {
		return nil, err
	}
	steps, err := c.relations(t, current, n)
	if err != nil {
		return nil, err
	}
	op := "change task " + current.Key
	var applied []provider.Field
	part := func(err error, fields ...provider.Field) error {
		if err == nil {
			applied = append(applied, fields...)
		}
		return provider.Partly(err, applied)
	}
	if len(todo.put) > 0 {
		q := url.Values{"opt_fields": {"name"}}
		err := c.call(ctx, request{Op: op, Method: http.MethodPut, Path: path("tasks", t.GID), Query: q, Body: todo.put, Safe: true}, new(named))
		if err := part(err, todo.fields...); err != nil {
			return nil, err
		}
	}
	if todo.section != "" {
		err := c.call(ctx, request{Op: op, Method: http.MethodPost, Path: path("sections", todo.section, "addTask"),
			Body: map[string]string{"task": t.GID}, Safe: true}, new(struct{}))
		if err := part(err, provider.FieldStatus); err != nil {
			return nil, err
		}
	}
	if err := c.relate(ctx, t, current.Key, steps, part); err != nil {
		return nil, err
	}
	for i, tag := range tags {
		err := c.call(ctx, request{Op: op, Method: http.MethodPost, Path: path("tasks", t.GID, tag.verb),
			Body: map[string]string{"tag": tag.gid}, Safe: true}, new(struct{}))
		if err := part(err); err != nil {
			return nil, err
		}
		if i == len(tags)-1 {
			applied = append(applied, provider.FieldLabels)
		}
	}
	item, err := c.read(ctx, "read task "+current.Key, path("tasks", t.GID))
	return item, part(err)
}

// plan returns the changes to send. A field that already has its value is left out.
func (c *Client) plan(ctx context.Context, t *task, current *provider.Item, n provider.Change) (*change, error) {
	todo := &change{put: map[string]any{}}
	if n.Assignee != nil && *n.Assignee != current.AssigneeID() {
		todo.put["assignee"] = provider.OrNull(*n.Assignee)
		todo.fields = append(todo.fields, provider.FieldAssignee)
	}
	if n.Priority != nil {
		gid, option, err := c.priorityOption(ctx, t, *n.Priority)
		if err != nil {
			return nil, err
		}
		if gid != "" {
			todo.custom(gid, option)
			todo.fields = append(todo.fields, provider.FieldPriority)
		}
	}
	if len(n.Fields) > 0 {
		if err := c.setCustom(ctx, n.Fields, todo.custom); err != nil {
			return nil, err
		}
		todo.fields = append(todo.fields, provider.FieldCustom)
	}
	if n.Estimate != nil || n.Sprint != nil {
		return nil, provider.Fail(provider.Unsupported, nil, "a task of Asana has no estimate and no sprint")
	}
	if n.Title != nil && *n.Title != current.Title {
		todo.put["name"] = *n.Title
		todo.fields = append(todo.fields, provider.FieldTitle)
	}
	if n.Text != nil {
		notes := richText(*n.Text, false)
		if _, marker := provider.Unmark(t.HTMLNotes); marker != "" { // the mark of a task that pmsync created
			notes = markedText(*n.Text, marker, false)
		}
		todo.put["html_notes"] = notes
		todo.fields = append(todo.fields, provider.FieldText)
	}
	if n.Status == nil {
		return todo, nil
	}
	to, err := c.choose(ctx, t, current.Status, *n.Status)
	if err != nil || to.ID == current.Status.ID {
		return todo, err
	}
	if err := c.goTo(ctx, t, to, todo); err != nil {
		return nil, err
	}
	if todo.section == "" {
		todo.fields = append(todo.fields, provider.FieldStatus)
	}
	return todo, nil
}

// custom sets a custom field to one of its options, nil for none.
func (n *change) custom(gid string, option any) {
	fields, _ := n.put["custom_fields"].(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[gid] = option
	n.put["custom_fields"] = fields
}

// goTo adds the changes that bring the task to the state. A section that means done completes the task, and one that means to do
// reopens it; one that means canceled leaves that flag unchanged, because Asana defines no rule.
func (c *Client) goTo(ctx context.Context, t *task, to provider.Status, todo *change) error {
	complete := func(wanted bool) {
		if *t.Completed != wanted {
			todo.put["completed"] = wanted
		}
	}
	switch to.Native {
	case ofTask:
		complete(to.ID == completed)
		return nil
	case ofApproval:
		todo.put["approval_status"] = to.ID
		return nil
	case ofType:
		todo.put["custom_type_status_option"] = to.ID
		return nil
	case ofField:
		f, err := c.setting(ctx, "status", c.o.StatusField)
		if err != nil {
			return err
		}
		todo.custom(f.GID, to.ID)
	case ofSection:
		if m := c.here(t); m == nil || m.Section == nil || m.Section.GID != to.ID {
			todo.section = to.ID
		}
	}
	if to.Category != provider.Canceled {
		complete(to.Category == provider.Done)
	}
	return nil
}

// priorityOption returns the field and the option for the priority. The field is "" when the task already has that priority; a nil
// option means none.
func (c *Client) priorityOption(ctx context.Context, t *task, p int) (string, any, error) {
	if c.o.PriorityField == "" {
		return "", nil, provider.Fail(provider.Unsupported, nil, "Asana has no priorities of its own").
			Hint("name a custom field under `provider.priority_field`, and what its options mean under `provider.priority_of`")
	}
	now, label := c.priority(t)
	if now == p && (p != 0 || label == "") {
		return "", nil, nil
	}
	f, err := c.setting(ctx, "priority", c.o.PriorityField)
	if err != nil {
		return "", nil, err
	}
	var fits []named
	for _, o := range f.options() {
		if meant, ok := c.mapping.PriorityOf(o.GID, o.Name); ok && meant == p {
			fits = append(fits, o)
		}
	}
	switch {
	case len(fits) == 1:
		return f.GID, fits[0].GID, nil
	case len(fits) > 1:
		return "", nil, provider.Fail(provider.Ambiguous, nil, "several options of the field %q mean priority %d", f.Name, p).
			Hint("leave one of them under `provider.priority_of`")
	case p == 0:
		return f.GID, nil, nil
	}
	return "", nil, provider.Fail(provider.Ambiguous, nil, "no option of the field %q is known to mean priority %d", f.Name, p).
		Hint("say what its options mean under `provider.priority_of`")
}

// tagChange adds or removes one tag.
type tagChange struct{ verb, gid string }

// tagChanges finds the tags, and creates missing ones: in Asana any user may create a tag.
func (c *Client) tagChanges(ctx context.Context, t *task, n provider.Change) (out []tagChange, err error) {
	var missing []string
	for _, name := range n.AddLabels {
		bears := slices.ContainsFunc(t.Tags, func(tag named) bool { return strings.EqualFold(tag.Name, name) })
		if !bears && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	ids, err := c.tags(ctx, missing)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		out = append(out, tagChange{"addTag", id})
	}
	for _, name := range n.RemoveLabels {
		for _, tag := range t.Tags {
			if strings.EqualFold(tag.Name, name) {
				out = append(out, tagChange{"removeTag", tag.GID})
			}
		}
	}
	return out, nil
}

// tags returns the gids of the workspace's tags by name. The quick search finds most, but not those that were just created. Before a
// tag is created all tags are read, because a duplicate would stay.
func (c *Client) tags(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	workspace, err := c.workspaceID(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		id, err := c.tag(ctx, workspace, name)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

func (c *Client) tag(ctx context.Context, workspace, name string) (string, error) {
	var quick []named
	q := url.Values{"resource_type": {"tag"}, "query": {name}, "count": {"100"}, "opt_fields": {"name"}}
	if err := c.call(ctx, request{Op: "find tag " + name, Path: path("workspaces", workspace, "typeahead"), Query: q, Safe: true}, &quick); err != nil {
		return "", err
	}
	for _, tag := range quick {
		if strings.EqualFold(tag.Name, name) {
			return tag.GID, nil
		}
	}
	if id, err := c.anyTag(ctx, workspace, name); err != nil || id != "" {
		return id, err
	}
	var made named
	err := c.call(ctx, request{Op: "make tag " + name, Method: http.MethodPost, Path: path("workspaces", workspace, "tags"),
		Body: map[string]string{"name": name}}, &made)
	if provider.Is(err, provider.Uncertain) {
		if id, lookErr := c.anyTag(ctx, workspace, name); lookErr == nil && id != "" {
			return id, nil
		}
	}
	return made.GID, err
}

// anyTag searches all tags of the workspace; it returns "" when none has the name.
func (c *Client) anyTag(ctx context.Context, workspace, name string) (id string, err error) {
	err = each(ctx, c, "read tags", path("workspaces", workspace, "tags"), url.Values{"opt_fields": {"name"}}, func(tag named) error {
		if id == "" && strings.EqualFold(name, tag.Name) {
			id = tag.GID
		}
		return nil
	})
	return id, err
}

type story struct {
	GID       string    `json:"gid"`
	Kind      string    `json:"resource_subtype"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
	Author    *named    `json:"created_by"`
}

const storyFields = "resource_subtype,text,created_at,created_by.name"

func (s story) convert() provider.Comment {
	text, _ := provider.Unmark(s.Text)
	return provider.Comment{ID: s.GID, Author: user(s.Author), Body: provider.Text{Format: provider.Plain, Text: text},
		CreatedAt: s.CreatedAt, UpdatedAt: s.CreatedAt}
}

// AddComment adds the comment with a marker at its end, by which an earlier attempt is recognized. After an attempt with an unknown
// outcome it reads the task's comments first.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	made, err := provider.AddMarked(n, func(yield func(story) error) error { return c.comments(ctx, current, yield) },
		func(s story) string { return s.Text },
		func(marker string) (made story, err error) {
			return made, c.call(ctx, request{Op: "comment on " + current.Key, Method: http.MethodPost, Path: path("tasks", current.RemoteID, "stories"),
				Query: url.Values{"opt_fields": {storyFields}}, Body: map[string]string{"html_text": markedText(n.Text, marker, true)}}, &made)
		})
	return made.convert(), err
}

// Comments returns the comments of the task, without Asana's own notes.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	return c.comments(ctx, current, func(s story) error { return yield(s.convert()) })
}

func (c *Client) comments(ctx context.Context, current *provider.Item, yield func(story) error) error {
	return each(ctx, c, "read the comments of "+current.Key, path("tasks", current.RemoteID, "stories"), url.Values{"opt_fields": {storyFields}},
		func(s story) error {
			if s.Kind != "comment_added" {
				return nil
			}
			return yield(s)
		})
}

// Create creates a task with a marker at the end of its notes. After an attempt with an unknown outcome it first searches the tasks
// that were modified since.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	if err := c.needProject(); err != nil {
		return nil, err
	}
	item, err := provider.CreateMarked(n, func(marker string) (*provider.Item, error) { return c.made(ctx, n, marker) },
		func(marker string) (*provider.Item, error) { return c.create(ctx, n, marker) })
	if err != nil || n.Status == nil {
		return item, err
	}
	moved, err := c.Update(ctx, item, provider.Change{Status: n.Status})
	return provider.Placed(item, moved, err)
}

func (c *Client) create(ctx context.Context, n provider.NewItem, marker string) (*provider.Item, error) {
	body := map[string]any{"name": n.Title, "html_notes": markedText(n.Text, marker, false)}
	if n.Parent != "" {
		body["parent"] = n.Parent
	} else {
		body["projects"] = []string{c.o.Project}
	}
	if n.Type == provider.TypeMilestone {
		body["resource_subtype"] = "milestone"
	} else if n.Type == provider.TypeEpic {
		return nil, provider.Fail(provider.Unsupported, nil, "Asana has no epics")
	}
	if n.Assignee != "" {
		body["assignee"] = n.Assignee
	}
	if n.DueDate != "" {
		body["due_on"] = n.DueDate
	}
	if n.Priority != 0 {
		gid, option, err := c.priorityOption(ctx, &task{}, n.Priority)
		if err != nil {
			return nil, err
		}
		body["custom_fields"] = map[string]any{gid: option}
	}
	todo := &change{put: body}
	if err := c.setCustom(ctx, n.Fields, todo.custom); err != nil {
		return nil, err
	}
	tags, err := c.tags(ctx, n.Labels)
	if err != nil {
		return nil, err
	}
	if len(tags) > 0 {
		body["tags"] = tags
	}
	var raw json.RawMessage
	if err := c.call(ctx, request{Op: "make a task", Method: http.MethodPost, Path: "tasks", Query: url.Values{"opt_fields": {taskFields}}, Body: body}, &raw); err != nil {
		return nil, err
	}
	t, err := parse(raw)
	if err != nil {
		return nil, provider.Looking(err)
	}
	return new(c.item(t, raw)), nil
}

// made returns the task that an earlier attempt created, or nil.
func (c *Client) made(ctx context.Context, n provider.NewItem, marker string) (*provider.Item, error) {
	where, q := "tasks", url.Values{"project": {c.o.Project}, "modified_since": {n.Attempted.Add(-lookBack).UTC().Format(time.RFC3339)}}
	if n.Parent != "" {
		where, q = path("tasks", n.Parent, "subtasks"), url.Values{}
	}
	q.Set("opt_fields", taskFields)
	var found *provider.Item
	err := each(ctx, c, "look for a task made before", where, q, func(raw json.RawMessage) error {
		t, err := parse(raw)
		if err != nil {
			return nil // another task, whose error the pull reports
		}
		if _, m := provider.Unmark(t.HTMLNotes); m == marker && found == nil {
			found = new(c.item(t, raw))
		}
		return nil
	})
	return found, err
}
