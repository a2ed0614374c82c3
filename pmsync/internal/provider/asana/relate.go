package asana

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// step is a request that changes a task's relations or place rather than its fields.
type step struct {
	verb  string
	body  map[string]any
	field provider.Field
}

// relations returns the steps that set the task's parent and add a dependency. A subtask that loses its parent is first added to the
// project, which it would otherwise leave.
func (c *Client) relations(t *task, current *provider.Item, n provider.Change) (steps []step, err error) {
	if n.Parent != nil && !current.Parent.Is(*n.Parent) {
		if *n.Parent == "" && c.here(t) == nil {
			steps = append(steps, step{"addProject", map[string]any{"project": c.o.Project}, provider.FieldParent})
		}
		steps = append(steps, step{"setParent", map[string]any{"parent": provider.OrNull(*n.Parent)}, provider.FieldParent})
	}
	if n.AddLink == nil || current.Linked(*n.AddLink) {
		return steps, nil
	}
	to := []string{n.AddLink.Target}
	switch n.AddLink.Relation {
	case provider.BlockedBy:
		return append(steps, step{"addDependencies", map[string]any{"dependencies": to}, provider.FieldLink}), nil
	case provider.Blocks:
		return append(steps, step{"addDependents", map[string]any{"dependents": to}, provider.FieldLink}), nil
	}
	return nil, provider.Fail(provider.Unsupported, nil, "Asana knows only what waits for what, and has no relation %s", n.AddLink.Relation).Hint("use blocks or blocked_by")
}

// relate performs the steps. Repeating a step has no further effect.
func (c *Client) relate(ctx context.Context, t *task, key string, steps []step, done func(error, ...provider.Field) error) error {
	for _, s := range steps {
		r := request{Op: "change task " + key, Method: http.MethodPost, Path: path("tasks", t.GID, s.verb), Body: s.body, Safe: true}
		if s.verb == "setParent" {
			r.Query = url.Values{"opt_fields": {"name"}}
		}
		if err := done(c.call(ctx, r, new(json.RawMessage)), s.field); err != nil { // the answer is a task, or an empty object
			return err
		}
	}
	return nil
}

// setCustom adds custom fields to the request. A field that the project lacks, or an unacceptable value, is an Invalid error that lists
// the valid ones.
func (c *Client) setCustom(ctx context.Context, values []provider.FieldValue, set func(gid string, value any)) error {
	if len(values) == 0 {
		return nil
	}
	all, err := c.settings(ctx)
	if err != nil {
		return err
	}
	for _, v := range values {
		at := slices.IndexFunc(all, func(f setting) bool { return f.is(v.Name) })
		if at < 0 {
			names := provider.Quoted(all, func(f setting) string { return f.Name })
			return provider.Fail(provider.Invalid, nil, "the project in Asana has no field %q", v.Name).Hint("it has %s", names)
		}
		value, err := all[at].native(v.Value)
		if err != nil {
			return err
		}
		set(all[at].GID, value)
	}
	return nil
}

// native converts a value to the field's type; "" becomes null, which clears the field.
func (f *setting) native(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	switch f.Type {
	case "number":
		return provider.Number(f.Name, text)
	case "enum":
		return f.option(text)
	case "multi_enum":
		return provider.EachLine(text, f.option)
	case "date":
		return map[string]string{"date": text}, nil
	case "text":
		return text, nil
	}
	return nil, provider.Fail(provider.Unsupported, nil, "the field %q of Asana is a %s, which cannot be given from here", f.Name, f.Type).Hint("set it in Asana")
}

func (f *setting) option(name string) (string, error) {
	for _, o := range f.options() {
		if o.is(name) {
			return o.GID, nil
		}
	}
	names := provider.Quoted(f.options(), func(o named) string { return o.Name })
	return "", provider.Fail(provider.Invalid, nil, "the field %q does not take %q", f.Name, name).Hint("it takes %s", names)
}
