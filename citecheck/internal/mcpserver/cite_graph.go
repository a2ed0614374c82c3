package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/linkgraph"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type graphInput struct {
	Memory string `json:"memory" is:"name"`
	Depth  int    `json:"depth,omitempty" min:"1" max:"20" desc:"Default 3"`
	Order  string `json:"order,omitempty" enum:"bfs,dfs"`
	in
}

// graphOutput is a walk without the steps, which would repeat the nodes.
type graphOutput struct {
	Root     string              `json:"root"`
	Nodes    map[string][]string `json:"nodes"`
	Order    []string            `json:"order"`
	Visited  int                 `json:"visited"`
	MaxDepth int                 `json:"max_depth"`
	Cycles   [][]string          `json:"cycles"`
	Broken   []linkgraph.Broken  `json:"broken"`
}

func addGraph(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_graph", ReadOnly: true,
		Description: "Follow the links from a memory: what it links to, cycles, broken links.",
	}, func(ctx context.Context, c *mcpkit.Call, in graphInput) (graphOutput, error) {
		st, err := s.open(ctx, c, in.Project, stores.Unused)
		if err != nil {
			return graphOutput{}, err
		}
		defer st.Close()
		e, err := st.Library.Find(st.Checks.From, in.Memory)
		if err != nil {
			return graphOutput{}, err
		}
		g, err := linkgraph.New(st.Library)
		if err != nil {
			return graphOutput{}, err
		}
		order, depth := linkgraph.BFS, in.Depth
		if in.Order != "" {
			order = linkgraph.Order(in.Order)
		}
		if depth == 0 {
			depth = 3
		}
		w, err := g.Walk(ctx, e.ID, order, depth)
		if err != nil {
			return graphOutput{}, err
		}
		c.Summarize(fmt.Sprintf("%d memories", w.Visited))
		return shortWalk(w), nil
	})
}

// shortWalk keeps the first memories of a walk; Visited still counts all.
func shortWalk(w *linkgraph.Walk) graphOutput {
	out := graphOutput{
		Root: w.Root, Nodes: map[string][]string{}, Visited: w.Visited, MaxDepth: w.MaxDepth,
		Cycles: first(w.Cycles, namesPage), Broken: first(w.Broken, namesPage),
	}
	for _, step := range first(w.Steps, nodesPage) {
		out.Order = append(out.Order, step.ID)
		out.Nodes[step.ID] = first(w.Nodes[step.ID], nodesPage)
	}
	return out
}

type relatedInput struct {
	Memory string `json:"memory" is:"name"`
	in
}

func addRelated(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_related", ReadOnly: true,
		Description: "The memories that link to one, and those it links to.",
	}, func(ctx context.Context, c *mcpkit.Call, in relatedInput) (*linkgraph.Related, error) {
		st, err := s.open(ctx, c, in.Project, stores.Unused)
		if err != nil {
			return nil, err
		}
		defer st.Close()
		e, err := st.Library.Find(st.Checks.From, in.Memory)
		if err != nil {
			return nil, err
		}
		g, err := linkgraph.New(st.Library)
		if err != nil {
			return nil, err
		}
		r, err := g.Related(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		r.LinkedBy, r.LinksTo, r.Broken = first(r.LinkedBy, nodesPage), first(r.LinksTo, nodesPage), first(r.Broken, namesPage)
		return r, nil
	})
}
