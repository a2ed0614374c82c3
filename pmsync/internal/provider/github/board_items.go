package github

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// place is an issue's data in a project.
type place struct {
	Item      string // the issue's id in the project
	Status    string // id of an option
	Priority  string // id of an option
	Points    *float64
	Iteration option
}

// version returns a text that differs between two states of a place.
func (p *place) version() string {
	if p == nil {
		return ""
	}
	points := ""
	if p.Points != nil {
		points = fmt.Sprint(*p.Points)
	}
	return "/" + strings.Join([]string{p.Status, p.Priority, p.Iteration.ID, points}, ",")
}

// placeParts are the queried parts of an issue's place in a project. A missing field has the name "".
const placeParts = `projectItems(first: 50, includeArchived: true) { nodes { id project { id }
  status: fieldValueByName(name: $status) { ... on ProjectV2ItemFieldSingleSelectValue { optionId } }
  priority: fieldValueByName(name: $priority) { ... on ProjectV2ItemFieldSingleSelectValue { optionId } }
  points: fieldValueByName(name: $points) { ... on ProjectV2ItemFieldNumberValue { number } }
  iteration: fieldValueByName(name: $iteration) { ... on ProjectV2ItemFieldIterationValue { iterationId title } }
} }`

const placesQuery = `query($ids: [ID!]!, $status: String!, $priority: String!, $points: String!, $iteration: String!) { nodes(ids: $ids) { ... on Issue { id ` + placeParts + ` } } }`

// mostNodes is how many issues one query reads.
const mostNodes = 100

// places returns the places of issues in the project by node id. An issue outside of the project has none.
func (c *Client) places(ctx context.Context, b *board, ids []string) (map[string]*place, error) {
	out := map[string]*place{}
	for some := range slices.Chunk(ids, mostNodes) {
		var answer struct {
			Nodes []struct {
				ID    string
				Items struct {
					Nodes []struct {
						ID               string
						Project          struct{ ID string }
						Status, Priority struct{ OptionID string }
						Points           struct{ Number *float64 }
						Iteration        struct{ IterationID, Title string }
					}
				} `json:"projectItems"`
			}
		}
		if err := c.graph(ctx, "read where issues are in the project "+c.on.String(), placesQuery, map[string]any{"ids": some,
			"status": b.status.name(), "priority": b.priority.name(), "points": b.points.name(), "iteration": b.iteration.name()}, &answer); err != nil {
			return nil, err
		}
		for _, n := range answer.Nodes {
			for _, i := range n.Items.Nodes {
				if i.Project.ID == b.ID {
					out[n.ID] = &place{i.ID, i.Status.OptionID, i.Priority.OptionID, i.Points.Number, option{ID: i.Iteration.IterationID, Title: i.Iteration.Title}}
				}
			}
		}
	}
	return out, nil
}

func (f *boardField) name() string {
	if f == nil {
		return ""
	}
	return f.Name
}

// apply adds the project's data to an item. A closed issue keeps the state of its reason, unless its option means the same.
func (c *Client) apply(b *board, p *place, i *issue, out *provider.Item) {
	if b == nil {
		return
	}
	if b.status != nil {
		out.Status = c.ownState(i)
		if p != nil {
			for _, o := range b.status.Options {
				if s := c.optionState(o); o.ID == p.Status && (i.State != closed || s.Category == out.Status.Category) {
					out.Status = s
					break
				}
			}
		}
	}
	if b.priority != nil {
		out.Priority, out.PriorityLabel = 0, ""
		if p != nil {
			for _, o := range b.priority.Options {
				if o.ID == p.Priority {
					out.Priority, out.PriorityLabel = c.optionPriority(o), o.Name
				}
			}
		}
	}
	if b.iteration != nil {
		if out.Sprint = nil; p != nil && p.Iteration.ID != "" {
			out.Sprint = &provider.Ref{ID: b.ID + "/" + p.Iteration.ID, Name: p.Iteration.Title}
		}
	}
	if b.points != nil && p != nil && p.Points != nil {
		out.Estimate, out.EstimateUnit = p.Points, "points"
	}
	out.Version += p.version()
}

const itemParts = `pageInfo { hasNextPage endCursor } nodes { updatedAt content { ... on Issue { number repository { databaseId } } } }`

const itemsQuery = `query($id: ID!, $after: String) { node(id: $id) { ... on ProjectV2 { items(first: 100, after: $after) { ` + itemParts + ` } } } }`

