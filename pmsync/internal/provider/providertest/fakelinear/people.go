package fakelinear

import (
	"cmp"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var _ providertest.World = (*Server)(nil)

// Add makes an issue, or a project for an epic, or a milestone.
func (s *Server) Add(spec providertest.Spec) string {
	s.Lock()
	defer s.Unlock()
	w := s.w
	now := w.now()
	if !spec.Updated.IsZero() {
		now = spec.Updated.UTC().Truncate(time.Millisecond)
	}
	switch spec.Type {
	case provider.TypeEpic:
		p := &project{id: w.newID(), name: spec.Title, body: spec.Body, kind: "started", team: w.teams[0], created: now, updated: now, w: w}
		p.slug = p.id[:12]
		w.projects = append(w.projects, p)
		return p.id
	case provider.TypeMilestone:
		if len(w.projects) == 0 {
			w.projects = append(w.projects, &project{id: w.newID(), slug: "roadmap", name: "Roadmap", kind: "planned", team: w.teams[0], created: now, updated: now, w: w})
		}
		m := &milestone{id: w.newID(), name: spec.Title, body: spec.Body, status: "unstarted", project: w.projects[0], created: now, updated: now}
		w.milestones = append(w.milestones, m)
		return m.id
	}
	i := w.addIssue(w.teams[0], "", spec.Title)
	i.body = spec.Body
	s.apply(i, providertest.Edit{Status: &spec.Status, Priority: &spec.Priority, Assignee: &spec.Assignee, Add: spec.Labels})
	i.parent = w.byID[spec.Parent]
	for _, other := range spec.Blocks {
		w.relations = append(w.relations, &relation{id: w.newID(), kind: "blocks", issue: i, relatedTo: w.byID[other], w: w})
	}
	i.updated, i.created = now, now
	w.dirty = true
	return i.id
}

func (s *Server) apply(i *issue, e providertest.Edit) {
	providertest.Put(&i.title, e.Title)
	providertest.Put(&i.body, e.Body)
	if e.Status != nil {
		i.state = cmp.Or(providertest.First(i.team.states, func(st *state) bool { return st.name == *e.Status }), i.state)
	}
	if e.Priority != nil {
		i.priority = (5 - *e.Priority) % 5
	}
	if e.Assignee != nil {
		i.assignee = providertest.First(s.w.users, func(u *user) bool { return u.id == *e.Assignee })
	}
	for _, name := range e.Add {
		for _, l := range s.w.labels {
			if l.name == name && (l.team == nil || l.team == i.team) && !slices.Contains(i.labels, l) {
				i.labels = append(i.labels, l)
			}
		}
	}
	i.labels = slices.DeleteFunc(slices.Clone(i.labels), func(l *label) bool { return slices.Contains(e.Remove, l.name) })
}

// Edit changes an issue.
func (s *Server) Edit(id string, e providertest.Edit) {
	s.Change(id, func(i *issue) {
		s.apply(i, e)
		s.w.touch(i)
	})
}

// Comment adds a comment of another person.
func (s *Server) Comment(id, text string) {
	s.Change(id, func(i *issue) {
		s.w.comments = append(s.w.comments, &comment{id: s.w.newID(), body: text, issue: i, user: s.w.users[1], created: s.w.now(), updated: s.w.now()})
		s.w.touch(i)
	})
}

// Archive puts an issue away, which is not a change of it.
func (s *Server) Archive(id string) bool {
	return s.Change(id, func(i *issue) { at := s.w.now(); i.archived = &at })
}

// Delete puts an issue into the trash.
func (s *Server) Delete(id string) bool {
	return s.Change(id, func(i *issue) { at := s.w.now(); i.archived, i.trashed = &at, true })
}

// Restore takes an issue out of the archive or the trash, which is not a change
// of it either.
func (s *Server) Restore(id string) bool {
	return s.Change(id, func(i *issue) { i.archived, i.trashed = nil, false })
}

// Purge removes an issue for good.
func (s *Server) Purge(id string) bool {
	return s.Change(id, func(i *issue) {
		s.w.issues = slices.DeleteFunc(s.w.issues, func(other *issue) bool { return other == i })
		s.w.relations = slices.DeleteFunc(s.w.relations, func(r *relation) bool { return r.issue == i || r.relatedTo == i })
		delete(s.w.byID, id)
		delete(s.w.byKey, i.identifier)
	})
}

// Move moves an issue to the other team.
func (s *Server) Move(id string) bool {
	return s.Change(id, func(i *issue) { s.w.move(i, s.w.teams[1]) })
}

// Attach attaches a page to an issue, or a file of a size.
func (s *Server) Attach(id, name, address string, _ int64) bool {
	return s.Change(id, func(i *issue) {
		i.pages = append(i.pages, [2]string{name, address})
		s.w.touch(i)
	})
}

// Hide makes one field of an issue unreadable, so that its error stands beside
// the data.
func (s *Server) Hide(id, field string) { s.Change(id, func(i *issue) { i.hidden = field }) }

// Look returns what an issue is now.
func (s *Server) Look(id string) (spec providertest.Spec, ok bool) {
	ok = s.Change(id, func(i *issue) {
		spec = providertest.Spec{Type: provider.TypeTicket, Title: i.title, Body: i.body, Status: i.state.name, Priority: (5 - i.priority) % 5, Updated: i.updated}
		if i.assignee != nil {
			spec.Assignee = i.assignee.id
		}
		if i.parent != nil {
			spec.Parent, spec.Type = i.parent.id, provider.TypeSubtask
		}
		spec.Labels = providertest.Texts(i.labels, nil, func(l *label) string { return l.name })
		slices.Sort(spec.Labels)
		isBlock := func(r *relation) bool { return r.issue == i && r.kind == "blocks" }
		spec.Blocks = providertest.Texts(s.w.relations, isBlock, func(r *relation) string { return r.relatedTo.id })
	})
	return spec, ok
}

// Comments are the texts of an issue's comments.
func (s *Server) Comments(id string) (texts []string) {
	s.Change(id, func(i *issue) {
		texts = providertest.Texts(s.w.comments, func(c *comment) bool { return c.issue == i }, func(c *comment) string { return c.body })
	})
	return texts
}

// IDs are the issues of the team that are neither archived nor in the trash.
func (s *Server) IDs() []string {
	s.Lock()
	defer s.Unlock()
	inTeam := func(i *issue) bool { return i.team.id == Team && i.archived == nil }
	return providertest.Texts(s.w.issues, inTeam, func(i *issue) string { return i.id })
}

// People are the ids of the users.
func (s *Server) People() []string {
	return providertest.Texts(s.w.users, nil, func(u *user) string { return u.id })
}

// Labels are names of labels of the team.
func (s *Server) Labels() []string { return []string{"Bug", "Feature", "backend"} }
