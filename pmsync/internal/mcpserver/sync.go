package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/mcpkit"
)

var syncTools = []func(*service){addSyncPull, addSyncPush, addSyncStatus, addSyncResolve}

type syncPullInput struct {
	Full    bool     `json:"full,omitempty" desc:"Everything again, and what is gone"`
	Types   []string `json:"item_types,omitempty" desc:"ticket, epic, sprint, milestone"`
	Project string   `json:"project_path,omitempty" also:"project" is:"name"`
}

func addSyncPull(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "sync_pull", Idempotent: true, OpenWorld: true,
		Description: "Fetch what changed at the tracker.",
	}, func(ctx context.Context, c *mcpkit.Call, in syncPullInput) (sync.Result, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return sync.Result{}, err
		}
		return s.stores().Sync.Pull(ctx, sync.Request{Caller: who, Full: in.Full, Types: in.Types, Progress: func(p sync.Progress) {
			c.Progress(float64(p.Done), float64(p.Total), "tickets")
		}})
	})
}

type syncPushInput struct {
	Force   bool   `json:"force,omitempty" desc:"Also changes younger than 5 s"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

func addSyncPush(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "sync_push", Idempotent: true, OpenWorld: true,
		Description: "Send queued changes to the tracker.",
	}, func(ctx context.Context, c *mcpkit.Call, in syncPushInput) (sync.Result, error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return sync.Result{}, err
		}
		return s.stores().Sync.Push(ctx, sync.Request{Caller: who, Now: in.Force})
	})
}

type syncStatusInput struct {
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

// syncStatus is the sync state of the project, with the conflicts that wait for a decision.
type syncStatus struct {
	sync.Status
	Open []sync.Conflict `json:"open_conflicts,omitempty"`
}

func addSyncStatus(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "sync_status", ReadOnly: true, Kept: true,
		Description: "Last sync, what waits, conflicts.",
	}, func(ctx context.Context, c *mcpkit.Call, in syncStatusInput) (out syncStatus, err error) {
		who, err := s.reads(ctx, c, in.Project, "")
		if err != nil {
			return out, err
		}
		if out.Status, err = s.stores().Sync.Status(ctx, who, 0); err != nil || out.Conflicts == 0 {
			return out, err
		}
		list, err := s.stores().Sync.Conflicts(ctx, who, false)
		out.Open = list.Conflicts[:min(len(list.Conflicts), 20)]
		return out, err
	})
}

type syncResolveInput struct {
	ID         string `json:"change_id" also:"identifier,ticket_id" desc:"Of the change, conflict or ticket" is:"name"`
	Resolution string `json:"resolution" enum:"keep_local,keep_remote,merge"`
	Project    string `json:"project_path,omitempty" also:"project" is:"name"`
	Agent      string `json:"agent,omitempty" is:"name"`
}

func addSyncResolve(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "sync_resolve_conflict", Idempotent: true,
		Description: "Settle a status changed on both sides.",
	}, func(ctx context.Context, c *mcpkit.Call, in syncResolveInput) (sync.Resolved, error) {
		who, err := s.writes(ctx, c, in.Project, in.Agent)
		if err != nil {
			return sync.Resolved{}, err
		}
		r, err := s.stores().Sync.Resolve(ctx, who, in.ID, in.Resolution)
		s.booked(c, r.BookedOn)
		return r, err
	})
}
