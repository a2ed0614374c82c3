package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/pmsync/internal/caller"
	"github.com/agit-suite/agit/pmsync/internal/sync"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type syncPullInput struct {
	Full  bool     `json:"full,omitempty" desc:"Everything again, and what is gone"`
	Types []string `json:"item_types,omitempty" desc:"ticket, epic, sprint, milestone"`
	placed
}

type syncPushInput struct {
	Force bool `json:"force,omitempty" desc:"Also changes younger than 5 s"`
	placed
}

type syncStatusInput struct {
	placed
}

// syncStatus is the sync state of the project, with the conflicts that wait for a decision.
type syncStatus struct {
	sync.Status
	Open []sync.Conflict `json:"open_conflicts,omitempty"`
}

type syncResolveInput struct {
	ID         string `json:"change_id" also:"identifier,ticket_id" desc:"Of the change, conflict or ticket" is:"name"`
	Resolution string `json:"resolution" enum:"keep_local,keep_remote,merge"`
	signed
}

var syncTools = []func(*service){
	reading(mcpkit.Tool{
		Name: "sync_pull", Idempotent: true, OpenWorld: true,
		Description: "Fetch what changed at the tracker.",
	}, func(ctx context.Context, c call, in syncPullInput) (sync.Result, error) {
		return c.stores().Sync.Pull(ctx, sync.Request{Caller: c.who, Full: in.Full, Types: in.Types, Progress: func(p sync.Progress) {
			c.Progress(float64(p.Done), float64(p.Total), "tickets")
		}})
	}),
	reading(mcpkit.Tool{
		Name: "sync_push", Idempotent: true, OpenWorld: true,
		Description: "Send queued changes to the tracker.",
	}, func(ctx context.Context, c call, in syncPushInput) (sync.Result, error) {
		return c.stores().Sync.Push(ctx, sync.Request{Caller: c.who, Now: in.Force})
	}),
	reading(mcpkit.Tool{
		Name: "sync_status", ReadOnly: true, Kept: true,
		Description: "Last sync, what waits, conflicts.",
	}, func(ctx context.Context, c call, in syncStatusInput) (out syncStatus, err error) {
		if out.Status, err = c.stores().Sync.Status(ctx, c.who, 0); err != nil || out.Conflicts == 0 {
			return out, err
		}
		list, err := c.stores().Sync.Conflicts(ctx, c.who, false)
		out.Open = list.Conflicts[:min(len(list.Conflicts), 20)]
		return out, err
	}),
	writing(mcpkit.Tool{
		Name: "sync_resolve_conflict", Idempotent: true,
		Description: "Settle a status changed on both sides.",
	}, func(ctx context.Context, c call, in syncResolveInput) (sync.Resolved, caller.BookedOn, error) {
		r, err := c.stores().Sync.Resolve(ctx, c.who, in.ID, in.Resolution)
		return r, r.BookedOn, err
	}),
}
