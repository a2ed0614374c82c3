package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/work/brief"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type beginInput struct {
	Repo    string `json:"repo,omitempty" is:"name"`
	TaskID  string `json:"task_id,omitempty" also:"taskId,task,id" desc:"Or ticket's key. Default: yours, else next" is:"name"`
	AgentID string `json:"agent_id,omitempty" also:"agent,agentName" desc:"Yours by default" is:"name"`
	Here    string `json:"here,omitempty" desc:"Path: begin there"`
}

type beginOutput struct {
	brief.Brief
	BookedOn *booking.Booking `json:"booked_on,omitempty"`
}

// added is how much of the brief's limit is left for what a tool adds.
const added = 500

func addBegin(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_begin", Idempotent: true,
		Description: "Begin a task: claim it, make its worktree, get a brief. Task null: none is ready.",
	}, func(ctx context.Context, c *mcpkit.Call, in beginInput) (out beginOutput, err error) {
		who, err := s.Desk.Caller(c, "agent_id", in.AgentID)
		if err != nil {
			return out, err
		}
		name := in.Repo
		if name == "" {
			name, err = s.repoHere(ctx, c)
		}
		if name == "" && in.TaskID == "" && in.Here == "" && err == nil { // a task says its own
			name, err = s.repoOf(ctx, c, "")
		}
		if err != nil {
			return out, err
		}
		out.Brief, err = s.stores.Assign.Begin(ctx, assignment.BeginRequest{Repo: name, Task: in.TaskID, Agent: who, Here: in.Here, Words: brief.Tools, Limit: brief.Limit - added})
		if err != nil {
			return out, err
		}
		booked := s.Desk.BookAt(ctx, c, who, out.ProjectID)
		if in.AgentID != "" && c.Session().Adopt(booked.Agent) != booked.Agent {
			out.Notes = append(out.Notes, fmt.Sprintf("Other agents speak in this session too: give agent_id %s in each of your calls.", booked.Agent))
		}
		if out.Task == nil {
			c.Summarize("nothing ready")
			return out, nil
		}
		c.Summarize(out.Task.ID)
		s.claims.made(c, task.Task{ID: out.Task.ID, ClaimToken: out.Task.ClaimToken})
		out.BookedOn = &booked
		return out, nil
	})
}

type finishInput struct {
	WorktreeID string `json:"worktree_id,omitempty" also:"worktree" desc:"Yours by default" is:"name"`
	Status     string `json:"status,omitempty" enum:"done,no_changes,failed,released" desc:"Default done"`
	Summary    string `json:"summary,omitempty" also:"result,notes" desc:"What you did, or why not"`
	Commit     bool   `json:"commit,omitempty"`
	AgentID    string `json:"agent_id,omitempty" also:"agent,agentName" is:"name"`
}

type finishOutput struct {
	assignment.Finished
	BookedOn booking.Booking `json:"booked_on"`
}

func addFinish(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "agit_finish", Idempotent: true,
		Description: "Finish your task: check the work, run the gate, land it or leave it for review.",
	}, func(ctx context.Context, c *mcpkit.Call, in finishInput) (out finishOutput, err error) {
		by, err := s.caller(c, "agent_id", in.AgentID, "", 0)
		if err != nil {
			return out, err
		}
		out.Finished, err = s.stores.Assign.Finish(ctx, assignment.FinishRequest{
			Caller: by, Worktree: in.WorktreeID, Outcome: in.Status, Summary: in.Summary, Commit: in.Commit, Asker: land.Asker{Agent: by.Agent, Tool: true},
			TokenOf: func(taskID string) int64 { return ofSession(c.Session(), taskID) },
		})
		if err != nil {
			return out, err
		}
		if out.Task != nil {
			s.claims.done(out.Task.ID)
		}
		c.Summarize(fmt.Sprintf("%s %s", out.Worktree.ID, out.State))
		out.BookedOn = s.Desk.BookAt(ctx, c, out.Agent, out.ProjectID)
		return out, nil
	})
}
