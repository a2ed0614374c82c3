package azuredevops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// lookBack is how long before the first attempt the search for an earlier attempt begins, because clocks differ.
const lookBack = 15 * time.Minute

// op is one operation of a JSON patch.
type op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func set(field string, value any) op { return op{"add", "/fields/" + field, value} }

// Update makes the changes in n with one patch that first tests the item's revision: Azure DevOps applies all of it or nothing. A state
// that is more than one step away is reached through the states between, with one patch for each.
func (c *Client) Update(ctx context.Context, current *provider.Item, n provider.Change) (*provider.Item, error) {
	w, err := parse(current.Raw)
	if err != nil {
		return nil, err
	}
	ops, err := patch(w, current, n)
	if err != nil {
		return nil, err
	}
	more, err := c.words(ctx, current, n)
	if err != nil {
		return nil, err
	}
	ops = append(append(ops, more...), c.relations(w, current, n)...)
	if len(n.Fields) > 0 {
		native, err := c.typeOf(ctx, current.NativeType)
		if err != nil {
			return nil, err
		}
		custom, err := c.custom(ctx, native, n.Fields)
		if err != nil {
			return nil, err
		}
		ops = append(ops, custom...)
	}
	var way []string
	if n.Status != nil {
		if way, err = c.way(ctx, current.NativeType, current.Status, *n.Status); err != nil {
			return nil, err
		}
	}
	if len(way) > 0 {
		ops = append(ops, set(fieldState, way[0]))
	}
	if len(ops) == 0 {
		return c.Item(ctx, current.RemoteID)
	}
	item, err := c.apply(ctx, current, ops, n)
	for i := 1; i < len(way) && err == nil; i++ {
		item, err = c.apply(ctx, item, []op{set(fieldState, way[i])}, provider.Change{})
		err = provider.Partly(err, fieldsOf(n))
	}
	return item, err
}

// fieldsOf returns the parts of a change except its status, which is sent last.
func fieldsOf(n provider.Change) (out []provider.Field) {
	if n.Assignee != nil {
		out = append(out, provider.FieldAssignee)
	}
	if n.Priority != nil {
		out = append(out, provider.FieldPriority)
	}
	if len(n.AddLabels)+len(n.RemoveLabels) > 0 {
		out = append(out, provider.FieldLabels)
	}
	return out
}

// patch returns the operations for everything but the state. A field that already has its value is left out.
func patch(w *workItem, current *provider.Item, n provider.Change) (ops []op, err error) {
	if a := n.Assignee; a != nil {
		switch {
		case strings.EqualFold(*a, current.AssigneeID()):
		case *a == "":
			ops = append(ops, op{Op: "remove", Path: "/fields/" + fieldAssigned})
		default:
			ops = append(ops, set(fieldAssigned, *a))
		}
	}
	if p := n.Priority; p != nil && *p != current.Priority {
		switch {
		case *p < 0 || *p > 4:
			return nil, provider.Fail(provider.Invalid, nil, "priority %d is not between 0 and 4", *p)
		case *p == 0:
			ops = append(ops, op{Op: "remove", Path: "/fields/" + fieldPriority})
		default:
			ops = append(ops, set(fieldPriority, 5-*p))
		}
	}
	before := tags(w.text(fieldTags))
	after := slices.DeleteFunc(slices.Clone(before), func(tag string) bool { return has(n.RemoveLabels, tag) })
	for _, tag := range n.AddLabels {
		if strings.ContainsAny(tag, ";,") {
			return nil, provider.Fail(provider.Invalid, nil, "a tag of Azure DevOps cannot hold %q: a comma or a semicolon would make it two", tag)
		}
		if !has(after, tag) {
			after = append(after, tag)
		}
	}
	switch { // an add would keep the old value
	case slices.Equal(before, after):
	case len(before) == 0:
		ops = append(ops, set(fieldTags, strings.Join(after, "; ")))
	default:
		ops = append(ops, op{"replace", "/fields/" + fieldTags, strings.Join(after, "; ")})
	}
	return ops, nil
}

