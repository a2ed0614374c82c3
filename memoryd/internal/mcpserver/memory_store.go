package mcpserver

import (
	"cmp"
	"context"
	"time"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type memoryStoreInput struct {
	Key        string   `json:"key" is:"name"`
	Content    string   `json:"content"`
	Type       string   `json:"memory_type" enum:"pattern,decision,architecture,preference,warning"`
	Importance *int     `json:"importance,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Title      string   `json:"title,omitempty"`
	Context    string   `json:"context,omitempty"`
	Summary    string   `json:"summary,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Items      []string `json:"related_items,omitempty"`
	Citations  []cited  `json:"citations,omitempty" desc:"path:line"`
	Project    string   `json:"project_path,omitempty" also:"project" is:"name"`
	At         string   `json:"at,omitempty"`
	Supersedes string   `json:"supersedes,omitempty" is:"name"`
}

func addMemoryStore(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "memory_store", Idempotent: true,
		Description: "Remember; 5 stays.",
	}, func(ctx context.Context, c *mcpkit.Call, in memoryStoreInput) (out memoryStored, err error) {
		n := memory.New{Key: in.Key, Content: in.Content, Type: in.Type, Confidence: in.Confidence, Title: in.Title, Context: in.Context, Summary: in.Summary,
			Tags: in.Tags, Items: in.Items, Supersedes: in.Supersedes}
		if in.Key == "" {
			return out, fault.Validation("key", "the memory has no key").WithHint("give a short name that says what it is about")
		}
		if n.Importance, err = memory.GivenImportance(in.Importance); err != nil {
			return out, err
		}
		if n.At, err = memory.NotedAt(in.At); err != nil {
			return out, err
		}
		n.Conversation = conversation(c.Session()).At(cmp.Or(n.At, time.Now()))
		b := memory.Booking{}
		if b.Place, err = s.Desk.Place(ctx, c, in.Project); err != nil {
			return out, err
		}
		if b.Agent, err = s.Desk.Caller(c, "", ""); err != nil {
			return out, err
		}
		var warnings []string
		n.Citations, warnings = s.citations(ctx, c, in.Project, in.Citations)
		n.Named = s.named(ctx, c, in.Project, in.Content)
		stored, err := s.stores.Memories.Remember(ctx, b, []memory.New{n})
		if err != nil {
			return out, err
		}
		return s.stored(ctx, c, b.Agent, stored[0], warnings), nil
	})
}

// conversationKey is the key of a client session's conversation.
type conversationKey struct{}

// conversation is what a client stores while it is connected.
func conversation(session *mcpkit.Session) *memory.Conversation {
	kept, _ := session.Get(conversationKey{}).(*memory.Conversation)
	if kept == nil {
		kept = &memory.Conversation{}
		session.Set(conversationKey{}, kept)
	}
	return kept
}

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
