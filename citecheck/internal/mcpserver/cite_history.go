package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type diffInput struct {
	Range string `json:"range" desc:"BASE..HEAD; BASE alone: up to the working tree" is:"name"`
	in
}

func addDiff(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_diff", ReadOnly: true,
		Description: "Which citations a change broke or moved.",
	}, func(ctx context.Context, c *mcpkit.Call, in diffInput) (*check.Effects, error) {
		base, head, err := check.SplitRange(in.Range)
		if err != nil {
			return nil, err
		}
		st, err := s.open(ctx, c, in.Project, stores.Kept)
		if err != nil {
			return nil, err
		}
		defer st.Close()
		docs, err := st.Checks.All(ctx, check.Options{})
		if err != nil {
			return nil, err
		}
		out, err := st.Checks.Diff(ctx, docs, base, head, check.Options{})
		if err != nil {
			return nil, err
		}
		c.Summarize(fmt.Sprintf("%d broken, %d moved", out.Broken, out.Moved))
		out.Effects = first(out.Effects, nodesPage)
		return out, nil
	})
}

type historyInput struct {
	Memory string `json:"memory" is:"name"`
	Limit  int    `json:"limit,omitempty" min:"1" max:"100" desc:"Default 20"`
	in
}

type historyOutput struct {
	Events []history.Event `json:"events"`
	Kept   bool            `json:"history"` // false: there is no registry
}

func addHistory(s *service) {
	offer(s, mcpkit.Tool{
		Name: "cite_history", ReadOnly: true,
		Description: "What checks and votes found of a memory, newest first.",
	}, stores.Kept, func(ctx context.Context, _ *mcpkit.Call, in historyInput, st *stores.Stores) (historyOutput, error) {
		d, err := st.Checks.Named(ctx, in.Memory)
		if err != nil || st.History == nil {
			return historyOutput{Events: []history.Event{}}, err
		}
		events, err := st.History.Events(ctx, d.Key, cmp.Or(in.Limit, 20))
		return historyOutput{events, true}, err
	})
}
