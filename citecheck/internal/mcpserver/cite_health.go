package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/health"
	"github.com/agit-suite/agit/citecheck/internal/instruct"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

func addHealth(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_health", ReadOnly: true,
		Description: "How all memories stand, and what CLAUDE.md, AGENTS.md and rules tell: counts, and what needs care first.",
	}, func(ctx context.Context, c *mcpkit.Call, given in) (healthOutput, error) {
		r, err := s.health(ctx, c, given.Project)
		if err != nil {
			return healthOutput{}, err
		}
		told, err := s.told(ctx, c, given.Project)
		if err != nil {
			return healthOutput{}, err
		}
		c.Summarize(fmt.Sprintf("%s; instruction files: %d statements hold, %d are stale", r.Headline(), told.True, told.Stale))
		return healthOutput{shortReport(r, namesPage), told}, nil
	})
}

// healthOutput is the state of memories and instruction files.
type healthOutput struct {
	*health.Report
	Instructions toldOutput `json:"instructions"`
}

// toldOutput is the state of instructions, with the statements that do not hold.
type toldOutput struct {
	Files    int                `json:"files"`
	True     int                `json:"true"`
	Stale    int                `json:"stale"`
	Findings []instruct.Finding `json:"findings"`
}

func (s *service) told(ctx context.Context, c *mcpkit.Call, project string) (toldOutput, error) {
	folder, err := s.folder(ctx, c, project)
	if err != nil {
		return toldOutput{}, err
	}
	root := library.RootOf(folder)
	r, err := instruct.Check(ctx, root, instruct.Options{MemoryFolders: stores.MemoryFolders(ctx, s.Env, root)})
	if err != nil {
		return toldOutput{}, err
	}
	return toldOutput{len(r.Sources), r.True, r.Stale(), first(r.Findings, instructionsPage)}, nil
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
