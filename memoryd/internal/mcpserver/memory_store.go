package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/booking"
)

type memoryStoreInput struct {
	Key        string   `json:"key" is:"name"`
	Content    string   `json:"content"`
	Type       string   `json:"memory_type" enum:"pattern,decision,architecture,preference,warning"`
	Importance *int     `json:"importance,omitempty" min:"1" max:"5" desc:"5 never fades"`
	Summary    string   `json:"summary,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Items      []string `json:"related_items,omitempty"`
	Citations  []cited  `json:"citations,omitempty" desc:"{path, line?, snippet?}"`
	Project    string   `json:"project_path,omitempty" also:"project" is:"name"`
	Supersedes string   `json:"supersedes,omitempty" is:"name"`
}

// memoryStored is a memory after a write.
type memoryStored struct {
	memory.Stored
	BookedOn booking.Booking `json:"booked_on" wire:"-"`
}

func addMemoryStore(s *service) {
	add(s, mcpkit.Tool{
		Name: "memory_store", Idempotent: true,
		Description: "Keep what later sessions need. Known keys update.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryStoreInput) (out memoryStored, err error) {
		n := memory.New{Key: in.Key, Content: in.Content, Type: in.Type, Summary: in.Summary, Tags: in.Tags, Items: in.Items,
			Citations: s.citations(ctx, c, in.Project, in.Citations), Supersedes: in.Supersedes}
		if in.Key == "" {
			return out, fault.Validation("key", "the memory has no key").WithHint("give a short name that says what it is about")
		}
		if in.Importance != nil {
			n.Importance = *in.Importance
		}
		b := memory.Booking{}
		if b.Place, err = s.desk.Place(c, in.Project); err != nil {
			return out, err
		}
		if b.Agent, err = s.desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		stored, err := s.stores.Memories.Remember(ctx, b, []memory.New{n})
		if err != nil {
			return out, err
		}
		out.Stored = stored[0]
		out.BookedOn = s.desk.Book(ctx, c, b.Agent, out.Project)
		cutBody(&out.Memory)
		c.Summarize(out.Outcome)
		return out, nil
	})
}
