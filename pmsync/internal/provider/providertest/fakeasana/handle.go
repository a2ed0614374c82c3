package fakeasana

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

func (c *call) user() (any, *failure) {
	id := c.parts[1]
	if id == "me" {
		id = c.w.people[0].gid
	}
	u := cmp.Or(find(c.w.people, id), providertest.First(c.w.people, func(p *thing) bool { return mailOf(p) == id })) // an address is as good as the gid
	if u == nil {
		return nil, fail(404, "user: Unknown object: %s", id)
	}
	o := u.compact()
	o["email"] = mailOf(u)
	o["workspaces"] = []any{object{"gid": Workspace, "resource_type": "workspace", "name": "Example"}}
	return c.pick(o, "name", "email", "workspaces"), nil
}

func mailOf(person *thing) string {
	return strings.ToLower(strings.Fields(person.name)[0]) + "@example.com"
}

func (c *call) workspaces() (any, *failure) {
	return c.things([]*thing{{Workspace, "workspace", "Example"}}, (*thing).compact)
}

// inWorkspace is a handler of what is in the workspace.
func inWorkspace(do handler) handler {
	return func(c *call) (any, *failure) {
		if c.parts[1] != Workspace {
			return nil, fail(404, "workspace: Unknown object: %s", c.parts[1])
		}
		return do(c)
	}
}

func (c *call) projectObject(t *thing) object {
	o := t.compact()
	o["archived"] = false
	o["workspace"] = object{"gid": Workspace, "resource_type": "workspace", "name": "Example"}
	o["team"] = object{"gid": "1200000000000400", "resource_type": "team", "name": "Engineering"}
	return o
}

func (c *call) projects() (any, *failure) {
	return c.things([]*thing{&c.w.projects[Project].thing, &c.w.projects[OtherProject].thing}, c.projectObject)
}

func (c *call) theProject(id string) (*project, *failure) {
	if p := c.w.projects[id]; p != nil {
		return p, nil
	}
	return nil, fail(404, "project: Unknown object: %s", id)
}

func (c *call) project(p *project) (any, *failure) {
	return c.pick(c.projectObject(&p.thing), "name"), nil
}

func (c *call) sections(p *project) (any, *failure) {
	return c.things(p.sections, (*thing).compact)
}

func (c *call) settings(*project) (any, *failure) {
	return c.page(len(c.w.fields), func(i int) int { return i }, func(i int) any {
		f := c.w.fields[i]
		options := providertest.Shown(f.options, func(o *thing) object {
			option := o.compact()
			option["enabled"] = true
			return option
		})
		field := object{"gid": f.gid, "resource_type": "custom_field", "name": f.name, "type": "enum", "enum_options": options}
		return c.pick(object{"gid": f.gid + "9", "resource_type": "custom_field_setting", "custom_field": field})
	})
}

func (c *call) customTypes() (any, *failure) {
	if _, f := c.theProject(c.q.Get("project")); f != nil {
		return nil, f
	}
	return c.page(len(c.w.types), func(i int) int { return i }, func(i int) any {
		t := c.w.types[i]
		options := []any{}
		for j, o := range t.options {
			option := o.compact()
			option["enabled"], option["completion_state"] = true, "incomplete"
			if j == len(t.options)-1 {
				option["completion_state"] = "completed"
			}
			options = append(options, option)
		}
		o := t.compact()
		o["status_options"] = options
		return c.pick(o, "name")
	})
}

func (c *call) tags() (any, *failure) {
	return c.things(c.w.tagList, (*thing).compact)
}

func (c *call) makeTag() (any, *failure) {
	name, _ := c.data["name"].(string)
	if name == "" {
		return nil, fail(400, "name: Missing input")
	}
	tag := &thing{c.w.newGID(), "tag", name} // a second one of the same name is allowed
	c.w.tagList = append(c.w.tagList, tag)
	c.w.fresh[tag] = c.w.now()
	return c.pick(tag.compact(), "name"), nil
}

func (c *call) typeahead() (any, *failure) {
	lists := map[string][]*thing{"user": c.w.people, "tag": c.w.tagList}
	found := providertest.Kept(lists[c.q.Get("resource_type")], func(t *thing) bool {
		at, fresh := c.w.fresh[t] // a fresh one is found later
		return (!fresh || c.w.now().Sub(at) >= time.Minute) && fold(t.name, c.q.Get("query"))
	})
	return providertest.Shown(found, func(t *thing) object { return c.pick(t.compact(), "name") }), nil
}

func (c *call) numbered() (any, *failure) {
	return nil, fail(404, "task: Unknown object: %s", c.parts[4])
}

