package linear

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// below adds a parent to an input: another issue or a project.
func below(kind provider.ItemType, id string, input vars) {
	if kind == provider.TypeEpic {
		input["projectId"] = id
	} else {
		input["parentId"] = id
	}
}

// place adds the change of the parent to an input.
func place(current *provider.Item, change provider.Change, input vars) {
	if change.Parent == nil {
		return
	}
	to := *change.Parent
	switch {
	case current.Above().Is(to):
	case to != "":
		below(change.ParentType, to, input)
		if change.ParentType == provider.TypeEpic && current.Parent != nil {
			input["parentId"] = nil // removes the parent; only the project stays
		}
	case current.Parent != nil:
		input["parentId"] = nil
	default:
		input["projectId"] = nil
	}
}

// link adds a relation, unless the issue has it.
func (c *Client) link(ctx context.Context, current *provider.Item, l provider.NewLink) error {
	if current.Linked(l) {
		return nil
	}
	from, to, kind := current.RemoteID, l.Target, ""
	for native, sides := range relations {
		if slices.Contains(sides[:], l.Relation) {
			kind = native
		}
	}
	if l.Relation != relations[kind][0] {
		from, to = to, from
	}
	input := vars{"issueId": from, "relatedIssueId": to, "type": kind}
	return c.readAt(ctx, "link issue "+current.Key, mutationLink, vars{"input": input}, "issueRelationCreate", new(struct{}))
}
