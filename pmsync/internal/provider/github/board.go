package github

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
)

// boardName is a configured project of GitHub Projects.
type boardName struct {
	owner  string
	number int
}

// parseBoard parses a project's name: octo/7, its web address, or 7, which belongs to the owner of the repository.
func parseBoard(text, repo string) (b boardName, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return b, nil
	}
	given := text
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = strings.Trim(u.Path, "/")
		for _, kind := range []string{"orgs/", "users/"} {
			text = strings.TrimPrefix(text, kind)
		}
		text = strings.Replace(text, "/projects/", "/", 1)
		if parts := strings.Split(text, "/"); len(parts) > 2 { // a view of the project
			text = parts[0] + "/" + parts[1]
		}
	}
	owner, number, ok := strings.Cut(text, "/")
	if !ok {
		owner, _, _ = strings.Cut(repo, "/")
		number = text
	}
	n, err := strconv.Atoi(strings.TrimPrefix(number, "#"))
	if err != nil || n <= 0 || owner == "" {
		return b, fault.Validation("provider.board", "%q is not a project of GitHub", given).WithHint("name it as OWNER/NUMBER, as its page has it in its address")
	}
	return boardName{owner, n}, nil
}

func (n boardName) String() string { return fmt.Sprintf("%s/%d", n.owner, n.number) }

// option is an option of a single-select field, or an iteration.
type option struct {
	ID       string
	Name     string
	Title    string // for an iteration
	Start    string `json:"startDate"`
	Duration int    // for an iteration, in days
}

// boardField is a field of a project. An unsupported field has only a name.
type boardField struct {
	ID            string
	Name          string
	Type          string `json:"dataType"`
	Options       []option
	Configuration struct{ Iterations, CompletedIterations []option }
}

// board is a project of GitHub Projects with the supported fields; a missing field is nil.
type board struct {
	ID        string
	UpdatedAt time.Time
	status    *boardField
	priority  *boardField
	points    *boardField
	iteration *boardField
}

// pointsNames are the common names of number fields with an estimate.
var pointsNames = []string{"estimate", "points", "story points", "size", "effort"}

// sort finds the supported fields.
func (b *board) sort(fields []boardField, status, priority string) {
	status, priority = cmp.Or(status, "Status"), cmp.Or(priority, "Priority")
	for at := range fields {
		f := &fields[at]
		switch {
		case f.Type == "SINGLE_SELECT" && strings.EqualFold(f.Name, status):
			b.status = f
		case f.Type == "SINGLE_SELECT" && strings.EqualFold(f.Name, priority):
			b.priority = f
		case f.Type == "NUMBER" && b.points == nil && slices.Contains(pointsNames, strings.ToLower(f.Name)):
			b.points = f
		case f.Type == "ITERATION" && b.iteration == nil:
			b.iteration = f
		}
	}
}

const boardParts = `id title updatedAt fields(first: 100) { nodes {
  ... on ProjectV2FieldCommon { id name dataType }
  ... on ProjectV2SingleSelectField { options { id name } }
  ... on ProjectV2IterationField { configuration { iterations { id title startDate duration } completedIterations { id title startDate duration } } }
} }`

const boardQuery = `query($owner: String!, $number: Int!) { repositoryOwner(login: $owner) { ... on ProjectV2Owner { projectV2(number: $number) { ` + boardParts + ` } } } }`

const boardAndItemsQuery = `query($owner: String!, $number: Int!) { repositoryOwner(login: $owner) { ... on ProjectV2Owner { projectV2(number: $number) { ` + boardParts + ` items(first: 100) { ` + itemParts + ` } } } } }`

// board returns the configured project, nil for none. It is read once, or again on request.
func (c *Client) board(ctx context.Context, anew bool) (*board, error) {
	if c.on.number == 0 {
		return nil, nil
	}
	if known := c.theBoard.Load(); known != nil && !anew {
		return known, nil
	}
	b, _, err := c.readBoard(ctx, boardQuery)
	return b, err
}

// readBoard reads the project, and the first page of its items if the query asks for it.
func (c *Client) readBoard(ctx context.Context, query string) (*board, itemPage, error) {
	var answer struct {
		Owner *struct {
			Project *struct {
				board
				Fields struct{ Nodes []boardField }
				Items  itemPage
			} `json:"projectV2"`
		} `json:"repositoryOwner"`
	}
	if err := c.graph(ctx, "read the project "+c.on.String(), query, map[string]any{"owner": c.on.owner, "number": c.on.number}, &answer); err != nil {
		return nil, itemPage{}, err
	}
	if answer.Owner == nil || answer.Owner.Project == nil || answer.Owner.Project.ID == "" {
		return nil, itemPage{}, provider.Fail(provider.Invalid, nil, "GitHub does not show a project %s", c.on).
			Hint("name another one under `provider.board`; the token needs the scope project (`gh auth refresh -s project`), or the permission Projects: read and write")
	}
	b := &answer.Owner.Project.board
	b.sort(answer.Owner.Project.Fields.Nodes, c.statusField, c.priorityField)
	c.theBoard.Store(b)
	return b, answer.Owner.Project.Items, nil
}

// optionState returns the state of an option of the status field.
func (c *Client) optionState(o option) provider.Status {
	return c.mapping.Meant(provider.Status{ID: "option:" + o.ID, Name: o.Name, Category: provider.LikelyCategory(o.Name), Native: onBoard})
}

// onBoard is the native category of a state that is a project's option.
const onBoard = "project"

// states returns the possible states of issues in a project: its options, and those of GitHub's own states whose category has no
// option.
func (c *Client) states(b *board) (all []provider.Status) {
	for _, o := range b.status.Options {
		all = append(all, c.optionState(o))
	}
	for _, own := range []provider.Status{c.mapping.Meant(stateOpen), c.mapping.Meant(stateCompleted), c.mapping.Meant(stateNotPlanned)} {
		if !slices.ContainsFunc(all, func(s provider.Status) bool { return s.Category == own.Category }) {
			all = append(all, own)
		}
	}
	return all
}

// optionPriority returns the priority of an option; 0 for an unknown name.
func (c *Client) optionPriority(o option) int {
	if n, ok := c.mapping.PriorityOf(o.ID, o.Name); ok {
		return n
	}
	for _, part := range strings.Fields(word(o.Name)) {
		if n, ok := priorityWords[part]; ok {
			return n
		}
		if number, ok := strings.CutPrefix(part, "p"); ok {
			if n, ok := byNumber(number); ok {
				return n
			}
		}
	}
	return 0
}

// sprints returns the iterations of a project.
func (b *board) sprints(now time.Time, yield func(provider.Sprint) error) error {
	for _, list := range [][]option{b.iteration.Configuration.CompletedIterations, b.iteration.Configuration.Iterations} {
		for _, o := range list {
			s := provider.Sprint{ID: b.ID + "/" + o.ID, Name: o.Title, State: provider.SprintPlanned}
			if start, err := time.Parse(time.DateOnly, o.Start); err == nil {
				end := start.AddDate(0, 0, o.Duration)
				s.StartsAt, s.EndsAt = &start, &end
				switch {
				case !now.Before(end):
					s.State = provider.SprintCompleted
				case !now.Before(start):
					s.State = provider.SprintActive
				}
			}
			if err := yield(s); err != nil {
				return err
			}
		}
	}
	return nil
}
