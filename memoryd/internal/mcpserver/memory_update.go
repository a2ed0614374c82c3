package mcpserver

import (
	"context"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type memoryUpdateInput struct {
	Key        string    `json:"key" also:"id" desc:"Key or id" is:"name"`
	Content    *string   `json:"content,omitempty"`
	Importance *int      `json:"importance,omitempty"`
	Confidence *float64  `json:"confidence,omitempty" desc:"Lower when contradicted"`
	Type       string    `json:"memory_type,omitempty"`
	Summary    *string   `json:"summary,omitempty"`
	Tags       *[]string `json:"tags,omitempty"`
	Items      *[]string `json:"related_items,omitempty"`
	Citations  *[]cited  `json:"citations,omitempty"`
	Restore    bool      `json:"restore,omitempty"`
	Expires    string    `json:"expires_at,omitempty" also:"expires" desc:"Or never"`
	Why        string    `json:"why,omitempty"`
	Project    string    `json:"project_path,omitempty" also:"project" is:"name"`
}

func addMemoryUpdate(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_update", Idempotent: true, Kept: true,
		Description: "Change a memory, keeping its history; or restore an archived one.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryUpdateInput) (out memoryStored, err error) {
		t, err := s.target(ctx, c, in.Project, in.Key, in.Type)
		if err != nil {
			return out, err
		}
		p := memory.Patch{Content: in.Content, Importance: in.Importance, Confidence: in.Confidence, Summary: in.Summary,
			Tags: in.Tags, Items: in.Items, Why: in.Why}
		if p.ExpiresAt, err = memory.NewExpiry(in.Expires, time.Now()); err != nil {
			return out, err
		}
		var warnings []string
		if in.Citations != nil {
			var list []memory.Citation
			list, warnings = s.citations(ctx, c, in.Project, *in.Citations)
			p.Citations = &list
		}
		if in.Content != nil {
			p.Named = s.named(ctx, c, in.Project, *in.Content)
		}
		done, err := s.stores.Memories.Change(ctx, t, p, in.Restore)
		if err != nil {
			return out, err
		}
		return s.stored(ctx, c, t.Agent, done, warnings), nil
	})
}
