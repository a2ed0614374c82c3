package fakelinear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

type (
	team struct {
		id, key, name string
		next          int
		states        []*state
	}
	state struct {
		id, name, kind string
		position       float64
		team           *team
	}
	user struct {
		id, name, email string
		active          bool
	}
	label struct {
		id, name string
		team     *team
		group    bool
		archived *time.Time
	}
	cycle struct {
		id           string
		number       int
		starts, ends time.Time
		team         *team
	}
	project struct {
		id, slug, name, body, kind string
		team                       *team
		created, updated           time.Time
		archived                   *time.Time
		w                          *workspace
	}
	milestone struct {
		id, name, body, target, status string
		project                        *project
		created, updated               time.Time
	}
	relation struct {
		id, kind         string
		issue, relatedTo *issue
		w                *workspace
	}
	comment struct {
		id, body         string
		issue            *issue
		user             *user
		created, updated time.Time
	}
	issue struct {
		id, identifier, title, body string
		previous                    []string
		priority                    int
		estimate                    *float64
		due                         string
		created, updated            time.Time
		archived                    *time.Time
		trashed                     bool
		state                       *state
		assignee                    *user
		team                        *team
		parent                      *issue
		cycle                       *cycle
		project                     *project
		milestone                   *milestone
		labels                      []*label
		pages                       [][2]string // title and address of what is attached
		hidden                      string      // a field that the key may not see
		writes                      map[string]int
		w                           *workspace
	}
)

// workspace is everything there is.
type workspace struct {
	now        func() time.Time
	teams      []*team
	users      []*user
	labels     []*label
	cycles     []*cycle
	projects   []*project
	milestones []*milestone
	relations  []*relation
	comments   []*comment
	issues     []*issue // sorted by updated and id when clean
	byID       map[string]*issue
	byKey      map[string]*issue
	dirty      bool
	serial     int
}

func newWorkspace(now func() time.Time) *workspace {
	w := &workspace{now: now, byID: map[string]*issue{}, byKey: map[string]*issue{}}
	for i, t := range []*team{{id: Team, key: TeamKey, name: "Semfora"}, {id: OtherTeam, key: "OPS", name: "Operations"}} {
		for p, s := range []struct{ name, kind string }{
			{"Triage", "triage"}, {"Backlog", "backlog"}, {"Todo", "unstarted"}, {"In Progress", "started"}, {"In Review", "started"},
			{"Done", "completed"}, {"Canceled", "canceled"}, {"Duplicate", "duplicate"},
		} {
			t.states = append(t.states, &state{id: fixed("51a7e000", i*100+p), name: s.name, kind: s.kind, position: float64(p), team: t})
		}
		w.teams = append(w.teams, t)
	}
	for i, name := range []string{"Ann Archer", "Bob Baker", "Cäcilie Öz"} {
		w.users = append(w.users, &user{id: fixed("05e20000", i), name: name, email: strings.ToLower(strings.Fields(name)[0]) + "@example.com", active: true})
	}
	w.labels = []*label{
		{id: fixed("1abe1000", 1), name: "Bug"}, {id: fixed("1abe1000", 2), name: "Feature"},
		{id: fixed("1abe1000", 3), name: "backend", team: w.teams[0]}, {id: fixed("1abe1000", 4), name: "urgent: now", team: w.teams[0]},
		{id: fixed("1abe1000", 5), name: "Area", group: true}, {id: fixed("1abe1000", 6), name: "backend", team: w.teams[1]},
	}
	start := now().Truncate(24 * time.Hour)
	for i := range 3 {
		w.cycles = append(w.cycles, &cycle{id: fixed("c7c1e000", i), number: i + 1, team: w.teams[0],
			starts: start.AddDate(0, 0, 14*(i-1)), ends: start.AddDate(0, 0, 14*i)})
	}
	return w
}

func fixed(prefix string, n int) string { return fmt.Sprintf("%s-0000-4000-8000-%012d", prefix, n) }

func (w *workspace) newID() string {
	w.serial++
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, w.serial)).String()
}

// sorted are the issues by the time of change.
func (w *workspace) sorted() []*issue {
	if w.dirty {
		slices.SortFunc(w.issues, func(a, b *issue) int { return cmp.Or(a.updated.Compare(b.updated), cmp.Compare(a.id, b.id)) })
		w.dirty = false
	}
	return w.issues
}

func (w *workspace) touch(i *issue) {
	i.updated = w.now()
	w.dirty = true
}

// find is an issue by its id, its identifier or a former one.
func (w *workspace) find(id string) *issue {
	if i := w.byID[id]; i != nil {
		return i
	}
	return w.byKey[strings.ToUpper(id)]
}

