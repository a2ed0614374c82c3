package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type memoryForgetInput struct {
	Key     string `json:"key" also:"id" desc:"Key or id" is:"name"`
	Type    string `json:"memory_type,omitempty"`
	Why     string `json:"why,omitempty"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

type forgottenOutput struct {
	Forgotten bool            `json:"forgotten"`
	ID        string          `json:"id"`
	Type      string          `json:"memory_type"`
	Key       string          `json:"key"`
	Restore   string          `json:"restore"` // the call that brings it back
	BookedOn  booking.Booking `json:"booked_on"`
}

func addMemoryForget(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_forget", Destructive: true,
		Description: "Archive a memory that is wrong or no longer matters; it can be restored.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryForgetInput) (out forgottenOutput, err error) {
		t, err := s.target(ctx, c, in.Project, in.Key, in.Type)
		if err != nil {
			return out, err
		}
		done, err := s.stores.Memories.Forget(ctx, t, in.Why, false)
		if err != nil {
			return out, err
		}
		return forgottenOutput{Forgotten: done.Forgotten, ID: done.ID, Type: done.Type, Key: done.Key,
			Restore: "memory_update with key " + done.ID + " and restore", BookedOn: s.Desk.Book(ctx, c, t.Agent, done.Project)}, nil
	})
}

type memoryDecayInput struct {
	DryRun  *bool  `json:"dry_run,omitempty" desc:"Default true"`
	Project string `json:"project_path,omitempty" also:"project" is:"name"`
}

// mostDue is how many memories an answer lists, those closest to fading first.
const mostDue = 50

type decayReport struct {
	memory.DecayReport
	Left int `json:"left_out,omitempty" wire:"-"`
}

func addMemoryDecay(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_decay", Destructive: true,
		Description: "List unused memories that are due to fade, or archive them.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryDecayInput) (r decayReport, err error) {
		p, err := s.projectOf(ctx, c, in.Project)
		if err != nil {
			return r, err
		}
		cfg := s.stores.Config.Memory
		d := memory.Decay{ProjectID: p.ID, Threshold: float64(cfg.DecayThreshold), MinimumAge: cfg.DecayAfterDays, DryRun: in.DryRun == nil || *in.DryRun}
		r.DecayReport, err = s.stores.Memories.Decay(ctx, d)
		r.Left = max(0, len(r.Memories)-mostDue)
		r.Memories = r.Memories[:len(r.Memories)-r.Left]
		c.Summarize(fmt.Sprintf("%d of %d", r.Archived, r.Checked))
		return r, err
	})
}
