package fakejira

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

var _ providertest.World = (*Server)(nil)

// Add makes an issue, or a version for a milestone.
func (s *Server) Add(spec providertest.Spec) string {
	s.Lock()
	defer s.Unlock()
	w := s.w
	k := kinds[2]
	switch spec.Type {
	case provider.TypeEpic:
		k = kinds[0]
	case provider.TypeSubtask:
		k = kinds[4]
	case provider.TypeMilestone:
		w.serial++
		v := &version{id: strconv.Itoa(w.serial), name: spec.Title, description: spec.Body}
		w.versions = append(w.versions, v)
		return "version/" + v.id
	}
	i := w.add(w.projects[0], k, spec.Title)
	if spec.Body != "" {
		i.description = document(spec.Body)
	}
	s.apply(i, providertest.Edit{Status: &spec.Status, Priority: &spec.Priority, Assignee: &spec.Assignee, Add: spec.Labels})
	i.parent = w.find(spec.Parent)
	for _, id := range spec.Blocks {
		if other := w.find(id); other != nil {
			w.serial++
			l := &link{w.serial, i, other, 0}
			i.links, other.links = append(i.links, l), append(other.links, l)
		}
	}
	if !spec.Updated.IsZero() {
		i.updated, i.created = spec.Updated.UTC(), spec.Updated.UTC()
		w.dirty = true
	}
	return strconv.Itoa(i.id)
}

func document(text string) any {
	return map[string]any{"type": "doc", "version": 1, "content": []any{
		map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": text}}}}}
}

func (s *Server) apply(i *issue, e providertest.Edit) {
	providertest.Put(&i.summary, e.Title)
	if e.Body != nil {
		i.description = document(*e.Body)
	}
	if e.Status != nil {
		i.status = cmp.Or(providertest.First(statuses, func(st status) bool { return st.name == *e.Status }), i.status)
	}
	if e.Priority != nil {
		i.priority = 4 - *e.Priority
		if *e.Priority == 0 {
			i.priority = -1
		}
	}
	if e.Assignee != nil {
		i.assignee = s.w.user(*e.Assignee)
	}
	for _, name := range e.Add {
		if !slices.Contains(i.labels, name) {
			i.labels = append(i.labels, name)
		}
	}
	i.labels = slices.DeleteFunc(slices.Clone(i.labels), func(l string) bool { return slices.Contains(e.Remove, l) })
	slices.Sort(i.labels)
}

// Edit changes an issue.
func (s *Server) Edit(id string, e providertest.Edit) {
	s.Change(id, func(i *issue) {
		s.w.touch(i)
		s.apply(i, e)
	})
}

// Comment adds a comment of another person.
func (s *Server) Comment(id, text string) {
	s.Change(id, func(i *issue) {
		s.w.serial++
		i.comments = append(i.comments, &comment{id: s.w.serial, body: document(text), author: s.w.users[1], created: s.w.now(), updated: s.w.now()})
		s.w.touch(i)
	})
}

// Attach attaches a file to an issue, or a page, which has no size.
func (s *Server) Attach(id, name, address string, size int64) bool {
	return s.Change(id, func(i *issue) {
		s.w.serial++
		i.files = append(i.files, file{s.w.serial, name, address, size})
		s.w.touch(i)
	})
}

// Delete removes an issue. Jira has no trash for issues.
func (s *Server) Delete(id string) bool { return s.Purge(id) }

// Purge removes an issue.
func (s *Server) Purge(id string) bool { return s.Change(id, s.w.remove) }

// Move moves an issue to the other project: the id stays, the key does not.
func (s *Server) Move(id string) bool {
	return s.Change(id, func(i *issue) {
		p := s.w.projects[1]
		p.next++
		i.former = append(i.former, i.key)
		i.key, i.project = p.key+"-"+strconv.Itoa(p.next), p
		s.w.byKey[i.key] = i
		s.w.touch(i)
	})
}

// Look returns what an issue is now.
func (s *Server) Look(id string) (spec providertest.Spec, ok bool) {
	ok = s.Change(id, func(i *issue) {
		spec = providertest.Spec{Type: provider.TypeTicket, Title: i.summary, Body: plain(i.description), Status: i.status.name, Updated: i.updated}
		if i.priority >= 0 {
			spec.Priority = max(4-i.priority, 1)
		}
		if i.kind.level > 0 {
			spec.Type = provider.TypeEpic
		}
		if i.kind.level < 0 {
			spec.Type = provider.TypeSubtask
		}
		if i.assignee != nil {
			spec.Assignee = i.assignee.id
		}
		if i.parent != nil {
			spec.Parent = strconv.Itoa(i.parent.id)
		}
		spec.Labels = append(spec.Labels, i.labels...)
		isBlock := func(l *link) bool { return l.from == i && l.kind == 0 }
		spec.Blocks = providertest.Texts(i.links, isBlock, func(l *link) string { return strconv.Itoa(l.to.id) })
	})
	return spec, ok
}

// plain is the text of a document.
func plain(v any) string {
	n, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	if text, ok := n["text"].(string); ok {
		return text
	}
	var b strings.Builder
	content, _ := n["content"].([]any)
	for i, each := range content {
		if i > 0 && n["type"] == "doc" {
			b.WriteString("\n\n")
		}
		b.WriteString(plain(each))
	}
	return b.String()
}

// Comments are the texts of an issue's comments.
func (s *Server) Comments(id string) (texts []string) {
	s.Change(id, func(i *issue) {
		texts = providertest.Texts(i.comments, nil, func(c *comment) string { return plain(c.body) })
	})
	return texts
}

// IDs are the issues of the project that are not epics.
func (s *Server) IDs() []string {
	s.Lock()
	defer s.Unlock()
	inProject := func(i *issue) bool { return i.project == s.w.projects[0] && i.kind.level <= 0 }
	return providertest.Texts(s.w.issues, inProject, func(i *issue) string { return strconv.Itoa(i.id) })
}

// People are the ids of the users.
func (s *Server) People() []string {
	return providertest.Texts(s.w.users, nil, func(u *user) string { return u.id })
}

// Labels are names of labels.
func (s *Server) Labels() []string { return []string{"backend", "bug", "ünïcode"} }
