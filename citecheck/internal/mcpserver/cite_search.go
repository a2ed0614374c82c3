package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type searchInput struct {
	Query         string  `json:"query" desc:"Words" max:"1000"`
	Verify        bool    `json:"verify,omitempty" desc:"Check what is found"`
	MinConfidence float64 `json:"min_confidence,omitempty" min:"0" max:"1" desc:"Drop what is verified below"`
	Limit         int     `json:"limit,omitempty" min:"1" max:"100" desc:"Default 10"`
	in
}

type searchOutput struct {
	Memories []check.Match `json:"memories"`
}

func addSearch(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_search", ReadOnly: true,
		Description: "Find memories by words, checked if wanted; the resource citecheck://memories/ID is one whole.",
	}, func(ctx context.Context, c *mcpkit.Call, in searchInput) (searchOutput, error) {
		use := stores.Unused
		if in.Verify = in.Verify || in.MinConfidence > 0; in.Verify {
			use = stores.Kept
		}
		st, err := s.open(ctx, c, in.Project, use)
		if err != nil {
			return searchOutput{}, err
		}
		defer st.Close()
		found, err := st.Checks.Search(ctx, in.Query, check.SearchOptions{Limit: cmp.Or(in.Limit, 10), Verify: in.Verify, MinConfidence: in.MinConfidence})
		for i := range found {
			found[i].Stale = brief(check.Memory{Stale: found[i].Stale}, 5).Stale
		}
		c.Summarize(fmt.Sprintf("%d memories", len(found)))
		return searchOutput{found}, err
	})
}
