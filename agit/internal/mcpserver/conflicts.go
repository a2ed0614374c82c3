package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type conflictsInput struct {
	Repo  string `json:"repo" desc:"Repository name"`
	Depth string `json:"depth,omitempty" enum:"file,lines,merge" desc:"Both touch the file, the same lines, or git's merge would conflict (default)"`
}

func (s *service) conflicts(ctx context.Context, c *mcpkit.Call, name, depth string) (*conflict.Report, error) {
	if depth == "" {
		depth = s.stores.Config.Conflicts.Depth
	}
	d, err := conflict.ParseDepth(depth)
	if err != nil {
		return nil, err
	}
	r, err := s.stores.Repos.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	report, err := s.stores.Conflicts.Scan(ctx, r.ID, conflict.Options{Depth: d})
	if err == nil {
		c.Summarize(fmt.Sprintf("%d conflicts", len(report.Conflicts)))
	}
	return report, err
}

func addCheckConflicts(s *service) {
	mcpkit.AddTool(s.mcp, mcpkit.Tool{
		Name: "agit_check_conflicts", ReadOnly: true,
		Description: "Compare all worktrees as they are now, uncommitted work included: each conflicting file with its depth, worktrees and agents.",
	}, func(ctx context.Context, c *mcpkit.Call, in conflictsInput) (*conflict.Report, error) {
		return s.conflicts(ctx, c, in.Repo, in.Depth)
	})
}

// conflictsQuietly scans without a caller, for the watch.
func (s *service) conflictsQuietly(ctx context.Context, name string) (*conflict.Report, error) {
	r, err := s.stores.Repos.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.stores.Conflicts.Scan(ctx, r.ID, conflict.Options{})
}