func (w *workspace) addIssue(t *team, id, title string) *issue {
	if id == "" {
		id = w.newID()
	}
	t.next++
	i := &issue{id: id, identifier: fmt.Sprintf("%s-%d", t.key, t.next), title: title, team: t, state: t.states[1], w: w,
		created: w.now(), writes: map[string]int{}}
	w.issues = append(w.issues, i)
	w.byID[id], w.byKey[i.identifier] = i, i
	w.touch(i)
	return i
}

// move gives the issue an identifier of the other team, keeps the old one, and
// takes the state of the same kind there.
func (w *workspace) move(i *issue, t *team) {
	i.previous = append(i.previous, i.identifier)
	t.next++
	i.identifier = fmt.Sprintf("%s-%d", t.key, t.next)
	w.byKey[i.identifier] = i
	i.state = providertest.First(t.states, func(s *state) bool { return s.kind == i.state.kind })
	i.team = t
	w.touch(i)
}

func (w *workspace) Field(name string, args map[string]any) (any, error) {
	filter, _ := args["filter"].(map[string]any)
	switch name {
	case "viewer":
		return w.users[0], nil
	case "organization":
		return fields{"name": "Example", "urlKey": "example"}, nil
	case "team":
		return pick(w.teams, "Team", func(t *team) bool { return t.id == args["id"] || strings.EqualFold(t.key, fmt.Sprint(args["id"])) })
	case "teams":
		return list(w.teams, filter, args, func(t *team) string { return t.id }, func(*team) time.Time { return time.Time{} })
	case "workflowStates":
		var all []*state
		for _, t := range w.teams {
			all = append(all, t.states...)
		}
		return list(all, filter, args, func(s *state) string { return s.id }, func(*state) time.Time { return time.Time{} })
	case "issueLabels":
		return list(w.labels, filter, args, func(l *label) string { return l.id }, func(*label) time.Time { return time.Time{} })
	case "cycles":
		return list(w.cycles, filter, args, func(c *cycle) string { return c.id }, func(c *cycle) time.Time { return c.starts })
	case "users":
		return list(w.users, filter, args, func(u *user) string { return u.id }, func(*user) time.Time { return time.Time{} })
	case "comments":
		return list(w.comments, filter, args, func(c *comment) string { return c.id }, func(c *comment) time.Time { return c.created })
	case "projects":
		return list(w.projects, filter, args, func(p *project) string { return p.id }, func(p *project) time.Time { return p.updated })
	case "projectMilestones":
		return list(w.milestones, filter, args, func(m *milestone) string { return m.id }, func(m *milestone) time.Time { return m.updated })
	case "issues":
		if only := idsOf(filter); only != nil {
			var some []*issue
			for _, id := range only {
				if i := w.byID[id]; i != nil {
					some = append(some, i)
				}
			}
			return list(some, filter, args, func(i *issue) string { return i.id }, func(i *issue) time.Time { return i.updated })
		}
		return connection(w.sorted(), func(i *issue) time.Time { return i.updated }, func(i *issue) string { return i.id }, args,
			func(i *issue) (bool, error) { return match(i, filter) })
	case "issue":
		if i := w.find(fmt.Sprint(args["id"])); i != nil {
			return i, nil
		}
		return nil, missing("Issue")
	case "project":
		return pick(w.projects, "Project", func(p *project) bool { return p.id == args["id"] })
	case "projectMilestone":
		return pick(w.milestones, "ProjectMilestone", func(m *milestone) bool { return m.id == args["id"] })
	case "issueUpdate":
		return w.update(fmt.Sprint(args["id"]), args["input"])
	case "issueCreate":
		return w.create(args["input"])
	case "issueRelationCreate":
		return w.relate(args["input"])
	case "commentCreate":
		return w.addComment(args["input"])
	}
	return nil, fmt.Errorf("Cannot query field %q on the root", name)
}

func idsOf(filter map[string]any) []string {
	by, _ := filter["id"].(map[string]any)
	list, ok := by["in"].([]any)
	if !ok {
		return nil
	}
	out := []string{}
	for _, each := range list {
		out = append(out, fmt.Sprint(each))
	}
	return out
}

// list is connection over a short list in any order.
func list[T interface {
	node
	comparable
}](all []T, filter, args map[string]any, id func(T) string, key func(T) time.Time) (any, error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Or(key(a).Compare(key(b)), cmp.Compare(id(a), id(b))) })
	return connection(all, key, id, args, func(t T) (bool, error) { return match(t, filter) })
}
