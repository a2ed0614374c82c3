package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/dependency"
	"github.com/agit-suite/agit/shared/mcpkit"
)

var dependencyTools = []func(*service){addDependencyAdd, addDependencyRemove, addGetBlockers, addGetDependents, addGetGraph}

type dependencyAddInput struct {
	Source        string `json:"source_id" is:"name"`
	Target        string `json:"target_id" is:"name"`
	Relation      string `json:"relation" enum:"blocks,parent_of,discovered_from,related_to"`
	SourceType    string `json:"source_type,omitempty" desc:"ticket, plan, task, bug; found from the id"`
	TargetType    string `json:"target_type,omitempty"`
	Notes         string `json:"notes,omitempty"`
	Bidirectional bool   `json:"bidirectional,omitempty" desc:"related_to only"`
	Project       string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent         string `json:"agent,omitempty" is:"name"`
}

func addDependencyAdd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "dependency_add", Idempotent: true,
		Description: "Relate two items; blocks: the target waits for the source. Cycles are refused.",
	}, func(ctx context.Context, c *mcpkit.Call, in dependencyAddInput) (dependency.Dependency, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return dependency.Dependency{}, err
		}
		d, err := s.stores().Dependencies.Add(ctx, who, dependency.Edge{Source: dependency.End{ID: in.Source, Kind: in.SourceType}, Target: dependency.End{ID: in.Target, Kind: in.TargetType},
			Relation: in.Relation, Notes: in.Notes, Bidirectional: in.Bidirectional})
		s.booked(c, d.BookedOn)
		return d, err
	})
}

type dependencyRemoveInput struct {
	Source     string `json:"source_id" is:"name"`
	Target     string `json:"target_id" is:"name"`
	Relation   string `json:"relation,omitempty" desc:"Default all"`
	SourceType string `json:"source_type,omitempty"`
	TargetType string `json:"target_type,omitempty"`
	Project    string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent      string `json:"agent,omitempty" is:"name"`
}

func addDependencyRemove(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "dependency_remove", Destructive: true, Idempotent: true, Description: "Remove what relates source to target.",
	}, func(ctx context.Context, c *mcpkit.Call, in dependencyRemoveInput) (dependency.Removed, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return dependency.Removed{}, err
		}
		d, err := s.stores().Dependencies.Remove(ctx, who, dependency.Edge{Source: dependency.End{ID: in.Source, Kind: in.SourceType}, Target: dependency.End{ID: in.Target, Kind: in.TargetType}, Relation: in.Relation})
		s.booked(c, d.BookedOn)
		return d, err
	})
}

type blockersInput struct {
	ID        string `json:"item_id" also:"id" is:"name"`
	Type      string `json:"item_type,omitempty"`
	Recursive bool   `json:"recursive,omitempty" desc:"Up to 10 steps"`
	Resolved  bool   `json:"include_resolved,omitempty"`
	Project   string `json:"project_path,omitempty" also:"project" is:"name"`
}

type blockersOutput struct {
	Blockers []dependency.Neighbour `json:"blockers"`
}

func addGetBlockers(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_blockers", ReadOnly: true, Description: "What an item waits for.",
	}, func(ctx context.Context, c *mcpkit.Call, in blockersInput) (out blockersOutput, err error) {
		out.Blockers, err = s.chain(ctx, c, in.Project, dependency.Query{Item: dependency.End{ID: in.ID, Kind: in.Type}, Recursive: in.Recursive, IncludeResolved: in.Resolved}, s.stores().Dependencies.Blockers)
		return out, err
	})
}

type dependentsInput struct {
	ID        string `json:"item_id" also:"id" is:"name"`
	Type      string `json:"item_type,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Project   string `json:"project_path,omitempty" also:"project" is:"name"`
}

type dependentsOutput struct {
	Dependents []dependency.Neighbour `json:"dependents"`
}

func addGetDependents(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_dependents", ReadOnly: true, Description: "What waits for an item.",
	}, func(ctx context.Context, c *mcpkit.Call, in dependentsInput) (out dependentsOutput, err error) {
		out.Dependents, err = s.chain(ctx, c, in.Project, dependency.Query{Item: dependency.End{ID: in.ID, Kind: in.Type}, Recursive: in.Recursive}, s.stores().Dependencies.Dependents)
		return out, err
	})
}

// chain answers a query about the dependency chain of an item.
func (s *service) chain(ctx context.Context, c *mcpkit.Call, project string, q dependency.Query,
	ask func(context.Context, caller.Caller, dependency.Query) ([]dependency.Neighbour, error)) ([]dependency.Neighbour, error) {
	who, err := s.reads(ctx, c, project, "")
	if err != nil {
		return nil, err
	}
	all, err := ask(ctx, who, q)
	return append([]dependency.Neighbour{}, all...), err
}

type graphInput struct {
	Root    string `json:"root_id,omitempty" is:"name"`
	Type    string `json:"root_type,omitempty"`
	Depth   int    `json:"max_depth,omitempty" min:"1" max:"20" desc:"Default 5"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

func addGetGraph(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "get_dependency_graph", ReadOnly: true, Description: "Items and relationships around an item, or of a project; cycles; orphans.",
	}, func(ctx context.Context, c *mcpkit.Call, in graphInput) (dependency.Graph, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return dependency.Graph{}, err
		}
		return s.stores().Dependencies.Graph(ctx, who, dependency.GraphQuery{Root: dependency.End{ID: in.Root, Kind: in.Type}, Depth: in.Depth})
	})
}
