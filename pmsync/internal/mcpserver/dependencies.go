package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type blockersInput struct {
	ID        string `json:"item_id" also:"id" is:"name"`
	Type      string `json:"item_type,omitempty"`
	Recursive bool   `json:"recursive,omitempty" desc:"Up to 10 steps"`
	Resolved  bool   `json:"include_resolved,omitempty"`
	placed
}

type blockersOutput struct {
	Blockers []dependency.Neighbour `json:"blockers"`
}

type dependentsInput struct {
	ID        string `json:"item_id" also:"id" is:"name"`
	Type      string `json:"item_type,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	placed
}

type dependentsOutput struct {
	Dependents []dependency.Neighbour `json:"dependents"`
}

type graphInput struct {
	Root  string `json:"root_id,omitempty" is:"name"`
	Type  string `json:"root_type,omitempty"`
	Depth int    `json:"max_depth,omitempty" min:"1" max:"20" desc:"Default 5"`
	placed
}

type dependencyAddInput struct {
	Source        string `json:"source_id" is:"name"`
	Target        string `json:"target_id" is:"name"`
	Relation      string `json:"relation" enum:"blocks,parent_of,discovered_from,related_to"`
	SourceType    string `json:"source_type,omitempty" desc:"ticket, plan, task, bug; found from the id"`
	TargetType    string `json:"target_type,omitempty"`
	Notes         string `json:"notes,omitempty"`
	Bidirectional bool   `json:"bidirectional,omitempty" desc:"related_to only"`
	signed
}

type dependencyRemoveInput struct {
	Source     string `json:"source_id" is:"name"`
	Target     string `json:"target_id" is:"name"`
	Relation   string `json:"relation,omitempty" desc:"Default all"`
	SourceType string `json:"source_type,omitempty"`
	TargetType string `json:"target_type,omitempty"`
	signed
}

var dependencyTools = []func(*service){
	writing(mcpkit.Tool{
		Name: "dependency_add", Idempotent: true,
		Description: "Relate two items; blocks: the target waits for the source. Cycles are refused.",
	}, func(ctx context.Context, c call, in dependencyAddInput) (dependency.Dependency, caller.BookedOn, error) {
		d, err := c.stores().Dependencies.Add(ctx, c.who, dependency.Edge{Source: dependency.End{ID: in.Source, Kind: in.SourceType}, Target: dependency.End{ID: in.Target, Kind: in.TargetType},
			Relation: in.Relation, Notes: in.Notes, Bidirectional: in.Bidirectional})
		return d, d.BookedOn, err
	}),
	writing(mcpkit.Tool{
		Name: "dependency_remove", Destructive: true, Idempotent: true, Description: "Remove what relates source to target.",
	}, func(ctx context.Context, c call, in dependencyRemoveInput) (dependency.Removed, caller.BookedOn, error) {
		d, err := c.stores().Dependencies.Remove(ctx, c.who, dependency.Edge{Source: dependency.End{ID: in.Source, Kind: in.SourceType}, Target: dependency.End{ID: in.Target, Kind: in.TargetType}, Relation: in.Relation})
		return d, d.BookedOn, err
	}),
	reading(mcpkit.Tool{
		Name: "get_blockers", ReadOnly: true, Description: "What an item waits for.",
	}, func(ctx context.Context, c call, in blockersInput) (out blockersOutput, err error) {
		q := dependency.Query{Item: dependency.End{ID: in.ID, Kind: in.Type}, Recursive: in.Recursive, IncludeResolved: in.Resolved}
		all, err := c.stores().Dependencies.Blockers(ctx, c.who, q)
		out.Blockers = append([]dependency.Neighbour{}, all...)
		return out, err
	}),
	reading(mcpkit.Tool{
		Name: "get_dependents", ReadOnly: true, Description: "What waits for an item.",
	}, func(ctx context.Context, c call, in dependentsInput) (out dependentsOutput, err error) {
		q := dependency.Query{Item: dependency.End{ID: in.ID, Kind: in.Type}, Recursive: in.Recursive}
		all, err := c.stores().Dependencies.Dependents(ctx, c.who, q)
		out.Dependents = append([]dependency.Neighbour{}, all...)
		return out, err
	}),
	reading(mcpkit.Tool{
		Name: "get_dependency_graph", ReadOnly: true, Description: "Items and relationships around an item, or of a project; cycles; orphans.",
	}, func(ctx context.Context, c call, in graphInput) (dependency.Graph, error) {
		return c.stores().Dependencies.Graph(ctx, c.who, dependency.GraphQuery{Root: dependency.End{ID: in.Root, Kind: in.Type}, Depth: in.Depth})
	}),
}
