package github

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// GitHub's own states, each a state and a reason.
var (
	stateOpen       = provider.Status{ID: "open", Name: "Open", Category: provider.Todo, Native: "open"}
	stateCompleted  = provider.Status{ID: "completed", Name: "Completed", Category: provider.Done, Native: closed}
	stateNotPlanned = provider.Status{ID: "not_planned", Name: "Not planned", Category: provider.Canceled, Native: closed}
	stateDuplicate  = provider.Status{ID: "duplicate", Name: "Duplicate", Category: provider.Canceled, Native: closed}
)

// word returns a label's name without common prefixes and marks: both "status: in-progress" and "In Progress" are "in progress".
func word(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, prefix := range []string{"status", "state"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.IndexAny(rest, ":/-_ ") == 0 {
			name = rest
		}
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" :/-_", r) }), " ")
}

// underWay are common labels of work in progress.
var underWay = []string{"in progress", "doing", "wip", "work in progress", "started", "in review", "under review"}

// stateOf returns the state that a label stands for, if any.
func (c *Client) stateOf(label string) (provider.Status, bool) {
	s := provider.Status{ID: "label:" + strings.ToLower(label), Name: label, Category: provider.InProgress, Native: "label"}
	if category, ok := c.mapping.CategoryOf(s); ok {
		s.Category = category
		return s, true
	}
	for _, state := range c.mapping.State {
		if strings.EqualFold(state, label) {
			for category, name := range c.mapping.State {
				if name == state {
					s.Category = category
				}
			}
			return s, true
		}
	}
	return s, slices.Contains(underWay, word(label))
}

// closed returns the state of a closed issue.
const closed = "closed"

// ownState returns the state of an issue by GitHub's own fields.
func (c *Client) ownState(i *issue) provider.Status {
	s := stateCompleted
	switch {
	case i.State != closed:
		s = stateOpen
	case i.Reason == stateNotPlanned.ID:
		s = stateNotPlanned
	case i.Reason == stateDuplicate.ID:
		s = stateDuplicate
	}
	return c.mapping.Meant(s)
}

// status returns the state of an issue: for an open one, the first label that stands for a state.
func (c *Client) status(i *issue) provider.Status {
	for _, l := range i.Labels {
		if s, ok := c.stateOf(l.Name); ok && i.State != closed {
			return s
		}
	}
	return c.ownState(i)
}

// priorityWords are the words for priorities in labels such as "priority: high".
var priorityWords = map[string]int{"critical": 4, "urgent": 4, "highest": 4, "blocker": 4, "high": 3, "medium": 2, "normal": 2, "low": 1, "lowest": 1, "trivial": 1}

// priorityOf returns the priority that a label stands for, if any: a configured label, "priority: high" in any spelling, or P0 to P4.
func (c *Client) priorityOf(label string) (int, bool) {
	if n, ok := c.mapping.PriorityOf("", label); ok {
		return n, true
	}
	parts := strings.Fields(word(label))
	switch {
	case len(parts) == 2 && (parts[0] == "priority" || parts[0] == "prio" || parts[0] == "p"):
		if n, ok := priorityWords[parts[1]]; ok {
			return n, true
		}
		return byNumber(strings.TrimPrefix(parts[1], "p"))
	case len(parts) == 2 && parts[1] == "priority":
		n, ok := priorityWords[parts[0]]
		return n, ok
	case len(parts) == 1 && len(parts[0]) == 2 && parts[0][0] == 'p':
		return byNumber(parts[0][1:])
	}
	return 0, false
}

// byNumber returns the priority of P0, the most urgent, to P4.
func byNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 4 {
		return 0, false
	}
	return max(4-n, 1), true
}

// label is a label of the repository or of an issue.
type label struct {
	Name string `json:"name"`
}

// repoLabels returns the labels of the repository. They are read once per client, or again on request.
func (c *Client) repoLabels(ctx context.Context, anew bool) ([]label, error) {
	if known := c.labels.Load(); known != nil && !anew {
		return *known, nil
	}
	all, err := list[label](ctx, c, "list the labels", c.at("labels"), nil)
	if err != nil {
		return nil, err
	}
	c.labels.Store(&all)
	return all, nil
}

// Statuses returns GitHub's own states, and one for each label that stands for a state.
func (c *Client) Statuses(ctx context.Context) ([]provider.Status, error) {
	if err := c.needRepo(); err != nil {
		return nil, err
	}
	return c.options(ctx, true)
}

// Transitions returns all states but the issue's own.
func (c *Client) Transitions(ctx context.Context, current *provider.Item) ([]provider.Transition, error) {
	all, err := c.options(ctx, false)
	if err != nil {
		return nil, err
	}
	var steps []provider.Transition
	for _, s := range all {
		if s.ID != current.Status.ID {
			steps = append(steps, provider.Transition{To: s})
		}
	}
	return steps, nil
}

// options returns the possible states of an issue: those of a project with a status field, otherwise GitHub's own and those of labels.
func (c *Client) options(ctx context.Context, anew bool) ([]provider.Status, error) {
	b, err := c.board(ctx, anew)
	if err != nil {
		return nil, err
	}
	if b != nil && b.status != nil {
		return c.states(b), nil
	}
	labels, err := c.repoLabels(ctx, anew)
	if err != nil {
		return nil, err
	}
	all := []provider.Status{c.mapping.Meant(stateOpen)}
	for _, l := range labels {
		if s, ok := c.stateOf(l.Name); ok {
			all = append(all, s)
		}
	}
	return append(all, c.mapping.Meant(stateCompleted), c.mapping.Meant(stateNotPlanned)), nil
}