// words returns the operations for the title, the text, the estimate and the sprint.
func (c *Client) words(ctx context.Context, current *provider.Item, n provider.Change) (ops []op, err error) {
	if n.Title != nil && *n.Title != current.Title {
		ops = append(ops, set(fieldTitle, *n.Title))
	}
	if n.Text != nil {
		ops = append(ops, set(fieldBody, htmlOf(*n.Text)))
	}
	if s := n.Sprint; s != nil && !current.Sprint.Is(*s) {
		ops = append(ops, set(fieldSprint, cmp.Or(*s, c.project))) // the root iteration stands for none
	}
	e := n.Estimate
	if e == nil || current.Estimate != nil && *current.Estimate == *e {
		return ops, nil
	}
	t, err := c.loadTypes(ctx, forWriting)
	if err != nil {
		return nil, err
	}
	name := ""
	if it := t.byName[strings.ToLower(current.NativeType)]; it != nil {
		name = it.has(estimates["points"]...)
	}
	switch {
	case name == "":
		return nil, provider.Fail(provider.Unsupported, nil, "a %s of Azure DevOps has no estimate in points", current.NativeType)
	case *e >= 0:
		ops = append(ops, set(name, *e))
	case current.Estimate != nil:
		ops = append(ops, op{Op: "remove", Path: "/fields/" + name})
	}
	return ops, nil
}

// apply sends the operations with a test of the revision, which makes repeating them safe: a second attempt fails because of the first
// one, and the item then shows whether its changes are those of the operations.
func (c *Client) apply(ctx context.Context, current *provider.Item, ops []op, n provider.Change) (*provider.Item, error) {
	var raw json.RawMessage
	body := append([]op{{"test", "/rev", json.Number(current.Version)}}, ops...)
	_, err := c.call(ctx, request{Op: "change work item " + current.Key, Method: http.MethodPatch, Path: c.at("_apis", "wit", "workitems", current.RemoteID),
		Query: url.Values{"$expand": {"relations"}}, Body: body, ContentType: jsonPatch, Safe: true}, &raw)
	if provider.Is(err, provider.Changed) {
		now, readErr := c.Item(ctx, current.RemoteID)
		if readErr == nil && carries(now, current, ops) {
			return now, nil
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return c.item(ctx, raw)
}

// carries reports whether an item is one revision later with exactly the changes of the operations.
func carries(now, before *provider.Item, ops []op) bool {
	w, err := parse(now.Raw)
	old, oldErr := parse(before.Raw)
	if err != nil || oldErr != nil || w.Rev != old.Rev+1 {
		return false
	}
	for _, o := range ops {
		if strings.HasPrefix(o.Path, "/relations/") {
			if !o.related(w, old) {
				return false
			}
			continue
		}
		field := strings.TrimPrefix(o.Path, "/fields/")
		want := fmt.Sprint(o.Value)
		got := w.text(field)
		switch {
		case field == fieldTags:
			if !sameTags(got, want) {
				return false
			}
			continue
		case field == fieldAssigned:
			got = now.AssigneeID()
		}
		if o.Op == "remove" {
			want = ""
		}
		if !strings.EqualFold(got, want) {
			return false
		}
	}
	return true
}

func sameTags(a, b string) bool {
	x, y := tags(a), tags(b)
	return len(x) == len(y) && !slices.ContainsFunc(x, func(tag string) bool { return !has(y, tag) })
}

type comment struct {
	ID       int             `json:"id"`
	Text     string          `json:"text"`
	Format   string          `json:"format"`
	Created  time.Time       `json:"createdDate"`
	Modified time.Time       `json:"modifiedDate"`
	URL      string          `json:"url"`
	Deleted  bool            `json:"isDeleted"`
	Author   json.RawMessage `json:"createdBy"`
}

func (m comment) convert() provider.Comment {
	text, _ := provider.Unmark(m.Text)
	out := provider.Comment{ID: number(m.ID), Author: identity(m.Author), Body: provider.Text{Format: provider.HTML, Text: text},
		CreatedAt: m.Created, UpdatedAt: cmp.Or(m.Modified, m.Created), URL: m.URL}
	if strings.EqualFold(m.Format, "markdown") {
		out.Body.Format = provider.Markdown
	}
	return out
}

// AddComment adds the comment with a hidden marker, by which an earlier attempt is recognized. After an attempt with an unknown outcome
// it reads the item's comments first.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	made, err := provider.AddMarked(n, func(yield func(comment) error) error { return c.comments(ctx, current, yield) },
		func(m comment) string { return m.Text },
		func(marker string) (made comment, err error) {
			_, err = c.call(ctx, request{Op: "comment on work item " + current.Key, Method: http.MethodPost, Path: c.commentsPath(current),
				Query: url.Values{"format": {"markdown"}, "api-version": {commentsVersion}}, Body: map[string]string{"text": n.Text + "\n\n<!-- " + marker + " -->"}}, &made)
			return made, err
		})
	return made.convert(), err
}

