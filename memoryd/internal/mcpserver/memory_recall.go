package mcpserver

import (
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type memoryRecallInput struct {
	Query    string   `json:"query,omitempty" desc:"Plain question"`
	ID       string   `json:"id,omitempty" also:"key" desc:"Or key" is:"name"`
	Type     string   `json:"memory_type,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Least    int      `json:"min_importance,omitempty" min:"1" max:"5"`
	Limit    int      `json:"limit,omitempty" min:"1" max:"200" desc:"Default 10"`
	Offset   int      `json:"offset,omitempty" min:"0"`
	Titles   bool     `json:"titles,omitempty" desc:"No bodies"`
	Everyone bool     `json:"all_projects,omitempty"`
	Project  string   `json:"project_path,omitempty" also:"project" is:"name"`
}

// recalled is one memory of an answer; its body is cut when it is long.
type recalled struct {
	memory.Hit
	Cut bool `json:"truncated,omitempty"`
}

type recallOutput struct {
	Memories []recalled          `json:"memories"`
	Weak     bool                `json:"weak"`
	Hidden   int                 `json:"hidden"`
	More     bool                `json:"more,omitempty" wire:"-"`
	Left     int                 `json:"left_out,omitempty" wire:"-"`
	Read     map[string][]string `json:"read_as,omitempty" wire:"-"`
	Unknown  []string            `json:"unknown,omitempty" wire:"-"`
	History  []memory.Version    `json:"history,omitempty" wire:"-"`
}

func addMemoryRecall(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_recall", ReadOnly: true, Kept: true, // to count that it was used is bookkeeping
		Description: "Find what is known, best first; weak hits hardly fit.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryRecallInput) (out recallOutput, err error) {
		out.Memories = []recalled{}
		q := memory.Query{Text: in.Query, Type: in.Type, Tags: in.Tags, MinImportance: in.Least,
			Limit: in.Limit, Offset: in.Offset, Titles: in.Titles}
		by := memory.Reader{}
		if !in.Everyone {
			place, err := s.Desk.Place(c, in.Project)
			if err != nil {
				return out, err
			}
			by.Place = &place
		}
		if in.ID != "" {
			m, history, err := s.stores.Memories.Get(ctx, by, in.ID, in.Type, true)
			if err != nil {
				return out, err
			}
			out.Memories, out.History = append(out.Memories, recalled{Hit: memory.Hit{Memory: m}}), history
			return out, nil
		}
		answers, err := s.stores.Memories.RecallAll(ctx, by, []memory.Query{q})
		if err != nil {
			return out, err
		}
		a := answers[0]
		out.Weak, out.Hidden, out.More, out.Left, out.Read, out.Unknown = a.Weak, a.Hidden, a.More, a.Left, a.Read, a.Unknown
		for _, h := range a.Memories {
			r := recalled{Hit: h}
			r.Cut = cutBody(&r.Memory)
			out.Memories = append(out.Memories, r)
		}
		c.Summarize(fmt.Sprintf("%d memories, weak %t", len(out.Memories), out.Weak))
		return out, nil
	})
}
