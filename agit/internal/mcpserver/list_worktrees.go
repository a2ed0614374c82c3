package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/text"
)

type worktreesInput struct {
	Repo  string `json:"repo,omitempty" desc:"Yours by default, else all; * for all" is:"name"`
	After string `json:"after,omitempty" desc:"next of the page before"`
}

type worktreesOutput struct {
	Worktrees []worktree.Worktree `json:"worktrees"`
	Next      string              `json:"next,omitempty"`
}

func addListWorktrees(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_list_worktrees", ReadOnly: true,
		Description: "List worktrees with branch, status, agent and task, oldest first; then those that others made (maker).",
	}, func(ctx context.Context, c *mcpkit.Call, in worktreesInput) (worktreesOutput, error) {
		name, err := in.Repo, error(nil)
		switch name {
		case "*":
			name = ""
		case "":
			name, err = s.repoHere(ctx, c)
		}
		if err != nil {
			return worktreesOutput{}, err
		}
		list, err := s.stores.Worktrees.WithOthers(ctx, name)
		if err != nil {
			return worktreesOutput{}, err
		}
		c.Summarize(fmt.Sprintf("%d worktrees", len(list)))
		return pageOfTrees(list, in.After)
	})
}

// pageOfTrees cuts a list; after is the id of the last one shown.
func pageOfTrees(list []worktree.Worktree, after string) (out worktreesOutput, err error) {
	if after != "" {
		last := slices.IndexFunc(list, func(w worktree.Worktree) bool { return w.Ref == text.Key(after) })
		if last < 0 {
			return out, fault.Validation("after", "%q is not the end of a page of this list any more", cut(after, 60)).
				WithHint("list from the beginning, without after")
		}
		list = list[last+1:]
	}
	if len(list) > worktreesPage {
		list = list[:worktreesPage]
		out.Next = list[worktreesPage-1].Ref
	}
	for i, w := range list {
		list[i] = briefTree(w)
	}
	out.Worktrees = list
	return out, nil
}