func (c *Client) commentsPath(item *provider.Item) string {
	return c.at(cmp.Or(item.Project, c.project), "_apis", "wit", "workItems", item.RemoteID, "comments")
}

// Comments returns the comments of the item, oldest first.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	return c.comments(ctx, current, func(m comment) error { return yield(m.convert()) })
}

func (c *Client) comments(ctx context.Context, current *provider.Item, yield func(comment) error) error {
	op := "read the comments of work item " + current.Key
	return provider.Walk(provider.AzureDevOps, op, func(token string) ([]comment, string, error) {
		q := url.Values{"$top": {number(batchSize)}, "order": {"asc"}, "api-version": {commentsVersion}}
		if token != "" {
			q.Set("continuationToken", token)
		}
		var page struct {
			Comments []comment
			Token    string `json:"continuationToken"`
		}
		_, err := c.call(ctx, request{Op: op, Path: c.commentsPath(current), Query: q}, &page)
		if err == nil && token != "" && page.Token == token {
			err = provider.Fail(provider.Protocol, nil, "the list of comments of work item %s does not end: it names the same page again", current.Key)
		}
		return page.Comments, page.Token, err
	}, func(m comment) error {
		if m.Deleted || m.ID == 0 {
			return nil
		}
		return yield(m)
	})
}

// Create creates a work item with a link that contains a marker. After an attempt with an unknown outcome it first searches the items
// that this account created since.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	t, err := c.loadTypes(ctx, forWriting)
	if err != nil {
		return nil, err
	}
	native, err := t.native(n)
	if err != nil {
		return nil, err
	}
	item, err := provider.CreateMarked(n, func(marker string) (*provider.Item, error) { return c.made(ctx, n, marker) },
		func(marker string) (*provider.Item, error) { return c.create(ctx, n, native, marker) })
	if err != nil || n.Status == nil {
		return item, err
	}
	moved, err := c.Update(ctx, item, provider.Change{Status: n.Status})
	return provider.Placed(item, moved, err)
}

// native returns the type to create.
func (t *types) native(n provider.NewItem) (*itemType, error) {
	name := n.NativeType
	if name == "" {
		switch n.Type {
		case provider.TypeEpic:
			name = t.epic
		case provider.TypeSubtask:
			name = t.task
		case provider.TypeMilestone:
			return nil, provider.Fail(provider.Unsupported, nil, "Azure DevOps has no milestones")
		default:
			name = t.ticket
		}
	}
	it := t.byName[strings.ToLower(name)]
	if it == nil || it.Disabled {
		var all []string
		for _, one := range t.order {
			if !one.Disabled {
				all = append(all, one.Name)
			}
		}
		return nil, provider.Fail(provider.Invalid, nil, "the project has no type of work items %q", name).Hint("it has: %s", strings.Join(all, ", "))
	}
	return it, nil
}

