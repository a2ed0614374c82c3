package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/remove"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
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

type spawnInput struct {
	Repo   string `json:"repo,omitempty" is:"name"`
	Task   string `json:"task,omitempty" also:"task_id,taskId" desc:"Task's id, ticket's key, or a new task's name"`
	Branch string `json:"branch,omitempty" desc:"Made from the task" is:"name"`
	PR     int64  `json:"pr,omitempty"`
	Agent  string `json:"agent,omitempty" also:"agent_id,agentName" desc:"Yours by default" is:"name"`
}

type spawnOutput struct {
	worktree.Worktree
	BookedOn booking.Booking `json:"booked_on"`
}

func addSpawnWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name:        "agit_spawn_worktree",
		Description: "Make an agent's worktree on a new branch or a pull request's. Work only in the returned path.",
	}, func(ctx context.Context, c *mcpkit.Call, in spawnInput) (spawnOutput, error) {
		who, name, err := s.callerIn(ctx, c, "agent", in.Agent, in.Repo)
		if err != nil {
			return spawnOutput{}, err
		}
		request := spawn.Request{Repo: name, Task: in.Task, Branch: in.Branch, Agent: who}
		var w worktree.Worktree
		if in.PR != 0 {
			var notes []string
			w, err = s.stores.Forges.Spawn(ctx, s.stores.Spawns, request, in.PR, func(note string) { notes = append(notes, note) })
			if w.Note != "" {
				notes = append(notes, w.Note)
			}
			w.Note = strings.Join(notes, "; ")
		} else {
			w, err = s.stores.Spawns.Spawn(ctx, request)
		}
		if err != nil {
			return spawnOutput{}, err
		}
		if w.TaskID != "" {
			if d, err := s.stores.Tasks.Get(ctx, w.TaskID); err == nil {
				s.claims.made(c, d.Task)
			}
		}
		return spawnOutput{briefTree(w), s.Desk.BookAt(ctx, c, who, w.ProjectID)}, nil
	})
}

type mergeInput struct {
	Repo       string `json:"repo,omitempty" is:"name"`
	WorktreeID string `json:"worktree_id" also:"worktree" desc:"Id, branch, agent, folder" is:"name"`
	Message    string `json:"message,omitempty"`
	KeepTask   bool   `json:"keep_task,omitempty"`
	Into       string `json:"into,omitempty" is:"name"`
	How        string `json:"how,omitempty" enum:"merge,squash,rebase"`
}

type mergeOutput struct {
	land.Merged
	Pull     *assignment.Pull `json:"pull,omitempty"`
	BookedOn booking.Booking  `json:"booked_on"`
}

func addMergeWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_merge_worktree", Destructive: true,
		Description: "Merge a worktree, complete its task, remove it. On conflict or a red gate nothing changes.",
	}, func(ctx context.Context, c *mcpkit.Call, in mergeInput) (mergeOutput, error) {
		who, name, err := s.callerIn(ctx, c, "", "", in.Repo)
		if err != nil {
			return mergeOutput{}, err
		}
		q := land.Request{
			Repo: name, Worktree: in.WorktreeID, Message: in.Message, KeepTask: in.KeepTask, By: who, Asker: land.Asker{Agent: who, Tool: true},
			Into: in.Into, Strategy: land.Strategy(in.How),
		}
		if q.Plain() {
			done, proposed, err := s.stores.Assign.Propose(ctx, q)
			if err != nil {
				return mergeOutput{}, err
			}
			if proposed {
				w, err := s.stores.Worktrees.Get(ctx, name, done.Worktree.ID)
				return mergeOutput{land.Merged{Worktree: briefTree(w), Into: done.Worktree.Into}, done.Pull, s.Desk.BookAt(ctx, c, who, done.ProjectID)}, err
			}
		}
		merged, err := s.stores.Landings.Land(ctx, q)
		if err != nil {
			return mergeOutput{}, err
		}
		merged.Worktree = briefTree(merged.Worktree)
		return mergeOutput{merged, nil, s.Desk.BookAt(ctx, c, who, merged.Worktree.ProjectID)}, nil
	})
}

type removeInput struct {
	Repo       string `json:"repo,omitempty" is:"name"`
	WorktreeID string `json:"worktree_id" also:"worktree" desc:"Id, branch, agent or folder" is:"name"`
}

type removeOutput struct {
	remove.Removal
	BookedOn booking.Booking `json:"booked_on"`
}

func addRemoveWorktree(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_remove_worktree", Destructive: true,
		Description: "Remove a finished worktree. Refuses, saying why, when anything would be lost; restorable for 30 days.",
	}, func(ctx context.Context, c *mcpkit.Call, in removeInput) (removeOutput, error) {
		who, name, err := s.callerIn(ctx, c, "", "", in.Repo)
		if err != nil {
			return removeOutput{}, err
		}
		removal, err := s.stores.Removals.Remove(ctx, remove.Request{Repo: name, Worktree: in.WorktreeID, By: who})
		if err != nil {
			return removeOutput{}, err
		}
		removal.Worktree = briefTree(removal.Worktree)
		return removeOutput{removal, s.Desk.BookAt(ctx, c, who, removal.Worktree.ProjectID)}, nil
	})
}
