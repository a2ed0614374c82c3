package asana

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// The two states that every task has in any project.
const (
	completed  = "completed"
	incomplete = "incomplete"
)

// The sources of a state: the Native of a provider.Status.
const (
	ofTask     = "task"
	ofSection  = "section"
	ofField    = "custom field"
	ofType     = "custom type"
	ofApproval = "approval"
)

// approvals are the states of an approval; all but the first one complete it.
var approvals = []string{"pending", "approved", "rejected", "changes_requested"}

// status returns the task's state: its section or option, unless the task is completed and that does not tell how it ended. An
// uncompleted task without a configured meaning is to do.
func (c *Client) status(t *task) provider.Status {
	s := c.place(t)
	configured, ok := c.configured(s)
	switch {
	case ok && (!*t.Completed || configured == provider.Done || configured == provider.Canceled):
		s.Category = configured
	case !*t.Completed:
		s.Category = provider.Todo
	case s.Native == ofType || s.Native == ofApproval:
		s.Category = provider.Done
	default:
		s = c.own(completed)
	}
	return s
}

// configured returns the category of a state by the configuration, which maps it or names it as a target. There is no other source.
func (c *Client) configured(s provider.Status) (provider.Category, bool) {
	if category, ok := c.mapping.CategoryOf(s); ok {
		return category, true
	}
	for _, category := range []provider.Category{provider.Todo, provider.InProgress, provider.Done, provider.Canceled} {
		if name := c.mapping.State[category]; name != "" && (name == s.ID || strings.EqualFold(name, s.Name)) {
			return category, true
		}
	}
	return "", false
}

// place returns the state of a task without its meaning.
func (c *Client) place(t *task) provider.Status {
	if t.Subtype == "custom" && t.Option != nil {
		return provider.Status{ID: t.Option.GID, Name: t.Option.Name, Native: ofType}
	}
	if t.Subtype == "approval" && t.Approval != "" {
		return provider.Status{ID: t.Approval, Name: t.Approval, Native: ofApproval}
	}
	if c.o.StatusField != "" {
		for _, f := range t.Fields {
			if f.is(c.o.StatusField) && f.Enum != nil {
				return provider.Status{ID: f.Enum.GID, Name: f.Enum.Name, Native: ofField}
			}
		}
	} else if m := c.here(t); m != nil && m.Section != nil {
		return provider.Status{ID: m.Section.GID, Name: m.Section.Name, Native: ofSection}
	}
	return c.own(incomplete)
}

// own returns one of the two states that every task has.
func (c *Client) own(id string) provider.Status {
	usual := map[string]provider.Category{incomplete: provider.Todo, completed: provider.Done}
	return c.meaning(provider.Status{ID: id, Name: strings.ToUpper(id[:1]) + id[1:], Native: ofTask}, usual[id])
}

// meaning adds the configured category to a state.
func (c *Client) meaning(s provider.Status, otherwise provider.Category) provider.Status {
	configured, _ := c.configured(s)
	s.Category = cmp.Or(configured, otherwise)
	return s
}

// Statuses returns the sections of the project or the options of the status field, and the two states of every task.
func (c *Client) Statuses(ctx context.Context) ([]provider.Status, error) {
	places, err := c.places(ctx)
	return append(places, c.own(incomplete), c.own(completed)), err
}

// places returns the states of the project's ordinary tasks.
func (c *Client) places(ctx context.Context) (out []provider.Status, err error) {
	if err := c.needProject(); err != nil {
		return nil, err
	}
	if c.o.StatusField != "" {
		f, err := c.setting(ctx, "status", c.o.StatusField)
		if err != nil {
			return nil, err
		}
		for _, o := range f.options() {
			out = append(out, c.meaning(provider.Status{ID: o.GID, Name: o.Name, Native: ofField}, provider.Todo))
		}
		return out, nil
	}
	err = each(ctx, c, "read the sections", path("projects", c.o.Project, "sections"), url.Values{"opt_fields": {"name"}}, func(s named) error {
		out = append(out, c.meaning(provider.Status{ID: s.GID, Name: s.Name, Native: ofSection}, provider.Todo))
		return nil
	})
	return out, err
}

// statesOf returns the possible states of the task, including its own.
func (c *Client) statesOf(ctx context.Context, t *task) (out []provider.Status, err error) {
	switch {
	case t.Subtype == "approval":
		for i, name := range approvals {
			usual := provider.Done
			if i == 0 {
				usual = provider.Todo
			}
			out = append(out, c.meaning(provider.Status{ID: name, Name: name, Native: ofApproval}, usual))
		}
		return out, nil
	case t.Subtype == "custom" && t.Custom != nil:
		return c.typeStates(ctx, t.Custom.GID)
	case c.here(t) == nil && c.o.StatusField == "":
		return []provider.Status{c.own(incomplete), c.own(completed)}, nil // a subtask has no section
	}
	return c.Statuses(ctx)
}

