package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/health"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

func addHealth(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_health", ReadOnly: true,
		Description: "How all memories stand: counts, and what needs care first.",
	}, func(ctx context.Context, c *mcpkit.Call, given in) (*health.Report, error) {
		r, err := s.health(ctx, c, given.Project)
		if err != nil {
			return nil, err
		}
		c.Summarize(r.Headline())
		return shortReport(r, namesPage), nil
	})
}

func (s *service) health(ctx context.Context, c *mcpkit.Call, project string) (*health.Report, error) {
	st, err := s.open(ctx, c, project, stores.Kept)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	return health.Make(ctx, st.Checks, health.Options{Registry: st.History != nil}, s.now())
}

// shortReport keeps the beginning of each list.
func shortReport(r *health.Report, most int) *health.Report {
	r.Ranked = first(r.Ranked, most)
	for i := range r.Ranked {
		r.Ranked[i].Memory = brief(r.Ranked[i].Memory, 3)
	}
	r.NeverVerified, r.Uncited = first(r.NeverVerified, most), first(r.Uncited, most)
	r.Unread, r.Disputed = first(r.Unread, most), first(r.Disputed, most)
	r.Links.Roots, r.Links.Orphans = first(r.Links.Roots, most), first(r.Links.Orphans, most)
	r.Links.Cycles, r.Links.Broken = first(r.Links.Cycles, most), first(r.Links.Broken, most)
	return r
}
