package mcpserver

import (
	"context"

	"github.com/agit-suite/agit/citecheck/internal/check"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/stores"
	"github.com/agit-suite/agit/shared/mcpkit"
)

type addInput struct {
	Memory  string `json:"memory" is:"name"`
	Path    string `json:"path" desc:"From the repository's root" max:"4096"`
	Line    int    `json:"line,omitempty" min:"1"`
	EndLine int    `json:"end_line,omitempty" min:"1"`
	Snippet string `json:"snippet,omitempty" desc:"Default the line as it is; finds its line" max:"4096"`
	in
}

func addAdd(s *service) {
	mcpkit.AddTool(s.MCP, mcpkit.Tool{
		Name: "cite_add", Idempotent: true,
		Description: "Cite a place in the code in a memory file.",
	}, func(ctx context.Context, c *mcpkit.Call, in addInput) (*check.Added, error) {
		folder, err := s.folder(ctx, c, in.Project)
		if err != nil {
			return nil, err
		}
		st, err := stores.Open(ctx, s.Env, stores.Options{From: folder, History: stores.Kept, NoFiles: true, Begin: &library.First{Memory: in.Memory, Cites: in.Path}})
		if err != nil {
			return nil, err
		}
		defer st.Close()
		place := memoryfile.Place{Path: in.Path, Line: in.Line, EndLine: in.EndLine}
		return st.Checks.Add(ctx, check.New{Memory: in.Memory, Place: place, Snippet: in.Snippet})
	})
}
