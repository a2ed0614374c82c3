package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type fixInput struct {
	Memory   string `json:"memory,omitempty" desc:"Default all" is:"name"`
	DryRun   bool   `json:"dry_run,omitempty"`
	Reviewed bool   `json:"reviewed,omitempty" desc:"Changed ones too: you read the code"`
	in
}

func addFix(s *service) {
	offer(s, mcpkit.Tool{
		Name: "cite_fix", Idempotent: true,
		Description: "Write the new places of moved and renamed citations.",
	}, stores.Kept, func(ctx context.Context, c *mcpkit.Call, in fixInput, st *stores.Stores) (*check.Fixes, error) {
		docs, err := st.Checks.NamedDocuments(ctx, given(in.Memory), check.Options{})
		if err != nil {
			return nil, err
		}
		out, err := st.Checks.Fix(ctx, docs, check.FixOptions{Reviewed: in.Reviewed, DryRun: in.DryRun})
		if err != nil {
			return nil, err
		}
		for i := range out.Fixes {
			out.Fixes[i].Text, out.Fixes[i].Reason = cut(out.Fixes[i].Text), forTools(out.Fixes[i].Reason)
		}
		c.Summarize(fmt.Sprintf("%d files changed, %d citations left", out.Files, out.Left))
		out.Fixes = first(out.Fixes, nodesPage)
		return out, nil
	})
}

type adoptInput struct {
	Memory string `json:"memory,omitempty" desc:"Default all" is:"name"`
	DryRun bool   `json:"dry_run,omitempty"`
	in
}

func addAdopt(s *service) {
	offer(s, mcpkit.Tool{
		Name: "cite_adopt", Idempotent: true,
		Description: "Make path:line references in memories' text checked citations, where the lines are now.",
	}, stores.Kept, func(ctx context.Context, c *mcpkit.Call, in adoptInput, st *stores.Stores) (*check.Adoptions, error) {
		entries, err := st.Checks.Entries(given(in.Memory))
		if err != nil {
			return nil, err
		}
		out, err := st.Checks.Adopt(ctx, entries, in.DryRun)
		if err != nil {
			return nil, err
		}
		for i := range out.References {
			out.References[i].Snippet = cut(out.References[i].Snippet)
		}
		c.Summarize(fmt.Sprintf("%d references, %d files changed", len(out.References), out.Files))
		out.References = first(out.References, nodesPage)
		return out, nil
	})
}

// given returns a list with the name, or an empty one without a name.
func given(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
