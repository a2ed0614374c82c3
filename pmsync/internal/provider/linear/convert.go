package linear

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

type user struct {
	ID, Name, DisplayName, Email string
	Active                       bool
}

func (u *user) convert() *provider.User {
	if u == nil {
		return nil
	}
	return &provider.User{ID: u.ID, Name: cmp.Or(u.Name, u.DisplayName), Email: u.Email, Login: u.DisplayName, Active: u.Active}
}

type issueRef struct{ ID, Identifier, Title string }

func (r issueRef) ref() provider.Ref {
	return provider.Ref{ID: r.ID, Key: r.Identifier, Name: r.Title}
}

type relation struct {
	ID, Type     string
	RelatedIssue issueRef // where the issue is the relation's source
	Issue        issueRef // where the issue is the relation's target
}

type state struct {
	ID, Name, Type string
	Position       float64 // among the states of a team
}

type issue struct {
	ID, Identifier, Title string
	PreviousIdentifiers   []string
	Description           string
	Priority              float64
	PriorityLabel         string
	Estimate              *float64
	DueDate, URL          string
	CreatedAt, UpdatedAt  time.Time
	ArchivedAt            *time.Time
	Trashed               bool
	LabelIDs              []string
	State                 state
	Assignee              *user
	Team                  struct{ ID, Key string }
	Parent                *issueRef
	Cycle                 *struct {
		ID, Name string
		Number   float64
	}
	Project          *struct{ ID, Name string }
	ProjectMilestone *struct{ ID, Name string }
	Attachments      connection[struct{ ID, Title, URL string }]
	Relations        connection[relation]
	InverseRelations connection[relation]
}

// parse decodes a node of a list. It refuses data without an id, a team, a state or a time of change, so that these are never taken for
// cleared fields.
func parse[T any](raw json.RawMessage, complete func(*T) bool) (*T, error) {
	node := new(T)
	if err := json.Unmarshal(raw, node); err != nil {
		return nil, provider.Fail(provider.Protocol, nil, "Linear sent an item in another shape than its API describes: %s", shape(err))
	}
	if !complete(node) {
		return nil, provider.Fail(provider.Protocol, nil, "Linear sent an item that lacks its id, its status or the time of its last change")
	}
	return node, nil
}

func (i *issue) complete() bool {
	return i.ID != "" && i.State.ID != "" && i.Team.ID != "" && !i.UpdatedAt.IsZero()
}

// item converts the issue to the common form. The names of its labels must be loaded; its links are those of the first page.
func (c *Client) item(i *issue, raw json.RawMessage) provider.Item {
	out := provider.Item{
		RemoteID: i.ID, Key: i.Identifier, FormerKeys: i.PreviousIdentifiers, Type: provider.TypeTicket, NativeType: "Issue",
		Title: i.Title, Body: provider.Text{Format: provider.Markdown, Text: i.Description},
		Status:   c.status(i.State),
		Priority: c.priority(i.Priority, i.PriorityLabel), PriorityLabel: i.PriorityLabel,
		Assignee: i.Assignee.convert(), Labels: c.labelNames(i.LabelIDs),
		DueDate: i.DueDate, Estimate: i.Estimate, URL: i.URL,
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, ArchivedAt: i.ArchivedAt, Presence: provider.Present,
		Version: i.UpdatedAt.UTC().Format(time.RFC3339Nano), Project: i.Team.ID, Raw: raw,
	}
	if i.Estimate != nil {
		out.EstimateUnit = "points"
	}
	if i.Parent != nil {
		out.Type, out.Parent = provider.TypeSubtask, new(i.Parent.ref())
	}
	if i.Project != nil {
		out.Epic = &provider.Ref{ID: i.Project.ID, Name: i.Project.Name}
	}
	if i.ProjectMilestone != nil {
		out.Milestone = &provider.Ref{ID: i.ProjectMilestone.ID, Name: i.ProjectMilestone.Name}
	}
	if i.Cycle != nil {
		out.Sprint = &provider.Ref{ID: i.Cycle.ID, Name: cycleName(i.Cycle.Name, i.Cycle.Number)}
	}
	out.Links = links(i.Relations.Nodes, i.InverseRelations.Nodes)
	for _, a := range i.Attachments.Nodes {
		out.Files = append(out.Files, provider.File{Web: true, Name: a.Title, URL: a.URL})
	}
	out.Presence = presence(i.Trashed, i.ArchivedAt)
	if out.Presence == provider.Present && !c.isTeam(i.Team.ID, i.Team.Key) {
		out.Presence = provider.Moved
	}
	return out
}

func presence(trashed bool, archived *time.Time) provider.Where {
	switch {
	case trashed:
		return provider.Deleted
	case archived != nil:
		return provider.Archived
	}
	return provider.Present
}

