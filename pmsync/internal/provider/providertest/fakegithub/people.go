package fakegithub

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// id is the id that pmsync knows an issue by.
func id(i *issue) string { return fmt.Sprintf("%d#%d", i.repo.id, i.number) }

func (s *Server) find(id string) *issue {
	_, number, _ := strings.Cut(id, "#")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	r := s.w.repos[0]
	if to := r.moved[n]; to != nil {
		return to
	}
	return r.byNumber[n]
}

// Add makes an issue, and now and then a pull request beside it, which takes a number.
func (s *Server) Add(spec providertest.Spec) string {
	s.Lock()
	defer s.Unlock()
	if spec.Type == provider.TypeMilestone {
		return ""
	}
	r := s.w.repos[0]
	if r.next%9 == 4 {
		s.w.add(r, "A pull request", s.w.people[2]).pull = true
	}
	i := s.w.add(r, spec.Title, s.w.people[1])
	i.body = strings.ReplaceAll(spec.Body, "\n", "\r\n") // as the page writes it
	if spec.Type == provider.TypeEpic {
		i.kind = "Epic"
	}
	s.apply(i, providertest.Edit{Status: &spec.Status, Priority: &spec.Priority, Assignee: &spec.Assignee, Add: spec.Labels})
	i.parent = s.find(spec.Parent)
	for _, other := range spec.Blocks {
		if o := s.find(other); o != nil {
			o.blockedBy = append(o.blockedBy, i)
		}
	}
	if !spec.Updated.IsZero() {
		i.updated, i.created = spec.Updated.UTC(), spec.Updated.UTC()
	}
	return id(i)
}

func (s *Server) apply(i *issue, e providertest.Edit) {
	providertest.Put(&i.title, e.Title)
	providertest.Put(&i.body, e.Body)
	if e.Status != nil && s.o.Board {
		s.w.boardState(i, *e.Status)
	} else if e.Status != nil {
		s.state(i, *e.Status)
	}
	if e.Priority != nil && s.o.Board {
		s.w.boardPriority(i, *e.Priority)
	} else if e.Priority != nil {
		i.labels = slices.DeleteFunc(i.labels, func(l string) bool { return slices.Contains(priorityLabels, l) })
		if *e.Priority > 0 {
			i.label(priorityLabels[*e.Priority-1])
		}
	}
	if e.Assignee != nil {
		i.assignees = nil
		if *e.Assignee != "" {
			i.assignees = []string{*e.Assignee}
		}
	}
	for _, name := range e.Add {
		i.label(name)
	}
	for _, name := range e.Remove {
		i.unlabel(name)
	}
}

// state sets the state of an issue by its name.
func (s *Server) state(i *issue, name string) {
	i.labels = slices.DeleteFunc(i.labels, func(l string) bool { return slices.Contains(stateLabels, l) })
	closed := map[string]string{"Completed": "completed", "Not planned": "not_planned", "Duplicate": "duplicate"}[name]
	if i.closed && closed == "" {
		i.reason = "reopened"
	}
	if i.closed = closed != ""; i.closed {
		i.reason = closed
	}
	if slices.Contains(stateLabels, name) {
		i.label(name)
	}
}

// Edit changes an issue.
func (s *Server) Edit(id string, e providertest.Edit) {
	s.Change(id, func(i *issue) {
		s.apply(i, e)
		if !s.o.Board || e.Title != nil || e.Body != nil || e.Assignee != nil || len(e.Add)+len(e.Remove) > 0 {
			s.w.touch(i)
		}
	})
}

// Comment adds a comment of another person.
func (s *Server) Comment(id, text string) {
	s.Change(id, func(i *issue) {
		i.comments = append(i.comments, &comment{id: s.w.id(), body: text, author: s.w.people[1], created: s.w.now()})
		s.w.touch(i)
	})
}

// Delete deletes an issue for good.
func (s *Server) Delete(id string) bool {
	return s.Change(id, func(i *issue) {
		s.w.remove(i)
		i.repo.gone[i.number] = true
	})
}

// Purge removes an issue so that nothing tells of it.
func (s *Server) Purge(id string) bool { return s.Change(id, s.w.remove) }

// Move transfers an issue to the other repository: it gets another id and number.
func (s *Server) Move(id string) bool {
	return s.Change(id, func(i *issue) {
		from, number := i.repo, i.number
		s.w.remove(i)
		to := s.w.repos[1]
		to.next++
		i.repo, i.number, i.id = to, to.next, s.w.id()
		to.issues = append(to.issues, i)
		to.byNumber[i.number] = i
		from.moved[number] = i
	})
}

// Look returns what the issue is now.
func (s *Server) Look(wanted string) (spec providertest.Spec, ok bool) {
	ok = s.Change(wanted, func(i *issue) {
		spec = providertest.Spec{Title: i.title, Body: i.body, Status: "Open", Updated: i.updated}
		if i.closed {
			spec.Status = map[string]string{"not_planned": "Not planned", "duplicate": "Duplicate"}[i.reason]
			spec.Status = cmp.Or(spec.Status, "Completed")
		}
		for _, l := range i.labels {
			switch {
			case slices.Contains(priorityLabels, l):
				spec.Priority = max(spec.Priority, slices.Index(priorityLabels, l)+1)
			case slices.Contains(stateLabels, l):
				if spec.Status == "Open" {
					spec.Status = l
				}
			default:
				spec.Labels = append(spec.Labels, l)
			}
		}
		if s.o.Board {
			s.w.lookBoard(i, &spec)
		}
		slices.Sort(spec.Labels)
		if len(i.assignees) > 0 {
			spec.Assignee = i.assignees[0]
		}
		if i.parent != nil {
			spec.Parent = id(i.parent)
		}
		spec.Blocks = providertest.Texts(i.repo.issues, func(o *issue) bool { return slices.Contains(o.blockedBy, i) }, id)
	})
	return spec, ok
}

// Comments are the texts of the comments, without the marks.
func (s *Server) Comments(id string) (all []string) {
	s.Change(id, func(i *issue) {
		all = providertest.Texts(i.comments, nil, func(c *comment) string { return providertest.Plain(c.body) })
	})
	return all
}

// IDs are the issues of the repository that are neither epics nor pull requests.
func (s *Server) IDs() []string {
	s.Lock()
	defer s.Unlock()
	return providertest.Texts(s.w.repos[0].issues, func(i *issue) bool { return !i.pull && i.kind != "Epic" }, id)
}

// People are the logins of who can be assigned.
func (s *Server) People() []string { return slices.Clone(s.w.people) }

// Labels are those that stand for no state and no priority.
func (s *Server) Labels() []string { return slices.Clone(plainLabels) }

// DisableIssues turns the issues of the repository off.
func (s *Server) DisableIssues() {
	s.Lock()
	defer s.Unlock()
	s.w.repos[0].disabled = true
}
