package asana

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// taskFields are the requested fields of a task; Asana returns no others.
const taskFields = "name,resource_subtype,completed,created_at,modified_at,html_notes,due_on,permalink_url," +
	"num_subtasks,is_rendered_as_separator,approval_status,assignee.name,parent.name," +
	"memberships.project.name,memberships.section.name,tags.name,dependencies,dependents," +
	"custom_fields.name,custom_fields.type,custom_fields.representation_type,custom_fields.display_value,custom_fields.enum_value.name," +
	"custom_type.name,custom_type_status_option.name"

type task struct {
	GID         string       `json:"gid"`
	Name        string       `json:"name"`
	Subtype     string       `json:"resource_subtype"`
	Completed   *bool        `json:"completed"`
	CreatedAt   time.Time    `json:"created_at"`
	ModifiedAt  time.Time    `json:"modified_at"`
	HTMLNotes   string       `json:"html_notes"`
	DueOn       string       `json:"due_on"`
	URL         string       `json:"permalink_url"`
	Subtasks    int          `json:"num_subtasks"`
	Separator   bool         `json:"is_rendered_as_separator"`
	Approval    string       `json:"approval_status"`
	Assignee    *named       `json:"assignee"`
	Parent      *named       `json:"parent"`
	Memberships []membership `json:"memberships"`
	Tags        []named      `json:"tags"`
	Waits       []named      `json:"dependencies"`
	Blocks      []named      `json:"dependents"`
	Fields      []field      `json:"custom_fields"`
	Custom      *named       `json:"custom_type"`
	Option      *named       `json:"custom_type_status_option"`
}

type membership struct {
	Project *named `json:"project"`
	Section *named `json:"section"`
}

// field is a custom field with its value.
type field struct {
	named
	Type    string  `json:"type"`
	Shown   string  `json:"representation_type"`
	Display *string `json:"display_value"`
	Enum    *named  `json:"enum_value"`
}

// parse decodes a task. It refuses data without an id, the completed flag or the time of change, so that these are never taken for
// cleared fields.
func parse(raw json.RawMessage) (*task, error) {
	t := new(task)
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, provider.Fail(provider.Protocol, nil, "Asana sent a task in another shape than its API describes")
	}
	if t.GID == "" || t.Completed == nil || t.ModifiedAt.IsZero() {
		return nil, provider.Fail(provider.Protocol, nil, "Asana sent a task that lacks its gid, whether it is completed, or the time of its last change")
	}
	return t, nil
}

// gid returns the id of a task that could not be decoded.
func gid(raw json.RawMessage) string {
	var n named
	_ = json.Unmarshal(raw, &n) // then there is no id to report
	return n.GID
}

// here returns the task's membership in the configured project.
func (c *Client) here(t *task) *membership {
	for i, m := range t.Memberships {
		if m.Project != nil && m.Project.GID == c.o.Project {
			return &t.Memberships[i]
		}
	}
	return nil
}

// item converts the task to the common form. A subtask does not name its project and belongs to its parent's.
func (c *Client) item(t *task, raw json.RawMessage) provider.Item {
	out := provider.Item{
		RemoteID: t.GID, Key: t.key(), Type: provider.TypeTicket, NativeType: t.nativeType(), Title: t.Name,
		Status: c.status(t), Assignee: user(t.Assignee), DueDate: t.DueOn, URL: t.URL,
		CreatedAt: t.CreatedAt, UpdatedAt: t.ModifiedAt, Presence: provider.Present, Project: c.o.Project, Raw: raw,
	}
	if body, _ := provider.Unmark(t.HTMLNotes); body != "" && body != "<body></body>" {
		out.Body = provider.Text{Format: provider.HTML, Text: body}
	}
	if t.Subtype == "milestone" {
		out.Type = provider.TypeMilestone
	}
	if t.Parent != nil {
		out.Type, out.Parent = provider.TypeSubtask, &provider.Ref{ID: t.Parent.GID, Key: t.Parent.GID, Name: t.Parent.Name}
	}
	out.Priority, out.PriorityLabel = c.priority(t)
	for _, tag := range t.Tags {
		out.Labels = append(out.Labels, tag.Name)
	}
	slices.Sort(out.Labels)
	out.Labels = slices.Compact(out.Labels)
	for _, other := range t.Waits {
		out.Links = append(out.Links, provider.Link{Relation: provider.BlockedBy, Target: provider.Ref{ID: other.GID, Key: other.GID}, Native: "dependency"})
	}
	for _, other := range t.Blocks {
		out.Links = append(out.Links, provider.Link{Relation: provider.Blocks, Target: provider.Ref{ID: other.GID, Key: other.GID}, Native: "dependent"})
	}
	for _, wanted := range c.mapping.Fields {
		for _, f := range t.Fields {
			if f.is(wanted) {
				v := provider.FieldValue{Name: f.Name}
				if f.Display != nil {
					v.Value = *f.Display
				}
				out.Fields = append(out.Fields, v)
			}
		}
	}
	place := ""
	if m := c.here(t); m != nil && m.Section != nil {
		place = m.Section.GID
	} else if m == nil && t.Parent == nil {
		out.Presence, out.Project = provider.Moved, ""
		if len(t.Memberships) > 0 && t.Memberships[0].Project != nil {
			out.Project = t.Memberships[0].Project.GID
		}
	}
	// Moving a task to another section does not change its modification time.
	out.Version = t.ModifiedAt.UTC().Format(time.RFC3339Nano) + " " + place
	return out
}

// key returns the task's number in the project if it has one, otherwise its gid.
func (t *task) key() string {
	for _, f := range t.Fields {
		if f.Shown == "custom_id" && f.Display != nil && *f.Display != "" {
			return *f.Display
		}
	}
	return t.GID
}

func (t *task) nativeType() string {
	switch {
	case t.Subtype == "custom" && t.Custom != nil && t.Custom.Name != "":
		return t.Custom.Name
	case t.Subtype == "" || t.Subtype == "default_task":
		return "Task"
	}
	return strings.ToUpper(t.Subtype[:1]) + t.Subtype[1:]
}

func user(n *named) *provider.User {
	if n == nil || n.GID == "" {
		return nil
	}
	return &provider.User{ID: n.GID, Name: n.Name, Active: true}
}

// priority returns the configured priority of the priority field's option.
func (c *Client) priority(t *task) (int, string) {
	for _, f := range t.Fields {
		if f.is(c.o.PriorityField) && f.Enum != nil {
			p, _ := c.mapping.PriorityOf(f.Enum.GID, f.Enum.Name)
			return p, f.Enum.Name
		}
	}
	return 0, ""
}
