package mcpserver

import (
	"context"
	"strings"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

// The resources are the documents of the tools, unabridged.
const (
	uriHealth = "citecheck://health"
	uriMemory = "citecheck://memories/{+id}"
)

// memoryDocument is a memory as it is written, and the results of its check.
type memoryDocument struct {
	check.Memory
	Content string `json:"content"`
}

func addResources(s *service) {
	s.MCP.AddResource(mcpkit.Resource{URI: uriHealth, Name: "health", Description: "How all memories of the project stand"},
		func(ctx context.Context, c *mcpkit.Call, _ map[string]string) (any, error) {
			r, err := s.health(ctx, c, "")
			if err != nil {
				return nil, err
			}
			return shortReport(r, 10*nodesPage), nil
		})
	s.MCP.AddResource(mcpkit.Resource{
		URI: uriMemory, Name: "memory", Description: "One memory with its text and the verdicts on its citations",
		Complete: map[string]mcpkit.Completer{"id": s.memoryIDs},
	}, func(ctx context.Context, c *mcpkit.Call, vars map[string]string) (any, error) {
		st, err := s.open(ctx, c, "", stores.Kept)
		if err != nil {
			return nil, err
		}
		defer st.Close()
		d, err := st.Checks.Named(ctx, vars["id"])
		if err != nil {
			return nil, err
		}
		sum, err := st.Checks.VerifyNamed(ctx, []string{vars["id"]}, check.Options{Whole: true})
		if err != nil {
			return nil, err
		}
		out := memoryDocument{Memory: sum.Memories[0]}
		out.Content, err = st.Checks.Says(ctx, d)
		return out, err
	})
}

// memoryIDs completes the ids of the memories of the server's own folder.
func (s *service) memoryIDs(ctx context.Context, prefix string, _ map[string]string) (ids []string, err error) {
	st, err := stores.Open(ctx, s.Env, stores.Options{History: stores.Unused})
	if err != nil {
		return nil, err
	}
	defer st.Close()
	entries, err := st.Library.Entries()
	for _, e := range entries {
		if strings.HasPrefix(strings.ToLower(e.ID), strings.ToLower(prefix)) {
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}
