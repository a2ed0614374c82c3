package fakeasana

import (
	"slices"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var _ providertest.World = (*Server)(nil)

// Add makes a task of the project. Asana has no epics.
func (s *Server) Add(spec providertest.Spec) string {
	s.Lock()
	defer s.Unlock()
	if spec.Type == provider.TypeEpic {
		return ""
	}
	t := s.w.add(spec.Title, s.w.projects[Project], s.w.byGID[spec.Parent])
	if spec.Type == provider.TypeMilestone {
		t.subtype = "milestone"
	}
	t.notes = spec.Body
	s.apply(t, providertest.Edit{Status: &spec.Status, Priority: &spec.Priority, Assignee: &spec.Assignee, Add: spec.Labels})
	for _, id := range spec.Blocks {
		if other := s.w.byGID[id]; other != nil {
			other.waits = append(other.waits, t)
			s.w.near[t.gid] = append(s.w.near[t.gid], other)
		}
	}
	if !spec.Updated.IsZero() {
		t.modified = spec.Updated.UTC()
	}
	return t.gid
}

// AddApproval creates a task that waits for an approval.
func (s *Server) AddApproval(title string) string {
	id := s.Add(providertest.Spec{Title: title})
	s.Change(id, func(t *task) { t.subtype, t.approval = "approval", "pending" })
	return id
}

// AddIncident creates a task of a custom type with states of its own.
func (s *Server) AddIncident(title string) string {
	id := s.Add(providertest.Spec{Title: title})
	s.Change(id, func(t *task) { t.subtype, t.custom, t.option = "custom", s.w.types[0], s.w.types[0].options[0] })
	return id
}

// Rename gives a section of the project another name.
func (s *Server) Rename(section, name string) {
	s.Lock()
	defer s.Unlock()
	p := s.w.projects[Project]
	if t := find(p.sections, section); t != nil {
		t.name = name
		s.w.emit(p, &event{kind: "section", action: "changed", resource: t})
	}
}

func (s *Server) apply(t *task, e providertest.Edit) {
	providertest.Put(&t.name, e.Title)
	if e.Body != nil {
		t.notes, t.html = *e.Body, ""
	}
	if e.Status != nil && *e.Status != "" {
		s.w.complete(t, *e.Status == "Done" || *e.Status == "Completed")
		p := s.w.projects[Project]
		if section := find(p.sections, *e.Status); section != nil && t.in(p) != nil {
			s.w.section(t, p, section)
		}
	}
	if e.Priority != nil {
		f := s.w.fields[0]
		delete(t.fields, f.gid)
		if p := *e.Priority; p >= 1 && p <= len(f.options) {
			t.fields[f.gid] = f.options[p-1]
		}
	}
	if e.Assignee != nil {
		t.assignee = find(s.w.people, *e.Assignee)
	}
	for _, name := range e.Add {
		if tag := find(s.w.tagList, name); tag != nil && !slices.Contains(t.tags, tag) {
			t.tags = append(t.tags, tag)
		}
	}
	t.tags = slices.DeleteFunc(slices.Clone(t.tags), func(tag *thing) bool { return slices.Contains(e.Remove, tag.name) })
}

// Edit changes a task. A change of the section alone does not change the modification time.
func (s *Server) Edit(id string, e providertest.Edit) {
	s.Change(id, func(t *task) {
		before := t.completed
		s.apply(t, e)
		if e.Title != nil || e.Body != nil || e.Priority != nil || e.Assignee != nil || len(e.Add)+len(e.Remove) > 0 || t.completed != before {
			s.w.touch(t)
		}
	})
}

// Comment adds a comment of another person.
func (s *Server) Comment(id, text string) {
	s.Change(id, func(t *task) { s.w.story(t, "comment_added", text, s.w.people[1]) })
}

// Attach attaches a file to a task, or a page, which has no size.
func (s *Server) Attach(id, name, address string, size int64) bool {
	return s.Change(id, func(t *task) {
		gid := s.w.newGID()
		o := object{"gid": gid, "resource_type": "attachment", "name": name, "resource_subtype": "asana", "size": size, "view_url": nil, "permanent_url": address}
		if size == 0 {
			delete(o, "size")
			o["resource_subtype"], o["view_url"], o["permanent_url"] = "external", address, "https://app.asana.com/app/asana/-/get_asset?asset_id="+gid
		}
		t.files = append(t.files, o)
	})
}

// Delete puts a task into the trash, where nothing shows it.
func (s *Server) Delete(id string) bool {
	return s.Change(id, func(t *task) {
		t.deleted = true
		s.w.tell(t, "deleted", nil)
	})
}

// Restore takes a task out of the trash.
func (s *Server) Restore(id string) bool {
	return s.Change(id, func(t *task) {
		t.deleted = false
		s.w.tell(t, "undeleted", nil)
	})
}

// Purge removes a task for good.
func (s *Server) Purge(id string) bool {
	return s.Change(id, func(t *task) {
		t.deleted = true
		s.w.tell(t, "deleted", nil)
		delete(s.w.byGID, id)
	})
}

// Move moves a task to the other project, which does not change the modification time. A subtask loses its parent.
func (s *Server) Move(id string) bool {
	return s.Change(id, func(t *task) {
		s.w.tell(t, "removed", &s.w.projects[Project].thing)
		t.parent = nil
		other := s.w.projects[OtherProject]
		t.memberships = []membership{{other, other.sections[0]}}
	})
}

// Return brings a task back from the other project.
func (s *Server) Return(id string) {
	s.Change(id, func(t *task) {
		p := s.w.projects[Project]
		t.memberships = []membership{{p, p.sections[0]}}
		s.w.tell(t, "added", &p.thing)
	})
}

// Look returns the current state of a task.
func (s *Server) Look(id string) (spec providertest.Spec, ok bool) {
	ok = s.Change(id, func(t *task) {
		body, _ := provider.Unmark(t.notes)
		spec = providertest.Spec{Type: provider.TypeTicket, Title: t.name, Body: body, Status: t.status(), Updated: t.modified}
		f := s.w.fields[0]
		if o := t.fields[f.gid]; o != nil {
			spec.Priority = slices.Index(f.options, o) + 1
		}
		if t.assignee != nil {
			spec.Assignee = t.assignee.gid
		}
		spec.Labels = providertest.Texts(t.tags, nil, func(tag *thing) string { return tag.name })
		slices.Sort(spec.Labels)
		if t.parent != nil {
			spec.Type, spec.Parent = provider.TypeSubtask, t.parent.gid
		} else if t.subtype == "milestone" {
			spec.Type = provider.TypeMilestone
		}
		waits := func(other *task) bool { return slices.Contains(other.waits, t) }
		spec.Blocks = providertest.Texts(s.w.related(t), waits, func(other *task) string { return other.gid })
	})
	return spec, ok
}

// Comments are the texts of the comments without their markers, oldest first.
func (s *Server) Comments(id string) (out []string) {
	s.Change(id, func(t *task) {
		isComment := func(st *story) bool { return st.kind == "comment_added" }
		out = providertest.Texts(t.stories, isComment, func(st *story) string { return providertest.Plain(st.text) })
	})
	return out
}

// IDs are the tasks of the project, subtasks included.
func (s *Server) IDs() []string {
	s.Lock()
	defer s.Unlock()
	return providertest.Texts(s.w.list, func(t *task) bool {
		return !t.gone() && t.root().in(s.w.projects[Project]) != nil && t.subtype != "milestone"
	}, func(t *task) string { return t.gid })
}

// People are the gids of the users.
func (s *Server) People() []string {
	return providertest.Texts(s.w.people, nil, func(u *thing) string { return u.gid })
}

// Labels are the names of the tags.
func (s *Server) Labels() (out []string) {
	s.Lock()
	defer s.Unlock()
	for _, t := range s.w.tagList {
		if !strings.Contains(strings.Join(out, "\n"), t.name) {
			out = append(out, t.name)
		}
	}
	return out
}