// events returns the events since a token was issued. A token contains the number of the last event and the time.
func (c *call) events() (any, *failure) {
	p, f := c.theProject(c.q.Get("resource"))
	if f != nil {
		return nil, f
	}
	fresh := func(number int) string {
		return fmt.Sprintf("sync-%d-%d", number, c.w.now().UnixMilli())
	}
	var after int
	var at int64
	_, err := fmt.Sscanf(c.q.Get("sync"), "sync-%d-%d", &after, &at)
	if err != nil || c.w.now().Sub(time.UnixMilli(at)) > syncLife || len(p.events) > 0 && p.events[0].number > after+1 && p.next > 20000 {
		return nil, &failure{status: 412, sync: fresh(p.next), message: "Sync token invalid or too old. If you are attempting to keep resources in sync, you must fetch the full dataset for this query now and use the new sync token for the next sync."}
	}
	data := []any{}
	last, more := p.next, false
	from, _ := slices.BinarySearchFunc(p.events, after+1, func(e *event, n int) int { return e.number - n })
	for _, e := range p.events[from:] {
		if len(data) == 100 {
			more = true
			break
		}
		last = e.number
		o := object{"type": e.kind, "action": e.action, "created_at": stamp(e.at), "user": or(c.w.people[1]), "resource": e.resource.compact(), "parent": nil}
		if e.parent != nil && e.parent.gid != "" {
			o["parent"] = e.parent.compact()
		}
		data = append(data, pick(o, c.fields, []string{"type", "action", "created_at", "user", "resource", "parent"}))
	}
	if !more {
		last = p.next
	}
	return whole{"data": data, "sync": fresh(last), "has_more": more}, nil
}

// tasks are the top-level tasks of the project, without subtasks.
func (c *call) tasks() (any, *failure) {
	if id := c.q.Get("section"); id != "" {
		return c.ofSection(id)
	}
	p, f := c.theProject(c.q.Get("project"))
	if f != nil {
		return nil, f
	}
	var since time.Time
	if text := c.q.Get("modified_since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fail(400, "modified_since: Not a valid date-time: %s", text)
		}
	}
	return c.taskPage(providertest.Kept(c.w.list, func(t *task) bool { return !t.gone() && t.in(p) != nil && !t.modified.Before(since) }))
}

func (c *call) sectionTasks() (any, *failure) { return c.ofSection(c.parts[1]) }

func (c *call) ofSection(id string) (any, *failure) {
	return c.taskPage(providertest.Kept(c.w.list, func(t *task) bool {
		return !t.gone() && slices.ContainsFunc(t.memberships, func(m membership) bool { return m.section.gid == id })
	}))
}

// on is a handler that gets the object which the second part of the path names.
func on[T any](find func(*call, string) (T, *failure), do func(*call, T) (any, *failure)) handler {
	return func(c *call) (any, *failure) {
		t, f := find(c, c.parts[1])
		if f != nil {
			return nil, f
		}
		return do(c, t)
	}
}

func (c *call) theTask(id string) (*task, *failure) {
	if t := c.w.live(id); t != nil {
		return t, nil
	}
	return nil, fail(404, "task: Unknown object: %s", id)
}

func (c *call) task(t *task) (any, *failure) { return c.shown(t), nil }

// shown returns a single task, which has all its fields without opt_fields.
func (c *call) shown(t *task) object {
	if len(c.fields) == 0 {
		return c.object(t)
	}
	return c.pick(c.object(t))
}

func (c *call) subtasks(t *task) (any, *failure) {
	return c.taskPage(providertest.Kept(c.w.related(t), func(other *task) bool { return other.parent == t }))
}

func (c *call) stories(t *task) (any, *failure) {
	return c.page(len(t.stories), func(i int) int { return i }, func(i int) any { return c.storyObject(t.stories[i]) })
}

func (c *call) storyObject(s *story) object {
	kind := "system"
	if s.kind == "comment_added" {
		kind = "comment"
	}
	return c.pick(object{"gid": s.gid, "resource_type": "story", "resource_subtype": s.kind, "type": kind, "text": s.text,
		"created_at": stamp(s.created), "created_by": s.by.compact()}, "created_at", "created_by", "resource_subtype", "text")
}

func (c *call) makeStory(t *task) (any, *failure) {
	text, _ := c.data["text"].(string)
	if rich, ok := c.data["html_text"].(string); ok {
		var f *failure
		if text, f = plainText("html_text", rich, storyElements); f != nil {
			return nil, f
		}
	}
	if text == "" {
		return nil, fail(400, "text: Missing input")
	}
	return c.storyObject(c.w.story(t, "comment_added", text, c.w.people[0])), nil
}

func (c *call) tagOf(t *task) (*thing, *failure) {
	id, _ := c.data["tag"].(string)
	tag := providertest.First(c.w.tagList, func(tag *thing) bool { return tag.gid == id })
	if tag == nil {
		return nil, fail(400, "tag: Unknown object: %s", id)
	}
	t.writes["labels"]++
	return tag, nil
}

func (c *call) addTag(t *task) (any, *failure) {
	tag, f := c.tagOf(t)
	if f != nil {
		return nil, f
	}
	if !slices.Contains(t.tags, tag) {
		t.tags = append(t.tags, tag)
		c.w.touch(t)
	}
	return object{}, nil
}

