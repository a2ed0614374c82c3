package fakeasana

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
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
		html        string // the notes as HTML, if they were written so
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
	// event is a change of a task or a section, for followers of a project.
	event struct {
		number       int
		at           time.Time
		kind, action string
		resource     *thing
		parent       *thing
	}
)

// workspace is the whole content.
type workspace struct {
	now      func() time.Time
	lose     int
	people   []*thing
	tagList  []*thing
	fresh    map[*thing]time.Time // creation times of tags that were made by requests
	projects map[string]*project
	fields   []*customField
	types    []*customField
	list     []*task // in the order of the project
	byGID    map[string]*task
	near     map[string][]*task // children and waiting tasks by the other task's gid
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
	return providertest.First(list, func(t *thing) bool { return t.gid == id || t.name == id })
}

// add creates a task in the first section of a project, or below another task.
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

// live are tasks that are not deleted.
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

// root returns the topmost task.
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

// tell adds an event to the streams of the task's projects.
func (w *workspace) tell(t *task, action string, parent *thing) {
	for _, m := range t.root().memberships {
		w.emit(m.project, &event{kind: "task", action: action, resource: &t.thing, parent: parent})
	}
}

func (w *workspace) emit(p *project, e *event) {
	w.happened++
	p.next++
	if w.lose > 0 && w.happened*37%100 < w.lose {
		return // this event is lost: events are delivered at most once
	}
	e.number, e.at = p.next, w.now()
	p.events = append(p.events, e)
	if len(p.events) > 20000 {
		p.events = slices.Delete(p.events, 0, 10000)
	}
}

// section moves a task, which does not change the modification time.
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

// story adds a note of Asana's own, which changes the modification time.
func (w *workspace) story(t *task, kind, text string, by *thing) *story {
	s := &story{thing: thing{w.newGID(), "story", ""}, kind: kind, text: text, by: by, created: w.now()}
	t.stories = append(t.stories, s)
	for _, m := range t.root().memberships {
		w.emit(m.project, &event{kind: "story", action: "added", resource: &s.thing, parent: &t.thing})
	}
	w.touch(t)
	return s
}

// complete sets the completed flag of a task and its approval.
func (w *workspace) complete(t *task, done bool) {
	t.completed = done
	if t.subtype == "approval" {
		t.approval = map[bool]string{true: "approved", false: "pending"}[done]
	}
}

// status returns a task's state for people.
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

// gone reports whether a task or one of its ancestors was deleted.
func (t *task) gone() bool {
	for ; t != nil; t = t.parent {
		if t.deleted {
			return true
		}
	}
	return false
}