// itemPage is a page of a project's items without their contents.
type itemPage struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []struct {
		UpdatedAt time.Time
		Content   struct {
			Number     int
			Repository struct{ DatabaseID int64 }
		}
	}
}

// walkAfter is the interval at which all pages of a project are read, even if its time has not changed.
const walkAfter = time.Hour

// watched is the position up to which a project was read.
type watched struct {
	Repo    int64           `json:"repo,omitzero"` // id of the configured repository
	Items   provider.Window `json:"items,omitzero"`
	Updated time.Time       `json:"updated,omitzero"` // the project's time at the last complete read
	Walked  time.Time       `json:"walked,omitzero"`  // time of the last complete read
	// Settled is true when the delay of GitHub's answers has passed: no change up to the newest one is still missing.
	Settled bool `json:"settled,omitzero"`
}

// changed returns the numbers of issues whose place in the project changed since the last read, because an issue's own time does not
// change with it. When the project's time is unchanged it reads only the first page. It also returns the new position.
func (c *Client) changed(ctx context.Context, at watched) (numbers []int, now watched, err error) {
	first, before := at.Walked.IsZero(), at
	if at.Repo == 0 {
		repo, err := c.repository(ctx)
		if err != nil {
			return nil, before, err
		}
		at.Repo = repo.ID
	}
	from, mark := at.Items.Start(overlap), at.Items.Mark
	b, page, err := c.readBoard(ctx, boardAndItemsQuery)
	if err != nil {
		return nil, before, err
	}
	still := b.UpdatedAt.Equal(at.Updated) && c.http.Now().Sub(at.Walked) < walkAfter
	var walk provider.Pages
	for {
		for _, n := range page.Nodes {
			if n.Content.Number == 0 || n.Content.Repository.DatabaseID != at.Repo || n.UpdatedAt.Before(from) || at.Settled && !n.UpdatedAt.After(mark) {
				continue
			}
			if at.Items.TakeUnordered(strconv.Itoa(n.Content.Number), "", n.UpdatedAt) && !first {
				numbers = append(numbers, n.Content.Number)
			}
		}
		if !page.PageInfo.HasNextPage || still {
			break
		}
		if err := provider.MoreOf(&walk, provider.GitHub, "read the project "+c.on.String(), page.Nodes); err != nil {
			return nil, before, err
		}
		var answer struct{ Node struct{ Items itemPage } }
		if err := c.graph(ctx, "read the project "+c.on.String(), itemsQuery, map[string]any{"id": b.ID, "after": page.PageInfo.EndCursor}, &answer); err != nil {
			return nil, before, err
		}
		page = answer.Node.Items
	}
	at.Items.Drained(overlap)
	at.Settled = c.http.ServerNow().Sub(at.Items.Mark) > overlap
	if !still {
		at.Updated, at.Walked = b.UpdatedAt, c.http.Now()
	}
	return numbers, at, nil
}

const addQuery = `mutation($project: ID!, $content: ID!) { addProjectV2ItemById(input: {projectId: $project, contentId: $content}) { item { id } } }`

const setQuery = `mutation($project: ID!, $item: ID!, $field: ID!, $value: ProjectV2FieldValue!) { updateProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field, value: $value}) { projectV2Item { id } } }`

const clearQuery = `mutation($project: ID!, $item: ID!, $field: ID!) { clearProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field}) { projectV2Item { id } } }`

// put adds the issue to the project, or finds its existing place.
func (c *Client) put(ctx context.Context, b *board, i *issue) (item string, err error) {
	var answer struct {
		Add struct{ Item struct{ ID string } } `json:"addProjectV2ItemById"`
	}
	err = c.graph(ctx, fmt.Sprintf("put %s into the project %s", key(i.Number), c.on), addQuery, map[string]any{"project": b.ID, "content": i.NodeID}, &answer)
	if err == nil && answer.Add.Item.ID == "" {
		err = provider.Fail(provider.Protocol, nil, "GitHub did not put %s into the project %s", key(i.Number), c.on)
	}
	return answer.Add.Item.ID, err
}

// set sets a field of an issue in the project; nil clears it.
func (c *Client) set(ctx context.Context, b *board, item string, f *boardField, number int, value map[string]any) error {
	variables := map[string]any{"project": b.ID, "item": item, "field": f.ID}
	query := clearQuery
	if value != nil {
		query, variables["value"] = setQuery, value
	}
	var answer map[string]any
	return c.graph(ctx, fmt.Sprintf("set the %s of %s in the project %s", f.Name, key(number), c.on), query, variables, &answer)
}
