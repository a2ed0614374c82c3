package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agit-suite/agit/memoryd/internal/history"
	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/others"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type memoryRecallInput struct {
	Query    string   `json:"query,omitempty" desc:"Plain question"`
	Also     []string `json:"also,omitempty"` // the answer to a search without hits says what it is for
	ID       string   `json:"id,omitempty" also:"key" desc:"Or key" is:"name"`
	Type     string   `json:"memory_type,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Items    []string `json:"related_items,omitempty"`
	Least    int      `json:"min_importance,omitempty"`
	Limit    int      `json:"limit,omitempty" min:"1" max:"200"`
	Offset   int      `json:"offset,omitempty" min:"0"`
	Titles   bool     `json:"titles,omitempty"`
	Everyone bool     `json:"all_projects,omitempty"`
	Archived bool     `json:"archived,omitempty"`
	Project  string   `json:"project_path,omitempty" also:"project" is:"name"`
}

// recalled is one memory of an answer that is not a weak hit; a long body is cut.
type recalled struct {
	memory.Hit
	Cut bool `json:"truncated,omitempty"`
}

type recallOutput struct {
	Memories []any               `json:"memories" wire:"name"` // recalled, and memory.Short for weak hits
	Weak     bool                `json:"weak" wire:"name"`
	Hidden   int                 `json:"hidden" wire:"-"`
	More     bool                `json:"more,omitempty" wire:"-"`
	Left     int                 `json:"left_out,omitempty" wire:"-"`
	Read     map[string][]string `json:"read_as,omitempty" wire:"-"`
	Unknown  []string            `json:"unknown,omitempty" wire:"-"`
	Alone    string              `json:"words_alone,omitempty" wire:"-"`
	Next     string              `json:"next,omitempty" wire:"-"`
	History  []memory.Version    `json:"history,omitempty" wire:"-"`
	Archived []memory.Hidden     `json:"archived,omitempty" wire:"-"`
	Sessions []history.Seen      `json:"client_sessions,omitempty" wire:"-"` // quotations, apart from memories
	Others   []others.Seen       `json:"other_memories,omitempty" wire:"-"`  // quotations, too
}

func addMemoryRecall(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_recall", ReadOnly: true, Kept: true, // counting the use is only bookkeeping
		Description: "Find what is known. Weak hits are short: id reads one.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryRecallInput) (out recallOutput, err error) {
		out.Memories = []any{}
		q := memory.Query{Text: in.Query, Also: in.Also, Type: in.Type, Tags: in.Tags, Items: in.Items, MinImportance: in.Least,
			Limit: in.Limit, Offset: in.Offset, Titles: in.Titles}
		if in.Archived {
			p, err := s.projectOf(ctx, c, in.Project)
			if err != nil {
				return out, err
			}
			all, err := s.stores.Memories.Archived(ctx, p.ID, in.Type)
			from := min(in.Offset, len(all))
			to := min(from+cmp.Or(in.Limit, memory.DefaultLimit), len(all))
			out.Archived, out.Hidden, out.More = all[from:to], len(all), to < len(all)
			return out, err
		}
		by := memory.Reader{}
		if !in.Everyone {
			place, err := s.Desk.Place(ctx, c, in.Project)
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
		out.Next = hints.Replace(a.Next())
		out.Weak, out.Hidden, out.More, out.Left, out.Read, out.Unknown = a.Weak, a.Hidden, a.More, a.Left, a.Read, a.Unknown
		out.Alone = a.WordsAlone
		for _, h := range a.Memories {
			if short, ok := h.Short(); ok {
				out.Memories = append(out.Memories, short)
				continue
			}
			r := recalled{Hit: h}
			r.Cut = cutBody(&r.Memory)
			out.Memories = append(out.Memories, r)
		}
		if in.Offset == 0 {
			out.Sessions, _ = s.stores.History.Beside().Bears(ctx, by.Place, in.Query) // memories are the answer
			seen, _ := s.stores.Others.Bear(ctx, by.Place, in.Query)
			out.Others = others.Without(seen, a.Keys())
		}
		c.Summarize(fmt.Sprintf("%d memories, weak %t", len(out.Memories), out.Weak))
		return out, nil
	})
}