// typeStates returns the states of a custom type.
func (c *Client) typeStates(ctx context.Context, id string) (out []provider.Status, err error) {
	if err := c.needProject(); err != nil {
		return nil, err
	}
	type customType struct {
		GID     string
		Options []struct {
			GID, Name string
			State     *string `json:"completion_state"`
			Enabled   *bool
		} `json:"status_options"`
	}
	q := url.Values{"project": {c.o.Project}, "opt_fields": {"name,status_options.name,status_options.completion_state,status_options.enabled"}}
	err = each(ctx, c, "read the custom types", "custom_types", q, func(t customType) error {
		if t.GID != id {
			return nil
		}
		for _, o := range t.Options {
			if o.Enabled != nil && !*o.Enabled {
				continue
			}
			otherwise := provider.Todo
			if o.State != nil && strings.HasPrefix(strings.ToLower(*o.State), "complete") {
				otherwise = provider.Done
			}
			out = append(out, c.meaning(provider.Status{ID: o.GID, Name: o.Name, Native: ofType}, otherwise))
		}
		return nil
	})
	return out, err
}

// setting is a custom field of the project with its options.
type setting struct {
	named
	Type    string `json:"type"`
	Options []struct {
		named
		Enabled *bool `json:"enabled"`
	} `json:"enum_options"`
}

// options returns the enabled options.
func (s *setting) options() (out []named) {
	for _, o := range s.Options {
		if o.Enabled == nil || *o.Enabled {
			out = append(out, o.named)
		}
	}
	return out
}

// settings are the custom fields of the project.
func (c *Client) settings(ctx context.Context) (all []setting, err error) {
	if err := c.needProject(); err != nil {
		return nil, err
	}
	type holder struct {
		Field setting `json:"custom_field"`
	}
	q := url.Values{"opt_fields": {"custom_field.name,custom_field.type,custom_field.enum_options.name,custom_field.enum_options.enabled"}}
	err = each(ctx, c, "read the custom fields", path("projects", c.o.Project, "custom_field_settings"), q, func(h holder) error {
		all = append(all, h.Field)
		return nil
	})
	return all, err
}

// setting returns an enum field of the project by its gid or name.
func (c *Client) setting(ctx context.Context, role, wanted string) (*setting, error) {
	all, err := c.settings(ctx)
	found := slices.DeleteFunc(all, func(s setting) bool { return !s.is(wanted) })
	switch {
	case err != nil:
		return nil, err
	case len(found) > 1:
		return nil, provider.Fail(provider.Ambiguous, nil, "the project has several custom fields named %q", wanted).
			Hint("name the %s field by its gid in the configuration", role)
	case len(found) == 0 || found[0].Type != "enum":
		return nil, provider.Fail(provider.Invalid, nil, "the project has no single-select custom field %q, which the configuration names as its %s field", wanted, role)
	}
	return &found[0], nil
}

// Transitions returns all other states of the task: Asana allows every step.
func (c *Client) Transitions(ctx context.Context, current *provider.Item) ([]provider.Transition, error) {
	t, err := parse(current.Raw)
	if err != nil {
		return nil, err
	}
	states, err := c.statesOf(ctx, t)
	out := make([]provider.Transition, 0, len(states))
	for _, s := range states {
		done := s.ID == completed && *t.Completed || s.ID == incomplete && !*t.Completed
		if s.ID != current.Status.ID && !done {
			out = append(out, provider.Transition{ID: s.ID, Name: s.Name, To: s})
		}
	}
	return out, err
}

// choose returns the state of the task that the target means. For a category it considers only states with a configured meaning, and
// the matching one of every task's two states: completed for done, and reopening a completed task for to do.
func (c *Client) choose(ctx context.Context, t *task, current provider.Status, target provider.Target) (provider.Status, error) {
	states, err := c.statesOf(ctx, t)
	if err != nil {
		return provider.Status{}, err
	}
	// A section that is configured as a target does not apply to a subtask.
	wanted := c.mapping.State[target.Category]
	named := wanted != "" && slices.ContainsFunc(states, func(s provider.Status) bool { return s.ID == wanted || strings.EqualFold(s.Name, wanted) })
	if target.ID != "" || target.Category == "" || target.Category == current.Category || named {
		return c.mapping.Choose(provider.Asana, target, current, states)
	}
	fits := func(s provider.Status) bool { return s.Category == target.Category }
	meant := slices.DeleteFunc(slices.Clone(states), func(s provider.Status) bool {
		_, configured := c.configured(s)
		return !configured && s.Native != ofType && s.Native != ofApproval
	})
	if slices.ContainsFunc(meant, fits) {
		return c.mapping.Choose(provider.Asana, target, current, meant)
	}
	for _, own := range []provider.Status{c.own(completed), c.own(incomplete)} {
		if fits(own) && (own.ID == completed || *t.Completed) && slices.Contains(states, own) {
			return own, nil
		}
	}
	var names []string
	for _, s := range states {
		if s.Native != ofTask {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return provider.Status{}, provider.Fail(provider.Invalid, nil, "this task of Asana is either completed or not; it has no state for %q", target.Category)
	}
	return provider.Status{}, provider.Fail(provider.Ambiguous, nil, "Asana does not say which of %q means %q", names, target.Category).
		Hint("name one of them, or say what they mean under `provider.category_of`")
}