func (c *call) removeTag(t *task) (any, *failure) {
	tag, f := c.tagOf(t)
	if f != nil {
		return nil, f
	}
	if i := slices.Index(t.tags, tag); i >= 0 {
		t.tags = slices.Delete(slices.Clone(t.tags), i, i+1)
		c.w.touch(t)
	}
	return object{}, nil
}

func (c *call) addTask() (any, *failure) {
	id, _ := c.data["task"].(string)
	t, f := c.theTask(id)
	if f != nil {
		return nil, f
	}
	for _, p := range c.w.projects {
		for _, s := range p.sections {
			if s.gid == c.parts[1] {
				t.writes["status"]++
				c.w.section(t, p, s)
				return object{}, nil
			}
		}
	}
	return nil, fail(404, "section: Unknown object: %s", c.parts[1])
}

func (c *call) changeTask(t *task) (any, *failure) {
	if f := c.write(t, true); f != nil {
		return nil, f
	}
	return c.shown(t), nil
}

// write sets the fields of a task that the request names.
func (c *call) write(t *task, count bool) *failure {
	noted := map[string]string{"completed": "status", "approval_status": "status", "custom_type_status_option": "status",
		"assignee": "assignee", "name": "title", "notes": "body", "html_notes": "body", "due_on": "due"}
	for name, value := range c.data {
		if count && noted[name] != "" {
			t.writes[noted[name]]++
		}
		switch name {
		case "completed":
			done, ok := value.(bool)
			if !ok {
				return fail(400, "completed: Not a boolean")
			}
			c.w.complete(t, done)
		case "approval_status":
			t.approval, _ = value.(string)
			t.completed = t.approval != "pending"
		case "custom_type_status_option":
			id, _ := value.(string)
			if t.custom == nil || find(t.custom.options, id) == nil {
				return fail(400, "custom_type_status_option: Unknown object: %s", id)
			}
			t.option = find(t.custom.options, id)
			t.completed = t.option == t.custom.options[len(t.custom.options)-1]
		case "assignee":
			t.assignee = nil
			if id, _ := value.(string); id != "" {
				if t.assignee = find(c.w.people, id); t.assignee == nil {
					return fail(400, "assignee: Not a user in Organization: %s", id)
				}
				c.w.story(t, "assigned", "assigned to "+t.assignee.name, c.w.people[0])
			}
		case "custom_fields":
			values, _ := value.(map[string]any)
			for gid, option := range values {
				if f := c.setField(t, gid, option, count); f != nil {
					return f
				}
			}
		case "name":
			t.name, _ = value.(string)
		case "notes":
			t.notes, _ = value.(string)
			t.html = ""
		case "html_notes":
			text, _ := value.(string)
			var f *failure
			if t.notes, f = plainText("html_notes", text, noteElements); f != nil {
				return f
			}
			t.html = text
		case "due_on":
			t.due, _ = value.(string)
		}
	}
	c.w.touch(t)
	return nil
}

func (c *call) setField(t *task, gid string, option any, count bool) *failure {
	for _, f := range c.w.fields {
		if f.gid != gid {
			continue
		}
		if count {
			t.writes[map[bool]string{true: "priority", false: "status"}[f.name == PriorityField]]++
		}
		id, _ := option.(string)
		if id == "" {
			delete(t.fields, gid)
			return nil
		}
		if t.fields[gid] = find(f.options, id); t.fields[gid] == nil || t.fields[gid].gid != id {
			delete(t.fields, gid)
			return fail(400, "custom_field: %s: Unknown option %s", gid, id)
		}
		return nil
	}
	return fail(400, "Custom field with ID %s is not on given object", gid)
}

func (c *call) makeTask() (any, *failure) {
	var p *project
	var parent *task
	if ids, _ := c.data["projects"].([]any); len(ids) > 0 {
		id, _ := ids[0].(string)
		var f *failure
		if p, f = c.theProject(id); f != nil {
			return nil, f
		}
	}
	if id, _ := c.data["parent"].(string); id != "" {
		var f *failure
		if parent, f = c.theTask(id); f != nil {
			return nil, f
		}
	}
	if p == nil && parent == nil {
		return nil, fail(400, "You should specify one of workspace, parent, projects")
	}
	t := c.w.add("", p, parent)
	if kind, _ := c.data["resource_subtype"].(string); kind != "" {
		t.subtype = kind
	}
	ids, _ := c.data["tags"].([]any)
	for _, id := range ids {
		for _, tag := range c.w.tagList {
			if tag.gid == id {
				t.tags = append(t.tags, tag)
			}
		}
	}
	if f := c.write(t, false); f != nil {
		delete(c.w.byGID, t.gid)
		t.deleted = true
		return nil, f
	}
	return c.shown(t), nil
}
