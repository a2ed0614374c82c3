package mcpserver

import (
	"cmp"
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
	offer(s, mcpkit.Tool{
		Name: "cite_graph", ReadOnly: true,
		Description: "Follow the links from a memory: what it links to, cycles, broken links.",
	}, stores.Unused, func(ctx context.Context, c *mcpkit.Call, in graphInput, st *stores.Stores) (graphOutput, error) {
		g, id, err := linkgraph.At(st.Library, st.Checks.From, in.Memory)
		if err != nil {
			return graphOutput{}, err
		}
		w, err := g.Walk(ctx, id, cmp.Or(linkgraph.Order(in.Order), linkgraph.BFS), cmp.Or(in.Depth, 3))
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
	offer(s, mcpkit.Tool{
		Name: "cite_related", ReadOnly: true,
		Description: "The memories that link to one, and those it links to.",
	}, stores.Unused, func(ctx context.Context, _ *mcpkit.Call, in relatedInput, st *stores.Stores) (*linkgraph.Related, error) {
		g, id, err := linkgraph.At(st.Library, st.Checks.From, in.Memory)
		if err != nil {
			return nil, err
		}
		r, err := g.Related(ctx, id)
		if err != nil {
			return nil, err
		}
		r.LinkedBy, r.LinksTo, r.Broken = first(r.LinkedBy, nodesPage), first(r.LinksTo, nodesPage), first(r.Broken, namesPage)
		return r, nil
	})
}
