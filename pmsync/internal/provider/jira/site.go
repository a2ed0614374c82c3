package jira

import (
	"context"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// site holds settings that differ between Jira sites and rarely change: the custom fields for the sprint and the estimate. A pull
// stores it in its cursor, so that it costs no request when nothing is new.
type site struct {
	Read   time.Time `json:"read"`
	Sprint string    `json:"sprint,omitempty"`
	Points []string  `json:"points,omitempty"`
	// Custom are the configured fields, in the configured order.
	Custom []named `json:"custom,omitempty"`
	// Priorities are the registry's priorities by native id. They are read only when the site has other than Jira's default ones.
	Priorities map[string]int `json:"priorities,omitempty"`
}

// siteFor is how long the site's settings are cached.
const siteFor = 24 * time.Hour

// know returns the site, and reads it on first use.
func (c *Client) know(ctx context.Context) (*site, error) {
	if known := c.site.Load(); known != nil {
		return known, nil
	}
	var all []struct {
		ID, Name string
		Schema   struct{ Custom string }
	}
	if err := c.get(ctx, "read the site's fields", "api/3/field", nil, &all); err != nil {
		return nil, err
	}
	s := &site{Read: c.http.Now().UTC(), Priorities: map[string]int{}}
	for _, f := range all {
		switch {
		case f.Schema.Custom == "com.pyxis.greenhopper.jira:gh-sprint":
			s.Sprint = f.ID
		case f.Schema.Custom == "com.pyxis.greenhopper.jira:jsw-story-points",
			strings.HasSuffix(f.Schema.Custom, ":float") && strings.EqualFold(f.Name, "Story Points"):
			s.Points = append(s.Points, f.ID)
		}
	}
	for _, wanted := range c.mapping.Fields {
		for _, f := range all {
			if f.ID == wanted || strings.EqualFold(f.Name, wanted) {
				s.Custom = append(s.Custom, named{ID: f.ID, Name: f.Name})
				break
			}
		}
	}
	c.site.Store(s)
	return s, nil
}

// issueFields returns the requested fields. Without a list Jira sends only ids, or everything.
func (s *site) issueFields() []string {
	fields := []string{"summary", "description", "status", "priority", "assignee", "labels", "parent", "issuetype", "project",
		"created", "updated", "duedate", "issuelinks", "resolution", "fixVersions", "attachment"}
	if s.Sprint != "" {
		fields = append(fields, s.Sprint)
	}
	for _, f := range s.Custom {
		fields = append(fields, f.ID)
	}
	return append(fields, s.Points...)
}

// pointsIn returns the field for the estimate among those of a screen, "" when there is none.
func (s *site) pointsIn(offered map[string]field) string {
	for _, id := range s.Points {
		if _, has := offered[id]; has {
			return id
		}
	}
	return ""
}

// usual are the priorities of every site.
var usual = map[string]int{"highest": 4, "high": 3, "medium": 2, "low": 1, "lowest": 1}

// named is a value in a list. Options of custom fields have a Value instead of a name.
type named struct{ ID, Name, Value string }

// rankPriorities maps a list of priorities, highest first, to the registry's scale, by id.
func rankPriorities(list []named) map[string]int {
	out := map[string]int{}
	n := len(list)
	for i, p := range list {
		rank := 4 - i*4/n
		switch n {
		case 1:
			rank = 2
		case 2:
			rank = 3 - 2*i
		case 3:
			rank = 3 - i
		case 5:
			rank = max(4-i, 1)
		}
		out[p.ID] = max(rank, 1)
	}
	return out
}

// priority returns the registry's priority for a native one: as configured, otherwise by the default names, otherwise by its position
// in the project's list.
func (c *Client) priority(ctx context.Context, p *named) (int, error) {
	if p == nil {
		return 0, nil
	}
	if n, ok := c.mapping.PriorityOf(p.ID, p.Name); ok {
		return n, nil
	}
	if n, ok := usual[strings.ToLower(p.Name)]; ok {
		return n, nil
	}
	s, err := c.know(ctx)
	if err != nil {
		return 0, err
	}
	c.priorities.Lock()
	n, ok := s.Priorities[p.ID]
	c.priorities.Unlock()
	if ok {
		return n, nil
	}
	ranks, err := c.readPriorities(ctx)
	if err != nil {
		return 0, err
	}
	if _, listed := ranks[p.ID]; !listed {
		ranks[p.ID] = 2 // a priority that the project no longer uses
	}
	c.priorities.Lock()
	defer c.priorities.Unlock()
	if s.Priorities == nil {
		s.Priorities = map[string]int{}
	}
	maps.Copy(s.Priorities, ranks)
	return ranks[p.ID], nil
}

// readPriorities ranks the project's priorities, in the order of the create screen.
func (c *Client) readPriorities(ctx context.Context) (map[string]int, error) {
	types, err := c.issueTypes(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		fields, err := c.offered(ctx, t.ID)
		if err != nil {
			return nil, err
		}
		if list := fields["priority"].AllowedValues; len(list) > 0 {
			return rankPriorities(list), nil
		}
	}
	return map[string]int{}, nil
}

type issueType struct {
	ID, Name       string
	Subtask        bool
	HierarchyLevel int
}

func (t issueType) kind() provider.ItemType {
	switch {
	case t.Subtask || t.HierarchyLevel < 0:
		return provider.TypeSubtask
	case t.HierarchyLevel > 0:
		return provider.TypeEpic
	}
	return provider.TypeTicket
}

// issueTypes returns the types that can be created in the project.
func (c *Client) issueTypes(ctx context.Context) (types []issueType, err error) {
	project, err := c.needProject()
	if err != nil {
		return nil, err
	}
	return list[issueType](ctx, c, "read the issue types of "+project, "api/3/issue/createmeta/"+url.PathEscape(project)+"/issuetypes",
		url.Values{"maxResults": {"200"}}, "issueTypes")
}

// offered returns the fields of a new issue of the type, by id.
func (c *Client) offered(ctx context.Context, typeID string) (fields map[string]field, err error) {
	fields = map[string]field{}
	path := "api/3/issue/createmeta/" + url.PathEscape(c.project) + "/issuetypes/" + url.PathEscape(typeID)
	all, err := list[field](ctx, c, "read the fields of a new issue", path, url.Values{"maxResults": {"200"}}, "fields")
	for _, f := range all {
		fields[f.ID] = f
	}
	return fields, err
}

// Statuses returns the states of the project's issue types, each once.
func (c *Client) Statuses(ctx context.Context) (out []provider.Status, err error) {
	project, err := c.needProject()
	if err != nil {
		return nil, err
	}
	var types []struct{ Statuses []status }
	err = c.get(ctx, "read the states of project "+project, "api/3/project/"+url.PathEscape(project)+"/statuses", nil, &types)
	seen := map[string]bool{}
	for _, t := range types {
		for _, s := range t.Statuses {
			if !seen[s.ID] {
				seen[s.ID] = true
				out = append(out, c.status(s, ""))
			}
		}
	}
	return out, err
}

// Sprints returns the sprints of the project's boards. Some boards have no sprints.
func (c *Client) Sprints(ctx context.Context, yield func(provider.Sprint) error) error {
	project, err := c.needProject()
	if err != nil {
		return err
	}
	type board struct {
		ID   int64
		Type string
	}
	boards, err := list[board](ctx, c, "list the boards of "+project, "agile/1.0/board", url.Values{"projectKeyOrId": {project}, "maxResults": {"50"}}, "values")
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	for _, b := range boards {
		if b.Type == "kanban" {
			continue
		}
		err := pages(ctx, c, "read the sprints of a board", "agile/1.0/board/"+itoa(b.ID)+"/sprint", url.Values{"maxResults": {"50"}}, "values", func(s sprint) error {
			if seen[s.ID] {
				return nil // boards share sprints
			}
			seen[s.ID] = true
			return yield(s.convert())
		})
		if provider.Is(err, provider.Invalid) { // the board does not support sprints
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Users returns the people whom issues of the project can be assigned to.
func (c *Client) Users(ctx context.Context, text string) (out []provider.User, err error) {
	project, err := c.needProject()
	if err != nil {
		return nil, err
	}
	var found []account
	err = c.get(ctx, "find users", "api/3/user/assignable/search", url.Values{"project": {project}, "query": {text}, "maxResults": {"50"}}, &found)
	for _, u := range found {
		out = append(out, *u.convert())
	}
	return out, err
}
