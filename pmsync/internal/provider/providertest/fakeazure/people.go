package fakeazure

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var _ providertest.World = (*Server)(nil)

// Add makes an item of the project. Azure DevOps has no milestones.
func (s *Server) Add(spec providertest.Spec) string {
	s.Lock()
	defer s.Unlock()
	if spec.Type == provider.TypeMilestone {
		return ""
	}
	kind := map[provider.ItemType]string{provider.TypeEpic: "Epic", provider.TypeSubtask: "Task"}[spec.Type]
	kind = cmp.Or(kind, "User Story")
	s.w.serial += len(s.w.items) % 3 // other projects create items too
	i := s.w.add(s.w.projects[0], kind, spec.Title)
	i.body = spec.Body
	s.apply(i, providertest.Edit{Status: &spec.Status, Priority: &spec.Priority, Assignee: &spec.Assignee, Add: spec.Labels})
	if parent := s.w.find(spec.Parent); parent != nil {
		s.w.link(i, "System.LinkTypes.Hierarchy-Reverse", parent)
	}
	for _, id := range spec.Blocks {
		if other := s.w.find(id); other != nil {
			s.w.link(i, "System.LinkTypes.Dependency-Forward", other)
		}
	}
	if !spec.Updated.IsZero() {
		i.created, i.changed = spec.Updated.UTC(), spec.Updated.UTC()
	}
	return strconv.Itoa(i.id)
}

func (s *Server) apply(i *item, e providertest.Edit) {
	providertest.Put(&i.title, e.Title)
	providertest.Put(&i.body, e.Body)
	if e.Status != nil && *e.Status != "" {
		i.state = *e.Status
	}
	if e.Priority != nil {
		i.priority = (5 - *e.Priority) % 5
	}
	if e.Assignee != nil {
		i.assignee = s.w.person(*e.Assignee)
	}
	for _, tag := range e.Add {
		if !has(i.tags, tag) {
			i.tags = append(i.tags, tag)
		}
	}
	i.tags = slices.DeleteFunc(slices.Clone(i.tags), func(tag string) bool { return has(e.Remove, tag) })
	slices.Sort(i.tags)
}

// Edit changes an item.
func (s *Server) Edit(id string, e providertest.Edit) {
	s.Change(id, func(i *item) {
		s.apply(i, e)
		s.w.touch(i)
	})
}

// Criteria sets the acceptance criteria of an item, in HTML.
func (s *Server) Criteria(id, html string) {
	s.Change(id, func(i *item) { i.criteria = html; s.w.touch(i) })
}

// Hide hides an item from the token, and Show shows it again.
func (s *Server) Hide(id string) { s.Change(id, func(i *item) { i.hidden = true }) }

// Show undoes Hide.
func (s *Server) Show(id string) { s.Change(id, func(i *item) { i.hidden = false }) }

// Retype changes the type of an item.
func (s *Server) Retype(id, kind string) {
	s.Change(id, func(i *item) { i.kind = i.project.kind(kind); s.w.touch(i) })
}

// Comment adds a comment of another person.
func (s *Server) Comment(id, text string) {
	s.Change(id, func(i *item) { s.w.say(i, text, s.w.people[1]) })
}

// Attach attaches a file to an item, or a page, which has no size.
func (s *Server) Attach(id, name, address string, size int64) bool {
	rel := "Hyperlink"
	if size > 0 {
		rel = "AttachedFile"
	}
	return s.Change(id, func(i *item) {
		i.links = append(i.links, link{rel: rel, address: address, comment: name, size: size})
		s.w.touch(i)
	})
}

// Delete puts an item into the recycle bin.
func (s *Server) Delete(id string) bool {
	return s.Change(id, func(i *item) {
		i.deleted, i.at = true, s.w.now()
		i.project.bin = append(i.project.bin, i)
	})
}

// Restore takes an item out of the recycle bin, which creates a revision.
func (s *Server) Restore(id string) bool {
	return s.Change(id, func(i *item) {
		i.deleted = false
		i.project.bin = slices.DeleteFunc(i.project.bin, func(other *item) bool { return other == i })
		s.w.touch(i)
	})
}

// Purge destroys an item.
func (s *Server) Purge(id string) bool {
	return s.Change(id, func(i *item) {
		i.project.bin = slices.DeleteFunc(i.project.bin, func(other *item) bool { return other == i })
		s.w.items = slices.DeleteFunc(s.w.items, func(other *item) bool { return other == i })
		delete(s.w.byID, i.id)
	})
}

// Move moves an item to the other project, where it keeps its id.
func (s *Server) Move(id string) bool {
	return s.Change(id, func(i *item) {
		i.project, i.sprint = s.w.projects[1], s.w.projects[1].name
		i.kind = i.project.kind(i.kind.name)
		s.w.touch(i)
	})
}

// Look returns the current state of an item.
func (s *Server) Look(id string) (spec providertest.Spec, ok bool) {
	ok = s.Change(id, func(i *item) {
		spec = providertest.Spec{Type: provider.TypeTicket, Title: i.title, Body: i.body, Status: i.state, Priority: (5 - i.priority) % 5, Labels: slices.Clone(i.tags), Updated: i.changed}
		if i.assignee != nil {
			spec.Assignee = i.assignee.mail
		}
		if p := i.parent(); p != nil {
			spec.Parent = strconv.Itoa(p.id)
			if i.kind.name == "Task" {
				spec.Type = provider.TypeSubtask
			}
		}
		if strings.HasPrefix(i.kind.category, "Microsoft.Epic") || strings.HasPrefix(i.kind.category, "Microsoft.Feature") {
			spec.Type = provider.TypeEpic
		}
		isBlock := func(l link) bool { return l.rel == "System.LinkTypes.Dependency-Forward" }
		spec.Blocks = providertest.Texts(i.links, isBlock, func(l link) string { return strconv.Itoa(l.other.id) })
	})
	return spec, ok
}

// Comments are the texts of the comments without their markers, oldest first.
func (s *Server) Comments(id string) (out []string) {
	s.Change(id, func(i *item) {
		out = providertest.Texts(i.comments, nil, func(m *comment) string { return providertest.Plain(m.text) })
	})
	return out
}

// IDs returns the items of the project except its epics.
func (s *Server) IDs() []string {
	s.Lock()
	defer s.Unlock()
	return providertest.Texts(s.w.items, func(i *item) bool {
		return !i.deleted && i.project == s.w.projects[0] && i.kind.name != "Epic" && i.kind.category != "Microsoft.HiddenCategory"
	}, func(i *item) string { return strconv.Itoa(i.id) })
}

// People are the sign-in names.
func (s *Server) People() []string {
	return providertest.Texts(s.w.people, nil, func(p *person) string { return p.mail })
}

// Labels are tags; using a new tag creates it.
func (s *Server) Labels() []string { return slices.Clone(s.w.tags) }
