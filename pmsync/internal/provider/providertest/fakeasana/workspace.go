package fakeasana

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

type (
	thing struct {
		gid, kind, name string
	}
	project struct {
		thing
		sections []*thing
		events   []*event
		next     int // number of the next event
	}
	customField struct {
		thing
		options []*thing
	}
	membership struct {
		project *project
		section *thing
	}
	story struct {
		thing
		kind    string
		text    string
		by      *thing
		created time.Time
	}
	task struct {
		thing
		order       int
		subtype     string
		notes       string
		html        string // of the notes, where they were written so
		completed   bool
		approval    string
		created     time.Time
		modified    time.Time
		assignee    *thing
		due         string
		parent      *task
		memberships []membership
		tags        []*thing
		waits       []*task
		fields      map[string]*thing // option by the field's gid
		custom      *customField      // its type, with options that are states
		option      *thing
		stories     []*story
		files       []object
		deleted     bool
		writes      map[string]int
	}
	// event is what happened to a task or a section, for whoever follows a project.
	event struct {
		number       int
		at           time.Time
		kind, action string
		resource     *thing
		parent       *thing
	}
)

// workspace is everything there is.
type workspace struct {
	now      func() time.Time
	lose     int
	people   []*thing
	tagList  []*thing
	fresh    map[*thing]time.Time // when tags were made over the wire
	projects map[string]*project
	fields   []*customField
	types    []*customField
	list     []*task // in the order of the project
	byGID    map[string]*task
	near     map[string][]*task // children and waiting tasks by the gid of the other
	serial   int
	happened int
}

func newWorkspace(now func() time.Time, lose int) *workspace {
	w := &workspace{now: now, lose: lose, projects: map[string]*project{}, byGID: map[string]*task{}, near: map[string][]*task{}, fresh: map[*thing]time.Time{}}
	for i, name := range []string{"Ann Archer", "Bob Baker", "Cäcilie Öz"} {
		w.people = append(w.people, &thing{fmt.Sprint(1200000000000201 + i), "user", name})
	}
	for i, name := range []string{"backend", "bug", "urgent: now", "ünïcode"} {
		w.tagList = append(w.tagList, &thing{fmt.Sprint(1200000000000301 + i), "tag", name})
	}
	for i, gid := range []string{Project, OtherProject} {
		p := &project{thing: thing{gid, "project", []string{"Semfora", "Operations"}[i]}}
		for j, name := range []string{"To do", "Doing", "In review", "Done", "Won't do"} {
			p.sections = append(p.sections, &thing{fmt.Sprint(1200000000002000 + 100*i + j), "section", name})
		}
		w.projects[gid] = p
	}
	for i, f := range []struct {
		name    string
		options []string
	}{{PriorityField, []string{"Low", "Medium", "High", "Urgent"}}, {StageField, []string{"Idea", "Building", "Shipped"}}} {
		field := &customField{thing: thing{fmt.Sprint(1200000000003000 + 100*i), "custom_field", f.name}}
		for j, name := range f.options {
			field.options = append(field.options, &thing{fmt.Sprint(1200000000003001 + 100*i + j), "enum_option", name})
		}
		w.fields = append(w.fields, field)
	}
	w.types = []*customField{{thing: thing{"1200000000004000", "custom_type", "Incident"}, options: []*thing{
		{"1200000000004001", "custom_type_status_option", "Open"}, {"1200000000004002", "custom_type_status_option", "Mitigated"},
		{"1200000000004003", "custom_type_status_option", "Resolved"}}}}
	return w
}

func (w *workspace) newGID() string {
	w.serial++
	return strconv.Itoa(1200000000100000 + w.serial)
}

func find(list []*thing, id string) *thing {
	for _, t := range list {
		if t.gid == id || t.name == id {
			return t
		}
	}
	return nil
}

// add makes a task in the first section of a project, or below another task.
func (w *workspace) add(name string, p *project, parent *task) *task {
	t := &task{thing: thing{w.newGID(), "task", name}, order: len(w.list), subtype: "default_task", created: w.now(), modified: w.now(),
		parent: parent, fields: map[string]*thing{}, writes: map[string]int{}}
	if parent == nil && p != nil {
		t.memberships = []membership{{p, p.sections[0]}}
	}
	w.list = append(w.list, t)
	w.byGID[t.gid] = t
	if parent != nil {
		w.near[parent.gid] = append(w.near[parent.gid], t)
	}
	where := &thing{}
	if parent != nil {
		where = &parent.thing
	} else if p != nil {
		where = &p.thing
	}
	w.tell(t, "added", where)
	return t
}

// live are tasks that were not deleted.
func (w *workspace) live(gid string) *task {
	if t := w.byGID[gid]; t != nil && !t.gone() {
		return t
	}
	return nil
}

func (w *workspace) touch(t *task) {
	t.modified = w.now()
	w.tell(t, "changed", nil)
}

// root is the task that stands in a project itself.
func (t *task) root() *task {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

func (t *task) in(p *project) *membership {
	for i := range t.memberships {
		if t.memberships[i].project == p {
			return &t.memberships[i]
		}
	}
	return nil
}

// tell adds an event to the streams of the projects that the task stands in.
func (w *workspace) tell(t *task, action string, parent *thing) {
	for _, m := range t.root().memberships {
		w.emit(m.project, &event{kind: "task", action: action, resource: &t.thing, parent: parent})
	}
}

func (w *workspace) emit(p *project, e *event) {
	w.happened++
	p.next++
	if w.lose > 0 && w.happened*37%100 < w.lose {
		return // delivered at most once, and this one not at all
	}
	e.number, e.at = p.next, w.now()
	p.events = append(p.events, e)
	if len(p.events) > 20000 {
		p.events = slices.Delete(p.events, 0, 10000)
	}
}

// section moves a task, which is not a modification.
func (w *workspace) section(t *task, p *project, to *thing) {
	m := t.in(p)
	if m == nil {
		t.memberships = append(t.memberships, membership{p, to})
		w.tell(t, "added", &p.thing)
		return
	}
	if m.section == to {
		return
	}
	w.tell(t, "removed", m.section)
	m.section = to
	w.tell(t, "added", to)
}

// story adds what Asana notes by itself, which is a modification.
func (w *workspace) story(t *task, kind, text string, by *thing) *story {
	s := &story{thing: thing{w.newGID(), "story", ""}, kind: kind, text: text, by: by, created: w.now()}
	t.stories = append(t.stories, s)
	for _, m := range t.root().memberships {
		w.emit(m.project, &event{kind: "story", action: "added", resource: &s.thing, parent: &t.thing})
	}
	w.touch(t)
	return s
}

// complete sets whether a task is completed, and its approval with it.
func (w *workspace) complete(t *task, done bool) {
	t.completed = done
	if t.subtype == "approval" {
		t.approval = map[bool]string{true: "approved", false: "pending"}[done]
	}
}

// status is what people would call the state of a task.
func (t *task) status() string {
	section := ""
	if len(t.memberships) > 0 && t.memberships[0].section != nil {
		section = t.memberships[0].section.name
	}
	switch {
	case t.completed && section != "Done" && section != "Won't do":
		return "Completed"
	case section == "":
		return "Incomplete"
	}
	return section
}

func fold(a, b string) bool { return strings.Contains(strings.ToLower(a), strings.ToLower(b)) }

// gone reports whether a task was deleted, or a task above it, which takes it along.
func (t *task) gone() bool {
	for ; t != nil; t = t.parent {
		if t.deleted {
			return true
		}
	}
	return false
}