func cycleName(name string, number float64) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("Cycle %d", int(number))
}

// relations are the ones that people make, from the view of their source and of their target: "similar" is a guess of Linear's.
var relations = map[string][2]provider.Relation{
	"blocks":    {provider.Blocks, provider.BlockedBy},
	"duplicate": {provider.Duplicates, provider.DuplicatedBy},
	"related":   {provider.RelatedTo, provider.RelatedTo},
}

func links(own, inverse []relation) (out []provider.Link) {
	for side, list := range [][]relation{own, inverse} {
		for _, r := range list {
			word, ok := relations[r.Type]
			target := r.RelatedIssue
			if side == 1 {
				target = r.Issue
			}
			if ok && target.ID != "" {
				out = append(out, provider.Link{ID: r.ID, Relation: word[side], Target: target.ref(), Native: r.Type})
			}
		}
	}
	return out
}

// categories are the meanings of the types of states, of issues and of projects. Any other type counts as in progress: it is neither
// ready nor done.
var categories = map[string]provider.Category{
	"triage": provider.Todo, "backlog": provider.Todo, "unstarted": provider.Todo, "planned": provider.Todo,
	"completed": provider.Done, "canceled": provider.Canceled, "duplicate": provider.Canceled,
}

// status returns the meaning of a state by its type; every team may choose names freely.
func (c *Client) status(s state) provider.Status {
	return c.mapping.Meant(provider.Status{ID: s.ID, Name: s.Name, Native: s.Type, Category: cmp.Or(categories[s.Type], provider.InProgress)})
}

// priority inverts Linear's scale (1 urgent … 4 low); 0 is none on both.
func (c *Client) priority(native float64, label string) int {
	if p, ok := c.mapping.PriorityOf("", label); ok {
		return p
	}
	if native >= 1 && native <= 4 {
		return 5 - int(native)
	}
	return 0
}

// nativePriority is the inverse of priority.
func nativePriority(p int) (int, error) {
	switch {
	case p == 0:
		return 0, nil
	case p >= 1 && p <= 4:
		return 5 - p, nil
	}
	return 0, provider.Fail(provider.Invalid, nil, "priority %d is not between 0 and 4", p)
}

type project struct {
	ID, SlugID, Name, Description, Content string
	Priority                               float64
	PriorityLabel, URL, TargetDate         string
	CreatedAt, UpdatedAt                   time.Time
	ArchivedAt                             *time.Time
	Trashed                                bool
	Status                                 state
	Lead                                   *user
}

func (p *project) complete() bool {
	return p.ID != "" && p.Status.ID != "" && !p.UpdatedAt.IsZero()
}

// epic converts a project of Linear to the common form.
func (c *Client) epic(p *project, raw json.RawMessage) provider.Item {
	return provider.Item{
		RemoteID: p.ID, Key: cmp.Or(p.SlugID, p.ID), Type: provider.TypeEpic, NativeType: "Project", Title: p.Name,
		Body: provider.Text{Format: provider.Markdown, Text: cmp.Or(p.Content, p.Description)}, Status: c.status(p.Status),
		Priority: c.priority(p.Priority, p.PriorityLabel), PriorityLabel: p.PriorityLabel, Assignee: p.Lead.convert(),
		DueDate: p.TargetDate, URL: p.URL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, ArchivedAt: p.ArchivedAt,
		Presence: presence(p.Trashed, p.ArchivedAt), Version: p.UpdatedAt.UTC().Format(time.RFC3339Nano), Raw: raw,
	}
}

type milestone struct {
	ID, Name, Description, TargetDate, Status string
	CreatedAt, UpdatedAt                      time.Time
	ArchivedAt                                *time.Time
	Project                                   struct{ ID, Name, URL string }
}

func (m *milestone) complete() bool { return m.ID != "" && !m.UpdatedAt.IsZero() }

func (c *Client) milestone(m *milestone, raw json.RawMessage) provider.Item {
	s := provider.Status{ID: m.Status, Name: m.Status, Native: m.Status, Category: provider.Todo}
	if m.Status == "done" {
		s.Category = provider.Done
	}
	return provider.Item{
		RemoteID: m.ID, Key: m.ID, Type: provider.TypeMilestone, NativeType: "Project milestone", Title: m.Name,
		Body: provider.Text{Format: provider.Markdown, Text: m.Description}, Status: s, DueDate: m.TargetDate,
		Epic: &provider.Ref{ID: m.Project.ID, Name: m.Project.Name}, URL: m.Project.URL,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, ArchivedAt: m.ArchivedAt,
		Presence: presence(false, m.ArchivedAt), Version: m.UpdatedAt.UTC().Format(time.RFC3339Nano), Raw: raw,
	}
}

// labelNames returns the names of the labels, sorted.
func (c *Client) labelNames(ids []string) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if name := c.labels[id]; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