func (c *Client) create(ctx context.Context, n provider.NewItem, native *itemType, marker string) (*provider.Item, error) {
	ops := []op{set(fieldTitle, n.Title)}
	for _, f := range []struct {
		name  string
		value any
		given bool
	}{
		{fieldBody, htmlOf(n.Text), n.Text != ""},
		{fieldAssigned, n.Assignee, n.Assignee != ""},
		{fieldPriority, 5 - n.Priority, n.Priority >= 1 && n.Priority <= 4},
		{fieldTags, strings.Join(n.Labels, "; "), len(n.Labels) > 0},
		{fieldSprint, n.Sprint, n.Sprint != ""},
		{fieldDue, n.DueDate, n.DueDate != "" && native.has(fieldDue) != ""},
	} {
		if f.given {
			ops = append(ops, set(f.name, f.value))
		}
	}
	if n.Estimate != nil {
		if name := native.has(estimates[n.Unit]...); name != "" {
			ops = append(ops, set(name, *n.Estimate))
		}
	}
	if n.Parent != "" {
		ops = append(ops, c.addRelation(relParent, n.Parent))
	}
	custom, err := c.custom(ctx, native, n.Fields)
	if err != nil {
		return nil, err
	}
	ops = append(ops, custom...)
	ops = append(ops, op{"add", "/relations/-", relation{Rel: relHyperlink, URL: markerURL(marker), Attributes: map[string]any{"comment": "made by pmsync"}}})
	var raw json.RawMessage
	_, err = c.call(ctx, request{Op: "make a work item", Method: http.MethodPost, Path: c.at(c.project, "_apis", "wit", "workitems", "$"+native.Name),
		Query: url.Values{"$expand": {"relations"}}, Body: ops, ContentType: jsonPatch}, &raw)
	if err != nil {
		return nil, native.needed(ops, err)
	}
	made, err := c.item(ctx, raw)
	return made, provider.Looking(err)
}

// estimates are the fields with an estimate, by unit; a type's fields depend on the process.
var estimates = map[string][]string{"points": {fieldPoints, fieldEffort, fieldSize}, "hours": {fieldHours}}

// markerURL returns an address that does not resolve. Links are the only data of a work item that its readers do not see.
func markerURL(marker string) string {
	return "https://pmsync.invalid/" + strings.TrimPrefix(marker, "pmsync:")
}

// made returns the item that an earlier attempt created, or nil.
func (c *Client) made(ctx context.Context, n provider.NewItem, marker string) (*provider.Item, error) {
	since := n.Attempted.Add(-lookBack).UTC().Format("2006-01-02T15:04:05.0000000Z")
	ids, _, err := c.query(ctx, "[System.TeamProject] = @project AND [System.CreatedBy] = @Me AND [System.CreatedDate] >= '"+since+"'", "ORDER BY [System.Id]", 0)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(ids, batchSize) {
		found, err := c.batch(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, id := range part {
			w, err := parse(found[id])
			if err != nil {
				continue // another item, whose error the pull reports
			}
			if slices.ContainsFunc(w.Relations, func(r relation) bool { return r.Rel == relHyperlink && r.URL == markerURL(marker) }) {
				return c.item(ctx, found[id])
			}
		}
	}
	return nil, nil
}

// maxUsers is the most people that are returned.
const maxUsers = 50

var errEnough = errors.New("enough people were found")

// Users returns the members of the project's teams whose name or address contains text.
func (c *Client) Users(ctx context.Context, text string) (out []provider.User, err error) {
	if err := c.needProject(); err != nil {
		return nil, err
	}
	type team struct{ ID, Name string }
	type member struct{ Identity json.RawMessage }
	text = strings.ToLower(text)
	seen := map[string]bool{}
	err = each(ctx, c, "list the teams", c.at("_apis", "projects", c.project, "teams"), func(t team) error {
		return each(ctx, c, "list the members of a team", c.at("_apis", "projects", c.project, "teams", t.ID, "members"), func(m member) error {
			u := identity(m.Identity)
			if u == nil || seen[u.ID] || !strings.Contains(strings.ToLower(u.Name+" "+u.Email), text) {
				return nil
			}
			seen[u.ID] = true
			if out = append(out, *u); len(out) == maxUsers {
				return errEnough
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}
